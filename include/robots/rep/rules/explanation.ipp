#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/detail/normal_target.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/detail/rule_table.hpp>
#include <robots/rep/rules/explanation.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace robots {

ROBOTS_INLINE explanation rule_set::explain(std::string_view target) const& {
  explanation result{.verdict = match(target), .group = parts_.facts.group};
  const rep_detail::rule_table table = this->table();
  const rep_detail::dialect_traits& traits = *parts_.facts.traits;
  const std::vector<char> octets = rep_detail::normal_target(target, traits);
  result.target.assign(octets.data(), octets.size());
  std::vector<std::pair<rep_detail::rule_rank, explanation::matching_rule>> matching;
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
  // For google/robotstxt, one line can be two patterns. The one with the higher rank is listed.
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
