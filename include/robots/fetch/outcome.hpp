#pragma once

#include <robots/base/enum_text.hpp>
#include <robots/http/message.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots {

/// The outcome of a request for a robots.txt: one for each row of the failure table. A
/// `fallback_policy` has an action for each.
enum class outcome : std::uint8_t {
  success,             ///< 2xx, except 206
  not_found,           ///< 404 or 410: there is no robots.txt (RFC 9309, section 2.3.1.3)
  client_error,        ///< 401, 403 and any other 4xx, except 404, 410 and 429
  too_many_requests,   ///< 429
  server_error,        ///< 5xx, and any status without another row: see `outcome_of(int)`
  unreachable,         ///< no response: name resolution, connection, TLS, timeout, broken HTTP
  too_many_redirects,  ///< more redirects than are followed, or a loop of them
  refused,             ///< a redirect or an address that is forbidden
  malformed,           ///< 2xx, but too large a share of the lines is malformed
  cancelled,           ///< the caller gave up, which says nothing about the origin: not to be kept
  circuit_open,        ///< not asked: the origin failed too often in a row, see `circuit_breaker`
  quarantined,         ///< not asked: its files are malformed again and again, until released
  redirected,          ///< a redirect to the robots.txt of another site, which decides
};

/// The number of outcomes.
inline constexpr std::size_t outcome_count = 13;

/// The name of an outcome, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(outcome kind) noexcept {
  return base::enum_text<outcome::redirected>(
      kind, {"success", "not_found", "client_error", "too_many_requests", "server_error",
             "unreachable", "too_many_redirects", "refused", "malformed", "cancelled",
             "circuit_open", "quarantined", "redirected"});
}

/// Returns true if an outcome is no answer of the site, so that it is asked again sooner and the
/// last good copy stays at hand.
[[nodiscard]] constexpr bool is_failure(outcome kind) noexcept {
  switch (kind) {
    case outcome::success:
    case outcome::not_found:
    case outcome::client_error:
    case outcome::malformed:
    case outcome::redirected:
      return false;
    default:
      return true;
  }
}

/// Returns true if the site gave its robots.txt, or said where it is, or that it has no file. 401,
/// 403 and other refusals are answers too (`is_failure`), but the crawler does not get the file.
[[nodiscard]] constexpr bool is_successful(outcome kind) noexcept {
  return kind == outcome::success || kind == outcome::not_found || kind == outcome::malformed ||
         kind == outcome::redirected;
}

/// The row that a final status falls into. A status without a row counts as `server_error`, which
/// is the careful reading, since the server did not state it: 1xx, 206 (nobody asked for a part),
/// 3xx (a redirect that cannot be followed, a 304 that nobody asked for), 600 and above, 0 and
/// below.
[[nodiscard]] constexpr outcome outcome_of(int status) noexcept {
  if (status >= 200 && status < 300 && status != 206) {
    return outcome::success;
  }
  if (status == 404 || status == 410) {
    return outcome::not_found;
  }
  if (status == 429) {
    return outcome::too_many_requests;
  }
  if (status >= 400 && status < 500) {
    return outcome::client_error;
  }
  return outcome::server_error;
}

/// The row that an exchange without a response falls into.
///
/// Precondition: `error` is not `fetch_error::none`.
[[nodiscard]] constexpr outcome outcome_of(fetch_error error) noexcept {
  if (error == fetch_error::cancelled) {
    return outcome::cancelled;
  }
  if (error == fetch_error::refused_address) {
    return outcome::refused;
  }
  return outcome::unreachable;
}

}  // namespace robots
