#pragma once

#include <robots/base/ascii.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots::detail {

/// Longest delay that is told apart from a longer one: about 136 years, so that adding it to a time
/// never overflows.
inline constexpr std::int64_t max_delay_seconds = 0xFFFF'FFFF;

/// The value of a Crawl-delay line: a finite decimal number of seconds, not negative. Fractions of
/// a millisecond are rounded up, so that no crawler comes too early.
[[nodiscard]] constexpr std::optional<std::chrono::milliseconds> parse_delay(
    std::string_view value) noexcept {
  std::int64_t seconds = 0;
  std::int64_t fraction = 0;
  std::int64_t unit = 1000;  // milliseconds of the digit before the next one
  bool digits = false;
  bool point = false;
  bool rest = false;
  for (const char c : value) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (!is_digit(c)) {
      return std::nullopt;
    }
    digits = true;
    const int digit = c - '0';
    if (!point) {
      seconds = seconds > max_delay_seconds ? seconds : seconds * 10 + digit;
    } else {
      unit /= 10;
      fraction += digit * unit;
      rest = rest || (unit == 0 && digit != 0);
    }
  }
  if (!digits) {
    return std::nullopt;
  }
  if (seconds > max_delay_seconds) {
    return std::chrono::seconds{max_delay_seconds};
  }
  return std::chrono::milliseconds{seconds * 1000 + fraction + (rest ? 1 : 0)};
}

}  // namespace robots::detail
