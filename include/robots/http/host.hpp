#pragma once

#include <robots/base/scheme.hpp>

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

/// Returns the target for rules: the whole text if the text has a scheme. Otherwise, the target is
/// the part from the first `/`, `?` or `#`, or `/` if there is no such part. Takes linear time.
[[nodiscard]] constexpr std::string_view target_of(std::string_view host_or_url) noexcept {
  if (base::scheme_prefix(host_or_url) > 0) {
    return host_or_url;
  }
  const std::size_t end = host_or_url.find_first_of("/?#");
  return end == std::string_view::npos ? "/" : host_or_url.substr(end);
}

}  // namespace robots::detail
