#pragma once

#include <robots/http/message.hpp>

#include <chrono>
#include <optional>
#include <vector>

namespace robots {

/// How long a response may be used without asking again, as its headers say (RFC 9111, section
/// 4.2): 0 for `no-store` and `no-cache`, else `max-age`, else `Expires` minus `Date`, in each case
/// less `Age`.
///
/// From 0 to 2^31 seconds; nothing when the headers do not say. `s-maxage` is for shared caches and
/// ignored. An `Expires` that is no date has passed already. `now` stands in for a `Date` that is
/// missing or none. Keeping the result within limits is left to the caller. Linear.
[[nodiscard]] std::optional<std::chrono::seconds> freshness_lifetime(
    const std::vector<http_header>& headers, std::chrono::system_clock::time_point now) noexcept;

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/http/freshness.ipp>
#endif
