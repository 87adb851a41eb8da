#pragma once

#include <robots/http/ip_address.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// Decides to which addresses a fetcher may connect, so that a site cannot send the crawler to
/// addresses inside your network (server-side request forgery). Permits addresses of the internet,
/// and addresses on a list.
///
/// The guard compares numbers and does not know your network. So it permits the global addresses of
/// this machine, and all addresses of a NAT64 under its operator's own global prefix.
///
/// Check the address of each connection after the name is resolved, since a name can resolve to
/// another address later.
class address_guard {
 public:
  /// Permits only global addresses.
  address_guard() = default;

  /// Also permits the entries of `allowed`, which are addresses (`127.0.0.1`, `::1`) and prefixes
  /// (`10.0.0.0/8`, `fd00::/8`). An IPv4 entry also permits its IPv4-mapped IPv6 form
  /// (`0:0:0:0:0:ffff:127.0.0.1`). An IPv6 prefix of fewer than 96 bits, such as `::/0`, permits no
  /// mapped address.
  ///
  /// Throws `std::invalid_argument` for any other text, and for a prefix whose address has bits
  /// after the prefix length, such as `10.1.2.3/8`.
  explicit address_guard(std::span<const std::string> allowed);

  /// Permits every address.
  [[nodiscard]] static address_guard none() noexcept {
    address_guard open;
    open.open_ = true;
    return open;
  }

  /// Returns true if every address is permitted.
  [[nodiscard]] bool permits_all() const noexcept { return open_; }

  /// Returns true if an address such as `192.0.2.1` or `2001:db8::1`, with or without brackets, is
  /// permitted. Returns false for any other text, unless every address is permitted. Takes time
  /// linear in the list. Any thread may call this function.
  [[nodiscard]] bool permits(std::string_view address) const noexcept {
    const std::optional<detail::ip_address> parsed = detail::parse_ip_address(address);
    return parsed ? permits(*parsed) : open_;
  }

  /// Like the function above, for a parsed address.
  [[nodiscard]] bool permits(const detail::ip_address& address) const noexcept;

 private:
  [[nodiscard]] static detail::ip_prefix checked(const std::string& text);

  std::vector<detail::ip_prefix> allowed_;
  bool open_ = false;
};

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/http/address_guard.ipp>
#endif
