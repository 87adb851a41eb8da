#pragma once

#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/detail/normal_target.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/group_choice.hpp>
#include <robots/rep/rules/rule_set.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// A rule that matches a target.
struct matching_rule {
  rule_kind kind = rule_kind::allow;  ///< what it says
  std::string_view pattern{};         ///< as written in the file
  std::string compared{};             ///< its normal form, without wildcards at its end
  std::uint32_t specificity = 0;      ///< octets of the normal form, wildcard and anchor included
  std::uint32_t line = 0;             ///< 1-based
};

/// How a verdict came about. The views point into the rule set that was asked.
struct explanation {
  robots::verdict verdict{};                ///< the answer
  group_choice group = group_choice::none;  ///< whose rules were asked, and why
  std::string target{};                     ///< the normal form of the target
  /// All rules that match, as far as the steps of one question reach; none for a target that is
  /// too long to be decided. The first one decides, unless the target is /robots.txt; were it gone,
  /// the next one would.
  std::vector<matching_rule> matches{};
};

inline explanation rule_set::explain(std::string_view target) const& {
  explanation result{.verdict = match(target), .group = parts_.facts.group};
  const rep_detail::rule_table table = this->table();
  const rep_detail::dialect_traits& traits = *parts_.facts.traits;
  const std::vector<char> octets = rep_detail::normal_target(target, traits);
  result.target.assign(octets.data(), octets.size());
  std::vector<std::pair<rep_detail::rule_rank, matching_rule>> matching;
  rep_detail::step_budget steps{rep_detail::max_match_steps};
  for (std::size_t i = 0; i < size() && !rep_detail::is_too_long(result.target); ++i) {
    const rep_detail::packed_rule rule = table.rule(i);
    if (!table.matches(rule, result.target, steps)) {
      continue;
    }
    const auto add = [&](const rep_detail::compiled_pattern& pattern) {
      matching.push_back({rule.rank(table.block, parts_.facts.tie),
                          {.kind = rule.kind(),
                           .pattern = rule.written(table.block),
                           .compared = std::string{pattern.text} + (pattern.anchored ? "$" : ""),
                           .specificity = rule.specificity(table.block),
                           .line = rule.line()}});
    };
    rule.with_pattern(table.block, *traits.rule_form, add);
  }
  // To google/robotstxt one line can be two patterns: the one that decides over the other is told.
  std::sort(matching.begin(), matching.end(), [](const auto& a, const auto& b) {
    return a.second.line != b.second.line ? a.second.line < b.second.line : a.first > b.first;
  });
  matching.erase(
      std::unique(matching.begin(), matching.end(),
                  [](const auto& a, const auto& b) { return a.second.line == b.second.line; }),
      matching.end());
  std::sort(matching.begin(), matching.end(),
            [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [rank, rule] : matching) {
    result.matches.push_back(std::move(rule));
  }
  return result;
}

}  // namespace robots
