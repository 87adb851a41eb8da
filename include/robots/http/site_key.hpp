#pragma once

#include <robots/base/octet_word.hpp>
#include <robots/base/scheme.hpp>

#include <cstddef>
#include <string_view>

namespace robots::detail {

/// Returns the part of a URL or host before the path. If a table of `site::key` values has this
/// part, the part is the key of the URL's site. Otherwise, use `parse_site`: the part can differ
/// from the key by upper case, a default port, or a query after the host. Takes linear time.
[[nodiscard]] constexpr std::string_view possible_site_key(std::string_view host_or_url) noexcept {
  constexpr std::string_view usual = "https://";  // compared at once: each hit comes here
  const bool is_usual = host_or_url.size() > usual.size() &&
                        base::whole_word(host_or_url, 0) == base::whole_word(usual, 0);
  const std::size_t prefix = is_usual ? usual.size() : base::scheme_prefix(host_or_url);
  return host_or_url.substr(0, host_or_url.find('/', prefix));
}

/// Returns the path after `key`, or `url` if the path is empty or begins with `//`. `decide`
/// returns the same verdict for the path as for `url`, but takes less time for the path. `key` must
/// be the `site::key` of the URL's site, and must equal `possible_site_key(url)`.
[[nodiscard]] constexpr std::string_view target_behind_key(std::string_view url,
                                                           std::string_view key) noexcept {
  const std::string_view target = url.substr(key.size());
  const bool is_path = target.size() == 1 || (target.size() > 1 && target[1] != '/');
  return is_path ? target : url;
}

[[nodiscard]] constexpr std::string_view without_scheme(std::string_view key) noexcept {
  return key.substr(base::scheme_prefix(key));
}

}  // namespace robots::detail
