#pragma once

#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/rule_set.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace robots {

/// A rule of a rule set. The views point into that.
struct listed_rule {
  rule_kind kind = rule_kind::allow;  ///< what it says
  std::string_view pattern{};         ///< as written in the file
  std::string_view compared{};        ///< its normal form, without `$` and wildcards at its end
  bool anchored = false;              ///< a target must end where the pattern does
  std::uint32_t rank = 0;             ///< of two rules that match, that with the higher one decides
  std::uint32_t line = 0;             ///< 1-based
};

inline std::vector<listed_rule> rule_set::list() const& {
  const std::string_view text = table().text;
  std::vector<listed_rule> result;
  result.reserve(size());
  for (const rep_detail::packed_rule& rule : parts_.rules) {
    const rep_detail::compiled_pattern pattern = rule.pattern(text);
    const bool is_preferred =
        (rule.kind() == rule_kind::allow) == (parts_.facts.tie == tie_break::allow);
    result.push_back({.kind = rule.kind(),
                      .pattern = rule.written(text),
                      .compared = pattern.text,
                      .anchored = pattern.anchored,
                      .rank = 2 * rule.rank(text).specificity + (is_preferred ? 1 : 0),
                      .line = rule.line()});
  }
  return result;
}

}  // namespace robots
