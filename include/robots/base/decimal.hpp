#pragma once

#include <robots/base/ascii.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace robots::base {

/// Reads a decimal number. A number above `largest` is read as `largest`. Returns an empty optional
/// if the text is empty or has a character that is not a digit.
[[nodiscard]] constexpr std::optional<std::uint64_t> parse_decimal(
    std::string_view text,
    std::uint64_t largest = (std::numeric_limits<std::uint64_t>::max)()) noexcept {
  if (text.empty()) {
    return std::nullopt;
  }
  std::uint64_t number = 0;
  for (const char c : text) {
    if (!is_digit(c)) {
      return std::nullopt;
    }
    const auto digit = static_cast<std::uint64_t>(c - '0');
    const bool fits = digit <= largest && number <= (largest - digit) / 10;
    number = fits ? number * 10 + digit : largest;
  }
  return number;
}

/// Appends a time in seconds, without rounding. A negative time is written as 0.
inline void append_seconds(std::string& text, std::chrono::nanoseconds value) {
  constexpr std::int64_t unit = 1'000'000'000;
  const std::int64_t count = value.count() < 0 ? 0 : value.count();
  text += std::to_string(count / unit);
  if (const std::int64_t part = count % unit; part != 0) {
    const std::string digits = std::to_string(unit + part);
    text += '.';
    text.append(digits, 1, digits.find_last_not_of('0'));
  }
}

}  // namespace robots::base
