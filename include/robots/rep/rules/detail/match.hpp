#pragma once

#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/rules/detail/search.hpp>
#include <robots/rep/text/detail/octet_word.hpp>
#include <robots/rep/text/detail/plain_cursor.hpp>

#include <cstddef>
#include <string_view>

namespace robots::detail {

/// A literal of up to this length is tried at every place of a text: that is quickest on real text,
/// and at worst as many times as slow as reading it once. Longer ones take the two-way algorithm.
inline constexpr std::size_t short_literal = 16;

/// Moves `cursor` behind `literal` if it stands there.
template <class Cursor>
[[nodiscard]] constexpr bool skip_literal(Cursor& cursor, std::string_view literal) noexcept {
  for (const char c : literal) {
    if (cursor.done() || *cursor != c) {
      return false;
    }
    ++cursor;
  }
  return true;
}

[[nodiscard]] constexpr bool skip_literal(plain_cursor& cursor, std::string_view literal) noexcept {
  if (!begins_with(cursor.rest(), literal)) {
    return false;
  }
  cursor.skip(literal.size());
  return true;
}

/// Moves `cursor` behind the first occurrence of `literal`.
template <class Cursor>
[[nodiscard]] constexpr bool skip_to(Cursor& cursor, std::string_view literal) noexcept {
  return two_way_find(cursor, literal);
}

[[nodiscard]] constexpr bool skip_to(plain_cursor& cursor, std::string_view literal) noexcept {
  if (literal.size() > short_literal) {
    return two_way_find(cursor, literal);
  }
  if (literal.empty()) {
    return true;
  }
  for (;;) {
    cursor.skip(find_octet(cursor.rest(), literal.front()));
    if (cursor.rest().size() < literal.size()) {
      return false;
    }
    if (skip_literal(cursor, literal)) {
      return true;
    }
    ++cursor;
  }
}

/// Whether the text from `cursor` on ends with `literal`.
template <class Cursor>
[[nodiscard]] constexpr bool ends_with(Cursor cursor, std::string_view literal) noexcept {
  std::size_t length = 0;
  for (Cursor end = cursor; !end.done(); ++end) {
    ++length;
  }
  if (length < literal.size()) {
    return false;
  }
  for (; length > literal.size(); --length) {
    ++cursor;
  }
  return skip_literal(cursor, literal);
}

[[nodiscard]] constexpr bool ends_with(plain_cursor cursor, std::string_view literal) noexcept {
  return cursor.rest().ends_with(literal);
}

/// Whether the text from `cursor` on matches (RFC 9309, sections 2.2.2 and 2.2.3).
///
/// Each literal behind a `*` is taken at its first occurrence: any later one leaves less text for
/// what follows, so nothing is ever tried twice. Linear in pattern and text, without recursion.
template <class Cursor>
[[nodiscard]] constexpr bool matches(const compiled_pattern& pattern, Cursor cursor) noexcept {
  std::string_view rest = pattern.text;
  auto star = find_octet(rest, '*');
  if (!skip_literal(cursor, rest.substr(0, star))) {
    return false;
  }
  if (star == rest.size()) {
    return !pattern.anchored || cursor.done();
  }
  for (;;) {
    rest.remove_prefix(star + 1);
    star = find_octet(rest, '*');
    if (star == rest.size()) {
      return pattern.anchored ? ends_with(cursor, rest) : skip_to(cursor, rest);
    }
    if (!skip_to(cursor, rest.substr(0, star))) {
      return false;
    }
  }
}

}  // namespace robots::detail
