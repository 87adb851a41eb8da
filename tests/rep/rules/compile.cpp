#include <robots/rep/rules/compile.hpp>

#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/explanation.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace {

using robots::compile;
using robots::dialect;
using robots::rule_kind;
using namespace std::chrono_literals;

constexpr bool allows(std::string_view text, std::string_view agent, std::string_view target) {
  return compile(text, agent).allows(target);
}

// RFC 9309, section 5.1: the simple example.
constexpr std::string_view simple =
    "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\n"
    "User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n"
    "User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\n"
    "User-Agent: quxbot\n";
static_assert(!allows(simple, "any", "/x.gif"));
static_assert(!allows(simple, "any", "/example/page.html"));
static_assert(allows(simple, "any", "/publications/"));
static_assert(allows(simple, "any", "/"));
static_assert(!allows(simple, "foobot", "/"));
static_assert(allows(simple, "foobot", "/example/page.html"));
static_assert(allows(simple, "foobot", "/example/allowed.gif"));
static_assert(!allows(simple, "barbot", "/example/page.html"));
static_assert(!allows(simple, "bazbot", "/example/page.html"));
static_assert(allows(simple, "bazbot", "/x.gif"));
static_assert(allows(simple, "quxbot", "/example/page.html"));

// RFC 9309, section 5.2: the longest match.
constexpr std::string_view longest_match =
    "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n";
static_assert(!allows(longest_match, "foobot", "/example/page/disallowed.gif"));
static_assert(allows(longest_match, "foobot", "/example/page/"));

// RFC 9309, section 2.2.1: groups with the same token are merged; others get the group of `*`.
constexpr std::string_view merged =
    "User-agent: ExampleBot\nDisallow: /foo\nDisallow: /bar\n\nUser-agent: *\nDisallow: /\n\n"
    "User-agent: ExampleBot\nDisallow: /baz\n";
static_assert(!allows(merged, "ExampleBot", "/foo"));
static_assert(!allows(merged, "ExampleBot", "/baz"));
static_assert(allows(merged, "ExampleBot", "/qux"));
static_assert(!allows(merged, "OtherBot", "/qux"));

// If two rules have equal length, the allow rule decides, unless the options say otherwise.
constexpr std::string_view tie = "User-agent: *\nDisallow: /a\nAllow: /a\n";
static_assert(allows(tie, "x", "/a"));
static_assert(!compile(tie, "x", {.tie = robots::tie_break::disallow}).allows("/a"));

// Empty rules restrict nothing and override nothing.
static_assert(allows("User-agent: *\nDisallow:\n", "x", "/a"));
static_assert(!allows("User-agent: *\nAllow:\nDisallow: /\n", "x", "/a"));

// /robots.txt itself is always allowed.
constexpr std::string_view closed = "User-agent: *\nDisallow: /\n";
static_assert(allows(closed, "x", "/robots.txt"));
static_assert(allows(closed, "x", "https://example.com/robots.txt?x"));
static_assert(allows(closed, "x", "/%72obots.txt"));
static_assert(!allows(closed, "x", "/robots.txt.bak"));
static_assert(!allows(closed, "x", "/a/robots.txt"));
static_assert(!compile(closed, "x", {.dialect = dialect::google}).allows("/robots.txt"));

// Only google/robotstxt reads /index.html as /, and only in an Allow line.
constexpr std::string_view index = "User-agent: *\nDisallow: /\nAllow: /x/index.html\n";
static_assert(!allows(index, "x", "/x/"));
static_assert(compile(index, "x", {.dialect = dialect::google}).allows("/x/"));
static_assert(!compile(index, "x", {.dialect = dialect::google}).allows("/x/y"));

// A rule before any group applies to nobody.
static_assert(allows("Disallow: /\nUser-agent: *\nAllow: /a\n", "x", "/b"));

// `prepend_slash` puts a slash before a rule that has none.
static_assert(allows("User-agent: *\nDisallow: x\n", "b", "/x"));
static_assert(!compile("User-agent: *\nDisallow: x\n", "b", {.prepend_slash = true}).allows("/x"));

// `/private` stays in force beside a longer rule.
constexpr std::string_view nested = "User-agent: *\nDisallow: /private\nDisallow: /private/2020/\n";
static_assert(!allows(nested, "x", "/private"));
static_assert(!allows(nested, "x", "/private/2020/x"));
static_assert(!allows(nested, "x", "/private/2021/x"));

// The first valid delay of the crawler's own groups applies. The delay of `*` is not inherited.
constexpr std::string_view delays =
    "User-agent: *\nCrawl-delay: 9\nDisallow:\n\n"
    "User-agent: a\nCrawl-delay: x\nCrawl-delay: 0.5\nCrawl-delay: 3\nDisallow:\n\n"
    "User-agent: b\nDisallow: /x\n";
static_assert(compile(delays, "a").crawl_delay() == 500ms);
static_assert(!compile(delays, "b").crawl_delay());
static_assert(compile(delays, "c").crawl_delay() == 9s);

// A delay between two User-agent lines applies to the one above it; rules apply to both.
constexpr std::string_view between =
    "User-agent: a\nCrawl-delay: 5\nUser-agent: b\nDisallow: /x\nUser-agent: c\nDisallow: /\n";
static_assert(compile(between, "a").crawl_delay() == 5s);
static_assert(!compile(between, "b").crawl_delay());
static_assert(!compile(between, "a").allows("/x") && !compile(between, "b").allows("/x"));
static_assert(!compile(between, "c").crawl_delay());

constexpr std::string_view two_delays =
    "User-agent: *\nCrawl-delay: 9\nUser-agent: PlumBot\nCrawl-delay: 2\n";
static_assert(compile(two_delays, "PlumBot").crawl_delay() == 2s);
static_assert(compile(two_delays, "*").crawl_delay() == 9s);

// A Sitemap line or an unknown line does not end the list of User-agent lines.
constexpr std::string_view with_sitemap =
    "User-agent: a\nSitemap: /s\nFoo: 1\nUser-agent: b\nCrawl-delay: 2\n";
static_assert(compile(with_sitemap, "a").crawl_delay() == 2s);
static_assert(compile(with_sitemap, "b").crawl_delay() == 2s);

std::string named(std::string_view text, std::string_view agent, std::string_view target) {
  const auto rules = compile(text, agent);
  return std::string{rules.match(target).user_agent};
}

// Members that return views cannot be called on a temporary rule set.
template <class Rules>
concept views = requires(Rules&& rules) { std::forward<Rules>(rules).match("/"); } ||
                requires(Rules&& rules) { std::forward<Rules>(rules).user_agent(); } ||
                requires(Rules&& rules) { std::forward<Rules>(rules).explain("/"); };
static_assert(views<robots::rule_set&> && views<const robots::rule_set&>);
static_assert(!views<robots::rule_set> && !views<const robots::rule_set>);
static_assert(compile("", "x").allows("/") && !compile("", "x").crawl_delay());

// Only a cache knows hosts: to a rule set, a text without a scheme is a path.
constexpr std::string_view admin = "User-agent: *\nDisallow: /admin\n";
static_assert(!allows(admin, "x", "admin/users"));
static_assert(!allows(admin, "x", "admin"));
static_assert(allows(admin, "x", "example.com/admin"));
static_assert(!allows(admin, "x", "https://example.com/admin"));
static_assert(!robots::parse(admin).allows("admin/users?q#f"));
static_assert(allows(closed, "x", "robots.txt"));

static_assert(
    [] {
      constexpr std::string_view group = "User-agent: *\n";
      constexpr std::string_view rule = "Disallow: /x\n";
      constexpr std::size_t count = 40;
      std::array<char, group.size() + count * rule.size()> text{};
      auto next = std::copy(group.begin(), group.end(), text.begin());
      for (std::size_t i = 0; i < count; ++i) {
        next = std::copy(rule.begin(), rule.end(), next);
      }
      return compile({text.data(), text.size()}, "x").size() == count;
    }(),
    "many rules are compiled in a constant expression, too");

TEST_CASE("A verdict has the rule, its line, and the crawler") {
  const auto rules =
      compile("User-agent: FooBot\nAllow: /a\nDisallow: /%61b*$\n", "FooBot/2.0 (x)");
  const auto denied = rules.match("/abc");
  CHECK_FALSE(denied.allowed);
  CHECK(denied.directive == rule_kind::disallow);
  CHECK(denied.pattern == "/%61b*$");
  CHECK(denied.line == 3);
  CHECK(denied.user_agent == "FooBot");
  const auto unmatched = rules.match("/z");
  CHECK(unmatched.allowed);
  CHECK_FALSE(unmatched.directive.has_value());
  CHECK_FALSE(unmatched.pattern.has_value());
  CHECK(unmatched.line == 0);
  CHECK(unmatched.user_agent == "FooBot");
}

TEST_CASE("A verdict reports * if the rules of * decide, and the token if no group applies") {
  CHECK(named(closed, "FooBot", "/x") == "*");
  CHECK(named(closed, "FooBot", "/robots.txt") == "FooBot");
  CHECK(named("", "FooBot", "/x") == "FooBot");
  CHECK(named("", "", "/x") == "*");
  CHECK(named(closed, "*", "/robots.txt") == "*");
}

TEST_CASE("The first of several rules with the same pattern decides") {
  const auto repeated = compile("User-agent: *\nDisallow: /a\nDisallow: /a\n", "x");
  CHECK(repeated.match("/a").line == 2);
}

TEST_CASE("An empty rule set allows everything to everyone") {
  const robots::rule_set rules;
  CHECK(rules.empty());
  CHECK(rules.allows("/x"));
  CHECK(rules.match("/x").user_agent == "*");
}

TEST_CASE("A file can have any number of rules, also above the group that names the crawler") {
  for (std::size_t count = 0; count < 140; ++count) {
    CAPTURE(count);
    std::string text = "User-agent: *\n";
    for (std::size_t i = 0; i < 139 - count; ++i) {
      text += "Disallow: /other\n";
    }
    text += "User-agent: a\n";
    for (std::size_t i = 0; i < count; ++i) {
      text += "Disallow: /" + std::to_string(i) + "/\n";
    }
    const auto rules = compile(text, "a");
    CHECK(rules.size() == count);
    CHECK(rules.allows("/other"));
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(rules.match("/" + std::to_string(i) + "/x").line == 142 - count + i);
    }
  }
}

TEST_CASE("In dialect::google, any number of rules can have two patterns") {
  for (std::size_t count = 1; count < 140; ++count) {
    CAPTURE(count);
    std::string text = "User-agent: *\nDisallow: /\n";
    for (std::size_t i = 0; i < count; ++i) {
      text += "Allow: /" + std::to_string(i) + "/index.html\n";
    }
    const auto rules = compile(text, "a", {.dialect = dialect::google});
    CHECK(rules.size() == 1 + 2 * count);
    const std::string last = "/" + std::to_string(count - 1) + "/";
    CHECK(rules.allows(last));
    CHECK(rules.allows(last + "index.html"));
    CHECK_FALSE(rules.allows(last + "x"));
  }
}

TEST_CASE("Copies of a rule set share their memory, and a copy that is moved from is empty") {
  const auto rules = compile("User-agent: *\nDisallow: /secret\n", "x");
  robots::rule_set copy = rules;
  CHECK(copy.block() == rules.block());
  const robots::rule_set moved = std::move(copy);
  CHECK(copy.empty());  // NOLINT(bugprone-use-after-move): this is the test
  CHECK(copy.allows("/secret"));
  CHECK_FALSE(moved.allows("/secret"));
  CHECK(moved == rules);
}

TEST_CASE("A copy of a rule set outlives the original and the text") {
  robots::rule_set copy;
  {
    std::string text = "User-agent: *\nDisallow: /secret\n";
    const auto rules = compile(text, "x");
    text.assign(text.size(), '?');
    copy = rules;
  }
  CHECK_FALSE(copy.allows("/secret"));
  CHECK(copy.match("/secret").pattern == "/secret");
  CHECK(copy.size() == 1);
  CHECK(copy.memory_bytes() >= sizeof(copy));
}

}  // namespace
