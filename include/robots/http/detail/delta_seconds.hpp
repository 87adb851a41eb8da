#pragma once

#include <robots/base/decimal.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots::http_detail {

/// The most seconds that a header can say; more counts as this (RFC 9111, section 1.2.2).
inline constexpr std::chrono::seconds max_delta_seconds{std::int64_t{1} << 31};

/// `delta-seconds = 1*DIGIT` (RFC 9111, section 1.2.2). Nothing for any other text.
[[nodiscard]] constexpr std::optional<std::chrono::seconds> parse_delta_seconds(
    std::string_view text) noexcept {
  const auto value =
      base::parse_decimal(text, static_cast<std::uint64_t>(max_delta_seconds.count()));
  return value ? std::optional{std::chrono::seconds{*value}} : std::nullopt;
}

/// A span of time within what a header can say, from 0 to `max_delta_seconds`.
[[nodiscard]] constexpr std::chrono::seconds clamp_delta_seconds(
    std::chrono::seconds span) noexcept {
  if (span < std::chrono::seconds{0}) {
    return std::chrono::seconds{0};
  }
  return span < max_delta_seconds ? span : max_delta_seconds;
}

}  // namespace robots::http_detail
