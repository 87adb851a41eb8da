#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace robots::rep_detail {

/// A split of a text into two parts, for `two_way_find` (a critical factorisation).
struct factorization {
  std::size_t left = 0;    ///< the length of the left part
  std::size_t period = 1;  ///< the period of the right part
};

/// Finds the greatest suffix of `text` in the order `less`. Returns the start and the period of
/// this suffix. Takes linear time.
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

struct literal_search {
  std::size_t place = std::string_view::npos;
  std::size_t steps = 0;
};

/// The maximum size of a literal for `find_short`. The size is limited, since `find_short` can
/// compare each octet of a text with each octet of the literal.
inline constexpr std::size_t short_literal = 16;

/// Searches for a literal of 1 to 16 octets. Counts at most one step per octet of `text`.
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

/// Searches for a literal, which must not be empty. The number of steps is at most the size of the
/// text plus the size of the literal plus 1.
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

}  // namespace robots::rep_detail
