#pragma once

#include <robots/http/address_kind.hpp>
#include <robots/http/detail/embedded_ipv4.hpp>
#include <robots/http/ip_address.hpp>
#include <robots/http/ip_prefix.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// Which addresses a fetcher may connect to, so that nobody can have a crawler ask for them what he
/// cannot ask for himself (server-side request forgery): those of `address_kind::global`, and those
/// on a list.
///
/// It knows numbers, not networks: global addresses that are this machine's own, or that a NAT64
/// with a prefix of its operator's translates, are global all the same.
///
/// To be asked about the address that a connection is about to be opened to, after the name was
/// resolved, each time: what a name meant a moment ago tells nothing.
class address_guard {
 public:
  /// Permits global addresses only.
  address_guard() = default;

  /// Permits also what is on the list: addresses (`127.0.0.1`, `::1`) and prefixes (`10.0.0.0/8`,
  /// `fd00::/8`). One of IPv4 permits its mapped form, too (`0:0:0:0:0:ffff:127.0.0.1`); IPv6
  /// prefixes that hold all mapped addresses, such as `::/0`, permit none of them.
  ///
  /// Throws `std::invalid_argument` for any other text, and for a prefix that is not the first of
  /// its addresses, such as `10.1.2.3/8`.
  explicit address_guard(std::span<const std::string> allowed) {
    allowed_.reserve(allowed.size());
    for (const std::string& text : allowed) {
      allowed_.push_back(checked(text));
    }
  }

  /// Permits every address.
  [[nodiscard]] static address_guard none() noexcept {
    address_guard open;
    open.open_ = true;
    return open;
  }

  /// Whether every address is permitted.
  [[nodiscard]] bool permits_all() const noexcept { return open_; }

  /// Linear in the list. Any thread.
  [[nodiscard]] bool permits(const ip_address& address) const noexcept {
    if (open_ || kind_of(address) == address_kind::global) {
      return true;
    }
    const ip_address unmapped = http_detail::unmapped(address);
    return std::any_of(allowed_.begin(), allowed_.end(),
                       [&unmapped](const ip_prefix& prefix) { return prefix.contains(unmapped); });
  }

 private:
  [[nodiscard]] static ip_prefix checked(const std::string& text) {
    const std::optional<ip_prefix> prefix = parse_ip_prefix(text);
    if (!prefix) {
      throw std::invalid_argument("\"" + text +
                                  "\" is neither an IP address nor a prefix of them; write "
                                  "\"127.0.0.1\", \"::1\", \"10.0.0.0/8\" or \"fd00::/8\"");
    }
    const ip_address& first = prefix->first();
    if (parse_ip_address(std::string_view(text).substr(0, text.find('/'))) != first) {
      throw std::invalid_argument(
          "\"" + text + "\" is not the first address of its prefix; write \"" + to_string(first) +
          '/' + std::to_string(prefix->length()) + "\", or the address alone");
    }
    constexpr std::size_t mapped_length = 96;
    return http_detail::ipv4_mapped.contains(first) && prefix->length() >= mapped_length
               ? ip_prefix(http_detail::unmapped(first), prefix->length() - mapped_length)
               : *prefix;
  }

  std::vector<ip_prefix> allowed_;
  bool open_ = false;
};

}  // namespace robots
