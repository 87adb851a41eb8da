#pragma once

#include <robots/base/decimal.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots::http_detail {

/// The maximum number of seconds that a header can state (RFC 9111, section 1.2.2).
inline constexpr std::chrono::seconds max_delta_seconds{std::int64_t{1} << 31};

/// Reads `delta-seconds = 1*DIGIT`. Returns an empty optional for any other text.
[[nodiscard]] constexpr std::optional<std::chrono::seconds> parse_delta_seconds(
    std::string_view text) noexcept {
  const auto value = base::parse_decimal(text, std::uint64_t{1} << 31U);
  return value ? std::optional{std::chrono::seconds{*value}} : std::nullopt;
}

}  // namespace robots::http_detail
