#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/text_set.hpp>
#include <robots/http/host.hpp>
#include <robots/http/ip_address.hpp>
#include <robots/http/ip_prefix.hpp>
#include <robots/http/site.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
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

/// Returns true for an address prefix (`10.0.0.0/8`) and for an IPv6 address without brackets.
[[nodiscard]] inline bool is_address_range(std::string_view entry) {
  const std::size_t colon = entry.find(':');
  const bool bare_ipv6 = !entry.starts_with('[') && colon != std::string_view::npos &&
                         entry.find(':', colon + 1) != std::string_view::npos &&
                         entry.find("://") == std::string_view::npos;
  return bare_ipv6 || (entry.find('/') != std::string_view::npos && detail::parse_ip_prefix(entry));
}

/// Returns the IPv4 address if `host` is an IPv4-mapped IPv6 address in normal form, else `host`.
[[nodiscard]] inline std::string_view without_mapping(std::string_view host) noexcept {
  constexpr std::string_view mapped = "[::ffff:";
  const bool maps = host.starts_with(mapped) && host.find('.') != std::string_view::npos;
  return maps ? host.substr(mapped.size(), host.size() - mapped.size() - 1) : host;
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

namespace detail {

/// A set of excluded hosts. The entries have the same meaning as for `should_skip_by_tld`.
class excluded_hosts {
 public:
  excluded_hosts() = default;

  /// Throws `std::invalid_argument` for an entry that can never exclude anything, such as `a b`.
  /// The message begins with `option`, the name of the list.
  explicit excluded_hosts(std::span<const std::string> entries,
                          std::string_view option = "excluded") {
    if (entries.empty()) {
      return;
    }
    const auto table = std::make_shared<base::text_set>();
    for (const std::string& entry : entries) {
      const std::optional<std::string> name =
          http_detail::normal_host(http_detail::excluded_name(entry));
      if (!name || http_detail::is_address_range(entry) ||
          std::any_of(name->begin(), name->end(), http_detail::is_sub_delim)) {
        throw std::invalid_argument{std::string{option} + ": \"" + entry +
                                    "\" is not a host name or an address; write \"gov\", "
                                    "\"gov.uk\", \"example.com\", \"10.1.2.3\" or "
                                    "\"[2001:db8::1]\", and a name outside ASCII in its "
                                    "xn-- form"};
      }
      table->insert(http_detail::without_mapping(*name));
    }
    names_ = table;
  }

  /// Returns true if `host` or a parent domain is excluded. `host` has the form of `site::host`.
  /// The time does not depend on the number of entries. Allocates nothing.
  [[nodiscard]] bool contains(std::string_view host) const noexcept {
    if (empty()) {
      return false;
    }
    host = http_detail::without_mapping(host);
    const bool is_address = host.starts_with('[') || detail::parse_ip_address(host);
    while (!names_->contains(host)) {
      const std::size_t dot = is_address ? std::string_view::npos : host.find('.');
      if (dot == std::string_view::npos) {
        return false;
      }
      host.remove_prefix(dot + 1);
    }
    return true;
  }

  [[nodiscard]] bool empty() const noexcept { return names_ == nullptr; }

 private:
  std::shared_ptr<const base::text_set> names_{};  // null if empty
};

}  // namespace detail

}  // namespace robots
