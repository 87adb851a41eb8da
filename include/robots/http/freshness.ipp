#pragma once

#include <robots/base/inline.hpp>
#include <robots/http/cache_control.hpp>
#include <robots/http/detail/field_value.hpp>
#include <robots/http/freshness.hpp>
#include <robots/http/http_date.hpp>

#include <algorithm>
#include <string_view>

namespace robots {

ROBOTS_INLINE std::optional<std::chrono::seconds> freshness_lifetime(
    const std::vector<http_header>& headers, std::chrono::system_clock::time_point now) noexcept {
  using std::chrono::seconds;
  const auto header = [&](std::string_view name) -> std::optional<std::string_view> {
    const std::optional<std::string_view> value = find_header(headers, name);
    if (!value) {
      return std::nullopt;
    }
    return http_detail::trim_blanks(*value);
  };

  const cache_control control = parse_cache_control(headers);
  if (control.no_store || control.no_cache) {
    return seconds{0};
  }

  std::optional<seconds> lifetime = control.max_age;
  if (!lifetime) {
    const std::optional<std::string_view> expires = header("Expires");
    if (!expires) {
      return std::nullopt;
    }
    const std::optional<std::chrono::sys_seconds> end = parse_http_date(*expires, now);
    if (!end) {
      return seconds{0};
    }
    const std::chrono::sys_seconds start =
        parse_http_date(header("Date").value_or(std::string_view{}), now)
            .value_or(std::chrono::floor<seconds>(now));
    lifetime = http_detail::clamp_delta_seconds(*end - start);
  }
  const seconds age = http_detail::parse_delta_seconds(header("Age").value_or(std::string_view{}))
                          .value_or(seconds{0});
  return std::max(*lifetime - age, seconds{0});
}

}  // namespace robots
