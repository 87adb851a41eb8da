#include <robots/rep/rules/detail/rule_table.hpp>

#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/explanation.hpp>
#include <robots/rep/rules/rule_set.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace {

using robots::compile;
using robots::rule_set;
using robots::verdict;
using robots::rep_detail::step_budget;

std::string repeated(std::string_view unit, std::size_t size) {
  std::string text;
  while (text.size() < size) {
    text += unit;
  }
  text.resize(size);
  return text;
}

/// Returns a file of 500,000 octets that repeats one rule.
std::string full_of(const std::string& rule) {
  return "User-agent: *\n" + repeated(rule + '\n', 500'000) + '\n';
}

bool is_undecided(const rule_set& rules, std::string_view target) {
  const verdict found = rules.match(target);
  REQUIRE(rules.allows(target) == found.allowed);
  REQUIRE_FALSE((found.undecided && (found.allowed || found.directive || found.line != 0)));
  return found.undecided;
}

TEST_CASE("A target of up to 65,536 octets in normal form is compared, and a longer one denied") {
  for (const robots::dialect dialect : {robots::dialect::rfc9309, robots::dialect::google}) {
    const rule_set rules =
        compile("User-agent: *\nAllow: /\nDisallow: /x\n", "FooBot", {.dialect = dialect});
    const std::string longest = "/" + std::string(65'535, 'a');
    CHECK(rules.match(longest).line == 2);
    CHECK(is_undecided(rules, longest + "a"));
    CHECK(is_undecided(rules, "https://example.com" + longest + "a"));
    CHECK(rules.match("https://example.com" + longest + "#fragment").line == 2);
    CHECK(is_undecided(rules, "/x" + std::string(1U << 20U, 'y')));
  }
  const rule_set rules = compile("User-agent: *\nDisallow: /b\n", "FooBot");
  CHECK(is_undecided(rules, "/" + repeated("a\xC3\xA9", 40'000)));
  CHECK(rules.allows("/" + repeated("%61", 150'000)));  // 50,000 octets in normal form
  CHECK(rules.allows("/robots.txt?" + std::string(100'000, 'a')));
  CHECK(rules.allows("/robots.txt?" + repeated("%20a", 400'000)));
}

TEST_CASE("A rule set without rules allows a target of any length") {
  const rule_set none = compile("User-agent: *\nDisallow:\n", "FooBot");
  CHECK(none.match("/" + std::string(100'000, 'a')).allowed);
  CHECK_FALSE(is_undecided(none, "/" + repeated("a b", 100'000)));
}

TEST_CASE("A target is denied if comparing it with the rules takes too long") {
  struct sample {
    const char* rule;
    std::string target;
  };
  const std::string all = "/abcdefghijklmnopqrstuvwxyz%41";
  for (const auto& [rule, target] : {
           sample{"Allow:*a*xxxx", all + repeated("xxxx a", 60'000)},
           sample{"Allow:*a*xxxx*y", all + repeated("xxxxa", 60'000)},
           sample{"Allow:*ab*ab*ab*acb", all + repeated("ab", 60'000)},
           sample{"Allow:*aaaaaaaaaaaaaaaaaaaab", "/baaaa" + repeated("a", 60'000)},
           sample{"Allow:/ab*aaab", "/ab" + repeated("aab", 60'000)},
       }) {
    CAPTURE(rule);
    const rule_set rules = compile(full_of(rule), "FooBot");
    static_cast<void>(is_undecided(rules, target));
    CHECK_FALSE(rules.match(target).directive);
  }
  const rule_set rules = compile(full_of("Allow:*a*xxxxy"), "FooBot");
  CHECK(is_undecided(rules, all + repeated("xxxx", 60'000)));
  CHECK(rules.allows("/robots.txt"));
}

TEST_CASE("A document and an explanation leave a target undecided if the rule set does") {
  const robots::document file = robots::parse(full_of("Allow:*a*xxxxy"));
  const rule_set rules = file.rules_for("FooBot");
  for (const std::string& target : {"/abcdefghijklmnopqrstuvwxyz%41" + repeated("xxxx", 60'000),
                                    "/" + repeated("a xxxx", 100'000)}) {
    CHECK(is_undecided(rules, target));
    CHECK(file.match(target, "FooBot").undecided);
    CHECK_FALSE(file.allows(target, "FooBot"));
    CHECK(rules.explain(target).verdict.undecided);
    CHECK(rules.explain(target).matches.empty());
  }
}

TEST_CASE("A URL as long as servers accept is compared with a thousand wildcards") {
  std::string text = "User-agent: *\n";
  for (int i = 0; i < 1'000; ++i) {
    text += "Disallow: *a" + std::to_string(i) + "*z\n";
  }
  const rule_set rules = compile(text, "FooBot");
  CHECK_FALSE(is_undecided(rules, "/" + repeated("a0123456789", 8'000)));
  CHECK_FALSE(rules.allows("/" + repeated("a0123456789", 8'000) + "z"));
}

TEST_CASE("Long targets are compared up to their last octet, however the pattern is spelled") {
  const std::string many(1'500, 'a');
  for (const std::string_view last : {"%C3%A9", "%c3%a9", "\xC3\xA9", "%C3%A9**"}) {
    const rule_set rules =
        compile("User-agent: *\nDisallow: /*" + many + std::string{last} + "\n", "FooBot");
    const std::string target = "/" + std::string(8'000, 'a');
    CHECK_FALSE(is_undecided(rules, target));
    CHECK(rules.allows(target));
    CHECK_FALSE(rules.allows(target + "%C3%A9"));
  }
  std::string text = "User-agent: *\n";
  for (int i = 0; i < 1'000; ++i) {
    text += "Disallow: *%d0%b0<" + std::to_string(i) + ">**z\n";
  }
  CHECK_FALSE(is_undecided(compile(text, "FooBot"), "/" + repeated("%D0%B0<1>", 8'000)));
}

TEST_CASE("Comparing a pattern takes no more steps than twice the octets of pattern and text") {
  const auto fits = [](const std::string& pattern, const std::string& text) {
    step_budget steps{static_cast<std::int64_t>(2 * (pattern.size() + text.size()))};
    static_cast<void>(
        robots::rep_detail::matches(robots::rep_detail::finish(pattern, false), text, steps));
    return !steps.exceeded();
  };
  for (const std::string_view unit : {"a", "ab", "aab", "aaaaaaaaaaaaaaab"}) {
    const std::string text = repeated(unit, 5'000);
    for (const std::string_view part : {"*a", "*b", "*ab", "*aaaaaaaab", "*a*b", "*x"}) {
      CHECK(fits(repeated(part, 3'000), text));
      CHECK(fits(std::string{part}, text));
      CHECK(fits(std::string{part} + "x", text));
    }
    CHECK(fits("*" + repeated(unit, 2'000) + "x", text));
  }
}

TEST_CASE("An exceeded step budget stays exceeded and ends a comparison") {
  step_budget steps{10};
  steps.spend(10);
  CHECK_FALSE(steps.exceeded());
  steps.spend(1);
  CHECK(steps.exceeded());
  steps.spend(0);
  CHECK(steps.exceeded());

  step_budget few{100};
  CHECK_FALSE(robots::rep_detail::matches(robots::rep_detail::finish("*ab", false),
                                          std::string(2000, 'a') + "b", few));
  CHECK(few.exceeded());
}

}  // namespace
