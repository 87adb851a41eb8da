#pragma once

#include <robots/base/enum_text.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/http/message.hpp>
#include <robots/http/validators.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace robots {

/// The outcome of a retrieval of a robots.txt. A `fallback_policy` has an action for each outcome.
enum class outcome : std::uint8_t {
  success,             ///< 2xx, except 206
  not_found,           ///< 404 or 410, so there is no robots.txt (RFC 9309, section 2.3.1.3)
  client_error,        ///< 401, 403 and any other 4xx, except 404, 410 and 429
  too_many_requests,   ///< 429
  server_error,        ///< 5xx, and any status that has no other outcome; see `outcome_of(int)`
  unreachable,         ///< no response: DNS, connection, TLS or HTTP failed, or a timeout passed
  too_many_redirects,  ///< too many redirects, a loop, or a Location that cannot be used
  refused,             ///< a forbidden redirect, or an address that `address_guard` refuses
  malformed,           ///< 2xx, but too many lines are malformed; see `malformed_limit`
  cancelled,           ///< the caller gave up, which says nothing about the origin; never cached
  circuit_open,        ///< no request, since the origin failed too often; see `circuit_breaker`
  quarantined,         ///< no request, since several files in a row were malformed
  redirected,          ///< a redirect to the robots.txt of another site, whose rules apply
  challenged,          ///< 2xx, but a bot wall's page instead of the robots.txt
  licence_demanded,    ///< 401 or 402, and the server demands a licence; see `licence_demand`
};

/// The number of enumerators.
inline constexpr std::size_t outcome_count =
    static_cast<std::size_t>(outcome::licence_demanded) + 1;

/// Returns the name of the enumerator.
[[nodiscard]] constexpr std::string_view to_string(outcome kind) noexcept {
  return base::enum_text<outcome::licence_demanded>(
      kind, {"success", "not_found", "client_error", "too_many_requests", "server_error",
             "unreachable", "too_many_redirects", "refused", "malformed", "cancelled",
             "circuit_open", "quarantined", "redirected", "challenged", "licence_demanded"});
}

/// Returns true if the site did not answer properly, or was not asked. After a failure, the cache
/// asks the site again sooner than after an answer, and can use the last good copy.
[[nodiscard]] constexpr bool is_failure(outcome kind) noexcept {
  return kind != outcome::success && kind != outcome::not_found && kind != outcome::client_error &&
         kind != outcome::malformed && kind != outcome::redirected &&
         kind != outcome::licence_demanded;
}

}  // namespace robots

namespace robots::detail {

/// Returns true if the site sent its robots.txt, said where the file is, or said that there is no
/// file. For a refusal such as 401, 403 or a demand for a licence, this function and `is_failure`
/// both return false.
[[nodiscard]] constexpr bool is_successful(outcome kind) noexcept {
  return !is_failure(kind) && kind != outcome::client_error && kind != outcome::licence_demanded;
}

/// Returns true if there is a robots.txt to read.
[[nodiscard]] constexpr bool has_text(outcome kind) noexcept {
  return kind == outcome::success || kind == outcome::malformed;
}

/// Returns the outcome for the status of the last response. Returns `server_error` for 5xx. To be
/// careful, also returns `server_error` for statuses that are not proper answers: 199 or less, 206,
/// 3xx, and 600 or more. No request asks for a part (206). A 3xx is a redirect that cannot be
/// followed, or an unexpected 304.
[[nodiscard]] constexpr outcome outcome_of(int status) noexcept {
  if (status >= 200 && status < 300 && status != 206) {
    return outcome::success;
  }
  if (status < 400 || status >= 500) {
    return outcome::server_error;
  }
  return status == 404 || status == 410 ? outcome::not_found
         : status == 429                ? outcome::too_many_requests
                                        : outcome::client_error;
}

/// Returns the outcome of an exchange without a response. `error` must not be `none`.
[[nodiscard]] constexpr outcome outcome_of(fetch_error error) noexcept {
  return error == fetch_error::cancelled         ? outcome::cancelled
         : error == fetch_error::refused_address ? outcome::refused
                                                 : outcome::unreachable;
}

/// A wait before the next try.
struct retry_wait {
  time_point until{};  ///< the end of the wait; then call `on_wait_over`
  stop_token stop{};   ///< a stop request ends the wait
};

/// A robots.txt from an earlier fetch, which the server need not send again if it is unchanged.
struct known_copy {
  std::string url{};                ///< the URL of the copy, after all redirects
  detail::validators validators{};  ///< the `ETag` and `Last-Modified` of the copy
};

/// One request for a robots.txt, and its result.
struct exchange {
  std::string url;                        ///< the requested URL
  int status = 0;                         ///< HTTP status; 0 if there is no response
  fetch_error error = fetch_error::none;  ///< the reason if there is no status

  [[nodiscard]] friend bool operator==(const exchange&, const exchange&) = default;
};

/// The timing of an exchange, and its place in the retrieval.
struct exchange_timing {
  time_point ended{};                    ///< the time of the response or the error
  std::chrono::nanoseconds duration{0};  ///< the time from the request to `ended`
  std::size_t bytes = 0;                 ///< octets of the body that the fetcher returned
  int hop = 0;                           ///< number of redirects before the exchange
  int attempt = 1;                       ///< the number of the try, from 1 on; see `retry_options`
};

/// The report of a retrieval.
struct retrieval_facts {
  robots::outcome outcome = robots::outcome::unreachable;  ///< the outcome of the retrieval
  int status = 0;                         ///< HTTP status of the last exchange, or 0
  fetch_error error = fetch_error::none;  ///< the reason if the last exchange had no response
  /// A message for people; empty if there is no problem. Can quote octets from the network as they
  /// came, so escape it where you print it, as `base::printable` does.
  std::string error_text{};
  std::string url{};                  ///< robots.txt URL of the last origin, before redirects
  std::string final_url{};            ///< the URL after all redirects
  int redirects = 0;                  ///< number of redirects from `url` to `final_url`
  int attempts = 0;                   ///< the number of tries, see `retry_options`
  std::vector<exchange> exchanges{};  ///< all exchanges, in order
  bool truncated = false;             ///< true if only the start of the robots.txt was kept
  bool not_modified = false;          ///< true after a 304, so the known copy is still valid
  /// Headers of the last exchange. Only a fallback policy and an observer that get a new answer
  /// see them: neither `policy::source` nor a shared record has them.
  std::vector<http_header> headers{};

  [[nodiscard]] friend bool operator==(const retrieval_facts&, const retrieval_facts&) = default;
};

/// The result of a retrieval.
struct retrieval_result : retrieval_facts {
  std::vector<exchange_timing> timings{};  ///< the timing of each of `exchanges`, in the same order
  std::string body{};      ///< the robots.txt; empty after a 304 or if `outcome` is not `success`
  bool cut_short = false;  ///< true if cancelled during a wait; `outcome` is from the last try
  time_point next_try{};   ///< the planned time of the next try, if `cut_short` is true

  /// Returns the time until the next try. A caller that is in a hurry does not wait for it, but
  /// another caller can make it at the planned time. Returns the maximum if no try is planned.
  [[nodiscard]] std::chrono::seconds until_next_try(time_point now) const {
    const auto left = (std::max)(next_try - now, time_point::duration{0});
    return cut_short ? std::chrono::ceil<std::chrono::seconds>(left)
                     : (std::chrono::seconds::max)();
  }
};

/// The next step of a retrieval, which is a request, a wait, or the end.
using retrieval_step = std::variant<fetch_request, retry_wait, retrieval_result>;

}  // namespace robots::detail
