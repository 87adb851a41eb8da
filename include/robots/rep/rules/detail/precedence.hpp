#pragma once

#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <cstdint>

namespace robots::rep_detail {

/// Returns the rank of a rule: the matching rule with the highest rank decides (RFC 9309, section
/// 2.2.2). More octets rank higher; at equal length, the kind that `tie` prefers; then the earlier
/// rule.
using rule_rank = std::uint64_t;

[[nodiscard]] constexpr rule_rank rank_of(std::uint32_t specificity, rule_kind kind,
                                          std::uint32_t line, tie_break tie) noexcept {
  const bool is_preferred = (kind == rule_kind::allow) == (tie == tie_break::allow);
  return (rule_rank{2} * specificity + (is_preferred ? 1 : 0)) << 32U | (0xFFFF'FFFFU - line);
}

}  // namespace robots::rep_detail
