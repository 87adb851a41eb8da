#pragma once

#include <robots/base/inline.hpp>
#include <robots/http/detail/authority.hpp>
#include <robots/http/host.hpp>
#include <robots/http/site.hpp>

#include <utility>

namespace robots {

ROBOTS_INLINE std::vector<origin> site::origins() const {
  const auto under = [this](url_scheme s) {
    return origin{s, host, port != 0 ? port : default_port(s)};
  };
  if (scheme) {
    return {under(*scheme)};
  }
  return {under(url_scheme::https), under(url_scheme::http)};
}

ROBOTS_INLINE std::vector<std::string> site::robots_urls() const {
  std::vector<std::string> urls;
  for (const origin& where : origins()) {
    urls.push_back(to_string(where) + "/robots.txt");
  }
  return urls;
}

ROBOTS_INLINE std::string site::key() const {
  if (scheme) {
    return to_string(origins().front());
  }
  return port != 0 ? host + ':' + std::to_string(port) : host;
}

ROBOTS_INLINE std::optional<site> parse_site(std::string_view host_or_url) {
  const http_detail::url_head head = http_detail::split_head(host_or_url);
  std::optional<url_scheme> scheme;
  if (head.scheme) {
    scheme = parse_scheme(*head.scheme);
    if (!scheme) {
      return std::nullopt;
    }
  }
  // `mailto:bob@example.com` and `http:/example.com` are URLs gone wrong or of another kind, not
  // hosts with user information or an empty port.
  if (!scheme &&
      (head.authority.find('@') != std::string_view::npos || head.authority.ends_with(':'))) {
    return std::nullopt;
  }
  std::optional<http_detail::authority> authority = http_detail::parse_authority(head.authority);
  if (!authority) {
    return std::nullopt;
  }
  // A bare host with a scheme's own port can only mean that scheme.
  for (const url_scheme own : {url_scheme::https, url_scheme::http}) {
    if (!scheme && authority->port == default_port(own)) {
      scheme = own;
    }
  }
  if (scheme && authority->port == default_port(*scheme)) {
    authority->port = 0;
  }
  return site{scheme, std::move(authority->host), authority->port};
}

}  // namespace robots
