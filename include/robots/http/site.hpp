#pragma once

#include <robots/base/ascii.hpp>
#include <robots/http/host.hpp>
#include <robots/http/origin.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// The site of a robots.txt, which is an origin, or a host without a scheme. A host without a
/// scheme means https or, if https cannot be reached, http (SPYDER).
struct site {
  std::optional<url_scheme> scheme;  ///< empty means https, then http
  std::string host;                  ///< the host, as in `origin`
  std::uint16_t port = 0;            ///< 0 means the default port of the scheme

  /// Returns the origins to ask, in order: one origin or, without a scheme, https and then http.
  /// The first origin that can be reached has the rules.
  [[nodiscard]] std::vector<origin> origins() const {
    const auto under = [this](url_scheme s) {
      return origin{s, host, port != 0 ? port : detail::default_port(s)};
    };
    if (scheme) {
      return {under(*scheme)};
    }
    return {under(url_scheme::https), under(url_scheme::http)};
  }

  /// Returns the URLs of the robots.txt files of `origins()`, in the same order.
  [[nodiscard]] std::vector<std::string> robots_urls() const {
    std::vector<std::string> urls;
    for (const origin& asked : origins()) {
      urls.push_back(to_string(asked) + "/robots.txt");
    }
    return urls;
  }

  /// Returns a text that is the same for all spellings of a site. It is the origin
  /// (`https://example.com`, `http://example.com:8080`), or host and port if there is no scheme
  /// (`example.com`, `example.com:8080`).
  [[nodiscard]] std::string key() const {
    if (scheme) {
      return to_string(origins().front());
    }
    return port != 0 ? host + ':' + std::to_string(port) : host;
  }

  [[nodiscard]] friend bool operator==(const site&, const site&) = default;
};

/// Returns the site of a host, of `host:port`, or of an absolute http or https URL, whose path is
/// ignored. Normalises and checks like `parse_origin`. Returns an empty optional for any other
/// text. The default port of a given scheme becomes 0. For a host without a scheme, port 443 means
/// https and port 80 means http. Takes time linear in the authority.
[[nodiscard]] inline std::optional<site> parse_site(std::string_view host_or_url) {
  const http_detail::url_head head = http_detail::split_head(host_or_url);
  std::optional<url_scheme> scheme;
  if (head.scheme) {
    scheme = detail::parse_scheme(*head.scheme);
    if (!scheme) {
      return std::nullopt;
    }
  }
  // `mailto:bob@example.com` and `http:/example.com` are not hosts with user information or an
  // empty port. They are other URLs or malformed URLs.
  if (!scheme &&
      (head.authority.find('@') != std::string_view::npos || head.authority.ends_with(':'))) {
    return std::nullopt;
  }
  std::optional<http_detail::authority> authority = http_detail::parse_authority(head.authority);
  if (!authority) {
    return std::nullopt;
  }
  for (const url_scheme candidate : {url_scheme::https, url_scheme::http}) {
    if (!scheme && authority->port == detail::default_port(candidate)) {
      scheme = candidate;
    }
  }
  if (scheme && authority->port == detail::default_port(*scheme)) {
    authority->port = 0;
  }
  return site{scheme, std::move(authority->host), authority->port};
}

namespace http_detail {

/// Quotes the start of a text from the web, for a message.
[[nodiscard]] inline std::string shown(std::string_view text) {
  constexpr std::size_t most = 80;
  return '"' + base::printable(text.substr(0, most)) + (text.size() > most ? "...\"" : "\"");
}

}  // namespace http_detail

}  // namespace robots

namespace robots::detail {

/// Returns a message that says why `parse_site` refuses a text, such as `the port "99999" is not a
/// number from 1 to 65535`. Returns an empty text if `parse_site` accepts the text. Takes time
/// linear in the authority.
[[nodiscard]] inline std::string url_problem(std::string_view host_or_url) {
  if (parse_site(host_or_url)) {
    return {};
  }
  const http_detail::url_head head = http_detail::split_head(host_or_url);
  if (head.scheme && !parse_scheme(*head.scheme)) {
    return "the scheme " + http_detail::shown(*head.scheme) + " is neither http nor https";
  }
  const http_detail::authority_parts parts = http_detail::split_authority(head.authority);
  const auto is_outside_ascii = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
  if (std::any_of(parts.host.begin(), parts.host.end(), is_outside_ascii)) {
    return "the host is not ASCII: write its ASCII form, as in xn--bcher-kva.example";
  }
  if (http_detail::has_forbidden_octet(head.authority)) {
    return "a blank, a control character or a backslash is before the path: remove it";
  }
  if (!http_detail::parse_port(parts.port)) {
    return "the port " + http_detail::shown(parts.port) + " is not a number from 1 to 65535";
  }
  if (parts.host.empty()) {
    return "there is no host";
  }
  return http_detail::normal_host(parts.host)
             ? std::string{"it names no host: write it like https://example.com/ or example.com"}
             : "the host " + http_detail::shown(parts.host) + " is neither a name nor an address";
}

}  // namespace robots::detail
