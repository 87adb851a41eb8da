#pragma once

#include <robots/http/message.hpp>

#include <chrono>
#include <optional>
#include <vector>

namespace robots {

/// How long a server asks to be left alone: `Retry-After = HTTP-date / delay-seconds` (RFC 9110,
/// section 10.2.3).
///
/// From 0 (a date that has passed) to 2^31 seconds; nothing when the header is missing or neither
/// form. A date counts from that in the response's `Date`, so that the two clocks need not agree;
/// without one, from `now`. Linear.
[[nodiscard]] std::optional<std::chrono::seconds> retry_after(
    const std::vector<http_header>& headers, std::chrono::system_clock::time_point now) noexcept;

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/http/retry_after.ipp>
#endif
