#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/compile.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::compile;
using robots::parse;
using robots::parse_options;
using robots::several_names;
using namespace std::chrono_literals;

constexpr std::string_view text =
    "User-agent: *\nDisallow: /\n\n"
    "User-agent: foobot\nDisallow: /foo\nCrawl-delay: 5\n\n"
    "User-agent: foobot-news\nDisallow: /news\n\n"
    "User-agent: foobot\nUser-agent: foobot-news\nDisallow: /both\n";
constexpr std::array<std::string_view, 2> specific{"foobot-news", "FooBot/2.0"};
constexpr std::array<std::string_view, 2> general{"foobot", "foobot-news"};
constexpr std::array<std::string_view, 2> fallback{"foobot-video", "foobot"};
constexpr std::array<std::string_view, 2> strangers{"BarBot", "bazbot"};
constexpr parse_options united{.names = several_names::union_of_groups};

// The first name that has a group decides alone.
static_assert(!compile(text, specific).allows("/news"));
static_assert(compile(text, specific).allows("/foo"));
static_assert(!compile(text, specific).allows("/both"));
static_assert(!compile(text, specific).crawl_delay());
static_assert(!compile(text, general).allows("/foo"));
static_assert(compile(text, general).allows("/news"));
static_assert(compile(text, general).crawl_delay() == 5s);
static_assert(!compile(text, fallback).allows("/foo"));
static_assert(compile(text, fallback).allows("/news"));

// google/robotstxt merges the groups of all names.
static_assert(!compile(text, specific, united).allows("/news"));
static_assert(!compile(text, specific, united).allows("/foo"));
static_assert(!compile(text, specific, united).allows("/both"));
static_assert(compile(text, specific, united).allows("/z"));
static_assert(compile(text, specific, united).crawl_delay() == 5s);
static_assert(compile(text, specific, united).size() == 3);

// The group of `*` applies to a crawler whose names have no group, and to one without a name.
static_assert(!compile(text, strangers).allows("/z"));
static_assert(!compile(text, strangers, united).allows("/z"));
static_assert(!compile(text, std::span<const std::string_view>{}).allows("/z"));
static_assert(!compile(text, std::span<const std::string_view>{}, united).allows("/z"));

std::string name_of(const robots::rule_set& rules) { return std::string{rules.user_agent()}; }

TEST_CASE("Verdicts report the first name that has a group") {
  CHECK(name_of(compile(text, specific)) == "foobot-news");
  CHECK(name_of(compile(text, fallback)) == "foobot");
  CHECK(name_of(compile(text, fallback, united)) == "foobot");
  const auto rules = compile(text, specific, united);
  CHECK(rules.match("/foo").user_agent == "foobot-news");
  CHECK(name_of(compile(text, strangers)) == "*");
  CHECK(name_of(compile("", strangers)) == "BarBot");
  CHECK(name_of(compile("", strangers, united)) == "BarBot");
}

TEST_CASE("Two names in braces are two names, not the start and end of one name") {
  CHECK(name_of(compile(text, {"foobot-news", "foobot"})) == "foobot-news");
  CHECK(name_of(parse(text).rules_for({"foobot-video", "foobot"})) == "foobot");
  CHECK(name_of(compile(text, {"foobot"})) == "foobot");
}

TEST_CASE("One name in a list gives the same rules as the name alone") {
  for (const std::string_view name : {"foobot", "foobot-news", "bazbot", "*", ""}) {
    for (const parse_options& options : {parse_options{}, united}) {
      CAPTURE(name);
      const auto alone = compile(text, name, options);
      const auto listed = compile(text, std::span{&name, 1}, options);
      CHECK(alone.user_agent() == listed.user_agent());
      CHECK(alone.size() == listed.size());
      CHECK(alone.crawl_delay() == listed.crawl_delay());
      for (const std::string_view target : {"/foo", "/news", "/both", "/z"}) {
        CHECK(alone.match(target).line == listed.match(target).line);
      }
    }
  }
}

TEST_CASE("A document gives several names the same rules as compile") {
  for (const auto& names : {specific, general, fallback, strangers}) {
    for (const parse_options& options : {parse_options{}, united}) {
      const auto compiled = compile(text, names, options);
      const auto chosen = parse(text, options).rules_for(names);
      CHECK(compiled.user_agent() == chosen.user_agent());
      CHECK(compiled.crawl_delay() == chosen.crawl_delay());
      for (const std::string_view target : {"/foo", "/news", "/both", "/z"}) {
        CHECK(compiled.match(target).line == chosen.match(target).line);
      }
    }
  }
}

TEST_CASE("A vector of names is accepted") {
  const std::vector<std::string_view> names{"foobot-news", "foobot"};
  CHECK(name_of(compile(text, names)) == "foobot-news");
}

}  // namespace
