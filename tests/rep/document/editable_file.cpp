#include <robots/rep/document/editable_file.hpp>

#include <robots/rep/document/document.hpp>
#include <robots/rep/read/scan.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::editable_file;
using editable_group = robots::editable_file::group;
using editable_rule = robots::editable_file::rule;
using robots::parse;
using robots::rule_kind;
using robots::to_text;
using namespace std::chrono_literals;
using namespace std::string_view_literals;

std::vector<std::string> strings_of(robots::rep_detail::value_range values) {
  return {values.begin(), values.end()};
}

std::vector<std::string> patterns(const editable_group& group, rule_kind kind) {
  std::vector<std::string> found;
  for (const editable_rule& rule : group.rules) {
    if (rule.kind == kind) {
      found.push_back(rule.pattern);
    }
  }
  return found;
}

/// Returns the message of the exception that `to_text` throws, or an empty text.
std::string complaint(const editable_file& file) {
  try {
    (void)to_text(file);
    return {};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

editable_file with_rule(std::string pattern) {
  return {.groups = {{.user_agents = {"*"}, .rules = {{rule_kind::disallow, std::move(pattern)}}}}};
}

TEST_CASE("Groups, delays, other lines and sitemaps are written as text") {
  const editable_file file{
      .groups = {{.user_agents = {"FooBot", "BarBot"},
                  .rules = {{rule_kind::allow, "/a"}, {rule_kind::disallow, "/*.pdf$"}},
                  .crawl_delay = 1500ms},
                 {.user_agents = {"*"}, .lines = {{"Content-Signal", "search=yes"}}}},
      .sitemaps = {"https://example.com/sitemap.xml"}};
  CHECK(to_text(file) ==
        "User-agent: FooBot\nUser-agent: BarBot\nCrawl-delay: 1.5\nAllow: /a\nDisallow: /*.pdf$\n"
        "\nUser-agent: *\nContent-Signal: search=yes\nDisallow:\n"
        "\nSitemap: https://example.com/sitemap.xml\n");
  CHECK(to_text({}).empty());
  CHECK(to_text({.crawl_delay = 2s, .lines = {{"Host", "example.com"}}}) ==
        "Crawl-delay: 2\nHost: example.com\n");
}

TEST_CASE("A value that would change the meaning is refused with a message that says what to do") {
  CHECK(
      complaint(with_rule("/a\nDisallow: /")) ==
      R"("/a\x0ADisallow: /" has a line end, NUL or # in it: remove it, or write %0A, %00 or %23 )"
      "in a URL");
  for (const std::string_view bad : {"/a\rb"sv, "/a#b"sv, "/a\0b"sv, "/a "sv, "\t/a"sv, "a"sv}) {
    CAPTURE(bad);
    CHECK(!complaint(with_rule(std::string{bad})).empty());
  }
  CHECK(complaint(with_rule("private")) == R"("private" matches no path: begin it with / or *)");
  CHECK(complaint({.groups = {{.user_agents = {""}}}}) ==
        "a User-agent is empty: give it a value or remove it");
  CHECK(complaint({.groups = {{}}}) == "a group has no user agent: add one, or * for all crawlers");
  CHECK(!complaint({.groups = {{.user_agents = {"a\nb"}}}}).empty());
  CHECK(!complaint({.groups = {{.user_agents = {"a"}, .crawl_delay = -1ms}}}).empty());
  CHECK(
      !complaint({.groups = {{.user_agents = {"a"}, .crawl_delay = 1h * 24 * 365 * 200}}}).empty());
  CHECK(!complaint({.sitemaps = {""}}).empty());
  CHECK(!complaint({.sitemaps = {"/a b#c"}}).empty());
  for (const char* const key : {"", "Disallow", "disalow", "Disallowed", "User-agent", "useragent",
                                "Sitemap", "Crawl-delay", "a:b", "a b", "\xEF\xBB\xBFHost", "<b"}) {
    CAPTURE(key);
    CHECK(!complaint({.lines = {{key, "x"}}}).empty());
  }
  CHECK(complaint(with_rule("/" + std::string(robots::max_line_bytes - 10, 'a'))).empty());
  CHECK(complaint(with_rule("/" + std::string(robots::max_line_bytes - 9, 'a')))
            .ends_with("begins a line of 16664 octets: shorten it, since 16663 are read"));
}

TEST_CASE("The text of random groups parses to the same groups") {
  std::mt19937 random{2309};
  const auto below = [&random](std::size_t count) { return random() % count; };
  const auto word = [&](std::string_view alphabet, std::size_t most) {
    std::string text;
    for (std::size_t left = below(most + 1); left > 0; --left) {
      text += alphabet[below(alphabet.size())];
    }
    return text;
  };
  for (int round = 0; round < 2'000; ++round) {
    editable_file file;
    for (std::size_t left = below(5); left > 0; --left) {
      editable_group group;
      for (std::size_t names = 1 + below(3); names > 0; --names) {
        group.user_agents.push_back(below(3) == 0 ? "*" : "a" + word("aB-_", 2));
      }
      for (std::size_t rules = 1 + below(4); rules > 0; --rules) {
        const rule_kind kind = below(2) == 0 ? rule_kind::allow : rule_kind::disallow;
        group.rules.push_back(
            {kind, below(8) == 0 ? "" : "/" + word("ab/*$%41:?=&\xC3\xA9\xFF", 6)});
      }
      if (below(3) == 0) {
        group.crawl_delay = std::chrono::milliseconds{below(5'000)};
      }
      if (below(3) == 0) {
        group.lines.push_back({"Request-rate", "1/5"});
      }
      file.groups.push_back(group);
    }
    for (std::size_t left = below(3); left > 0; --left) {
      file.sitemaps.push_back("https://example.com/" + word("ab", 3));
    }
    const std::string text = to_text(file);
    CAPTURE(text);
    const auto read = parse(text);
    CHECK(read.diagnostics().empty());
    std::size_t index = 0;
    for (const robots::group& entry : read.groups()) {
      REQUIRE(index < file.groups.size());
      const editable_group& written = file.groups[index++];
      CHECK(strings_of(entry.user_agents) == written.user_agents);
      CHECK(strings_of(entry.allow) == patterns(written, rule_kind::allow));
      CHECK(strings_of(entry.disallow) == patterns(written, rule_kind::disallow));
      CHECK(entry.crawl_delay == written.crawl_delay);
    }
    CHECK(index == file.groups.size());
    CHECK(strings_of(read.sitemaps()) == file.sitemaps);
  }
}

/// Returns the text of a file that was read, and written again.
std::string rewritten(std::string_view text) { return to_text(to_editable(parse(text))); }

TEST_CASE("A file that is read and written again keeps its groups, delays, lines and sitemaps") {
  const std::string text =
      "Crawl-delay: 2\nHost: example.com\nLicense: https://example.com/l.xml\n"
      "\nUser-agent: FooBot\nUser-agent: BarBot\nCrawl-delay: 1.5\nContent-Signal: ai-train=no\n"
      "Allow: /a\nDisallow: /*.pdf$\n"
      "\nUser-agent: *\nFuture: x\nDisallow:\n"
      "\nSitemap: https://example.com/sitemap.xml\n";
  CHECK(rewritten(text) == text);
  CHECK(rewritten("").empty());
}

TEST_CASE("A file that is read again has the usual keys, and nothing without effect") {
  CHECK(rewritten("Disallow: /early\nuseragent: a # comment\nUser-agent:\ndissalow: /x\n"
                  "Disallow: private\ncrawl-delay: soon\nsitemap:\nDisallow /y\n") ==
        "User-agent: a\nDisallow: /x\nDisallow: /y\n");
  CHECK(rewritten("User-agent:\nDisallow: /\n").empty());
}

TEST_CASE("A delay between User-agent lines stays with the names above it") {
  const std::string text =
      "User-agent: a\nCrawl-delay: 9\nUser-agent: b\nContent-Signal: search=no\nDisallow: /x\n";
  CHECK(rewritten(text) ==
        "User-agent: a\nCrawl-delay: 9\nDisallow:\n"
        "\nUser-agent: b\nContent-Signal: search=no\nDisallow:\n"
        "\nUser-agent: a\nUser-agent: b\nDisallow: /x\n");
  const robots::document file = parse(text);
  const robots::document again = parse(rewritten(text));
  for (const std::string_view name : {"a", "b", "c"}) {
    CAPTURE(name);
    CHECK(again.crawl_delay(name) == file.crawl_delay(name));
    CHECK(again.allows("/x", name) == file.allows("/x", name));
  }
}

TEST_CASE("A rule that was read with a slash in front keeps it in the new text") {
  const robots::document file =
      parse("User-agent: *\nDisallow: private\nAllow: private/a\n", {.prepend_slash = true});
  const std::string text = to_text(to_editable(file));
  CHECK(text == "User-agent: *\nDisallow: /private\nAllow: /private/a\n");
  CHECK_FALSE(parse(text).allows("/private"));
}

TEST_CASE("A file with the longest lines that are read can be written again, and allows no more") {
  const std::string path(robots::max_line_bytes, 'a');
  for (const std::string_view key :
       {"Disallow:", "Disallow: ", "disalow:/", "Disallow:/", "Disallow /", "Allow:/"}) {
    for (const bool is_rfc9309 : {true, false}) {
      for (const std::size_t size : {path.size() - key.size(), path.size()}) {
        CAPTURE(key);
        CAPTURE(size);
        const robots::document file =
            parse("User-agent: *\nDisallow: /b\n" + std::string{key} + path.substr(0, size) + '\n',
                  {.dialect = is_rfc9309 ? robots::dialect::rfc9309 : robots::dialect::google,
                   .prepend_slash = true});
        const robots::document again = parse(to_text(to_editable(file)));
        CHECK(again.allows('/' + path) == key.starts_with("Allow"));
        CHECK_FALSE(again.allows("/b"));
      }
    }
  }
}

TEST_CASE("A pattern that loses an octet still outweighs the Allow rules of the file") {
  const std::string path(robots::max_line_bytes - 9, 'a');
  const robots::document file =
      parse("User-agent: *\nDisalow:/" + path + "\nUser-agent: *\nAllow: /b\nAllow:/" +
            path.substr(0, path.size() - 1) + '\n');
  CHECK_FALSE(file.allows('/' + path));
  const robots::document again = parse(to_text(to_editable(file)));
  CHECK_FALSE(again.allows('/' + path));
  CHECK(strings_of(again.groups().at(1).allow) == std::vector<std::string>{"/b"});
}

TEST_CASE("The longest name of a crawler can be written again") {
  const std::string rest(robots::max_line_bytes - 17, 'x');
  const robots::document file = parse("useragent:FooBot/" + rest + "\nDisallow: /x\n");
  CHECK_FALSE(parse(to_text(to_editable(file))).allows("/x", "FooBot"));
}

}  // namespace
