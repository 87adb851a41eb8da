#pragma once

#include <robots/base/ascii.hpp>
#include <robots/http/host.hpp>

#include <span>
#include <string_view>

namespace robots {

namespace detail {

[[nodiscard]] constexpr std::string_view without_outer_dots(std::string_view name) noexcept {
  return trim(name, [](char c) { return c == '.'; });
}

/// What an entry of an exclusion list names: `gov` for `gov`, `.gov`, `*.gov` and `gov:80`.
[[nodiscard]] constexpr std::string_view excluded_name(std::string_view entry) noexcept {
  std::string_view name = host_of(entry);
  if (name.starts_with("*.")) {
    name.remove_prefix(2);
  }
  return without_outer_dots(name);
}

}  // namespace detail

/// Whether `host` lies under one of the names in `excluded`: a top-level domain (`gov`), a suffix
/// (`gov.uk`) or a host (`example.com`, which takes its subdomains with it).
///
/// Names are compared by whole labels from the right, without regard to case (RFC 4343): `gov`
/// excludes `gov` and `example.gov`, not `mygov`. `.gov`, `*.gov` and `GOV` mean the same. An entry
/// with a port or a scheme excludes its host under every port and scheme, since an exclusion that
/// is obeyed too widely does less harm than one that is not obeyed; an empty entry excludes
/// nothing. An IPv6 literal needs
/// its brackets and is compared whole.
///
/// `host` may carry a port, a dot at its end, or be a whole URL. Percent-encoding is not decoded:
/// pass `site::host` when the text comes from elsewhere. This is SPYDER's ShouldSkipByTLD, which
/// compared with regard to case. Linear in the sum of the entries' lengths, without allocation.
[[nodiscard]] constexpr bool should_skip_by_tld(
    std::string_view host, std::span<const std::string_view> excluded) noexcept {
  const std::string_view name = detail::without_outer_dots(host_of(host));
  for (const std::string_view entry : excluded) {
    const std::string_view suffix = detail::excluded_name(entry);
    if (suffix.empty() || suffix.size() > name.size()) {
      continue;
    }
    const std::string_view rest = name.substr(0, name.size() - suffix.size());
    if (!rest.empty() && (rest.back() != '.' || name.starts_with('['))) {
      continue;
    }
    if (detail::equal_ignoring_case(name.substr(rest.size()), suffix)) {
      return true;
    }
  }
  return false;
}

}  // namespace robots
