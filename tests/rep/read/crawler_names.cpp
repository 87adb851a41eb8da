#include <robots/rep/read/crawler_names.hpp>

#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/compile.hpp>

#include <doctest/doctest.h>

#include <array>
#include <span>
#include <stdexcept>
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

// A policy token is no name: its group changes no verdict.
using robots::purpose;
static_assert(crawler_names{"BarBot", {"FooBot", purpose::ai_train}}.size() == 1);
static_assert(is_denied({"BarBot", {"FooBot", purpose::ai_train}}, "/all"));
static_assert(!is_denied({"BarBot", {"FooBot", purpose::ai_train}}, "/foo"));
static_assert(crawler_names{{"FooBot", purpose::ai_train}}.empty());
static_assert(crawler_names{"BarBot", {"FooBot", purpose::ai_train}} != crawler_names{"BarBot"});
static_assert(crawler_names{"BarBot", {"FooBot", purpose::ai_train}} !=
              crawler_names{"BarBot", {"FooBot", purpose::ai_input}});

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

TEST_CASE("Policy tokens stay with the names of a crawler, through copies, moves and headers") {
  const crawler_names bound{"FooBot",
                            {"Google-Extended", robots::purpose::ai_train},
                            "Foo",
                            {"Other", robots::purpose::ai_input}};
  const crawler_names same = crawler_names{"FooBot", "Foo"}
                                 .sent_as(posing)
                                 .with_policy_token("Google-Extended", robots::purpose::ai_train)
                                 .with_policy_token("Other", robots::purpose::ai_input);
  CHECK(same.header() == posing);
  CHECK(bound.sent_as("Long/1.0").sent_as(posing) == same);
  crawler_names moved = crawler_names{bound};
  const crawler_names copy = moved;
  const crawler_names taken = std::move(moved);
  for (const crawler_names& names : {bound, copy, taken, same}) {
    REQUIRE(names.size() == 2);
    CHECK(names.begin()[1] == "Foo");
    REQUIRE(names.policy_tokens().size() == 2);
    CHECK(names.policy_tokens()[0].token == "Google-Extended");
    CHECK(names.policy_tokens()[1] == robots::policy_token{"Other", robots::purpose::ai_input});
  }
}

TEST_CASE("A policy token that no group can name is refused, with the text and a remedy") {
  for (const std::string_view token : {"", "*", "/path", "https://e.example/"}) {
    CAPTURE(token);
    CHECK_THROWS_WITH_AS(
        (crawler_names{"FooBot", {token, robots::purpose::ai_train}}),
        doctest::Contains(("\"" + std::string{token} + "\" names no group").c_str()),
        std::invalid_argument);
    CHECK_THROWS_AS(static_cast<void>(crawler_names{"FooBot"}.with_policy_token(
                        token, robots::purpose::ai_train)),
                    std::invalid_argument);
  }
}
