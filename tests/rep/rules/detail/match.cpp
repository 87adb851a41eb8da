#include <robots/rep/rules/detail/match.hpp>

#include <robots/rep/rules/pattern.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// A simple matcher for RFC 9309, section 2.2.3. Its table says which prefixes of the pattern match
/// which prefixes of the target.
bool obviously_matches(std::string_view pattern, std::string_view target) {
  const bool anchored = pattern.ends_with('$');
  if (anchored) {
    pattern.remove_suffix(1);
  }
  std::vector<std::vector<bool>> table(pattern.size() + 1,
                                       std::vector<bool>(target.size() + 1, false));
  table[0][0] = true;
  for (std::size_t p = 1; p <= pattern.size(); ++p) {
    for (std::size_t t = 0; t <= target.size(); ++t) {
      if (pattern[p - 1] == '*') {
        table[p][t] = table[p - 1][t] || (t > 0 && table[p][t - 1]);
      } else {
        table[p][t] = t > 0 && table[p - 1][t - 1] && pattern[p - 1] == target[t - 1];
      }
    }
  }
  if (anchored) {
    return table[pattern.size()][target.size()];
  }
  for (const bool matched : table[pattern.size()]) {
    if (matched) {
      return true;
    }
  }
  return false;
}

TEST_CASE("The matcher agrees with a simple, obviously correct one") {
  std::mt19937 random{7};
  const auto letters = [&random](std::size_t most, std::string_view of) {
    std::string text{"/"};
    for (auto n = random() % most; n > 0; --n) {
      text += of[random() % of.size()];
    }
    return text;
  };
  for (int round = 0; round < 20'000; ++round) {
    std::string pattern = letters(10, "aab*");
    if (random() % 2 == 0) {
      pattern += '$';
    }
    const std::string target = letters(20, "aab");
    CAPTURE(pattern);
    CAPTURE(target);
    const bool expected = obviously_matches(pattern, target);
    REQUIRE(robots::pattern{pattern}.matches(target) == expected);

    const auto source = robots::rep_detail::pattern_source::of(pattern);
    std::string compiled;
    robots::rep_detail::write_compiled(source, robots::rep_detail::rfc9309_rule_form,
                                       [&compiled](char c) { compiled += c; });
    robots::rep_detail::step_budget steps{1'000'000};
    REQUIRE(robots::rep_detail::matches(robots::rep_detail::finish(compiled, source.anchored),
                                        target, steps) == expected);
  }
}

}  // namespace
