#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/detail/rule_table.hpp>
#include <robots/rep/rules/listed_rule.hpp>

#include <cstddef>

namespace robots {

ROBOTS_INLINE std::vector<listed_rule> rule_set::list() const& {
  const rep_detail::rule_table table = this->table();
  const rep_detail::rule_set_facts& facts = parts_.facts;
  std::vector<listed_rule> result;
  result.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) {
    const rep_detail::packed_rule rule = table.rule(i);
    const auto add = [&](const rep_detail::compiled_pattern& pattern) {
      result.push_back(
          {.kind = rule.kind(),
           .pattern = rule.written(table.block),
           .compared = std::string{pattern.text},
           .anchored = pattern.anchored,
           .rank = static_cast<std::uint32_t>(rule.rank(table.block, facts.tie) >> 32U),
           .line = rule.line()});
    };
    rule.with_pattern(table.block, *facts.traits->rule_form, add);
  }
  return result;
}

}  // namespace robots
