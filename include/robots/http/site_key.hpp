#pragma once

#include <cstddef>
#include <string_view>

namespace robots {

namespace http_detail {

/// The start of the authority, after a scheme of the length of `http` or `https`.
[[nodiscard]] constexpr std::size_t authority_start(std::string_view text) noexcept {
  for (const std::size_t colon : {4U, 5U}) {
    if (text.size() > colon + 2 && text[colon] == ':' && text[colon + 1] == '/' &&
        text[colon + 2] == '/') {
      return colon + 3;
    }
  }
  return 0;
}

}  // namespace http_detail

/// The start of a URL, or of a host with or without a path, that is its site's key if it is any.
///
/// For a table whose keys are those of `site::key`: the entry of this text belongs to the site,
/// since no two sites share a key and a key is its own site's. When nothing is found, the text may
/// still name a site, spelled otherwise (upper case, default port, a query right behind the host):
/// ask `parse_site` then. Looks for one `/`, checks nothing, allocates nothing.
[[nodiscard]] constexpr std::string_view possible_site_key(std::string_view host_or_url) noexcept {
  return host_or_url.substr(0, host_or_url.find('/', http_detail::authority_start(host_or_url)));
}

/// Returns the target for rules from a URL, or from a host with or without a path: the URL itself,
/// or the text after the host. Linear, allocates nothing.
[[nodiscard]] constexpr std::string_view target_of(std::string_view host_or_url) noexcept {
  const std::size_t end = host_or_url.find_first_of("/?#");
  if (end == std::string_view::npos) {
    return "/";
  }
  const bool has_scheme = end > 0 && host_or_url.substr(end - 1).starts_with("://");
  return has_scheme ? host_or_url : host_or_url.substr(end);
}

/// The same result without a search, if `key` is the start of the URL that `possible_site_key` cuts
/// off: path and query, or else the URL itself.
[[nodiscard]] constexpr std::string_view target_behind_key(std::string_view url,
                                                           std::string_view key) noexcept {
  const std::string_view target = url.substr(key.size());
  const bool is_path = target.size() == 1 || (target.size() > 1 && target[1] != '/');
  return is_path ? target : url;
}

/// The key of the same host and port without a scheme.
[[nodiscard]] constexpr std::string_view without_scheme(std::string_view key) noexcept {
  return key.substr(http_detail::authority_start(key));
}

/// Returns the host in the key of a site, like `host_of`, but only for keys and in a third of the
/// time. For a text that is no key, any part of it.
[[nodiscard]] constexpr std::string_view host_of_site_key(std::string_view key) noexcept {
  key = without_scheme(key);
  return key.substr(0, key.find(':', key.starts_with('[') ? key.find(']') : 0));
}

}  // namespace robots
