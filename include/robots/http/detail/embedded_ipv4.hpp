#pragma once

#include <robots/http/ip_address.hpp>
#include <robots/http/ip_prefix.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace robots::http_detail {

/// The IPv4 addresses inside an IPv6 address.
struct embedded_ipv4 {
  std::optional<detail::ip_address> address{};  ///< the address that gets packets, if any
  std::optional<detail::ip_address> other{};  ///< the ISATAP host behind 6to4, or the Teredo server
  bool obsolete = false;  ///< true if routers do not forward to `address` any more
};

inline constexpr detail::ip_prefix ipv4_mapped = detail::parse_ip_prefix("::ffff:0:0/96").value();
inline constexpr detail::ip_prefix ipv4_compatible = detail::parse_ip_prefix("::/96").value();
inline constexpr detail::ip_prefix nat64 = detail::parse_ip_prefix("64:ff9b::/96").value();
inline constexpr detail::ip_prefix six_to_four = detail::parse_ip_prefix("2002::/16").value();
inline constexpr detail::ip_prefix teredo = detail::parse_ip_prefix("2001::/32").value();

/// Returns the four octets of `v6` from `offset` on, each XORed with `flipped`.
[[nodiscard]] constexpr detail::ip_address ipv4_at(const detail::ip_address& v6, std::size_t offset,
                                                   std::uint8_t flipped = 0) noexcept {
  std::array<std::uint8_t, 4> octets{};
  for (std::size_t i = 0; i < octets.size(); ++i) {
    octets[i] = static_cast<std::uint8_t>(v6.octets()[offset + i] ^ flipped);
  }
  return detail::ip_address(octets);
}

/// Returns the IPv4 address if `address` is IPv4-mapped, or `address` itself. Sockets treat a
/// mapped address like its IPv4 address (RFC 4291, section 2.5.5.2).
[[nodiscard]] constexpr detail::ip_address unmapped(const detail::ip_address& address) noexcept {
  constexpr std::size_t last = 12;
  return ipv4_mapped.contains(address) ? ipv4_at(address, last) : address;
}

/// Returns true if the interface identifier is an ISATAP identifier, which contains an IPv4 address
/// (RFC 5214, section 6.1). Such an address can have any prefix.
[[nodiscard]] constexpr bool is_isatap(const detail::ip_address& address) noexcept {
  constexpr std::size_t identifier = 8;
  const auto& octets = address.octets();
  constexpr std::uint8_t universal_or_group = 0x03;
  return (octets[identifier] & ~universal_or_group) == 0 && octets[identifier + 1] == 0 &&
         octets[identifier + 2] == 0x5E && octets[identifier + 3] == 0xFE;
}

/// Returns the IPv4 addresses inside an IPv6 address. Reads mapped and compatible addresses (RFC
/// 4291, section 2.5.5), NAT64 (RFC 6052, section 2.1), 6to4 (RFC 3056, section 2), Teredo (RFC
/// 4380, section 4) and ISATAP (RFC 5214).
[[nodiscard]] constexpr embedded_ipv4 find_embedded_ipv4(
    const detail::ip_address& address) noexcept {
  constexpr std::size_t last = 12;
  if (ipv4_mapped.contains(address) || nat64.contains(address)) {
    return {.address = ipv4_at(address, last)};
  }
  if (six_to_four.contains(address)) {
    embedded_ipv4 found{.address = ipv4_at(address, 2)};
    if (is_isatap(address)) {
      found.other = ipv4_at(address, last);
    }
    return found;
  }
  if (teredo.contains(address)) {
    return {.address = ipv4_at(address, last, 0xFF), .other = ipv4_at(address, 4)};
  }
  constexpr std::array<std::uint8_t, 16> loopback{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  if (ipv4_compatible.contains(address) &&
      address != detail::ip_address(std::array<std::uint8_t, 16>{}) &&
      address != detail::ip_address(loopback)) {
    return {.address = ipv4_at(address, last), .obsolete = true};
  }
  if (is_isatap(address)) {
    return {.address = ipv4_at(address, last)};
  }
  return {};
}

}  // namespace robots::http_detail
