#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace robots {

/// A string literal as a template argument.
template <std::size_t N>
struct fixed_string {
  /// Copies a string literal with its final NUL.
  // NOLINTNEXTLINE(google-explicit-constructor): template arguments convert implicitly
  consteval fixed_string(const char (&literal)[N]) noexcept { std::copy_n(literal, N, text); }

  /// Returns the characters without the final NUL.
  [[nodiscard]] constexpr std::string_view view() const noexcept { return {text, N - 1}; }

  char text[N]{};  ///< public, as a template argument requires
};

}  // namespace robots
