#pragma once

#include <robots/rep/text/detail/octet_block.hpp>
#include <robots/rep/text/detail/octet_word.hpp>
#include <robots/rep/text/detail/text_cursor.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string_view>
#include <type_traits>

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

/// Where a literal was found, if it was, and the steps that this took.
struct literal_search {
  std::size_t at = std::string_view::npos;
  std::size_t steps = 0;
};

/// A literal of up to this length is looked for at many places of a text at once: that is quickest
/// on real text, and reads each octet this many times at worst.
inline constexpr std::size_t short_literal = 16;

/// Looks for a literal of 1 to `short_literal` octets. A step takes a nanosecond or so, and there
/// are fewer of them than octets passed.
[[nodiscard]] constexpr literal_search find_short(std::string_view text,
                                                  std::string_view literal) noexcept {
  const octet_word first = word_at(literal, 0);
  const octet_word compared =
      literal.size() < sizeof first ? octet_mask(literal.size()) : ~octet_word{0};
  const std::size_t places = text.size() + 1 - std::min(literal.size(), text.size() + 1);
  constexpr std::size_t at_a_glance = 16;
  std::size_t steps = 0;
  for (std::size_t at = 0; at < places;) {
    if (text[at] != literal.front()) {
      const std::size_t passed = find_octet(text.substr(at), literal.front());
      steps += passed / at_a_glance;
      at += passed;
      if (at >= places) {
        break;
      }
    }
    ++steps;
    if (((word_at(text, at) ^ first) & compared) == 0 && begins_with(text.substr(at), literal)) {
      return {.at = at, .steps = steps};
    }
    ++at;
    if (std::is_constant_evaluated()) {
      continue;
    }
    // Where one is wrong there may be more.
    for (std::size_t blocks = 8;
         blocks > 0 && text.size() - at >= octet_block::size + short_literal; --blocks) {
      const auto where = [&](std::size_t i) {
        return octet_block::load(text.data() + at + i).equal(literal[i]);
      };
      octet_set found = where(0) & where(std::min<std::size_t>(1, literal.size() - 1));
      steps += 5;  // as long as a block and these two looks take
      for (std::size_t i = 2; i < literal.size() && found != 0; ++i, ++steps) {
        found &= where(i);
      }
      if (found != 0) {
        return {.at = at + static_cast<std::size_t>(std::countr_zero(found)), .steps = steps};
      }
      at += octet_block::size;
    }
  }
  return {.steps = steps};
}

/// Moves `cursor` forward by up to `count` octets. Returns whether there were so many.
template <class Cursor>
[[nodiscard]] constexpr bool skip(Cursor& cursor, std::size_t count) noexcept {
  for (; count > 0 && !cursor.done(); --count) {
    ++cursor;
  }
  return count == 0;
}

[[nodiscard]] constexpr bool skip(text_cursor& cursor, std::size_t count) noexcept {
  const bool enough = count <= cursor.rest().size();
  cursor.skip(enough ? count : cursor.rest().size());
  return enough;
}

/// Moves `cursor` forward while its octets are those of `literal`. Returns how many were.
template <class Cursor>
[[nodiscard]] constexpr std::size_t skip_common(Cursor& cursor, std::string_view literal) noexcept {
  std::size_t size = 0;
  for (; size < literal.size() && !cursor.done() && *cursor == literal[size]; ++cursor) {
    ++size;
  }
  return size;
}

[[nodiscard]] constexpr std::size_t skip_common(text_cursor& cursor,
                                                std::string_view literal) noexcept {
  const std::string_view text = cursor.rest().substr(0, literal.size());
  std::size_t size = 0;
  octet_word differs = 0;
  while (size < text.size() && differs == 0) {
    differs = word_at(text, size) ^ word_at(literal.substr(0, text.size()), size);
    size += differs == 0 ? sizeof differs : static_cast<std::size_t>(std::countr_zero(differs)) / 8;
  }
  size = std::min(size, text.size());
  cursor.skip(size);
  return size;
}

/// How many octets may be passed without missing a text that begins with `literal`: not known.
template <class Cursor>
[[nodiscard]] constexpr std::size_t octets_before(const Cursor& /*cursor*/,
                                                  std::string_view /*literal*/) noexcept {
  return 0;
}

[[nodiscard]] constexpr std::size_t octets_before(const text_cursor& cursor,
                                                  std::string_view literal) noexcept {
  return find_short(cursor.rest(), literal.substr(0, short_literal)).at;
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
  bool more = skip(right, left);
  Cursor read = right;
  std::size_t known = 0;  // octets at the needle's start known to match
  const auto advance = [&](std::size_t count) {
    more = skip(right, count);
    static_cast<void>(skip(window, count));
  };
  while (more) {
    if (known == 0) {
      advance(octets_before(right, needle.substr(left)));
    }
    if (known <= left) {
      read = right;
    }
    const std::size_t start = std::max(left, known);
    const std::size_t end = start + skip_common(read, needle.substr(start));
    if (end < needle.size()) {
      known = 0;
      advance(end - left + 1);
      continue;
    }
    Cursor back = window;
    static_cast<void>(skip(back, known));
    const std::string_view unknown = needle.substr(0, left).substr(std::min(known, left));
    if (skip_common(back, unknown) == unknown.size()) {
      cursor = read;
      return true;
    }
    known = periodic ? needle.size() - period : 0;
    advance(period);
  }
  return false;
}

}  // namespace robots::rep_detail
