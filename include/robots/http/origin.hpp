#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/http/host.hpp>
#include <robots/http/ip_address.hpp>
#include <robots/http/url.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots::http_detail {

/// The limits of a DNS name (RFC 1035, section 2.3.4).
inline constexpr std::size_t max_host_length = 253;
inline constexpr std::size_t max_label_length = 63;

[[nodiscard]] constexpr bool is_sub_delim(char c) noexcept {
  return std::string_view{"!$&'()*+,;="}.find(c) != std::string_view::npos;
}

/// Returns true for labels of 1 to 63 octets with dots between them, at most 253 octets in all.
[[nodiscard]] constexpr bool has_valid_labels(std::string_view host) noexcept {
  if (host.empty() || host.size() > max_host_length) {
    return false;
  }
  std::size_t length = 0;
  for (const char c : host) {
    if (length == (c == '.' ? 0 : max_label_length)) {
      return false;
    }
    length = c == '.' ? 0 : length + 1;
  }
  return length > 0;
}

/// Returns the normal form of a host. It is in lower case, and has no dot at the end and no
/// percent-encoding. An IPv6 address is in brackets, as RFC 5952 writes it. Returns an empty
/// optional for a text that is not a host:
///
///     host     = IP-literal / IPv4address / reg-name            (RFC 3986, section 3.2.2)
///     reg-name = *( unreserved / pct-encoded / sub-delims )
///
/// where `pct-encoded` must stand for an unreserved octet, and an IPv4 address must have four
/// decimal parts. So `127.1` and `0x7f.0.0.1` are refused. A name outside ASCII must be given as
/// A-labels (RFC 5890).
[[nodiscard]] inline std::optional<std::string> normal_host(std::string_view text) {
  std::string host;
  if (text.starts_with('[')) {
    const std::optional<detail::ip_address> address = detail::parse_ip_address(text);
    if (!address) {
      return std::nullopt;
    }
    return (address->is_v4() ? "[::ffff:" : "[") + to_string(*address) + ']';
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const int octet = base::percent_octet(text.substr(i));
      c = static_cast<char>(octet);
      if (octet < 0 || !base::is_unreserved(c)) {
        return std::nullopt;
      }
      i += 2;
    } else if (!base::is_unreserved(c) && !is_sub_delim(c)) {
      return std::nullopt;
    }
    if (host.size() > max_host_length) {
      return std::nullopt;
    }
    host += base::to_lower(c);
  }
  if (host.ends_with('.')) {
    host.pop_back();
  }
  if (!has_valid_labels(host) || (detail::ends_in_number(host) && !read_ipv4(host))) {
    return std::nullopt;
  }
  return host;
}

/// Reads `port = *DIGIT` (RFC 3986, section 3.2.3), from 1 to 65535. Returns 0 for an empty text,
/// and an empty optional for any other text.
[[nodiscard]] inline std::optional<std::uint16_t> parse_port(std::string_view text) noexcept {
  if (text.empty()) {
    return std::uint16_t{0};
  }
  const std::uint64_t value = base::parse_decimal(text).value_or(0);
  return value > 0 && value <= 65535 ? std::optional{static_cast<std::uint16_t>(value)}
                                     : std::nullopt;
}

/// A checked authority: the host in normal form, and the port, or 0 if there is no port.
struct authority {
  std::string host;
  std::uint16_t port = 0;
};

[[nodiscard]] inline std::optional<authority> parse_authority(std::string_view text) {
  if (has_forbidden_octet(text)) {
    return std::nullopt;
  }
  const authority_parts parts = split_authority(text);
  const std::optional<std::uint16_t> port = parse_port(parts.port);
  if (!port) {
    return std::nullopt;
  }
  std::optional<std::string> host = normal_host(parts.host);
  if (!host) {
    return std::nullopt;
  }
  return authority{*std::move(host), *port};
}

}  // namespace robots::http_detail

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
