#pragma once

#include <robots/http/cache_control.hpp>
#include <robots/http/delta_seconds.hpp>
#include <robots/http/header.hpp>
#include <robots/http/http_date.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

namespace robots::detail {

/// Returns the time from the `Date` in `headers` to `end`, at least 0 and at most
/// `max_delta_seconds`. `now` replaces a missing or invalid `Date`.
[[nodiscard]] inline std::chrono::seconds seconds_until(std::chrono::sys_seconds end,
                                                        const std::vector<http_header>& headers,
                                                        wall_time now) noexcept {
  const std::chrono::sys_seconds sent =
      parse_http_date(find_header(headers, "Date").value_or(""), now)
          .value_or(std::chrono::floor<std::chrono::seconds>(now));
  return std::clamp(end - sent, std::chrono::seconds{0}, http_detail::max_delta_seconds);
}

/// Returns the freshness lifetime of a response (RFC 9111, section 4.2). It is 0 for `no-store` and
/// `no-cache`. Otherwise it is `max-age` minus `Age`. Without `max-age`, it is `Expires` minus
/// `Date` minus `Age`. An `Expires` that is not a date means 0. `now` replaces a missing or invalid
/// `Date`. Ignores `s-maxage`, which is for shared caches.
///
/// The result is at most 2^31 seconds, or empty if the headers state no lifetime.
[[nodiscard]] inline std::optional<std::chrono::seconds> freshness_lifetime(
    const std::vector<http_header>& headers, wall_time now) noexcept {
  using std::chrono::seconds;
  std::optional<seconds> lifetime = http_detail::cache_control_lifetime(headers);
  if (!lifetime) {
    const std::optional<std::string_view> expires = find_header(headers, "Expires");
    if (!expires) {
      return std::nullopt;
    }
    const std::optional<std::chrono::sys_seconds> end = parse_http_date(*expires, now);
    lifetime = end ? seconds_until(*end, headers, now) : seconds{0};
  }
  const seconds age = http_detail::parse_delta_seconds(find_header(headers, "Age").value_or(""))
                          .value_or(seconds{0});
  return (std::max)(*lifetime - age, seconds{0});
}

}  // namespace robots::detail
