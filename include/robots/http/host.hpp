#pragma once

#include <robots/http/detail/authority.hpp>

#include <string_view>

namespace robots {

/// The host as written in a host, in `host:port` or in a URL of any scheme: without user
/// information, port and path, with the brackets of an IPv6 literal.
///
/// Neither checks nor normalises: letters keep their case and percent-encoding stays. For the
/// normal form, see `parse_site`. Empty when there is no host. Linear, without allocation.
[[nodiscard]] constexpr std::string_view host_of(std::string_view host_or_url) noexcept {
  return http_detail::split_authority(http_detail::split_head(host_or_url).authority).host;
}

}  // namespace robots
