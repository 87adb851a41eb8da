#pragma once

#include <robots/base/ascii.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace robots::base {

/// Returns true for `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )` (RFC 3986, section 3.1).
[[nodiscard]] constexpr bool is_scheme(std::string_view text) noexcept {
  return !text.empty() && is_alpha(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_alpha(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
         });
}

/// Returns the length of `scheme://` at the start of a URL, or 0: `localhost:80` is a host with a
/// port.
[[nodiscard]] constexpr std::size_t scheme_prefix(std::string_view url) noexcept {
  const std::size_t slash = url.find('/');
  const bool has_scheme = slash != std::string_view::npos && slash > 0 &&
                          url.substr(slash - 1).starts_with("://") &&
                          is_scheme(url.substr(0, slash - 1));
  return has_scheme ? slash + 2 : 0;
}

}  // namespace robots::base
