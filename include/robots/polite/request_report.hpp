#pragma once

#include <robots/http/message.hpp>
#include <robots/http/retry_after.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <optional>

namespace robots {

/// The result of a request to a host. It affects the pace of later requests.
struct request_report {
  std::chrono::nanoseconds response_time{0};  ///< time from request to response; 0 if unknown
  int status = 0;                             ///< HTTP status; 0 without a response
  std::optional<std::chrono::seconds> retry_after{};  ///< the pause that the host asks for
  bool is_challenge = false;  ///< the host sent a challenge, such as a CAPTCHA, instead of the page

  /// Returns true for 429 (RFC 6585, section 4) and 503 (RFC 9110, section 15.6.4).
  [[nodiscard]] constexpr bool overloaded() const noexcept {
    return status == 429 || status == 503;
  }
};

/// Makes the report of an exchange that took `response_time`. `now` is the date at which the
/// exchange ended. If the Retry-After is a date, the pause is the time from `now` to this date.
[[nodiscard]] inline request_report report_of(
    const fetch_response& response, std::chrono::nanoseconds response_time,
    wall_time now = std::chrono::system_clock::now()) noexcept {
  return {.response_time = response_time,
          .status = response.status,
          .retry_after = detail::retry_after(response.headers, now)};
}

}  // namespace robots
