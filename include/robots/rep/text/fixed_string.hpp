#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace robots {

/// A string literal as a template argument.
template <std::size_t N>
struct fixed_string {
  /// Takes the characters of a string literal, its final NUL included.
  // NOLINTNEXTLINE(google-explicit-constructor): template arguments convert implicitly
  consteval fixed_string(const char (&literal)[N]) noexcept { std::copy_n(literal, N, text); }

  /// The characters without the final NUL.
  [[nodiscard]] constexpr std::string_view view() const noexcept { return {text, N - 1}; }

  char text[N]{};  ///< public, as template arguments must be
};

}  // namespace robots
