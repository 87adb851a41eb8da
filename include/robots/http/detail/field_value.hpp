// Elements of lists, and parameters, in header fields (RFC 9110, section 5.6).
#pragma once

#include <robots/base/ascii.hpp>

#include <cstddef>
#include <string_view>

namespace robots::http_detail {

[[nodiscard]] constexpr std::string_view trim_blanks(std::string_view text) noexcept {
  return base::trim(text, base::is_blank);
}

/// Returns the length of `text` up to the first `separator` outside a quoted string.
[[nodiscard]] constexpr std::size_t length_before(std::string_view text, char separator) noexcept {
  bool quoted = false;
  std::size_t i = 0;
  for (; i < text.size() && (quoted || text[i] != separator); ++i) {
    if (text[i] == '"') {
      quoted = !quoted;
    } else if (quoted && text[i] == '\\') {
      ++i;
    }
  }
  return i < text.size() ? i : text.size();
}

/// Returns `text` without its quotes, if it has both.
[[nodiscard]] constexpr std::string_view unquote(std::string_view text) noexcept {
  const bool quoted = text.size() >= 2 && text.starts_with('"') && text.ends_with('"');
  return quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace robots::http_detail
