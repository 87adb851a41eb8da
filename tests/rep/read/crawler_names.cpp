#include <robots/rep/read/crawler_names.hpp>

#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/compile.hpp>

#include <doctest/doctest.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using robots::crawler_names;

constexpr std::string_view posing = "Mozilla/5.0 (X11; Linux x86_64) Safari/605.1.15";

static_assert(crawler_names{}.empty());
static_assert(crawler_names{"FooBot"}.size() == 1);
static_assert(crawler_names{"FooBot-Image", "FooBot"}.size() == 2);
static_assert(*crawler_names{"FooBot-Image", "FooBot"}.begin() == "FooBot-Image");
static_assert(crawler_names{"FooBot"} == crawler_names{std::string_view{"FooBot"}});
static_assert(crawler_names{"FooBot"} != crawler_names{"FooBot", "BarBot"});
static_assert(crawler_names{"FooBot"} != crawler_names{"FooBot"}.sent_as(posing));

// The rules of a crawler with several names are those of the first name that has a group.
constexpr std::string_view groups_of_three =
    "User-agent: *\nDisallow: /all\n"
    "User-agent: FooBot\nDisallow: /foo\n"
    "User-agent: FooBot-Image\nDisallow: /image\n";

constexpr bool is_denied(const crawler_names& names, std::string_view target) {
  return !robots::compile(groups_of_three, names).allows(target) &&
         !robots::parse(groups_of_three).rules_for(names).allows(target);
}
static_assert(is_denied({"FooBot-Image", "FooBot"}, "/image"));
static_assert(!is_denied({"FooBot-Image", "FooBot"}, "/foo"));
static_assert(is_denied({"FooBot-Video", "FooBot", "*"}, "/foo"));
static_assert(is_denied({"BarBot"}, "/all"));
static_assert(is_denied({}, "/all"));
static_assert(is_denied("FooBot/2.1 (+https://foo.example/bot)", "/foo"));
static_assert(is_denied(crawler_names{"FooBot"}.sent_as(posing), "/foo"));

}  // namespace

TEST_CASE("A crawler's names can be made from every kind of text and list") {
  const std::string text = "FooBot/2.1 (+https://foo.example/bot)";
  const crawler_names one = text;
  CHECK(one.header() == text);
  CHECK(one.token() == "FooBot");
  const std::array<std::string_view, 2> listed{"FooBot-Image", "FooBot"};
  CHECK(crawler_names{std::span<const std::string_view>{listed}} ==
        crawler_names{"FooBot-Image", std::string{"FooBot"}});
  const std::vector<crawler_names> several{{"FooBot-Image", "FooBot"}, "BarBot/1.0", "*"};
  REQUIRE(several.size() == 3);
  CHECK(several[0].size() == 2);
  CHECK(several[0].token() == "FooBot-Image");
  CHECK(several[1].token() == "BarBot");
  CHECK(several[2].token() == "*");
}

TEST_CASE("A header that names no crawler is sent, while other names select the groups") {
  const crawler_names names = crawler_names{"FooBot-Image", "FooBot"}.sent_as(posing);
  CHECK(names.header() == posing);
  CHECK(names.token() == "FooBot-Image");
  CHECK(names.size() == 2);
  const crawler_names only_header{std::string{posing}};
  CHECK(only_header.header() == posing);
  CHECK(only_header.token().empty());
  CHECK(only_header.token(robots::dialect::google) == "Mozilla");
  const crawler_names twice = crawler_names{"FooBot"}.sent_as(posing).sent_as("FooBot/2.0");
  CHECK(twice.header() == "FooBot/2.0");
}

TEST_CASE("Copies of a crawler's names are independent, and moved names keep their texts") {
  crawler_names first{"F", "G"};
  crawler_names copy = first;
  const crawler_names moved = std::move(first);
  first = crawler_names{"H"};
  copy = crawler_names{"I"}.sent_as("J");
  CHECK(moved == crawler_names{"F", "G"});
  CHECK(first == crawler_names{"H"});
  CHECK(copy.header() == "J");
  CHECK(*copy.begin() == "I");
}
