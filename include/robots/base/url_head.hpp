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

/// Returns true if `text` is a scheme.
[[nodiscard]] constexpr bool is_scheme(std::string_view text) noexcept {
  return !text.empty() && scheme_length(text) == text.size();
}

/// Returns the length of `scheme://` at the start of a URL, or 0 if there is none. Returns 0 for
/// `localhost:80`, which is a host with a port. Reads no further than the scheme and `://`.
[[nodiscard]] constexpr std::size_t scheme_prefix(std::string_view url) noexcept {
  constexpr std::string_view separator = "://";
  const std::size_t length = scheme_length(url);
  const bool has_scheme = length != 0 && url.substr(length).starts_with(separator);
  return has_scheme ? length + separator.size() : 0;
}

}  // namespace robots::base
