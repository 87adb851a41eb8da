#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/hash.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace robots {

namespace http_detail {

/// The parts `[scheme "://"] authority` of a URL or a host. The parts are not checked.
struct url_head {
  std::optional<std::string_view> scheme{};
  std::string_view authority{};
  std::string_view host{};  ///< the host, with its brackets if it has any
  std::string_view port{};  ///< the text after the host, without the `:`
};

[[nodiscard]] constexpr url_head split_head(std::string_view text) noexcept {
  url_head head;
  if (const std::size_t prefix = base::scheme_prefix(text); prefix > 0) {
    head.scheme = text.substr(0, prefix - std::string_view{"://"}.size());
    text.remove_prefix(prefix);
  }
  head.authority = text.substr(0, text.find_first_of("/?#"));
  head.host = head.authority.substr(head.authority.rfind('@') + 1);  // `npos + 1` is 0
  const std::size_t close = head.host.starts_with('[') ? head.host.find(']') : 0;
  const std::size_t colon = head.host.find(':', close == std::string_view::npos ? 0 : close);
  if (colon != std::string_view::npos) {
    head.port = head.host.substr(colon + 1);
    head.host = head.host.substr(0, colon);
  }
  return head;
}

}  // namespace http_detail

/// Returns the host of a URL with any scheme, of `host:port`, or of a host alone. Keeps the case,
/// and the brackets of an IPv6 address. Does not check the host; for the normal form, see
/// `parse_site`. Returns an empty text if there is no host. Takes linear time. Allocates nothing.
[[nodiscard]] constexpr std::string_view host_of(std::string_view host_or_url) noexcept {
  return http_detail::split_head(host_or_url).host;
}

}  // namespace robots

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

/// Returns the target for rules: the whole text if the text has a scheme. Otherwise, the target is
/// the part from the first `/`, `?` or `#`, or `/` if there is no such part. Takes linear time.
[[nodiscard]] constexpr std::string_view target_of(std::string_view host_or_url) noexcept {
  if (base::scheme_prefix(host_or_url) > 0) {
    return host_or_url;
  }
  const std::size_t end = host_or_url.find_first_of("/?#");
  return end == std::string_view::npos ? "/" : host_or_url.substr(end);
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
