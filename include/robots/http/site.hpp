#pragma once

#include <robots/base/config.hpp>
#include <robots/http/origin.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

namespace http_detail {

[[nodiscard]] constexpr bool is_sub_delim(char c) noexcept {
  return std::string_view{"!$&'()*+,;="}.find(c) != std::string_view::npos;
}

/// Returns the normal form of a host: in lower case, without a dot at the end and without
/// percent-encoding. An IPv6 address is in brackets, in the form of RFC 5952. A host is:
///
///     host     = IP-literal / IPv4address / reg-name            (RFC 3986, section 3.2.2)
///     reg-name = *( unreserved / pct-encoded / sub-delims )
///
/// Only unreserved characters may be percent-encoded. An IPv4 address must have four decimal parts.
/// A name outside ASCII must be in its `xn--` form (RFC 5890), unless `set_host_to_ascii` has set a
/// function that makes this form.
[[nodiscard]] std::optional<std::string> normal_host(std::string_view text);

/// Reads a port from 1 to 65535, or 0 for an empty text (RFC 3986, section 3.2.3).
[[nodiscard]] std::optional<std::uint16_t> parse_port(std::string_view text) noexcept;

}  // namespace http_detail

/// An origin, or a host without a scheme. Without a scheme, a retrieval requests the robots.txt by
/// https. If https cannot be reached, the retrieval tries http (as the crawler SPYDER does).
struct site {
  std::optional<url_scheme> scheme;  ///< empty means https, then http
  std::string host;                  ///< the host, as in `origin`
  std::uint16_t port = 0;            ///< 0 means the default port of the scheme

  /// Returns the origins to ask in turn. The first origin that can be reached has the rules.
  [[nodiscard]] std::vector<origin> origins() const;

  /// Returns the origin with this site's host and port. `named` is the scheme of the origin.
  [[nodiscard]] origin origin_under(url_scheme named) const {
    return {named, host, port != 0 ? port : detail::default_port(named)};
  }

  /// Returns the URLs of the robots.txt files of `origins()`, in the same order.
  [[nodiscard]] std::vector<std::string> robots_urls() const;

  /// Returns a text that is the same for all spellings of a site: the origin
  /// (`http://example.com:8080`), or host and port if there is no scheme (`example.com:8080`).
  [[nodiscard]] std::string key() const;

  [[nodiscard]] friend bool operator==(const site&, const site&) = default;
};

/// Returns the site of a host, of `host:port`, or of an absolute http or https URL. Checks the text
/// like `detail::parse_origin`. Returns nothing for any other text. `port` is 0 for the default
/// port of a scheme. Without a scheme, port 443 means https and port 80 means http.
[[nodiscard]] std::optional<site> parse_site(std::string_view host_or_url);

namespace detail {

/// Returns the origin of an absolute http or https URL, in normal form.
///
/// Drops user information and path. An empty port means the default port. Returns nothing for
/// another scheme, a relative reference, a host that `normal_host` refuses, a port outside 1 to
/// 65535, and for a backslash, blank or control character in the authority.
[[nodiscard]] std::optional<origin> parse_origin(std::string_view url);

/// Returns a message that says why `parse_site` refuses a text, such as `the port "99999" is not a
/// number from 1 to 65535`. Returns an empty text if `parse_site` accepts the text. Quotes the text
/// as it is: escape the message where you print it.
[[nodiscard]] std::string url_problem(std::string_view host_or_url);

}  // namespace detail

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/http/site.bodies.hpp>
#endif
