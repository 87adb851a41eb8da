#pragma once

#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/read/target.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/text/detail/normal_cursor.hpp>
#include <robots/rep/text/detail/octet_word.hpp>
#include <robots/rep/text/detail/text_cursor.hpp>

#include <array>
#include <cstddef>
#include <string_view>

namespace robots::rep_detail {

/// Octets of normal form kept on the stack: more than any server takes. Rule sets refuse longer
/// targets; a pattern alone reads them octet by octet, which needs no memory either.
inline constexpr std::size_t normal_target_capacity = 65'536;

/// Calls `use` with the normal form of a target that is not in it. Apart from the usual case, whose
/// stack stays small.
template <class Use>
[[gnu::noinline]]
constexpr auto use_rewritten(const normal_cursor& start, Use use) {
  std::array<char, normal_target_capacity> buffer;  // NOLINT(*-member-init): filled below
  std::size_t size = 0;
  normal_cursor octet = start;
  for (; !octet.done() && size < buffer.size(); ++octet) {
    buffer[size++] = *octet;
  }
  return octet.done() ? use(text_cursor{{buffer.data(), size}}) : use(start);
}

/// Whether `target` is a path with query in normal form, whatever the dialect, as most are.
[[nodiscard]] constexpr bool is_normal_path(std::string_view target) noexcept {
  return !target.empty() && target[0] == '/' && (target.size() == 1 || target[1] != '/') &&
         is_graphic_without<'%', '$', '*', '#'>(target);
}

/// Calls `use` with a cursor at the start of the normal form of `target`, and returns its result.
/// Most targets are in normal form already and are not copied.
template <class Use>
constexpr auto with_normal_target(std::string_view target, const dialect_traits& traits, Use use) {
  target_path path{.text = target};
  if (!is_normal_path(target)) {
    path = path_and_query(target, traits.lenient_targets);
    if (path.leading_slash || !is_normal(path.text, *traits.target_form)) {
      return use_rewritten(normal_cursor{path.text, *traits.target_form, path.leading_slash}, use);
    }
  }
  return use(text_cursor{path.text});
}

/// Whether rule sets refuse a target for its length.
[[nodiscard]] constexpr bool is_too_long(const text_cursor& target) noexcept {
  return target.rest().size() > normal_target_capacity;
}

/// What is not in normal form is rewritten unless it is too long.
[[nodiscard]] constexpr bool is_too_long(const normal_cursor& /*target*/) noexcept { return true; }

/// RFC 9309, section 2.2.2: "The /robots.txt URI is implicitly allowed."
template <class Cursor>
[[nodiscard]] constexpr bool is_robots_txt(Cursor cursor) noexcept {
  return skip_literal(cursor, "/robots.txt") && (cursor.done() || *cursor == '?');
}

/// Whether rules have no say about a target.
template <class Cursor>
[[nodiscard]] constexpr bool is_exempt(const Cursor& target,
                                       const dialect_traits& traits) noexcept {
  return traits.robots_txt_always_allowed && is_robots_txt(target);
}

/// Whether `target`, an absolute URL or a path with query, is /robots.txt itself.
[[nodiscard]] constexpr bool targets_robots_txt(std::string_view target) noexcept {
  return with_normal_target(target, rfc9309_traits,
                            [](auto cursor) { return is_robots_txt(cursor); });
}

}  // namespace robots::rep_detail
