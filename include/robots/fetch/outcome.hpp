#pragma once

#include <robots/base/enum_text.hpp>
#include <robots/http/message.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

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
  if (status == 404 || status == 410) {
    return outcome::not_found;
  }
  return status == 429 ? outcome::too_many_requests : outcome::client_error;
}

/// Returns the outcome of an exchange without a response. `error` must not be `none`.
[[nodiscard]] constexpr outcome outcome_of(fetch_error error) noexcept {
  if (error == fetch_error::cancelled) {
    return outcome::cancelled;
  }
  return error == fetch_error::refused_address ? outcome::refused : outcome::unreachable;
}

}  // namespace robots::detail
