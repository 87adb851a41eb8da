#pragma once

#include <robots/base/ascii.hpp>

#include <cstddef>
#include <string_view>

namespace robots::base {

/// Returns the length of the scheme at the start of `text`, or 0 if there is none. RFC 3986,
/// section 3.1, defines `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )`.
[[nodiscard]] constexpr std::size_t scheme_length(std::string_view text) noexcept {
  std::size_t length = 0;
  while (length < text.size() &&
         (is_alpha(text[length]) || (length > 0 && (is_digit(text[length]) || text[length] == '+' ||
                                                    text[length] == '-' || text[length] == '.')))) {
    ++length;
  }
  return length;
}

/// Returns the length of `scheme://` at the start of `url`. Returns 0 if there is none, as in
/// `localhost:80`. Reads no further than the scheme and `://`.
[[nodiscard]] constexpr std::size_t scheme_prefix(std::string_view url) noexcept {
  const std::size_t length = scheme_length(url);
  // This is faster than `starts_with`, which calls a function.
  const bool has_scheme = length != 0 && url.size() > length + 2 && url[length] == ':' &&
                          url[length + 1] == '/' && url[length + 2] == '/';
  return has_scheme ? length + 3 : 0;
}

}  // namespace robots::base
