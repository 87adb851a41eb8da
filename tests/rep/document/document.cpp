#include <robots/rep/document/document.hpp>

#include <robots/rep/read/crawler_names.hpp>
#include <robots/rep/read/request_rate.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/crawler_directives.hpp>
#include <robots/rep/rules/explanation.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using robots::document;
using robots::parse;
using robots::rule_kind;
using namespace std::chrono_literals;

static_assert(std::ranges::forward_range<robots::rep_detail::value_range>);

constexpr std::string_view file_of_two =
    "Crawl-delay: 7\n"
    "User-agent: FerretBot\n"
    "User-agent: OtherBot/1\n"
    "Allow: /products/\n"
    "Disallow: /admin\n"
    "Allow: /%70ublic\n"
    "Crawl-delay: 5\n"
    "\n"
    "User-agent: *\n"
    "Disallow: /*.php$\n"
    "\n"
    "Sitemap: https://example.com/sitemap.xml\n"
    "Host:\n"
    "Host: example.com\n"
    "Sitemap: /second.xml\n";

static_assert(parse(file_of_two).allows("/products/1", "FerretBot"));
static_assert(!parse(file_of_two).allows("/admin/users", "ferretbot/2.0 (+https://example.com)"));
static_assert(!parse(file_of_two).allows("/x.php"));
static_assert(parse(file_of_two).allows("/x.php", "FerretBot"));
static_assert(parse(file_of_two).crawl_delay("FerretBot") == 5s);
static_assert(!parse(file_of_two).crawl_delay("Unnamed"));
static_assert(parse(file_of_two).file_delay() == 7s);
static_assert([] {
  const document file = parse(file_of_two);
  return file.host() == "example.com" && file.match("/admin", "FerretBot").line == 5;
}());
static_assert(!parse("User-agent: *\nCrawl-delay: 1\n").file_delay());

std::vector<std::string_view> list(robots::rep_detail::value_range values) {
  return {values.begin(), values.end()};
}

using strings = std::vector<std::string_view>;

// Members that return views cannot be called on a temporary document.
template <class File>
concept views =
    requires(File&& file) { std::forward<File>(file).match("/"); } ||
    requires(File&& file) { std::forward<File>(file).sitemaps(); } ||
    requires(File&& file) { std::forward<File>(file).host(); } ||
    requires(File&& file) { std::forward<File>(file).values(robots::directive_kind::sitemap); } ||
    requires(File&& file) { std::forward<File>(file).directives(); } ||
    requires(File&& file) { std::forward<File>(file).directives_for("x"); } ||
    requires(File&& file) { std::forward<File>(file).groups(); } ||
    requires(File&& file) { std::forward<File>(file).diagnostics(); } ||
    requires(File&& file) { std::forward<File>(file).options(); };
static_assert(views<document&> && views<const document&>);
static_assert(!views<document> && !views<const document>);

// A verdict refers to the name of the crawler, so the name cannot be a temporary.
template <class Name>
concept names_crawler =
    requires(const document& file, Name&& name) { file.match("/", std::forward<Name>(name)); };
static_assert(names_crawler<const char (&)[4]> && names_crawler<std::string_view>);
static_assert(names_crawler<std::string&> && names_crawler<const std::string&>);
static_assert(names_crawler<robots::crawler_names&> && names_crawler<const robots::crawler_names&>);
static_assert(!names_crawler<std::string> && !names_crawler<const std::string>);
static_assert(!names_crawler<robots::crawler_names>);

TEST_CASE("Every question about a crawler takes all of its names") {
  const document file = parse(
      "User-agent: *\nDisallow: /all\nCrawl-delay: 9\n"
      "User-agent: FooBot\nDisallow: /foo\nCrawl-delay: 2\nRequest-rate: 1/5s\n");
  const robots::crawler_names names{"FooBot-Image", "FooBot/1.0 (+https://foo.example/)"};
  CHECK(file.allows("/all", names));
  CHECK_FALSE(file.allows("/foo", names));
  CHECK_FALSE(file.allows("/foo", {"FooBot-Image", "FooBot"}));
  CHECK(file.crawl_delay(names) == 2s);
  CHECK(file.directives_for(names).size() == 3);
  CHECK(file.read<robots::request_rate>(names).size() == 1);
  CHECK(file.read<robots::request_rate>({"FooBot-Image", "BarBot"}).empty());
  const robots::verdict own = file.match("/foo", names);
  CHECK(own.user_agent == "FooBot");
  CHECK(own.pattern == "/foo");
  const robots::crawler_names others{"BarBot", "BazBot"};
  CHECK(file.match("/all", others).user_agent == "*");
  CHECK(file.match("/foo", others).allowed);
  CHECK(file.match("/robots.txt", names).user_agent == "FooBot");
  CHECK(file.match("/robots.txt", others).user_agent == "BarBot");
  const robots::crawler_names swapped{"FooBot", "/all"};
  CHECK(file.match("/x", swapped).undecided);
  CHECK(file.match("/x", swapped).user_agent == "/all");
}

TEST_CASE("Groups keep the order of the file and of their lines") {
  const document file = parse(file_of_two);
  std::vector<robots::group> groups = file.groups();
  REQUIRE(groups.size() == 2);
  CHECK(list(groups[0].user_agents) == strings{"FerretBot", "OtherBot/1"});
  CHECK(list(groups[0].allow) == strings{"/products/", "/%70ublic"});
  CHECK(list(groups[0].disallow) == strings{"/admin"});
  CHECK(groups[0].crawl_delay == 5s);
  CHECK(list(groups[1].user_agents) == strings{"*"});
  CHECK(groups[1].allow.empty());
  CHECK_FALSE(groups[1].crawl_delay.has_value());
}

TEST_CASE("Groups with the same crawler are listed separately and applied together") {
  const document file = parse("User-agent: a\nDisallow: /1\nUser-agent: a\nDisallow: /2\n");
  CHECK(file.groups().size() == 2);
  CHECK_FALSE(file.allows("/1", "a"));
  CHECK_FALSE(file.allows("/2", "a"));
}

TEST_CASE("Sitemaps of the whole file are listed") {
  const document file = parse(file_of_two);
  CHECK(list(file.sitemaps()) == strings{"https://example.com/sitemap.xml", "/second.xml"});
}

TEST_CASE("An empty file has no lines and allows everything") {
  const document file;
  CHECK(file.allows("/x", "FooBot"));
  CHECK(file.groups().empty());
  CHECK(file.sitemaps().empty());
  CHECK(file.directives_for("a").empty());
  CHECK_FALSE(file.host().has_value());
  CHECK(file.diagnostics().empty());
  CHECK(file.rules_for("FooBot").empty());
}

TEST_CASE("google's extra rule for an index page is not a line of the file") {
  const document file = parse("User-agent: *\nDisallow: /\nAllow: /x/index.html\n",
                              {.dialect = robots::dialect::google});
  CHECK(file.allows("/x/"));
  CHECK(list((*file.groups().begin()).allow) == strings{"/x/index.html"});
  CHECK(file.rules_for("a").allows("/x/"));
  CHECK(file.match("/x/").pattern == "/x/index.html");
}

TEST_CASE("Directives are listed in file order, and those for a crawler separately") {
  const document file = parse(
      "Foo: 1\nUser-agent: a\nFoo: 2\nDisallow: /x\nUser-agent: *\nFoo: 3\nUser-agent: A\nFoo: "
      "4\n");
  CHECK(file.directives().size() == 8);
  CHECK(file.directives()[0].key == "Foo");
  CHECK(file.directives()[0].line == 1);
  const auto own = file.directives_for("a");
  REQUIRE(own.size() == 3);
  CHECK(own[0].value == "2");
  CHECK(own[1].kind == robots::directive_kind::disallow);
  CHECK(own[2].value == "4");  // the line above it belongs to `*` alone
  CHECK(file.directives_for("b").size() == 2);
}

TEST_CASE("A line between two User-agent lines applies to the one above") {
  const document file = parse("User-agent: a\nCrawl-delay: 5\nUser-agent: b\nDisallow: /x\n");
  CHECK(file.crawl_delay("a") == 5s);
  CHECK(file.crawl_delay("b") == std::nullopt);
  CHECK(file.directives_for("a").size() == 2);
  CHECK(file.directives_for("b").size() == 1);
  CHECK(file.rules_for("a").crawl_delay() == 5s);
  CHECK(file.rules_for("b").crawl_delay() == std::nullopt);
  for (const std::string_view key : {"Request-rate", "Visit-time", "Noindex", "Content-Signal"}) {
    CAPTURE(key);
    const std::string line = std::string{key} + ": 1\n";
    const document rates =
        parse("User-agent: *\n" + line + "User-agent: b\n" + line + "Disallow: /x\n");
    CHECK(rates.directives_for("a").size() == 2);
    CHECK(rates.directives_for("b").size() == 2);
    CHECK(rates.directives_for("b").front().line == 4);
  }
}

TEST_CASE("A verdict has the crawler as in the question, or * if the group of * applies") {
  const document file = parse(file_of_two);
  CHECK(file.match("/admin", "FERRETBOT").user_agent == "FERRETBOT");
  CHECK(file.match("/robots.txt", "FerretBot/1").user_agent == "FerretBot");
  CHECK(file.match("/", "Unnamed").user_agent == "*");
  CHECK(file.match("/robots.txt", "UnNamed/2").user_agent == "UnNamed");
  CHECK(file.match("/").user_agent == "*");
  const document empty;
  CHECK(empty.match("/", "FooBot").user_agent == "FooBot");
  CHECK(empty.match("/", "").user_agent == "*");
  const document digits = parse("User-agent: MJ12bot\nDisallow: /\n");
  CHECK(digits.match("/", "mj12BOT/2").user_agent == "mj12BOT");
}

TEST_CASE("A path or a URL in the place of the user agent gets no permission") {
  for (const robots::dialect dialect : {robots::dialect::rfc9309, robots::dialect::google}) {
    for (const char* text : {"", "User-agent: *\nDisallow:\n", "User-agent: *\nAllow: /\n"}) {
      const document file = parse(text, {.dialect = dialect});
      for (const std::string_view swapped : {"/private", "http://example.com", "HTTPS://x/y"}) {
        CAPTURE(swapped);
        CHECK_FALSE(file.allows("spyder-bot/1.0", swapped));
        const robots::verdict denied = file.match("spyder-bot/1.0", swapped);
        CHECK_FALSE(denied.allowed);
        CHECK(denied.undecided);
        CHECK(denied.user_agent == swapped);
        CHECK_FALSE(denied.directive);
        const robots::rule_set rules = file.rules_for(swapped);
        CHECK_FALSE(rules.allows("/"));
        CHECK(rules.match("/").undecided);
        CHECK_FALSE(file.rules_for({"FooBot", swapped}).allows("/"));
        CHECK_FALSE(robots::compile(text, swapped, {.dialect = dialect}).allows("/"));
        CHECK_FALSE(robots::directives_for(text, swapped, {.dialect = dialect}).rules.allows("/"));
      }
    }
  }
}

TEST_CASE("A verdict refers only to the document and to the name in the question") {
  const document file = parse(file_of_two);
  const std::string name = "FerretBot/1";
  const auto verdict = file.match("/admin", name);
  CHECK(verdict.user_agent.data() == name.data());
  REQUIRE(verdict.pattern.has_value());
  CHECK(verdict.pattern->data() == (*(*file.groups().begin()).disallow.begin()).data());
}

TEST_CASE("User agents with their own delay are listed separately, with the rules of their group") {
  const document file = parse(
      "User-agent: *\nCrawl-delay: 9\nUser-agent: PlumBot\nUser-agent: a\nCrawl-delay: 2\n"
      "Disallow: /x\nAllow: /y\nCrawl-delay: 3\nUser-agent: b\nRequest-rate: 1/5\n");
  const std::vector<robots::group> groups = file.groups();
  REQUIRE(groups.size() == 3);
  CHECK(list(groups[0].user_agents) == strings{"*"});
  CHECK(groups[0].crawl_delay == 9s);
  CHECK(list(groups[1].user_agents) == strings{"PlumBot", "a"});
  CHECK(groups[1].crawl_delay == 2s);
  for (const int i : {0, 1}) {
    CHECK(list(groups[static_cast<std::size_t>(i)].disallow) == strings{"/x"});
    CHECK(list(groups[static_cast<std::size_t>(i)].allow) == strings{"/y"});
  }
  CHECK(list(groups[2].user_agents) == strings{"b"});
  CHECK(groups[2].disallow.empty());
  for (const robots::group& one : groups) {
    for (const std::string_view agent : one.user_agents) {
      CHECK(file.crawl_delay(agent) == one.crawl_delay);
      CHECK(file.rules_for(agent).crawl_delay() == one.crawl_delay);
      CHECK(robots::directives_for(file_of_two, agent).rules.crawl_delay() ==
            robots::compile(file_of_two, agent).crawl_delay());
    }
  }
}

TEST_CASE("A document outlives the text it was read from") {
  std::string buffer{file_of_two};
  const document file = parse(buffer);
  buffer.assign(buffer.size(), '?');
  const document copy = file;
  CHECK_FALSE(copy.allows("/admin", "FerretBot"));
  CHECK(copy.host() == "example.com");
}

TEST_CASE("Diagnostics are sorted by line, and a clean file has none") {
  const document clean = parse(file_of_two);
  CHECK(std::size(clean.diagnostics()) == 0);
  const document file = parse("Disallow: /x\nnonsense\nUser-agent: *\nDisallow: y\n");
  const auto findings = file.diagnostics();
  CHECK(findings.size() == 3);
  CHECK(std::ranges::is_sorted(findings, {}, &robots::diagnostic::line));
  for (const auto& finding : findings) {
    CHECK_FALSE(finding.text.empty());
  }
}

TEST_CASE("The document, its rules and a direct compilation give the same verdict") {
  for (const std::string_view agent : {"FerretBot", "OtherBot", "x", "*", ""}) {
    for (const std::string_view target :
         {"/products/1", "/admin", "/public", "/a.php", "/robots.txt", "/", "", "/%70ublic?x"}) {
      CAPTURE(agent);
      CAPTURE(target);
      const document file = parse(file_of_two);
      const auto direct = file.match(target, agent);
      const auto rules = file.rules_for(agent);
      const auto compiled = robots::compile(file_of_two, agent);
      for (const auto& other : {rules.match(target), compiled.match(target)}) {
        CHECK(other.allowed == direct.allowed);
        CHECK(other.directive == direct.directive);
        CHECK(other.pattern == direct.pattern);
        CHECK(other.user_agent == direct.user_agent);
        CHECK(other.line == direct.line);
      }
      CHECK(rules.crawl_delay() == file.crawl_delay(agent));
      CHECK(compiled.crawl_delay() == file.crawl_delay(agent));
    }
  }
}

TEST_CASE("parse keeps all lines and findings of a large file") {
  for (const std::size_t count : {1U, 31U, 32U, 33U, 95U, 96U, 97U, 2'000U, 20'000U}) {
    CAPTURE(count);
    std::string many = "User-agent: FooBot\n";
    for (std::size_t i = 0; i < count; ++i) {
      many += "Disallow: /%7E" + std::to_string(i) + "\nnonsense\n";
    }
    const document file = parse(many, {.max_bytes = 10'000'000});
    const auto lines = file.directives();
    REQUIRE(lines.size() == count + 1);
    REQUIRE(file.diagnostics().size() == count);
    CHECK(lines.back().value == "/%7E" + std::to_string(count - 1));
    CHECK(file.diagnostics().back().line == 2 * count + 1);
    CHECK(file.diagnostics().back().code == robots::diagnostic_code::malformed_line);
    const auto last = file.match("/~" + std::to_string(count - 1) + "x", "foobot");
    CHECK_FALSE(last.allowed);
    CHECK(last.user_agent == "foobot");
  }
}

TEST_CASE("A file that ends in the middle of a line is read to its end") {
  CHECK_FALSE(parse("User-agent: X\nDisallow: /a").allows("/a", "X"));
  CHECK(parse("User-agent: X").allows("/a", "X"));
  CHECK(parse("Allow:").allows("/a", "X"));
}

TEST_CASE("parse reads no octet after the end of the text") {
  constexpr std::string_view longer = "User-agent: *\nCrawl-delay: 5\nDisallow: /a\n";
  for (std::size_t size = 0; size < longer.size(); ++size) {
    CAPTURE(size);
    // Sanitizers notice a read after the end of `exact`. `part` has more text after its end.
    const std::vector<char> exact(longer.begin(), longer.begin() + static_cast<int>(size));
    const document alone = parse({exact.data(), size});
    const document part = parse(longer.substr(0, size));
    CHECK(std::ranges::equal(alone.directives(), part.directives(), {}, &robots::directive::value,
                             &robots::directive::value));
  }
  const document cut = parse(longer.substr(0, longer.find(" 5")));
  REQUIRE(cut.directives().size() == 2);
  CHECK(cut.directives().back().key == "Crawl-delay");
  CHECK(cut.directives().back().value.empty());
}

TEST_CASE("parse accepts an empty view") {
  const document nothing = parse(std::string_view{});
  CHECK(nothing.allows({}, {}));
  CHECK(nothing.directives().empty());
  const auto rules = robots::compile(std::string_view{}, std::string_view{});
  CHECK(rules.allows({}));
  CHECK(rules.explain({}).matches.empty());
}

}  // namespace
