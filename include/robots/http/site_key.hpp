#pragma once

#include <cstddef>
#include <string_view>

namespace robots {

/// The start of a URL, or of a host with or without a path, that is its site's key if it is any.
///
/// For a table whose keys are those of `site::key`: what is found under this text belongs to the
/// site, since no two sites share a key and a key is its own site's. When nothing is found, the
/// text may still name a site, spelled otherwise (upper case, default port, a query right behind
/// the host): ask `parse_site` then. Looks for one `/`, checks nothing, allocates nothing.
[[nodiscard]] constexpr std::string_view possible_site_key(std::string_view host_or_url) noexcept {
  const std::size_t authority = host_or_url.starts_with("https://")  ? 8
                                : host_or_url.starts_with("http://") ? 7
                                                                     : 0;
  return host_or_url.substr(0, host_or_url.find('/', authority));
}

}  // namespace robots
