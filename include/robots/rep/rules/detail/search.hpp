#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace robots::rep_detail {

/// A critical factorisation of a text: the length of its left part, and the period of its right.
struct factorization {
  std::size_t left = 0;
  std::size_t period = 1;
};

/// The maximal suffix of `text` under the order `less`, with its period. Linear.
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

/// Moves `cursor` behind the first occurrence of `needle`, or says that there is none.
///
/// The two-way algorithm of Crochemore and Perrin (1991), over forward cursors: linear in needle
/// and text whatever they hold, in constant space.
template <class Cursor>
[[nodiscard]] constexpr bool two_way_find(Cursor& cursor, std::string_view needle) noexcept {
  const factorization up = maximal_suffix(needle, [](auto a, auto b) { return a < b; });
  const factorization down = maximal_suffix(needle, [](auto a, auto b) { return a > b; });
  auto [left, period] = up.left > down.left ? up : down;
  const bool periodic = needle.substr(period).starts_with(needle.substr(0, left));
  if (!periodic) {
    period = std::max(left, needle.size() - left) + 1;
  }

  Cursor window = cursor;  // where the needle is laid
  Cursor right = cursor;   // where its right part is
  for (std::size_t i = 0; i < left; ++i, ++right) {
    if (right.done()) {
      return false;
    }
  }
  Cursor read = right;
  std::size_t known = 0;  // octets at the needle's start known to match
  for (;;) {
    std::size_t i = std::max(left, known);
    if (known <= left) {
      read = right;
    }
    for (; i < needle.size(); ++i, ++read) {
      if (read.done()) {
        return false;
      }
      if (*read != needle[i]) {
        break;
      }
    }
    std::size_t shift = 0;
    if (i < needle.size()) {
      shift = i - left + 1;
      known = 0;
    } else {
      Cursor back = window;
      std::size_t j = 0;
      for (; j < left; ++j, ++back) {
        if (j >= known && *back != needle[j]) {
          break;
        }
      }
      if (j >= left) {
        cursor = read;
        return true;
      }
      shift = period;
      known = periodic ? needle.size() - period : 0;
    }
    for (; shift > 0; --shift) {
      if (right.done()) {
        return false;
      }
      ++right;
      ++window;
    }
  }
}

}  // namespace robots::rep_detail
