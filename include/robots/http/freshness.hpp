#pragma once

#include <robots/http/cache_control.hpp>
#include <robots/http/detail/delta_seconds.hpp>
#include <robots/http/http_date.hpp>
#include <robots/http/message.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

namespace robots::detail {

/// Returns the freshness lifetime of a response (RFC 9111, section 4.2): 0 for `no-store` and
/// `no-cache`; else `max-age`; else `Expires` minus `Date`. `Age` is subtracted.
///
/// From 0 to 2^31 seconds; empty if the headers do not state a lifetime. Ignores `s-maxage`, which
/// is for shared caches. An `Expires` that is not a date counts as past. `now` replaces a missing
/// or invalid `Date`. The caller limits the result. Linear.
[[nodiscard]] inline std::optional<std::chrono::seconds> freshness_lifetime(
    const std::vector<http_header>& headers, wall_time now) noexcept {
  using std::chrono::seconds;
  const cache_control control = parse_cache_control(headers);
  if (control.no_store || control.no_cache) {
    return seconds{0};
  }

  std::optional<seconds> lifetime = control.max_age;
  if (!lifetime) {
    const std::optional<std::string_view> expires = find_header(headers, "Expires");
    if (!expires) {
      return std::nullopt;
    }
    const std::optional<std::chrono::sys_seconds> end = parse_http_date(*expires, now);
    if (!end) {
      return seconds{0};
    }
    lifetime = http_detail::seconds_until(*end, headers, now);
  }
  const seconds age = http_detail::parse_delta_seconds(find_header(headers, "Age").value_or(""))
                          .value_or(seconds{0});
  return (std::max)(*lifetime - age, seconds{0});
}

}  // namespace robots::detail
