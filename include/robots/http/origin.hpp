#pragma once

#include <robots/base/ascii.hpp>
#include <robots/http/detail/authority.hpp>
#include <robots/http/host.hpp>
#include <robots/http/url.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots {

/// The schemes that can have a robots.txt.
enum class url_scheme { http, https };

/// Returns the scheme as written in a URL, which is `http` or `https`.
[[nodiscard]] constexpr std::string_view to_string(url_scheme scheme) noexcept {
  return scheme == url_scheme::https ? "https" : "http";
}

}  // namespace robots

namespace robots::detail {

/// Returns 443 for https, and 80 for http.
[[nodiscard]] constexpr std::uint16_t default_port(url_scheme scheme) noexcept {
  return scheme == url_scheme::https ? std::uint16_t{443} : std::uint16_t{80};
}

/// Returns the scheme with this name, in any case, or an empty optional.
[[nodiscard]] constexpr std::optional<url_scheme> parse_scheme(std::string_view name) noexcept {
  if (base::equal_ignoring_case(name, "https")) {
    return url_scheme::https;
  }
  if (base::equal_ignoring_case(name, "http")) {
    return url_scheme::http;
  }
  return std::nullopt;
}

}  // namespace robots::detail

namespace robots {

/// Scheme, host and port, which are the scope of one robots.txt (RFC 9309, section 2.3; RFC 6454).
struct origin {
  url_scheme scheme = url_scheme::https;  ///< http or https
  std::string host;                       ///< lower case, no dot at the end; IPv6 in brackets
  std::uint16_t port = 443;               ///< 1 to 65535

  [[nodiscard]] friend bool operator==(const origin&, const origin&) = default;
};

/// Returns the ASCII form of RFC 6454, section 6.2, such as `http://example.com:8080`. The default
/// port of the scheme is left out.
[[nodiscard]] inline std::string to_string(const origin& parsed) {
  std::string text{to_string(parsed.scheme)};
  text += "://";
  text += parsed.host;
  if (parsed.port != detail::default_port(parsed.scheme)) {
    text += ':';
    text += std::to_string(parsed.port);
  }
  return text;
}

}  // namespace robots

namespace robots::detail {

/// Returns the origin of an absolute http or https URL, in normal form.
///
/// Drops user information and a dot at the end of the host, decodes percent-encoded unreserved
/// octets of the host, and reads an empty port as the default. Returns an empty optional for
/// another scheme, a relative reference, a host outside ASCII (use A-labels), or a host that RFC
/// 3986 or the DNS forbids. Also refuses a port outside 1 to 65535, and a backslash, blank or
/// control character in the authority. Ignores the rest of the URL. Takes time linear in the
/// authority.
[[nodiscard]] inline std::optional<origin> parse_origin(std::string_view url) {
  const http_detail::url_head head = http_detail::split_head(url);
  const std::optional<url_scheme> scheme = parse_scheme(head.scheme.value_or(std::string_view{}));
  if (!scheme) {
    return std::nullopt;
  }
  std::optional<http_detail::authority> authority = http_detail::parse_authority(head.authority);
  if (!authority) {
    return std::nullopt;
  }
  const std::uint16_t port = authority->port != 0 ? authority->port : default_port(*scheme);
  return origin{*scheme, std::move(authority->host), port};
}

/// Returns `parsed`, which is the origin of `url`, followed by the path and the query of `url`.
/// Drops the fragment. An empty path becomes `/`. Takes linear time.
[[nodiscard]] inline std::string url_at(const origin& parsed, std::string_view url) {
  const http_detail::url_parts parts = http_detail::split_url(url);
  std::string normal = to_string(parsed);
  normal += parts.path.empty() ? std::string_view{"/"} : parts.path;
  if (parts.query) {
    normal.append("?").append(*parts.query);
  }
  return normal;
}

}  // namespace robots::detail
