#pragma once

#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/rules/detail/search.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace robots::rep_detail {

/// The maximum number of steps for one query. They take tens of milliseconds. They are enough to
/// search a URL of 8,000 octets for a thousand literals. RFC 9110, section 4.1, recommends support
/// for URLs of this length.
inline constexpr std::size_t max_match_steps = std::size_t{1} << 23U;

/// Limits the work of a query, so that no text and no rules can delay a caller for long. A step
/// takes at most a few nanoseconds.
class step_budget {
 public:
  constexpr explicit step_budget(std::int64_t steps) noexcept : left_(steps) {}

  /// Subtracts `steps`. This cannot overflow, since no text in memory makes 2^63 steps.
  constexpr void spend(std::size_t steps) noexcept { left_ -= static_cast<std::int64_t>(steps); }

  [[nodiscard]] constexpr bool exceeded() const noexcept { return left_ < 0; }
  [[nodiscard]] constexpr std::size_t left() const noexcept {
    return exceeded() ? 0 : static_cast<std::size_t>(left_);
  }

 private:
  std::int64_t left_;
};

/// Returns true if a target in normal form matches `pattern` (RFC 9309, sections 2.2.2 and 2.2.3).
/// Returns false if `steps` is exceeded.
///
/// Uses the first occurrence of each literal after a `*`, since a later occurrence would leave less
/// text for the rest of the pattern. Searches for the last literal first, since a target without
/// that literal cannot match. Searches for the last literal again if an earlier literal ends after
/// the place that was found. Takes time linear in pattern and target. Is not recursive.
[[nodiscard]] constexpr bool matches(const compiled_pattern& pattern, std::string_view target,
                                     step_budget& steps) noexcept {
  constexpr auto npos = std::string_view::npos;
  const std::string_view text = pattern.text;
  auto star = find_octet(text, '*');
  if (!begins_with(target, {text.data(), star})) {
    return false;
  }
  if (star == text.size()) {
    return !pattern.anchored || target.size() == star;
  }
  const auto find_in = [&steps](std::string_view part, std::string_view literal) {
    const literal_search found = find_literal(part, literal);
    steps.spend(found.steps);
    return steps.exceeded() ? npos : found.place;
  };
  const std::size_t last_star = text.rfind('*');
  const std::string_view last = behind(text, last_star + 1);
  target.remove_prefix(star);
  const std::size_t last_at = !pattern.anchored        ? find_in(target, last)
                              : target.ends_with(last) ? target.size() - last.size()
                                                       : npos;
  if (last_at == npos) {
    return false;
  }
  const char* const last_place = target.data() + last_at;
  while (star != last_star) {
    const std::string_view rest = behind(text, star + 1);
    const std::string_view literal{rest.data(), find_octet(rest, '*')};
    const std::size_t place = find_in(target, literal);
    if (place == npos) {
      return false;
    }
    star += 1 + literal.size();
    target.remove_prefix(place + literal.size());
  }
  return target.data() <= last_place || (!pattern.anchored && find_in(target, last) != npos);
}

/// Compares without a limit on steps.
[[nodiscard]] constexpr bool matches(const compiled_pattern& pattern,
                                     std::string_view target) noexcept {
  step_budget steps{(std::numeric_limits<std::int64_t>::max)()};
  return matches(pattern, target, steps);
}

}  // namespace robots::rep_detail
