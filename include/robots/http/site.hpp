#pragma once

#include <robots/base/ascii.hpp>
#include <robots/http/host.hpp>
#include <robots/http/international_host.hpp>
#include <robots/http/ip_address.hpp>
#include <robots/http/url.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  return base::equal_ignoring_case(name, "https")  ? std::optional{url_scheme::https}
         : base::equal_ignoring_case(name, "http") ? std::optional{url_scheme::http}
                                                   : std::nullopt;
}

}  // namespace detail

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
[[nodiscard]] inline std::optional<std::string> normal_host(std::string_view text) {
  // The limits of a DNS name (RFC 1035, section 2.3.4).
  constexpr std::size_t max_host_length = 253;
  constexpr std::size_t max_label_length = 63;
  const auto from_ascii_form = [text]() -> std::optional<std::string> {
    const std::optional<std::string> ascii = ascii_form(text);
    return ascii ? normal_host(*ascii) : std::nullopt;
  };
  if (text.starts_with('[')) {
    const std::optional<detail::ip_address> address = detail::parse_ip_address(text);
    return address
               ? std::optional{(address->is_v4() ? "[::ffff:" : "[") + to_string(*address) + ']'}
               : std::nullopt;
  }
  std::string host;
  std::size_t label = 0;  // length of the label so far
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const int octet = base::percent_octet(text.substr(i));
      c = static_cast<char>(octet);
      if (octet < 0 || !base::is_unreserved(c)) {
        return is_international(text) ? from_ascii_form() : std::nullopt;
      }
      i += 2;
    } else if (!base::is_unreserved(c) && !is_sub_delim(c)) {
      return is_international(text) ? from_ascii_form() : std::nullopt;
    }
    if (host.size() > max_host_length || label == (c == '.' ? 0 : max_label_length)) {
      return std::nullopt;
    }
    label = c == '.' ? 0 : label + 1;
    host += base::to_lower(c);
  }
  if (host.ends_with('.')) {
    host.pop_back();
  }
  const bool is_valid = !host.empty() && host.size() <= max_host_length &&
                        (!detail::ends_in_number(host) || read_ipv4(host));
  return is_valid ? std::optional{std::move(host)} : std::nullopt;
}

/// Reads a port from 1 to 65535, or 0 for an empty text (RFC 3986, section 3.2.3).
[[nodiscard]] inline std::optional<std::uint16_t> parse_port(std::string_view text) noexcept {
  const std::uint64_t value = base::parse_decimal(text).value_or(0);
  const bool is_valid = text.empty() || (value > 0 && value <= 65535);
  return is_valid ? std::optional{static_cast<std::uint16_t>(value)} : std::nullopt;
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
  const bool is_default = parsed.port == detail::default_port(parsed.scheme);
  return std::string{to_string(parsed.scheme)} + "://" + parsed.host +
         (is_default ? "" : ':' + std::to_string(parsed.port));
}

/// An origin, or a host without a scheme. Without a scheme, a retrieval requests the robots.txt by
/// https. If https cannot be reached, the retrieval tries http (as the crawler SPYDER does).
struct site {
  std::optional<url_scheme> scheme;  ///< empty means https, then http
  std::string host;                  ///< the host, as in `origin`
  std::uint16_t port = 0;            ///< 0 means the default port of the scheme

  /// Returns the origins to ask in turn. The first origin that can be reached has the rules.
  [[nodiscard]] std::vector<origin> origins() const {
    return scheme ? std::vector{origin_under(*scheme)}
                  : std::vector{origin_under(url_scheme::https), origin_under(url_scheme::http)};
  }

  /// Returns the origin with this site's host and port. `named` is the scheme of the origin.
  [[nodiscard]] origin origin_under(url_scheme named) const {
    return {named, host, port != 0 ? port : detail::default_port(named)};
  }

  /// Returns the URLs of the robots.txt files of `origins()`, in the same order.
  [[nodiscard]] std::vector<std::string> robots_urls() const {
    std::vector<std::string> urls;
    for (const origin& asked : origins()) {
      urls.push_back(to_string(asked) + "/robots.txt");
    }
    return urls;
  }

  /// Returns a text that is the same for all spellings of a site: the origin
  /// (`http://example.com:8080`), or host and port if there is no scheme (`example.com:8080`).
  [[nodiscard]] std::string key() const {
    if (scheme) {
      return to_string(origin_under(*scheme));
    }
    return port != 0 ? host + ':' + std::to_string(port) : host;
  }

  [[nodiscard]] friend bool operator==(const site&, const site&) = default;
};

/// Returns the site of a host, of `host:port`, or of an absolute http or https URL. Checks the text
/// like `detail::parse_origin`. Returns nothing for any other text. `port` is 0 for the default
/// port of a scheme. Without a scheme, port 443 means https and port 80 means http.
[[nodiscard]] inline std::optional<site> parse_site(std::string_view host_or_url) {
  const http_detail::url_head head = http_detail::split_head(host_or_url);
  std::optional<url_scheme> scheme =
      head.scheme ? detail::parse_scheme(*head.scheme) : std::nullopt;
  // A text without `://` is refused if the part before `/` has an `@` or ends with `:`.
  const bool is_other_url = head.scheme ? !scheme
                                        : head.authority.find('@') != std::string_view::npos ||
                                              head.authority.ends_with(':');
  if (is_other_url || http_detail::has_forbidden_octet(head.authority)) {
    return std::nullopt;
  }
  std::optional<std::uint16_t> port = http_detail::parse_port(head.port);
  std::optional<std::string> host = port ? http_detail::normal_host(head.host) : std::nullopt;
  if (!host) {
    return std::nullopt;
  }
  for (const url_scheme candidate : {url_scheme::https, url_scheme::http}) {
    if (*port == detail::default_port(candidate) && scheme.value_or(candidate) == candidate) {
      scheme = candidate;
      port = std::uint16_t{0};
    }
  }
  return site{scheme, *std::move(host), *port};
}

namespace detail {

/// Returns the origin of an absolute http or https URL, in normal form.
///
/// Drops user information and path. An empty port means the default port. Returns nothing for
/// another scheme, a relative reference, a host that `normal_host` refuses, a port outside 1 to
/// 65535, and for a backslash, blank or control character in the authority.
[[nodiscard]] inline std::optional<origin> parse_origin(std::string_view url) {
  const bool is_absolute = base::scheme_prefix(url) > 0;
  const std::optional<site> parsed = is_absolute ? parse_site(url) : std::nullopt;
  return parsed ? std::optional{parsed->origin_under(*parsed->scheme)} : std::nullopt;
}

/// Returns a message that says why `parse_site` refuses a text, such as `the port "99999" is not a
/// number from 1 to 65535`. Returns an empty text if `parse_site` accepts the text. Quotes the text
/// as it is: escape the message where you print it.
[[nodiscard]] inline std::string url_problem(std::string_view host_or_url) {
  if (parse_site(host_or_url)) {
    return {};
  }
  const auto shown = [](std::string_view text) {
    constexpr std::size_t most = 80;
    return '"' + std::string{text.substr(0, most)} + (text.size() > most ? "...\"" : "\"");
  };
  if (host_or_url.starts_with("//")) {
    return "the scheme is missing: write https: in front of //";
  }
  // Links of web pages also have these schemes, which need no `//`.
  for (const std::string_view scheme : {"javascript", "mailto", "tel", "data", "blob"}) {
    if (base::starts_with_ignoring_case(host_or_url, scheme) &&
        host_or_url.substr(scheme.size()).starts_with(':')) {
      return "the scheme " + shown(scheme) + " is neither http nor https";
    }
  }
  const http_detail::url_head head = http_detail::split_head(host_or_url);
  if (head.scheme && !parse_scheme(*head.scheme)) {
    return "the scheme " + shown(*head.scheme) + " is neither http nor https";
  }
  if (http_detail::is_international(head.host)) {
    return http_detail::host_to_ascii_in_use.load() == nullptr
               ? std::string{"the host is not ASCII: write its ASCII form, as in "
                             "xn--bcher-kva.example, or call use_idn of the adapter robots::idn"}
               : "the host " + shown(head.host) + " has no ASCII form: correct it";
  }
  if (http_detail::has_forbidden_octet(head.authority)) {
    return "a blank, a control character or a backslash is before the path: remove it";
  }
  if (!http_detail::parse_port(head.port)) {
    return "the port " + shown(head.port) + " is not a number from 1 to 65535";
  }
  if (head.host.empty()) {
    return "there is no host";
  }
  return http_detail::normal_host(head.host)
             ? std::string{"it names no host: write it like https://example.com/ or example.com"}
             : "the host " + shown(head.host) + " is neither a name nor an address";
}

}  // namespace detail

}  // namespace robots
