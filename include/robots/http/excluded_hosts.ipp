#pragma once

#include <robots/base/config.hpp>
#include <robots/base/hash.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/ip_address.hpp>
#include <robots/http/origin.hpp>

#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <stdexcept>

namespace robots::http_detail {

/// Returns true if an entry is a prefix (`10.0.0.0/8`, `fd00::/8`) or an IPv6 address without
/// brackets. No host is written like this.
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

}  // namespace robots::http_detail

namespace robots::detail {

struct excluded_hosts::name_table {
  boost::unordered_flat_set<std::string, base::text_hash, std::equal_to<>> names{};
};

ROBOTS_INLINE excluded_hosts::excluded_hosts(std::span<const std::string> entries,
                                             std::string_view option) {
  if (entries.empty()) {
    return;
  }
  const auto table = std::make_shared<name_table>();
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
    table->names.emplace(http_detail::without_mapping(*name));
  }
  names_ = table;
}

ROBOTS_INLINE bool excluded_hosts::contains(std::string_view host) const noexcept {
  return !empty() && http_detail::lies_under(
                         http_detail::without_mapping(host),
                         [this](std::string_view name) { return names_->names.contains(name); });
}

}  // namespace robots::detail
