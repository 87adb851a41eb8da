#pragma once

#include <robots/base/ascii.hpp>
#include <robots/http/host.hpp>
#include <robots/http/ip_address.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string_view>

namespace robots {

namespace http_detail {

[[nodiscard]] constexpr std::string_view without_outer_dots(std::string_view name) noexcept {
  return base::trim(name, [](char c) { return c == '.'; });
}

/// Returns the host that `entry` names: `gov` for `gov`, `.gov`, `*.gov` and `gov:80`.
[[nodiscard]] constexpr std::string_view excluded_name(std::string_view entry) noexcept {
  std::string_view name = host_of(entry);
  if (name.starts_with("*.")) {
    name.remove_prefix(2);
  }
  return without_outer_dots(name);
}

/// Returns true if `host` is `name` or a subdomain of `name`. Ignores the case of letters. An IP
/// address has no subdomains. An IPv4 address equals its IPv4-mapped IPv6 address.
[[nodiscard]] constexpr bool covers(std::string_view name, std::string_view host) noexcept {
  if (const auto address = detail::parse_ip_address(host); address || host.starts_with('[')) {
    return base::equal_ignoring_case(name, host) ||
           (address && address == detail::parse_ip_address(name));
  }
  const std::size_t rest = host.size() - (std::min)(name.size(), host.size());
  return base::equal_ignoring_case(name, host.substr(rest)) && (rest == 0 || host[rest - 1] == '.');
}

}  // namespace http_detail

/// Returns true if `host` is a name in `excluded`, or a subdomain of such a name. A name is a
/// top-level domain (`gov`), a suffix (`gov.uk`) or a host (`example.com`).
///
///     should_skip_by_tld("navy.mil", {"gov", "mil"})
///
/// Whole labels are compared from the right, without regard to case (RFC 4343). So `gov` excludes
/// `gov` and `example.gov`, but not `mygov`. `.gov`, `*.gov` and `GOV` mean `gov`. An entry with a
/// port or a scheme excludes every port and scheme, since a missing exclusion does more harm than a
/// wide exclusion. An empty entry excludes nothing. An IP address is compared as a whole, in any
/// spelling. An IPv4 address equals its IPv4-mapped IPv6 address. Write IPv6 in brackets.
///
/// `host` is a host, `host:port` or a URL. A final dot of the host is ignored. Percent-encoding is
/// not decoded, so for a URL from the web, pass the `host` that `parse_site` returns. Unlike
/// SPYDER's `ShouldSkipByTLD`, ignores case. Takes linear time in the entries. Allocates nothing.
template <class R>
  requires requires(R& names) {
    { *std::begin(names) } -> std::convertible_to<std::string_view>;
    std::end(names);
  }
// NOLINTNEXTLINE(cppcoreguidelines-missing-std-forward): the range is only read
[[nodiscard]] constexpr bool should_skip_by_tld(std::string_view host, R&& excluded) {
  const std::string_view name = http_detail::without_outer_dots(host_of(host));
  for (auto&& entry : excluded) {
    if (!name.empty() && http_detail::covers(http_detail::excluded_name(entry), name)) {
      return true;
    }
  }
  return false;
}

/// Does the same for a list of names in braces.
[[nodiscard]] constexpr bool should_skip_by_tld(
    std::string_view host, std::initializer_list<std::string_view> excluded) noexcept {
  return should_skip_by_tld(host, std::span{excluded.begin(), excluded.size()});
}

}  // namespace robots
