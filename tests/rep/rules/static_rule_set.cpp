#include <robots/rep/rules/static_rule_set.hpp>

#include <robots/rep/rules/compile.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <string_view>

namespace {

using robots::dialect;
using robots::fixed_string;
using robots::parse_options;
using robots::rule_kind;
using robots::static_rule_set;
using namespace std::chrono_literals;

using simple = static_rule_set<"User-agent: *\nDisallow: /x\n">;
static_assert(!simple::allows("/x"));
static_assert(simple::allows("/y"));
static_assert(simple::allows("/robots.txt"));
static_assert(simple::match("https://example.com/xy").directive == rule_kind::disallow);
static_assert(simple::match("/xy").pattern == "/x");
static_assert(simple::match("/xy").line == 2);
static_assert(simple::user_agent() == "*");
static_assert(!simple::crawl_delay());
static_assert(simple::size() == 1);
static_assert(noexcept(simple::allows({})) && noexcept(simple::match({})));

constexpr fixed_string groups =
    "User-agent: FooBot\nUser-agent: BarBot\nAllow: /%7ejoe/*.gif$\nDisallow: /~joe/\n"
    "Crawl-delay: 1.5\n\nUser-agent: *\nDisallow: /\nAllow: /\xE3\x83\x84**x\n"
    "Allow: /a/index.html\n";
using foobot = static_rule_set<groups, "FooBot/2.1 (+https://foo.example)">;
static_assert(foobot::allows("/~joe/a.gif"));
static_assert(!foobot::allows("/%7Ejoe/a.png"));
static_assert(foobot::allows("/z"));
static_assert(foobot::user_agent() == "FooBot");
static_assert(foobot::crawl_delay() == 1500ms);
static_assert(static_rule_set<groups>::user_agent() == "*");
static_assert(!static_rule_set<groups>::allows("/a/"));
static_assert(
    static_rule_set<groups, "*", parse_options{.dialect = dialect::google}>::allows("/a/"));

// Rules that are not in normal form.
static_assert(!static_rule_set<"User-agent: *\nDisallow: /%61*\xC3\xA9\n">::allows("/a/%C3%A9"));

// A file without rules, and one that is no robots.txt.
static_assert(static_rule_set<"">::allows("/"));
static_assert(static_rule_set<"", "FooBot">::match("/").user_agent == "FooBot");
static_assert(static_rule_set<"<html>\n">::size() == 0);

template <fixed_string Text, fixed_string UserAgent, parse_options Options>
void check_against_compile() {
  constexpr std::array<std::string_view, 14> targets{"/",
                                                     "/a/",
                                                     "/a/index.html",
                                                     "/~joe/a.gif",
                                                     "/%7Ejoe/a.gif",
                                                     "/~joe/a",
                                                     "/robots.txt",
                                                     "/robots.txt?x",
                                                     "/\xE3\x83\x84yyx",
                                                     "/%e3%83%84x",
                                                     "//h/~joe",
                                                     "",
                                                     "?q",
                                                     "https://h.example"};
  using fixed = static_rule_set<Text, UserAgent, Options>;
  const auto compiled = robots::compile(Text.view(), UserAgent.view(), Options);
  CHECK(fixed::user_agent() == compiled.user_agent());
  CHECK(fixed::size() == compiled.size());
  CHECK(fixed::crawl_delay() == compiled.crawl_delay());
  for (const std::string_view target : targets) {
    CAPTURE(target);
    const auto expected = compiled.match(target);
    const auto found = fixed::match(target);
    CHECK(found.allowed == expected.allowed);
    CHECK(found.directive == expected.directive);
    CHECK(found.pattern == expected.pattern);
    CHECK(found.user_agent == expected.user_agent);
    CHECK(found.line == expected.line);
  }
}

TEST_CASE("a rule set compiled at compile time gives the same answers as one compiled later") {
  constexpr parse_options google{.dialect = dialect::google};
  constexpr parse_options careful{.prepend_slash = true, .tie = robots::tie_break::disallow};
  check_against_compile<groups, "*", parse_options{}>();
  check_against_compile<groups, "FooBot", parse_options{}>();
  check_against_compile<groups, "barbot", google>();
  check_against_compile<groups, "OtherBot", google>();
  check_against_compile<"", "FooBot", parse_options{}>();
  check_against_compile<"User-agent: *\nDisallow: a\nAllow: /a\nDisallow:\n", "x", careful>();
  check_against_compile<"User-agent: *\rDisallow: /*a*b$\rAllow: *\r", "x", parse_options{}>();
  check_against_compile<"Disallow: /\nUser-agent: *\nDisallow: /\0x\n", "x", google>();
}

}  // namespace
