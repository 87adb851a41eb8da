#include <robots/rep/rules/explanation.hpp>

#include <robots/rep/rules/compile.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace {

using robots::compile;
using robots::group_choice;
using robots::rule_kind;

TEST_CASE("An explanation lists every rule that matches in the order in which they decide") {
  const auto rules = compile(
      "User-agent: FooBot\n"
      "Disallow: /\n"
      "Allow: /%61*b$\n"
      "Disallow: /z\n"
      "Disallow: /a\n",
      "FooBot");
  const auto why = rules.explain("https://example.com/%61xb#f");
  CHECK(why.verdict.allowed);
  CHECK(why.verdict.line == 3);
  CHECK(why.group == group_choice::own);
  CHECK(why.target == "/axb");
  REQUIRE(why.matches.size() == 3);
  CHECK(why.matches[0].kind == rule_kind::allow);
  CHECK(why.matches[0].pattern == "/%61*b$");
  CHECK(why.matches[0].compared == "/a*b$");
  CHECK(why.matches[0].specificity == 5);
  CHECK(why.matches[1].line == 5);
  CHECK(why.matches[2].pattern == "/");
}

TEST_CASE("An explanation names the group that applies") {
  constexpr std::string_view text = "User-agent: *\nDisallow: /a\n";
  const auto everyone = compile(text, "FooBot");
  CHECK(everyone.explain("/b").group == group_choice::everyone);
  CHECK(everyone.explain("/b").matches.empty());
  const auto none = compile("", "FooBot");
  CHECK(none.explain("/b").group == group_choice::none);
}

TEST_CASE("The target of an explanation is complete, however long it is") {
  const std::string target = "/" + std::string(30'000, ' ');
  const auto rules = compile("User-agent: *\nDisallow: /%20\n", "FooBot");
  const auto why = rules.explain(target);
  CHECK(why.target.size() == 1 + 3 * 30'000);
  CHECK(why.verdict.undecided);
}

TEST_CASE("A line is listed once, even if google reads it as two patterns") {
  const auto rules = compile("User-agent: *\nAllow: /*/index.html\n", "FooBot",
                             {.dialect = robots::dialect::google});
  CHECK(rules.explain("/a/index.html/").matches.size() == 1);
}

TEST_CASE("No rule is listed for a target that is too long to be decided") {
  const auto rules = robots::compile("User-agent: *\nAllow:*q$\nAllow: /\n", "FooBot");
  for (const std::string& target :
       {"/" + std::string(70'000, 'q'), "/%41" + std::string(70'000, 'q')}) {
    const auto why = rules.explain(target);
    CHECK(why.verdict.undecided);
    CHECK(why.matches.empty());
  }
  CHECK(rules.explain("/%41" + std::string(60'000, 'q')).matches.size() == 2);
}

TEST_CASE("Tens of thousands of matching rules are explained, each once and in order") {
  std::string many = "User-agent: *\n";
  for (int i = 0; i < 60'000; ++i) {
    many += "Allow: /\n";
  }
  const auto rules = compile(many, "FooBot", {.max_bytes = many.size()});
  const auto why = rules.explain("/x");
  REQUIRE(why.matches.size() == 60'000);
  CHECK(why.matches.front().line == 2);
  CHECK(why.matches.back().line == 60'001);
}

}  // namespace
