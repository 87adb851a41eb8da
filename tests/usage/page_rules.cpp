#include <robots/usage/page_rules.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::http_header;
using robots::image_preview;
using robots::meta_element;
using robots::page_rules;
using robots::read_page_rules;

page_rules of_tags(std::initializer_list<std::string> values, std::string_view user_agent) {
  std::vector<http_header> headers;
  for (const std::string& value : values) {
    headers.push_back({"X-Robots-Tag", value});
  }
  return read_page_rules(headers, {}, user_agent);
}

page_rules of_meta(std::vector<meta_element> elements, std::string_view user_agent) {
  return read_page_rules({}, elements, user_agent);
}

TEST_CASE("A page that says nothing restricts nothing") {
  CHECK(read_page_rules({}, {}, "FooBot") == page_rules{});
  CHECK(of_tags({"all, index, follow"}, "FooBot") == page_rules{});
}

TEST_CASE("Rules for everyone and rules for the crawler apply together") {
  const page_rules rules = of_tags({"nofollow", "FooBot: noindex, noarchive"}, "FooBot/2.1 (+x)");
  CHECK_FALSE(rules.index);
  CHECK_FALSE(rules.follow);
  CHECK_FALSE(rules.archive);
  const page_rules of_other = of_tags({"nofollow", "FooBot: noindex, noarchive"}, "BarBot");
  CHECK(of_other.index);
  CHECK_FALSE(of_other.follow);
  CHECK(of_tags({"FooBot: noindex"}, "*").index);
}

TEST_CASE("A prefix ends with its header line") {
  CHECK_FALSE(of_tags({"FooBot: nofollow", "noindex"}, "BarBot").index);
  CHECK(of_tags({"FooBot: nofollow", "noindex"}, "BarBot").follow);
}

TEST_CASE("Names are compared whole, in any case") {
  CHECK_FALSE(of_tags({"foobot: noindex"}, "FooBot").index);
  CHECK(of_tags({"FooBot-Image: noindex"}, "FooBot").index);
  CHECK(of_tags({"FooBot: noindex"}, "FooBot-Image").index);
}

TEST_CASE("Of repeated or conflicting rules the most restrictive applies") {
  CHECK_FALSE(of_tags({"index, noindex"}, "FooBot").index);
  CHECK_FALSE(of_tags({"noindex, index"}, "FooBot").index);
  CHECK(of_tags({"max-snippet:10", "max-snippet:-1", "max-snippet:20"}, "FooBot").max_snippet ==
        10);
  CHECK(of_tags({"max-snippet:-1"}, "FooBot").max_snippet == -1);
  CHECK(of_tags({"max-video-preview:-1, max-video-preview:3"}, "FooBot").max_video_preview == 3);
  CHECK(of_tags({"max-image-preview:large, max-image-preview:standard"}, "FooBot")
            .max_image_preview == image_preview::standard);
  const auto earliest =
      of_tags({"unavailable_after: 2026-02-01", "unavailable_after: 2026-01-01"}, "FooBot");
  REQUIRE(earliest.unavailable_after.has_value());
  CHECK(*earliest.unavailable_after == std::chrono::sys_days{std::chrono::year{2026} / 1 / 1});
}

TEST_CASE("A date that the clock of the system cannot hold is as far away as possible") {
  using std::chrono::system_clock;
  const page_rules never = of_tags({"unavailable_after: 9999-12-31"}, "FooBot");
  REQUIRE(never.unavailable_after.has_value());
  CHECK(*never.unavailable_after > std::chrono::sys_days{std::chrono::year{2200} / 1 / 1});
  const page_rules always = of_tags({"unavailable_after: 0001-01-01"}, "FooBot");
  REQUIRE(always.unavailable_after.has_value());
  CHECK(*always.unavailable_after < std::chrono::sys_days{std::chrono::year{1700} / 1 / 1});
}

TEST_CASE("none means noindex and nofollow, and a preview of none is not none") {
  const page_rules rules = of_tags({"none"}, "FooBot");
  CHECK_FALSE(rules.index);
  CHECK_FALSE(rules.follow);
  CHECK(rules.snippet);
  const page_rules preview = of_tags({"max-image-preview:none"}, "FooBot");
  CHECK(preview.index);
  CHECK(preview.max_image_preview == image_preview::none);
}

TEST_CASE("A snippet of 0 characters is no snippet") {
  CHECK_FALSE(of_tags({"max-snippet:0"}, "FooBot").snippet);
  CHECK(of_tags({"max-snippet:1"}, "FooBot").snippet);
  CHECK_FALSE(of_tags({"nosnippet"}, "FooBot").snippet);
}

TEST_CASE("indexifembedded qualifies noindex, also from another place, and has no effect alone") {
  CHECK_FALSE(of_tags({"indexifembedded"}, "FooBot").indexifembedded);
  CHECK(of_tags({"indexifembedded, noindex"}, "FooBot").indexifembedded);
  const std::vector<http_header> headers{{"X-Robots-Tag", "noindex"}};
  const std::vector<meta_element> elements{{"robots", "indexifembedded"}};
  CHECK(read_page_rules(headers, elements, "FooBot").indexifembedded);
}

TEST_CASE("All meta elements for the crawler or for everyone count, not only the first") {
  const std::vector<meta_element> elements{{"robots", "nofollow"},
                                           {"FOOBOT", "noindex"},
                                           {"description", "noarchive"},
                                           {" Robots ", "noimageindex"},
                                           {"barbot", "nosnippet"}};
  const page_rules rules = of_meta(elements, "FooBot");
  CHECK_FALSE(rules.follow);
  CHECK_FALSE(rules.index);
  CHECK_FALSE(rules.image_index);
  CHECK(rules.archive);
  CHECK(rules.snippet);
  CHECK(of_meta(elements, "*").index);
}

TEST_CASE("Robots-Tag headers form one list, so that one bad line spoils the good one") {
  const std::vector<http_header> good{{"robots-tag", "*;nosnippet"},
                                      {"Robots-Tag", "FooBot;noindex"}};
  CHECK_FALSE(read_page_rules(good, {}, "FooBot").index);
  CHECK_FALSE(read_page_rules(good, {}, "FooBot").snippet);
  CHECK(read_page_rules(good, {}, "BarBot").index);
  const std::vector<http_header> bad{{"Robots-Tag", "*;noindex"}, {"Robots-Tag", "7Bot;nosnippet"}};
  CHECK(read_page_rules(bad, {}, "FooBot") == page_rules{});
}

TEST_CASE("Being named in Robots-Tag lifts nothing that is for everyone") {
  const std::vector<http_header> headers{{"Robots-Tag", "ExampleBot, *;noindex"}};
  CHECK_FALSE(read_page_rules(headers, {}, "ExampleBot").index);
}

TEST_CASE("A crawler with several product tokens obeys the rules for each of them") {
  const std::vector<http_header> headers{{"X-Robots-Tag", "FooBot: noindex, FooBot-Image: none"}};
  const std::vector<std::string_view> both{"FooBot-Image", "FooBot"};
  CHECK_FALSE(read_page_rules(headers, {}, std::span<const std::string_view>{both}).follow);
}

}  // namespace
