#pragma once

#include <robots/base/text_set.hpp>
#include <robots/http/host.hpp>
#include <robots/http/ip_address.hpp>
#include <robots/http/ip_prefix.hpp>
#include <robots/http/should_skip_by_tld.hpp>
#include <robots/http/site.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace robots {

namespace http_detail {

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
