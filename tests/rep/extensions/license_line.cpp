#include <robots/rep/extensions/license_line.hpp>

#include "rep/extensions/read_lines.hpp"
#include <robots/rep/document/document.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::license_line;
using robots::licenses_for;
using robots::parse;

static_assert(license_line::parse("https://e.example/l.xml")->url == "https://e.example/l.xml");
static_assert(license_line::parse("http://e.example/l.xml").has_value(), "reported, not fetched");
static_assert(!license_line::parse("/license.xml"), "RSL 1.0: absolute-URI");
static_assert(!license_line::parse("//e.example/l.xml"));
static_assert(!license_line::parse(""));
static_assert(robots::test::is_view_of_document<license_line>);

std::vector<std::string> urls(std::string_view text, std::string_view user_agent) {
  const robots::document file = parse(text);
  std::vector<std::string> found;
  for (const license_line& license : licenses_for(file, user_agent)) {
    found.emplace_back(license.url);
  }
  return found;
}

using list = std::vector<std::string>;

// RSL 1.0, sections 4.4.2 and 4.4.3.
constexpr std::string_view three_places =
    "License: https://e.example/site.xml\n\n"
    "User-agent: ExampleBot\nAllow: /\nLicense: https://e.example/bot.xml\n\n"
    "User-agent: *\nAllow: /\nLicense: https://e.example/star.xml\n";

TEST_CASE("The licences of a crawler's own group replace the licences before all groups") {
  CHECK(urls(three_places, "ExampleBot") == list{"https://e.example/bot.xml"});
  CHECK(urls(three_places, "OtherBot") == list{"https://e.example/star.xml"});
}

TEST_CASE("A group without a licence has those before all groups, never those of *") {
  CHECK(urls("License: https://e.example/site.xml\nUser-agent: ExampleBot\nAllow: /\n"
             "User-agent: *\nAllow: /\nLicense: https://e.example/star.xml\n",
             "ExampleBot") == list{"https://e.example/site.xml"});
  CHECK(urls("User-agent: ExampleBot\nAllow: /\n"
             "User-agent: *\nAllow: /\nLicense: https://e.example/star.xml\n",
             "ExampleBot")
            .empty());
}

TEST_CASE("Several licences are listed in file order, and relative ones are not counted") {
  CHECK(urls("License: https://e.example/a.xml\nLicense: /b.xml\nLicense: https://e.example/c.xml\n"
             "User-agent: *\nAllow: /\n",
             "FooBot") == list{"https://e.example/a.xml", "https://e.example/c.xml"});
}

TEST_CASE("A licence that stands in the group of another crawler by accident stays there") {
  constexpr std::string_view file =
      "User-agent: *\nAllow: /\n\nUser-agent: Applebot-Extended\nDisallow: /\n\n"
      "License: https://e.example/rsl.xml\n";
  CHECK(urls(file, "FooBot").empty());
  CHECK(urls(file, "Applebot-Extended") == list{"https://e.example/rsl.xml"});
}

TEST_CASE("A licence changes no verdict and ends no list of User-agent lines") {
  const robots::document file =
      parse("User-agent: a\nLicense: https://e.example/a.xml\nUser-agent: b\nDisallow: /x\n");
  CHECK_FALSE(file.allows("/x", "a"));
  CHECK_FALSE(file.allows("/x", "b"));
  CHECK(licenses_for(file, "b").empty());
}

}  // namespace
