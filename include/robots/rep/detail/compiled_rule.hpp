#pragma once

#include <robots/rep/detail/compiled_pattern.hpp>
#include <robots/rep/parse_options.hpp>
#include <robots/rep/verdict.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace robots::detail {

/// A stretch of the text that a `document` or `rule_set` owns.
struct text_span {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;

  [[nodiscard]] constexpr std::string_view in(std::string_view text) const noexcept {
    return text.substr(offset, size);
  }
  [[nodiscard]] constexpr std::string_view in(const std::vector<char>& text) const noexcept {
    return in(std::string_view{text.data(), text.size()});
  }
};

/// One rule with its pattern compiled.
struct compiled_rule {
  text_span written{};
  text_span compiled{};
  std::uint32_t specificity = 0;
  std::uint32_t line = 0;
  rule_kind kind = rule_kind::allow;
  bool anchored = false;

  /// Whether this rule decides over `other` when both match: the one with more octets, at equal
  /// length the kind that `tie` prefers, else the earlier one.
  [[nodiscard]] constexpr bool decides_over(const compiled_rule& other,
                                            tie_break tie) const noexcept {
    if (specificity != other.specificity) {
      return specificity > other.specificity;
    }
    if (kind != other.kind) {
      return (kind == rule_kind::allow) == (tie == tie_break::allow);
    }
    return line < other.line;
  }
};

/// Names `rule` as the one that decided.
constexpr void set_rule(verdict& result, const compiled_rule& rule,
                        std::string_view text) noexcept {
  result.allowed = rule.kind == rule_kind::allow;
  result.directive = rule.kind;
  result.pattern = rule.written.in(text);
  result.line = rule.line;
}

}  // namespace robots::detail
