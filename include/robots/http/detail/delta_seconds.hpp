#pragma once

#include <robots/base/decimal.hpp>
#include <robots/http/http_date.hpp>
#include <robots/http/message.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace robots::http_detail {

/// The most seconds that a header can state; a larger number counts as this (RFC 9111, section
/// 1.2.2).
inline constexpr std::chrono::seconds max_delta_seconds{std::int64_t{1} << 31};

/// Reads `delta-seconds = 1*DIGIT` (RFC 9111, section 1.2.2). Returns an empty optional for any
/// other text.
[[nodiscard]] constexpr std::optional<std::chrono::seconds> parse_delta_seconds(
    std::string_view text) noexcept {
  const auto value =
      base::parse_decimal(text, static_cast<std::uint64_t>(max_delta_seconds.count()));
  return value ? std::optional{std::chrono::seconds{*value}} : std::nullopt;
}

/// Returns the time from the `Date` of a response to `end`, from 0 to `max_delta_seconds`. `now`
/// replaces a missing `Date`.
[[nodiscard]] inline std::chrono::seconds seconds_until(std::chrono::sys_seconds end,
                                                        const std::vector<http_header>& headers,
                                                        wall_time now) noexcept {
  const std::chrono::sys_seconds sent =
      parse_http_date(find_header(headers, "Date").value_or(""), now)
          .value_or(std::chrono::floor<std::chrono::seconds>(now));
  return std::clamp(end - sent, std::chrono::seconds{0}, max_delta_seconds);
}

}  // namespace robots::http_detail
