#pragma once

#include <robots/base/inline.hpp>
#include <robots/http/detail/authority.hpp>
#include <robots/http/host.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/url.hpp>

#include <utility>

namespace robots {

ROBOTS_INLINE std::string to_string(const origin& where) {
  std::string text{to_string(where.scheme)};
  text += "://";
  text += where.host;
  if (where.port != default_port(where.scheme)) {
    text += ':';
    text += std::to_string(where.port);
  }
  return text;
}

ROBOTS_INLINE std::optional<origin> parse_origin(std::string_view url) {
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

ROBOTS_INLINE std::string to_string(const http_url& url) {
  return to_string(url.origin) + url.target;
}

ROBOTS_INLINE std::optional<http_url> parse_http_url(std::string_view url) {
  std::optional<origin> where = parse_origin(url);
  if (!where) {
    return std::nullopt;
  }
  const url_parts parts = split_url(url);
  std::string target{parts.path.empty() ? std::string_view{"/"} : parts.path};
  if (parts.query) {
    target.append("?").append(*parts.query);
  }
  return http_url{*std::move(where), std::move(target)};
}

}  // namespace robots
