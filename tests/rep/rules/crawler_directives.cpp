#include <robots/rep/rules/crawler_directives.hpp>

#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/compile.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::crawler_directives;
using robots::diagnostic;
using robots::directive;
using robots::directives_for;
using namespace std::chrono_literals;

constexpr std::string_view file_of_two =
    "Crawl-delay: x\nCrawl-delay: 7\nCrawl-delay: 8\n"
    "User-agent: *\nRequest-rate: 1/9s\nUser-agent: FooBot\nCrawl-delay: 2\nVisit-time: 0600-0845\n"
    "Disallow: /x\nSitemap: /s1\nHost:\nHost: a.example\nHost: b.example\n\nnonsense\n"
    "User-agent: foobot\nContent-Usage: train-ai=n\nSitemap:\nClean-param: s\nFoo: bar\n";

static_assert(directives_for(file_of_two, "FooBot").rules.crawl_delay() == 2s);
static_assert(directives_for(file_of_two, "FooBot").file_delay == 7s);
static_assert(directives_for(file_of_two, "FooBot").extensions.size() == 2);
static_assert(!directives_for("User-agent: *\nCrawl-delay: 1\n", "*").file_delay);

std::vector<std::string_view> values(const crawler_directives& of) {
  std::vector<std::string_view> result;
  std::ranges::transform(of.extensions, std::back_inserter(result), &directive::value);
  return result;
}

using strings = std::vector<std::string_view>;

TEST_CASE("directives_for finds everything for a crawler in one pass") {
  const crawler_directives own = directives_for(file_of_two, "FooBot/2.0 (+https://foo.example)");
  CHECK_FALSE(own.rules.allows("/x"));
  CHECK(values(own) == strings{"0600-0845", "train-ai=n"});
  CHECK(own.extensions.front().line == 8);
  CHECK(own.sitemaps == strings{"/s1", ""});
  CHECK(own.host == "a.example");
  CHECK(own.findings.lines.non_blank == 19);
  CHECK(own.findings.lines.malformed == 2);  // the first line and `nonsense`
  CHECK_FALSE(own.findings.diagnostics.empty());
  const crawler_directives other = directives_for(file_of_two, "BarBot");
  CHECK_FALSE(other.rules.allows("/x"));
  CHECK(values(other) == strings{"1/9s"});
  CHECK(other.rules.crawl_delay() == std::nullopt);
}

TEST_CASE("directives_for keeps the first 32 findings") {
  std::string broken;
  for (int i = 0; i < 100; ++i) {
    broken += "Unknown: x\n";
  }
  const crawler_directives found = directives_for(broken, "FooBot");
  REQUIRE(found.findings.diagnostics.size() == 32);
  CHECK(found.findings.diagnostics.back().line == 32);
  CHECK(found.findings.lines.non_blank == 100);
}

TEST_CASE("directives_for returns empty members for an empty text") {
  const crawler_directives nothing = directives_for("", "FooBot");
  CHECK(nothing.rules.empty());
  CHECK(nothing.extensions.empty());
  CHECK(nothing.sitemaps.empty());
  CHECK(nothing.host == std::nullopt);
}

TEST_CASE("directives_for agrees with the document and with compile") {
  const robots::document file = robots::parse(file_of_two);
  for (const std::string_view agent : {"FooBot", "BarBot", "*", ""}) {
    CAPTURE(agent);
    const crawler_directives found = directives_for(file_of_two, agent);
    CHECK(found.rules.fingerprint() == robots::compile(file_of_two, agent).fingerprint());
    CHECK(found.rules.crawl_delay() == file.crawl_delay(agent));
    CHECK(found.file_delay == file.file_delay());
    CHECK(found.host == file.host());
    CHECK(std::ranges::equal(found.sitemaps, file.sitemaps()));
    CHECK(std::ranges::equal(found.findings.diagnostics, file.diagnostics(), {}, &diagnostic::code,
                             &diagnostic::code));
    const auto all = file.directives_for(agent);
    CHECK(static_cast<std::size_t>(std::ranges::count_if(all, [](const directive& line) {
            return robots::rep_detail::is_for_crawler(line.kind) &&
                   line.kind != robots::directive_kind::crawl_delay;
          })) == found.extensions.size());
  }
}

}  // namespace
