#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace robots::rep_detail {

/// A critical factorisation of a text, as `two_way_find` needs it: the length of the left part, and
/// the period of the right part.
struct factorization {
  std::size_t left = 0;
  std::size_t period = 1;
};

/// Returns the start and period of the maximal suffix of `text` by order `less`, in linear time.
template <class Less>
[[nodiscard]] constexpr factorization maximal_suffix(std::string_view text, Less less) noexcept {
  std::size_t best = 0;
  std::size_t candidate = 1;
  std::size_t matched = 0;
  std::size_t period = 1;
  while (candidate + matched < text.size()) {
    const auto a = static_cast<unsigned char>(text[best + matched]);
    const auto b = static_cast<unsigned char>(text[candidate + matched]);
    if (a == b) {
      if (++matched == period) {
        candidate += period;
        matched = 0;
      }
    } else if (less(b, a)) {
      candidate += matched + 1;
      matched = 0;
      period = candidate - best;
    } else {
      best = candidate++;
      matched = 0;
      period = 1;
    }
  }
  return {.left = best, .period = period};
}

/// The position of a literal, if it was found, and the steps of the search.
struct literal_search {
  std::size_t place = std::string_view::npos;
  std::size_t steps = 0;
};

/// The maximum size of a literal for `find_short`, which reads each octet of a text at most
/// `short_literal` times.
inline constexpr std::size_t short_literal = 16;

/// Searches for a literal of 1 to `short_literal` octets. A step takes about a nanosecond. The
/// search takes at most one step per octet of `text`.
[[nodiscard]] constexpr literal_search find_short(std::string_view text,
                                                  std::string_view literal) noexcept {
  const std::size_t places = text.size() + 1 - (std::min)(literal.size(), text.size() + 1);
  constexpr std::size_t at_a_glance = 16;
  std::size_t steps = 0;
  for (std::size_t place = 0;; ++place) {
    const std::size_t passed = find_octet(behind(text, place), literal.front());
    steps += passed / at_a_glance;
    place += passed;
    if (place >= places) {
      return {.steps = steps};
    }
    ++steps;
    if (begins_with(behind(text, place), literal)) {
      return {.place = place, .steps = steps};
    }
  }
}

/// Returns the position of the first `needle` in `text`, or npos if there is none. `needle` must
/// not be empty.
///
/// Uses the two-way algorithm of Crochemore and Perrin (1991), which takes linear time in needle
/// and text for any content, and constant space.
[[nodiscard]] constexpr std::size_t two_way_find(std::string_view text,
                                                 std::string_view needle) noexcept {
  const factorization up = maximal_suffix(needle, [](auto a, auto b) { return a < b; });
  const factorization down = maximal_suffix(needle, [](auto a, auto b) { return a > b; });
  auto [left, period] = up.left > down.left ? up : down;
  const bool periodic = needle.substr(period).starts_with(needle.substr(0, left));
  if (!periodic) {
    period = (std::max)(left, needle.size() - left) + 1;
  }
  const std::string_view first = needle.substr(left, short_literal);
  std::size_t known = 0;  // octets at the start of the needle that are known to match
  for (std::size_t place = 0; place + needle.size() <= text.size();) {
    if (known == 0) {
      const std::size_t passed = find_short(text.substr(place + left), first).place;
      if (passed == std::string_view::npos || place + passed + needle.size() > text.size()) {
        break;
      }
      place += passed;
    }
    const std::size_t start = (std::max)(left, known);
    const auto differs =
        std::mismatch(needle.begin() + start, needle.end(), text.begin() + place + start).first;
    if (differs != needle.end()) {
      known = 0;
      place += static_cast<std::size_t>(differs - needle.begin()) - left + 1;
      continue;
    }
    if (known >= left ||
        text.substr(place + known).starts_with(needle.substr(known, left - known))) {
      return place;
    }
    known = periodic ? needle.size() - period : 0;
    place += period;
  }
  return std::string_view::npos;
}

/// Searches for a literal, which must not be empty. Takes at most one step per octet of text and
/// literal. Takes fewer steps if most octets are skipped quickly.
[[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr literal_search find_literal(
    std::string_view text, std::string_view literal) noexcept {
  const literal_search begin =
      find_short(text, {literal.data(), (std::min)(literal.size(), short_literal)});
  if (literal.size() <= short_literal || begin.place == std::string_view::npos) {
    return begin;
  }
  const std::string_view rest = text.substr(begin.place);
  const std::size_t place = two_way_find(rest, literal);
  const bool is_there = place != std::string_view::npos;
  return {
      .place = is_there ? begin.place + place : place,
      .steps = begin.steps + literal.size() + (is_there ? place + literal.size() : rest.size())};
}

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
/// text for the rest of the pattern. Takes time linear in pattern and target.
[[nodiscard]] constexpr bool matches(const compiled_pattern& pattern, std::string_view target,
                                     step_budget& steps) noexcept {
  const std::string_view text = pattern.text;
  auto star = find_octet(text, '*');
  if (!begins_with(target, {text.data(), star})) {
    return false;
  }
  if (star == text.size()) {
    return !pattern.anchored || target.size() == star;
  }
  const std::size_t last_star = text.rfind('*');
  const std::string_view last = behind(text, last_star + 1);
  target.remove_prefix(star);
  if (pattern.anchored && !target.ends_with(last)) {
    return false;
  }
  while (star != last_star || !pattern.anchored) {
    const std::string_view rest = behind(text, star + 1);
    const std::string_view literal{rest.data(), find_octet(rest, '*')};
    const literal_search found = find_literal(target, literal);
    steps.spend(found.steps);
    if (found.place == std::string_view::npos || steps.exceeded()) {
      return false;
    }
    if (star == last_star) {
      return true;
    }
    star += 1 + literal.size();
    target.remove_prefix(found.place + literal.size());
  }
  return target.size() >= last.size();
}

/// Compares a pattern and a target in normal form, without a limit on steps.
[[nodiscard]] constexpr bool matches(const compiled_pattern& pattern,
                                     std::string_view target) noexcept {
  step_budget steps{(std::numeric_limits<std::int64_t>::max)()};
  return matches(pattern, target, steps);
}

}  // namespace robots::rep_detail
