#pragma once

#include <robots/http/detail/delta_seconds.hpp>
#include <robots/http/http_date.hpp>
#include <robots/http/message.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

namespace robots {

/// Returns the wait that a server asks for: `Retry-After = HTTP-date / delay-seconds` (RFC 9110,
/// section 10.2.3).
///
/// From 0, for a date that has passed, to 2^31 seconds; empty if the header is missing or invalid.
/// A date counts from the response's `Date`, so that the two clocks need not agree. Without `Date`,
/// it counts from `now`. Linear.
[[nodiscard]] inline std::optional<std::chrono::seconds> retry_after(
    const std::vector<http_header>& headers, wall_time now) noexcept {
  const std::string_view value = find_header(headers, "Retry-After").value_or("");
  if (const auto delay = http_detail::parse_delta_seconds(value)) {
    return delay;
  }
  const std::optional<std::chrono::sys_seconds> date = parse_http_date(value, now);
  return date ? std::optional{http_detail::seconds_until(*date, headers, now)} : std::nullopt;
}

}  // namespace robots
