#pragma once

#include <robots/base/enum_text.hpp>
#include <robots/http/ip_address.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

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

namespace robots::detail {

/// The purpose of an address, by the special-purpose registries of IANA (RFC 6890).
enum class address_kind {
  global,         ///< reachable from the internet
  unspecified,    ///< `0.0.0.0`, `::`; with these, many systems connect to themselves
  loopback,       ///< this machine
  private_use,    ///< private networks (RFC 1918, RFC 4193, RFC 3879, RFC 8215)
  shared,         ///< customers behind a carrier's NAT (RFC 6598)
  link_local,     ///< the local link (RFC 3927, RFC 4291), such as metadata services of clouds
  multicast,      ///< groups of hosts (RFC 5771, RFC 4291)
  documentation,  ///< examples in documents (RFC 5737, RFC 3849, RFC 9637)
  benchmarking,   ///< test networks (RFC 2544, RFC 5180)
  reserved,       ///< any other address that serves no pages
};

/// The name of a kind, which is the name of the enumerator.
[[nodiscard]] constexpr std::string_view to_string(address_kind kind) noexcept {
  return base::enum_text<address_kind::reserved>(
      kind, {"global", "unspecified", "loopback", "private_use", "shared", "link_local",
             "multicast", "documentation", "benchmarking", "reserved"});
}

struct special_prefix {
  constexpr special_prefix(std::string_view text, address_kind purpose)
      : prefix(parse_ip_prefix(text).value()), kind(purpose) {}

  ip_prefix prefix;
  address_kind kind;
};

// The first prefix that contains an address decides. The registries call some addresses in
// 192.0.0.0/24 and 2001::/23 globally reachable, but no such address serves pages. So these tables
// list all of them as reserved.
inline constexpr std::array special_ipv4{
    special_prefix{"0.0.0.0/32", address_kind::unspecified},
    special_prefix{"0.0.0.0/8", address_kind::reserved},
    special_prefix{"10.0.0.0/8", address_kind::private_use},
    special_prefix{"100.64.0.0/10", address_kind::shared},
    special_prefix{"127.0.0.0/8", address_kind::loopback},
    // Azure's own services for virtual machines have this public address.
    special_prefix{"168.63.129.16/32", address_kind::reserved},
    special_prefix{"169.254.0.0/16", address_kind::link_local},
    special_prefix{"172.16.0.0/12", address_kind::private_use},
    special_prefix{"192.0.0.0/24", address_kind::reserved},
    special_prefix{"192.0.2.0/24", address_kind::documentation},
    special_prefix{"192.88.99.0/24", address_kind::reserved},
    special_prefix{"192.168.0.0/16", address_kind::private_use},
    special_prefix{"198.18.0.0/15", address_kind::benchmarking},
    special_prefix{"198.51.100.0/24", address_kind::documentation},
    special_prefix{"203.0.113.0/24", address_kind::documentation},
    special_prefix{"224.0.0.0/4", address_kind::multicast},
    special_prefix{"240.0.0.0/4", address_kind::reserved},
    special_prefix{"0.0.0.0/0", address_kind::global},
};

// Only 2000::/3 is assigned for global use in IPv6 (RFC 4291, section 2.4).
inline constexpr std::array special_ipv6{
    special_prefix{"::/128", address_kind::unspecified},
    special_prefix{"::1/128", address_kind::loopback},
    special_prefix{"64:ff9b:1::/48", address_kind::private_use},
    special_prefix{"2001:2::/48", address_kind::benchmarking},
    special_prefix{"2001:db8::/32", address_kind::documentation},
    special_prefix{"2001::/23", address_kind::reserved},
    special_prefix{"3fff::/20", address_kind::documentation},
    special_prefix{"2000::/3", address_kind::global},
    special_prefix{"fc00::/7", address_kind::private_use},
    special_prefix{"fe80::/10", address_kind::link_local},
    special_prefix{"fec0::/10", address_kind::private_use},
    special_prefix{"ff00::/8", address_kind::multicast},
    special_prefix{"::/0", address_kind::reserved},
};

[[nodiscard]] constexpr address_kind kind_in(const auto& table,
                                             const ip_address& address) noexcept {
  for (const special_prefix& special : table) {
    if (special.prefix.contains(address)) {
      return special.kind;
    }
  }
  return address_kind::reserved;
}

/// Returns the purpose of `address`.
///
/// An IPv6 address that contains an IPv4 address has the kind of the IPv4 address. There are five
/// such forms: mapped (`0:0:0:0:0:ffff:0:0/96`), NAT64 (`64:ff9b::/96`), 6to4 (`2002::/16`), Teredo
/// (`2001::/32`) and ISATAP (an interface identifier that begins with `0:5efe` or `200:5efe`). A
/// Teredo address is `global` only if its client and its server are both `global`. An ISATAP
/// address is `global` only if its prefix is `global`, too. The obsolete compatible form (`::/96`)
/// is never `global`. An address in `64:ff9b:1::/48` is never `global`, since only the operator of
/// that prefix knows which octets are the IPv4 address. Takes constant time.
[[nodiscard]] constexpr address_kind kind_of(const ip_address& address) noexcept {
  if (address.is_v4()) {
    return kind_in(special_ipv4, address);
  }
  const http_detail::embedded_ipv4 inside = http_detail::find_embedded_ipv4(address);
  if (!inside.address) {
    return kind_in(special_ipv6, address);
  }
  if (const address_kind outer = kind_in(special_ipv6, address);
      outer != address_kind::global && http_detail::is_isatap(address)) {
    return outer;
  }
  address_kind kind = kind_in(special_ipv4, *inside.address);
  if (kind == address_kind::global && inside.other) {
    kind = kind_in(special_ipv4, *inside.other);
  }
  return kind == address_kind::global && inside.obsolete ? address_kind::reserved : kind;
}

}  // namespace robots::detail
