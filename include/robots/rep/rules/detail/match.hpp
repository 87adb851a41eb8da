#pragma once

#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/rules/detail/search.hpp>
#include <robots/rep/text/detail/octet_word.hpp>
#include <robots/rep/text/detail/text_cursor.hpp>

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

/// Moves `cursor` behind `literal` if it stands there.
template <class Cursor>
[[nodiscard]] constexpr bool skip_literal(Cursor& cursor, std::string_view literal) noexcept {
  return skip_common(cursor, literal) == literal.size();
}

[[nodiscard]] constexpr bool skip_literal(text_cursor& cursor, std::string_view literal) noexcept {
  if (!begins_with(cursor.rest(), literal)) {
    return false;
  }
  cursor.skip(literal.size());
  return true;
}

/// Moves `cursor` behind the first occurrence of `literal`. Spends a step for each octet passed, or
/// fewer where most are passed at a glance.
template <class Cursor>
[[nodiscard]] constexpr bool skip_to(Cursor& cursor, std::string_view literal,
                                     step_budget& steps) noexcept {
  steps.spend(std::size_t{1} << 16U);  // only longer texts are not stored
  return two_way_find(cursor, literal);
}

[[nodiscard]] constexpr bool skip_to(text_cursor& cursor, std::string_view literal,
                                     step_budget& steps) noexcept {
  if (literal.empty()) {
    return true;
  }
  const literal_search found = find_short(cursor.rest(), literal.substr(0, short_literal));
  steps.spend(found.steps);
  if (!skip(cursor, found.at)) {
    return false;
  }
  if (literal.size() <= short_literal) {
    return skip(cursor, literal.size());
  }
  const std::size_t before = cursor.rest().size();
  const bool is_there = two_way_find(cursor, literal);
  steps.spend(literal.size() + before - (is_there ? cursor.rest().size() : 0));
  return is_there;
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

[[nodiscard]] constexpr bool ends_with(text_cursor cursor, std::string_view literal) noexcept {
  return cursor.rest().ends_with(literal);
}

/// Whether the text from `cursor` on matches (RFC 9309, sections 2.2.2 and 2.2.3).
/// False once `steps` are exceeded.
///
/// Each literal behind a `*` is taken at its first occurrence: any later one leaves less text for
/// what follows, so nothing is ever tried twice. Linear in pattern and text, without recursion.
template <class Cursor>
[[nodiscard]] constexpr bool matches(const compiled_pattern& pattern, Cursor cursor,
                                     step_budget& steps) noexcept {
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
    if (star == rest.size() && pattern.anchored) {
      return ends_with(cursor, rest);
    }
    if (!skip_to(cursor, rest.substr(0, star), steps) || steps.exceeded()) {
      return false;
    }
    if (star == rest.size()) {
      return true;
    }
  }
}

/// The same at whatever cost.
template <class Cursor>
[[nodiscard]] constexpr bool matches(const compiled_pattern& pattern, Cursor cursor) noexcept {
  step_budget steps{std::numeric_limits<std::int64_t>::max()};
  return matches(pattern, cursor, steps);
}

}  // namespace robots::rep_detail
