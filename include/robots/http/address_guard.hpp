#pragma once

#include <robots/http/ip_address.hpp>
#include <robots/http/ip_prefix.hpp>

#include <span>
#include <string>
#include <vector>

namespace robots {

/// The addresses that a fetcher may connect to, so that a site cannot make a crawler fetch what it
/// cannot ask for himself (server-side request forgery): those of `address_kind::global`, and those
/// on a list.
///
/// It knows numbers, not networks: global addresses that are this machine's own, or that a NAT64
/// with a prefix of its operator's translates, are global all the same.
///
/// To be asked about the address that a connection is about to be opened to, after the name was
/// resolved, each time: an earlier result for the name does not count.
class address_guard {
 public:
  /// Permits global addresses only.
  address_guard() = default;

  /// Also permits the entries of the list: addresses (`127.0.0.1`, `::1`) and prefixes
  /// (`10.0.0.0/8`, `fd00::/8`). One of IPv4 permits its mapped form, too
  /// (`0:0:0:0:0:ffff:127.0.0.1`); IPv6 prefixes that hold all mapped addresses, such as `::/0`,
  /// permit none of them.
  ///
  /// Throws `std::invalid_argument` for any other text, and for a prefix that is not the first of
  /// its addresses, such as `10.1.2.3/8`.
  explicit address_guard(std::span<const std::string> allowed);

  /// Permits every address.
  [[nodiscard]] static address_guard none() noexcept {
    address_guard open;
    open.open_ = true;
    return open;
  }

  /// Returns true if every address is permitted.
  [[nodiscard]] bool permits_all() const noexcept { return open_; }

  /// Linear in the list. Any thread.
  [[nodiscard]] bool permits(const ip_address& address) const noexcept;

 private:
  [[nodiscard]] static ip_prefix checked(const std::string& text);

  std::vector<ip_prefix> allowed_;
  bool open_ = false;
};

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/http/address_guard.ipp>
#endif
