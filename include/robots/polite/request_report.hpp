#pragma once

#include <robots/http/freshness.hpp>
#include <robots/http/message.hpp>
#include <robots/time/wall_time.hpp>

#include <chrono>
#include <optional>

namespace robots {

/// The result of a request to a host. It affects the pace of later requests.
struct request_report {
  std::chrono::nanoseconds response_time{0};  ///< time from request to response; 0 if unknown
  int status = 0;                             ///< HTTP status; 0 without a response
  std::optional<std::chrono::seconds> retry_after{};  ///< the pause that the host asks for
  bool is_challenge = false;  ///< the host sent a challenge, such as a CAPTCHA, instead of the page

  /// Returns true if the status says that the host is overloaded: 429 (RFC 6585, section 4) or 503
  /// (RFC 9110, section 15.6.4).
  [[nodiscard]] constexpr bool overloaded() const noexcept {
    return status == 429 || status == 503;
  }

  /// Returns true if the host answered the request with 2xx or 3xx.
  [[nodiscard]] constexpr bool succeeded() const noexcept { return status >= 200 && status < 400; }
};

/// Makes the report of an exchange that took `response_time`. `now` is the date at which the
/// exchange ended. It is needed because a Retry-After can be a date instead of a number of seconds.
[[nodiscard]] inline request_report report_of(
    const fetch_response& response, std::chrono::nanoseconds response_time,
    wall_time now = std::chrono::system_clock::now()) noexcept {
  return {.response_time = response_time,
          .status = response.status,
          .retry_after = detail::retry_after(response.headers, now)};
}

}  // namespace robots
