#include <robots/usage/page_rule.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::page_rule;
using robots::parse_robots_meta;
using robots::parse_robots_tag;
using robots::parse_x_robots_tag;

/// Writes rules as `addressee|rule|value`, with a `!` in front of a rule that states nothing.
std::string written(const std::vector<page_rule>& rules) {
  std::string text;
  for (const page_rule& rule : rules) {
    text.append(text.empty() ? "" : " ").append(rule.problem.empty() ? "" : "!");
    text.append(rule.addressee).append("|");
    const bool is_known = rule.kind != robots::page_rule_kind::unknown;
    text.append(is_known ? to_string(rule.kind) : rule.name);
    if (!rule.value.empty()) {
      text.append("|").append(rule.value);
    }
  }
  return text;
}

std::string x_robots_tag(std::string_view value) { return written(parse_x_robots_tag(value)); }
std::string robots_tag(std::string_view value) { return written(parse_robots_tag(value)); }
std::string meta(std::string_view content) { return written(parse_robots_meta(content)); }

TEST_CASE("X-Robots-Tag: rules stand between commas, in any case, with empty members") {
  CHECK(x_robots_tag("noindex, NoFollow") == "|noindex |nofollow");
  CHECK(x_robots_tag(" noindex,,nosnippet, ") == "|noindex |nosnippet");
  CHECK(x_robots_tag("none, all, noarchive, nocache, notranslate, noimageindex") ==
        "|none |all |noarchive |nocache |notranslate |noimageindex");
  CHECK(x_robots_tag("").empty());
}

TEST_CASE("X-Robots-Tag: blanks, semicolons and quotes separate rules, too") {
  CHECK(x_robots_tag("noindex nofollow") == "|noindex |nofollow");
  CHECK(x_robots_tag("noindex;nofollow") == "|noindex |nofollow");
  CHECK(x_robots_tag("\"noindex, nofollow\"") == "|noindex |nofollow");
  CHECK(x_robots_tag("'noindex' 'nofollow'") == "|noindex |nofollow");
}

TEST_CASE("X-Robots-Tag: a prefix is for the rules up to the next one") {
  CHECK(x_robots_tag("nofollow, FooBot: noindex, nosnippet, BarBot: none") ==
        "|nofollow FooBot|noindex FooBot|nosnippet BarBot|none");
  CHECK(x_robots_tag("foo: bar, noindex") == "!foo|bar foo|noindex");
  CHECK(x_robots_tag("FooBot:noindex") == "FooBot|noindex");
  CHECK(x_robots_tag("FooBot : noindex") == "FooBot|noindex");
  CHECK(x_robots_tag("FooBot/2.1: noindex") == "FooBot|noindex");
  CHECK(x_robots_tag("noindex FooBot: nofollow") == "|noindex FooBot|nofollow");
}

TEST_CASE("X-Robots-Tag: a rule with a value does not end a prefix") {
  CHECK(x_robots_tag("OtherBot: noindex, max-snippet: 10") ==
        "OtherBot|noindex OtherBot|max-snippet|10");
  CHECK(x_robots_tag("OtherBot: unavailable_after: 2026-01-01, noindex") ==
        "OtherBot|unavailable_after|2026-01-01 OtherBot|noindex");
}

TEST_CASE("X-Robots-Tag: of stacked prefixes the last counts, * and nothing mean everyone") {
  CHECK(x_robots_tag("FooBot: BarBot: noindex") == "BarBot|noindex");
  CHECK(x_robots_tag("FooBot: noarchive, *: noindex") == "FooBot|noarchive |noindex");
  CHECK(x_robots_tag(": noindex") == "|noindex");
  CHECK(x_robots_tag("FooBot::noindex") == "|noindex");
  CHECK(x_robots_tag("robots: noindex") == "robots|noindex");
  CHECK(x_robots_tag("FooBot:").empty());
}

TEST_CASE("X-Robots-Tag: a date holds its own comma and colons") {
  CHECK(x_robots_tag("unavailable_after: Wed, 31 Dec 2025 23:59:59 GMT, noindex") ==
        "|unavailable_after|Wed, 31 Dec 2025 23:59:59 GMT |noindex");
  CHECK(x_robots_tag("unavailable_after: 31 Dec 2025 23:59:59 GMT") ==
        "|unavailable_after|31 Dec 2025 23:59:59 GMT");
  CHECK(x_robots_tag("unavailable_after:\"31 Dec 2025\" noindex") ==
        "|unavailable_after|31 Dec 2025 |noindex");
}

TEST_CASE("X-Robots-Tag: an unreadable date does not hide the rules after it") {
  CHECK(x_robots_tag("unavailable_after: 24:00:00, noindex") ==
        "!|unavailable_after|24:00:00 |noindex");
  CHECK(x_robots_tag("unavailable_after: soon noindex") ==
        "!|unavailable_after|soon noindex |noindex");
  const auto us_order = parse_x_robots_tag("unavailable_after: Jun 25, 2010 15:00:00 PST, noindex");
  REQUIRE(!us_order.empty());
  CHECK(us_order.back().kind == robots::page_rule_kind::noindex);
  CHECK(us_order.back().addressee.empty());
}

TEST_CASE("X-Robots-Tag: a quote that does not end hides no rule") {
  CHECK(x_robots_tag("max-snippet:\"20, noindex") == "|max-snippet|20 |noindex");
  CHECK(x_robots_tag("max-image-preview: 'none, noindex") == "|max-image-preview|none |noindex");
  CHECK(x_robots_tag("unavailable_after: \"2026-11-28, noindex") ==
        "|unavailable_after|2026-11-28 |noindex");
  CHECK(x_robots_tag("max-snippet:\"20\", noindex") == "|max-snippet|20 |noindex");
}

TEST_CASE("X-Robots-Tag: values that cannot be read state nothing") {
  CHECK(x_robots_tag("max-snippet:-1") == "|max-snippet|-1");
  CHECK(x_robots_tag("max-snippet:-2") == "!|max-snippet|-2");
  CHECK(x_robots_tag("max-snippet:40px") == "!|max-snippet|40px");
  CHECK(x_robots_tag("max-snippet:4e1") == "!|max-snippet|4e1");
  CHECK(x_robots_tag("max-snippet:99999999999") == "!|max-snippet|99999999999");
  CHECK(x_robots_tag("max-snippet") == "!|max-snippet");
  CHECK(x_robots_tag("max-image-preview : ,noindex") == "!|max-image-preview |noindex");
  CHECK(x_robots_tag("max-image-preview:none") == "|max-image-preview|none");
  CHECK(x_robots_tag("max-image-preview: LARGE") == "|max-image-preview|LARGE");
  CHECK(x_robots_tag("max-image-preview:huge") == "!|max-image-preview|huge");
}

TEST_CASE("X-Robots-Tag: unknown rules are kept, and look-alikes are unknown") {
  CHECK(x_robots_tag("noai, noindex") == "!|noai |noindex");
  CHECK(x_robots_tag("no index") == "!|no |all");
  CHECK(x_robots_tag("n\xD0\xBEindex") == "!|n\xD0\xBEindex");
}

TEST_CASE("X-Robots-Tag: the syntax of Robots-Tag is read, too") {
  CHECK(x_robots_tag("*;nosnippet, ExampleBot;noindex") == "|nosnippet ExampleBot|noindex");
  CHECK(x_robots_tag("ExampleBot;noindex;nosnippet, noarchive") ==
        "ExampleBot|noindex ExampleBot|nosnippet |noarchive");
  CHECK(x_robots_tag("noodp;noindex") == "!|noodp |noindex");
}

TEST_CASE("Robots-Tag: members are products, and parameters are their rules") {
  CHECK(robots_tag("*;nosnippet, ExampleBot;noindex") == "|nosnippet ExampleBot|noindex");
  CHECK(robots_tag("noindex").empty());
  CHECK(robots_tag("\"ExampleBot\";noindex") == "ExampleBot|noindex");
  CHECK(robots_tag("7;noindex, (a b);noindex, *;nofollow") == "|nofollow");
  CHECK(robots_tag("*;max-snippet=20;noarchive").starts_with("|max-snippet|20"));
}

TEST_CASE("Robots-Tag: the last value of a rule counts, and ?0 states nothing") {
  CHECK(robots_tag("*;noindex=?0;noindex") == "|noindex");
  CHECK(robots_tag("*;noindex;noindex=?0") == "!|noindex");
  CHECK(robots_tag("*;noindex=7") == "|noindex|7");
  CHECK(robots_tag("*;NOINDEX") == "|noindex");
}

TEST_CASE("Robots-Tag: a date is a Date or a String") {
  const auto rules =
      parse_robots_tag("*;unavailable_after=@1767225599, a;unavailable_after=\"2025-12-31\"");
  REQUIRE(rules.size() == 2);
  CHECK(rules[0].time == std::chrono::sys_seconds{std::chrono::seconds{1'767'225'599}});
  CHECK(rules[1].time == std::chrono::sys_seconds{std::chrono::seconds{1'767'139'200}});
}

TEST_CASE("Robots-Tag: a Date is the value of unavailable_after alone") {
  CHECK(robots_tag("*;nofuture=@1798761599") == "!|nofuture|@1798761599");
  const std::vector<page_rule> rules = parse_robots_tag("*;noindex=@1798761599");
  REQUIRE(rules.size() == 1);
  CHECK(rules[0].problem.empty());
  CHECK(!rules[0].time);
}

TEST_CASE("Robots-Tag: a wrong syntax states nothing as a whole") {
  const auto rules = parse_robots_tag("*;noindex, 7Bot;nosnippet");
  REQUIRE(rules.size() == 1);
  CHECK(rules[0].problem == "not a List of RFC 9651");
  CHECK(parse_robots_tag("").empty());
}

TEST_CASE("Robots-Tag: a long list counts to its end, and beyond 64 KiB only whole members do") {
  std::string value = "OtherBot;noindex";
  while (value.size() < 8'192) {
    value += ", OtherBot;noindex";
  }
  const std::string with_own = value + ", FooBot;noarchive";
  CHECK(parse_robots_tag(with_own).back().addressee == "FooBot");
  while (value.size() <= robots::max_page_rule_bytes) {
    value += ", OtherBot;noindex";
  }
  const std::string too_long = value + ", FooBot;noarchive";
  const auto rules = parse_robots_tag(too_long);
  REQUIRE(!rules.empty());
  CHECK(rules.back().addressee == "OtherBot");
  CHECK(rules.back().problem.empty());
}

TEST_CASE("A meta element has the same rules, but no prefixes") {
  CHECK(meta("noindex, max-snippet:20") == "|noindex |max-snippet|20");
  CHECK(meta("FooBot: noindex") == "!|FooBot |noindex");
  CHECK(meta("unavailable_after: Wed, 31 Dec 2025 23:59:59 GMT, noarchive") ==
        "|unavailable_after|Wed, 31 Dec 2025 23:59:59 GMT |noarchive");
}

TEST_CASE("Any octets are read, and no octet makes a reader hang") {
  const std::string_view whole = "a: max-snippet : 1, *;b;c=\"d\", unavailable_after: Wed, 1 'x:";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    for (int octet = 0; octet < 256; ++octet) {
      const std::string text = std::string{whole.substr(0, size)} + static_cast<char>(octet);
      CHECK(parse_x_robots_tag(text).size() <= text.size());
      CHECK(parse_robots_meta(text).size() <= text.size());
      CHECK(parse_robots_tag(text).size() <= text.size());
    }
  }
}

}  // namespace
