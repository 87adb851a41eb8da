#pragma once

#include <robots/base/ascii.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace robots {

/// The schemes that can have a robots.txt.
enum class url_scheme { http, https };

/// Returns `http` or `https`.
[[nodiscard]] constexpr std::string_view to_string(url_scheme scheme) noexcept {
  return scheme == url_scheme::https ? "https" : "http";
}

namespace detail {

[[nodiscard]] constexpr std::uint16_t default_port(url_scheme scheme) noexcept {
  return scheme == url_scheme::https ? std::uint16_t{443} : std::uint16_t{80};
}

/// Reads `http` or `https`, in any case. Returns an empty optional for any other text.
[[nodiscard]] constexpr std::optional<url_scheme> parse_scheme(std::string_view name) noexcept {
  if (base::equal_ignoring_case(name, "https")) {
    return url_scheme::https;
  }
  if (base::equal_ignoring_case(name, "http")) {
    return url_scheme::http;
  }
  return std::nullopt;
}

}  // namespace detail

namespace http_detail {

/// Returns the text of an origin. It has room for the path of a robots.txt, which callers append.
[[nodiscard]] inline std::string origin_text(url_scheme scheme, std::string_view host,
                                             std::uint16_t port) {
  constexpr std::size_t longest_rest = std::string_view{"https://:65535/robots.txt"}.size();
  std::string text;
  text.reserve(host.size() + longest_rest);
  text.append(to_string(scheme)).append("://").append(host);
  if (port != detail::default_port(scheme)) {
    text.append(":").append(std::to_string(port));
  }
  return text;
}

}  // namespace http_detail

/// Scheme, host and port. Each origin has its own robots.txt (RFC 9309, section 2.3; RFC 6454).
struct origin {
  url_scheme scheme = url_scheme::https;  ///< http or https
  std::string host;                       ///< lower case, no dot at the end; IPv6 in brackets
  std::uint16_t port = 443;               ///< 1 to 65535

  [[nodiscard]] friend bool operator==(const origin&, const origin&) = default;
};

/// Returns a text such as `http://example.com:8080` (RFC 6454, section 6.2). Omits a default port.
[[nodiscard]] inline std::string to_string(const origin& parsed) {
  return http_detail::origin_text(parsed.scheme, parsed.host, parsed.port);
}

}  // namespace robots
