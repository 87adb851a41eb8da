#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/rules/detail/block_layout.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/explanation.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <tuple>

namespace robots {

namespace rep_detail {

[[nodiscard]] inline listed_rule listed(const packed_rule& rule, const rule_table& table) {
  const auto describe = [&](const compiled_pattern& pattern) {
    return listed_rule{
        .kind = rule.kind(),
        .pattern = rule.written(table.block()),
        .compared = std::string{pattern.text}.append(pattern.anchored ? "$" : ""),
        .anchored = pattern.anchored,
        .specificity = rule.specificity(table.block()),
        .rank = static_cast<std::uint32_t>(rule.rank(table.block(), table.facts().tie) >> 32U),
        .line = rule.line()};
  };
  return rule.with_pattern(table.block(), *table.facts().traits->rule_form, describe);
}

}  // namespace rep_detail

ROBOTS_INLINE std::vector<listed_rule> rule_set::list() const& {
  std::vector<listed_rule> result;
  result.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) {
    result.push_back(rep_detail::listed(table_.rule(i), table_));
  }
  return result;
}

ROBOTS_INLINE explanation rule_set::explain(std::string_view target) const& {
  explanation result{.verdict = match(target), .group = table_.facts().group};
  result.verdict.nameless = table_.facts().is_nameless;
  const std::vector<char> octets = rep_detail::normal_target(target, *table_.facts().traits);
  result.target.assign(octets.data(), octets.size());
  std::vector<listed_rule>& matches = result.matches;
  rep_detail::step_budget steps{rep_detail::max_match_steps};
  for (std::size_t i = 0; i < size() && result.target.size() <= rep_detail::max_normal_target;
       ++i) {
    if (const auto rule = table_.rule(i); table_.matches(rule, result.target, steps)) {
      matches.push_back(rep_detail::listed(rule, table_));
    }
  }
  std::sort(matches.begin(), matches.end(), [](const listed_rule& a, const listed_rule& b) {
    return std::tie(b.rank, a.line) < std::tie(a.rank, b.line);
  });
  // If a line has two patterns (`dialect::google`), keeps the pattern of higher rank.
  std::set<std::uint32_t> lines;
  std::erase_if(matches, [&](const listed_rule& rule) { return !lines.insert(rule.line).second; });
  return result;
}

}  // namespace robots
