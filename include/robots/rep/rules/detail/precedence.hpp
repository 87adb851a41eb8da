#pragma once

#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <cstdint>

namespace robots::rep_detail {

/// What decides between two rules that match (RFC 9309, section 2.2.2).
struct precedence {
  std::uint32_t specificity = 0;
  std::uint32_t line = 0;
  rule_kind kind = rule_kind::allow;

  /// The rule with more octets decides, at equal length the kind that `tie` prefers, else the
  /// earlier one.
  [[nodiscard]] constexpr bool decides_over(const precedence& other, tie_break tie) const noexcept {
    if (specificity != other.specificity) {
      return specificity > other.specificity;
    }
    if (kind != other.kind) {
      return (kind == rule_kind::allow) == (tie == tie_break::allow);
    }
    return line < other.line;
  }
};

}  // namespace robots::rep_detail
