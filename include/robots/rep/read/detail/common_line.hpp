#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/config.hpp>
#include <robots/rep/read/detail/common_key.hpp>
#include <robots/rep/read/detail/line_index.hpp>
#include <robots/rep/read/directive.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace robots::rep_detail {

/// A line in the form that nearly all have: a frequent key, a colon, and a value without white
/// space in it; then at most a comment.
struct common_line {
  directive_kind kind = directive_kind::unknown;  ///< unknown: the line is not of that form
  std::string_view key{};
  std::string_view value{};
};

/// The first octet between `at` and `end` that is no white space, or `end`.
[[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr const char* skip_ws(const char* at,
                                                                 const char* end) noexcept {
  while (at != end && base::is_ws(*at)) {
    ++at;
  }
  return at;
}

/// The same, quicker where there is much. The text goes on to `text_end`.
[[nodiscard]] constexpr const char* skip_indent(const char* at, const char* end,
                                                const char* text_end) noexcept {
  while (!std::is_constant_evaluated() &&
         static_cast<std::size_t>(text_end - at) >= octet_block::size) {
    const octet_block block = octet_block::load(at);
    const octet_set others = ~(block.equal(' ') | block.equal('\t'));
    if (others != 0) {
      return at + std::countr_zero(others);
    }
    at += octet_block::size;
  }
  return skip_ws(at, end);
}

/// The frequent key that stands at `at`, so near to the end of the text that less can be read than
/// is looked at.
[[nodiscard]] constexpr common_key find_last_key(const char* at, const char* text_end) noexcept {
  std::array<char, common_key::looked_at> padded{};
  std::copy(at, text_end, padded.data());
  return find_common_key(padded.data());
}

/// Reads the line between `at`, where its key begins, and `end`, if it is a common one. `index`
/// knows its odd octets, and the text goes on to `text_end`. All dialects and options read such a
/// line alike.
[[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr common_line read_common_line(
    const char* at, const char* end, const char* text_end, const line_index& index) noexcept {
  const bool is_last = text_end - at < std::ptrdiff_t{common_key::looked_at};
  const common_key key = is_last ? find_last_key(at, text_end) : find_common_key(at);
  if (key.kind == directive_kind::unknown) {
    return {};
  }
  const char* const behind_colon = at + key.size + 1;
  const char* value = behind_colon;
  value += value != end && *value == ' ' ? 1 : 0;
  const char* const stop = index.find_odd(value);
  if (stop != end) [[unlikely]] {
    const char* const rest = skip_ws(stop, end);
    if (rest != end && *rest != '#') {
      return {};
    }
  }
  const auto size = static_cast<std::size_t>(stop - value);
  return {
      .kind = key.kind, .key = {at, key.size}, .value = {size != 0 ? value : behind_colon, size}};
}

}  // namespace robots::rep_detail
