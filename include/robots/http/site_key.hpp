#pragma once

#include <robots/base/url_head.hpp>

#include <cstddef>
#include <string_view>

namespace robots::detail {

/// Returns the start of a URL or host, up to the path. The result is often the key of the site.
///
/// If a table with the keys of `site::key` has an entry for the result, that entry belongs to the
/// site, since no two sites share a key. If not, the result can be another spelling of a key (upper
/// case, default port, a query right after the host). Then call `parse_site`. Takes linear time,
/// checks little and allocates nothing.
[[nodiscard]] constexpr std::string_view possible_site_key(std::string_view host_or_url) noexcept {
  return host_or_url.substr(0, host_or_url.find('/', base::scheme_prefix(host_or_url)));
}

/// Returns the text to match rules against. For a URL with a scheme, this is the whole URL. For a
/// host without a scheme, it is the text from the first `/`, `?` or `#`, or `/` if there is none of
/// these. Takes linear time, and allocates nothing.
[[nodiscard]] constexpr std::string_view target_of(std::string_view host_or_url) noexcept {
  if (base::scheme_prefix(host_or_url) > 0) {
    return host_or_url;
  }
  const std::size_t end = host_or_url.find_first_of("/?#");
  return end == std::string_view::npos ? "/" : host_or_url.substr(end);
}

/// Returns a target that rules treat like `target_of(url)`, but does not search `url`. The result
/// is path and query, or the URL itself. `key` is the result of `possible_site_key` for `url`.
[[nodiscard]] constexpr std::string_view target_behind_key(std::string_view url,
                                                           std::string_view key) noexcept {
  const std::string_view target = url.substr(key.size());
  const bool is_path = target.size() == 1 || (target.size() > 1 && target[1] != '/');
  return is_path ? target : url;
}

/// Returns the key of the same host and port without the scheme.
[[nodiscard]] constexpr std::string_view without_scheme(std::string_view key) noexcept {
  return key.substr(base::scheme_prefix(key));
}

}  // namespace robots::detail
