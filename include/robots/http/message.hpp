#pragma once

#include <robots/base/enum_text.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/http/header.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// The reason why an exchange has no HTTP response.
enum class fetch_error {
  none,                ///< there is a response
  resolve,             ///< the host name did not resolve
  connect,             ///< the connection failed, but was not refused
  tls,                 ///< the TLS handshake or the check of the certificate failed
  timeout,             ///< `fetch_request::timeout` passed
  cancelled,           ///< `fetch_request::stop` was requested
  refused_address,     ///< `address_guard` does not permit the address
  protocol,            ///< the peer violated HTTP, or the URL is not http or https
  other,               ///< anything else; see `fetch_response::error_text`
  connection_refused,  ///< nothing listens on the port (ECONNREFUSED)
  proxy,               ///< the proxy failed or wants credentials, so the site was not reached
  local,               ///< this process lacks something, such as memory or a file descriptor
};

/// Returns the name of the enumerator.
[[nodiscard]] constexpr std::string_view to_string(fetch_error error) noexcept {
  return base::enum_text<fetch_error::local>(
      error, {"none", "resolve", "connect", "tls", "timeout", "cancelled", "refused_address",
              "protocol", "other", "connection_refused", "proxy", "local"});
}

/// One GET request. A fetcher sends it once, and follows no redirect.
struct fetch_request {
  std::string url{};                     ///< an absolute URL, http or https
  std::vector<http_header> headers{};    ///< headers to send, including `User-Agent`
  std::chrono::milliseconds timeout{0};  ///< the limit of the whole exchange; 0 means no limit
  std::size_t max_bytes = 0;             ///< maximum size of the decoded body; 0 means no limit
  stop_token stop{};                     ///< a stop request ends the exchange as `cancelled`
};

/// The result of a `fetch_request`.
struct fetch_response {
  int status = 0;                         ///< HTTP status; 0 if there is an `error`
  std::vector<http_header> headers{};     ///< the headers, in the order received
  std::string body{};                     ///< decoded content, at most `max_bytes` octets
  bool truncated = false;                 ///< true if the content was longer than `max_bytes`
  fetch_error error = fetch_error::none;  ///< the reason if there is no response
  std::string error_text{};               ///< a message about `error`, or a remark on the body
};

}  // namespace robots

namespace robots::detail {

/// Returns true if an error is the failure of this process or of its proxy, which says nothing
/// about the site.
[[nodiscard]] constexpr bool is_on_our_side(fetch_error error) noexcept {
  return error == fetch_error::proxy || error == fetch_error::local;
}

/// Returns true for 301, 302, 303, 307 and 308, which name another URL (RFC 9110, section 15.4).
[[nodiscard]] constexpr bool is_redirect(int status) noexcept {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace robots::detail
