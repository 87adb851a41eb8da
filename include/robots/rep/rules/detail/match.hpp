#pragma once

#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/rules/detail/search.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace robots::rep_detail {

/// Most steps that one question may take: tens of milliseconds. A URL of 8,000 octets, which RFC
/// 9110, section 4.1, recommends to support, can be searched to its end for a thousand literals.
inline constexpr std::size_t max_match_steps = std::size_t{1} << 23U;

/// Bounds what comparing may cost, so that no text and no rules can keep a caller for long. A step
/// takes a few nanoseconds at most, whatever is compared.
class step_budget {
 public:
  /// At most 2^63 - 1 of them.
  constexpr explicit step_budget(std::size_t steps) noexcept
      : left_(static_cast<std::int64_t>(steps)) {}

  /// Takes `steps` off what is left. No memory holds a text that makes 2^63 of them.
  constexpr void spend(std::size_t steps) noexcept { left_ -= static_cast<std::int64_t>(steps); }

  [[nodiscard]] constexpr bool exceeded() const noexcept { return left_ < 0; }
  [[nodiscard]] constexpr std::size_t left() const noexcept {
    return exceeded() ? 0 : static_cast<std::size_t>(left_);
  }

 private:
  std::int64_t left_;
};

/// Whether a target in normal form matches (RFC 9309, sections 2.2.2 and 2.2.3).
/// False once `steps` are exceeded.
///
/// Each literal behind a `*` is taken at its first occurrence: any later one leaves less text for
/// what follows, so nothing is ever tried twice. Linear in pattern and target, without recursion.
[[nodiscard]] constexpr bool matches(const compiled_pattern& pattern, std::string_view target,
                                     step_budget& steps) noexcept {
  std::string_view rest = pattern.text;
  auto star = find_octet(rest, '*');
  if (!begins_with(target, {rest.data(), star})) {
    return false;
  }
  target.remove_prefix(star);
  if (star == rest.size()) {
    return !pattern.anchored || target.empty();
  }
  for (;;) {
    rest.remove_prefix(star + 1);
    star = find_octet(rest, '*');
    if (star == rest.size() && pattern.anchored) {
      return target.ends_with(rest);
    }
    const literal_search found = find_literal(target, {rest.data(), star});
    steps.spend(found.steps);
    if (found.at == std::string_view::npos || steps.exceeded()) {
      return false;
    }
    if (star == rest.size()) {
      return true;
    }
    target.remove_prefix(found.at + star);
  }
}

/// The same at whatever cost.
[[nodiscard]] constexpr bool matches(const compiled_pattern& pattern,
                                     std::string_view target) noexcept {
  step_budget steps{std::numeric_limits<std::int64_t>::max()};
  return matches(pattern, target, steps);
}

}  // namespace robots::rep_detail
