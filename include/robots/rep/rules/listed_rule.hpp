#pragma once

#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/rule_set.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// A rule of a rule set. `pattern` points into that.
struct listed_rule {
  rule_kind kind = rule_kind::allow;  ///< what it says
  std::string_view pattern{};         ///< as written in the file
  std::string compared{};             ///< its normal form, without `$` and wildcards at its end
  bool anchored = false;              ///< a target must end where the pattern does
  std::uint32_t rank = 0;             ///< of two rules that match, that with the higher one decides
  std::uint32_t line = 0;             ///< 1-based
};

inline std::vector<listed_rule> rule_set::list() const& {
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
