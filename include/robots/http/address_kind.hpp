#pragma once

#include <robots/http/ip_address.hpp>
#include <robots/http/ip_prefix.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::detail {

/// A prefix, and the kind of its addresses in IANA's special-purpose registries (RFC 6890).
struct special_prefix {
  constexpr special_prefix(std::string_view text, std::string_view purpose)
      : prefix(parse_ip_prefix(text).value()), kind(purpose) {}

  ip_prefix prefix;
  std::string_view kind;
};

// The first prefix that contains an address gives the kind of the address. The registries call some
// addresses in 192.0.0.0/24 and 2001::/23 globally reachable. This table calls them reserved, since
// they serve no pages. In IPv6, only 2000::/3 is assigned for global use (RFC 4291, section 2.4).
inline constexpr std::array special_prefixes{
    special_prefix{"0.0.0.0/32", "unspecified"},
    special_prefix{"0.0.0.0/8", "reserved"},
    special_prefix{"10.0.0.0/8", "private_use"},
    special_prefix{"100.64.0.0/10", "shared"},
    special_prefix{"127.0.0.0/8", "loopback"},
    // Azure's own services for virtual machines have this public address.
    special_prefix{"168.63.129.16/32", "reserved"},
    special_prefix{"169.254.0.0/16", "link_local"},
    special_prefix{"172.16.0.0/12", "private_use"},
    special_prefix{"192.0.0.0/24", "reserved"},
    special_prefix{"192.0.2.0/24", "documentation"},
    special_prefix{"192.88.99.0/24", "reserved"},
    special_prefix{"192.168.0.0/16", "private_use"},
    special_prefix{"198.18.0.0/15", "benchmarking"},
    special_prefix{"198.51.100.0/24", "documentation"},
    special_prefix{"203.0.113.0/24", "documentation"},
    special_prefix{"224.0.0.0/4", "multicast"},
    special_prefix{"240.0.0.0/4", "reserved"},
    special_prefix{"0.0.0.0/0", "global"},
    special_prefix{"::/128", "unspecified"},
    special_prefix{"::1/128", "loopback"},
    special_prefix{"64:ff9b::/96", "global"},  // if the embedded address is global
    special_prefix{"64:ff9b:1::/48", "private_use"},
    special_prefix{"2001::/32", "global"},  // if both embedded addresses are global
    special_prefix{"2001:2::/48", "benchmarking"},
    special_prefix{"2001:db8::/32", "documentation"},
    special_prefix{"2001::/23", "reserved"},
    special_prefix{"3fff::/20", "documentation"},
    special_prefix{"2000::/3", "global"},
    special_prefix{"fc00::/7", "private_use"},
    special_prefix{"fe80::/10", "link_local"},
    special_prefix{"fec0::/10", "private_use"},
    special_prefix{"ff00::/8", "multicast"},
};

[[nodiscard]] constexpr std::string_view listed_kind(const ip_address& address) noexcept {
  for (const special_prefix& special : special_prefixes) {
    if (special.prefix.contains(address)) {
      return special.kind;
    }
  }
  return "reserved";
}

/// A position of an IPv4 address inside an IPv6 address.
struct embedded_ipv4 {
  [[nodiscard]] constexpr ip_address in(const ip_address& address) const noexcept {
    http_detail::ipv4_octets inside{};
    for (std::size_t i = 0; i < inside.size(); ++i) {
      inside[i] = static_cast<std::uint8_t>(address.octets()[offset + i] ^ flipped);
    }
    return ip_address(inside);
  }

  ip_prefix prefix{ip_address{http_detail::ipv6_octets{}}, 0};
  std::size_t offset = 0;
  unsigned flipped = 0;  // each octet here is the IPv4 octet XOR `flipped`
};

inline constexpr std::array embedded_ipv4_places{
    embedded_ipv4{*parse_ip_prefix("2001::/32"), 12, 0xFF},  // Teredo client (RFC 4380, section 4)
    embedded_ipv4{*parse_ip_prefix("2001::/32"), 4},         // Teredo server
    embedded_ipv4{*parse_ip_prefix("2002::/16"), 2},         // 6to4 (RFC 3056, section 2)
    embedded_ipv4{*parse_ip_prefix("::/96"), 12},  // IPv4-compatible (RFC 4291, section 2.5.5.1)
    embedded_ipv4{*parse_ip_prefix("64:ff9b::/96"), 12},  // NAT64 (RFC 6052, section 2.1)
    embedded_ipv4{*parse_ip_prefix("::/0"), 12},          // any ISATAP (RFC 5214, section 6.1)
};

/// Returns the kind of `address`. An address is `global` if it is reachable from the internet, and
/// `reserved` if it serves no pages. On many systems, an `unspecified` address reaches this
/// machine. Private networks have `private_use` addresses (RFC 1918, RFC 4193, RFC 3879, RFC 8215),
/// and a carrier's NAT has `shared` addresses (RFC 6598). A `link_local` address can be a metadata
/// service of a cloud (RFC 3927, RFC 4291). The other kinds are `loopback`, `multicast` (RFC 5771,
/// RFC 4291), `documentation` (RFC 5737, RFC 3849, RFC 9637) and `benchmarking` (RFC 2544, RFC
/// 5180).
///
/// An IPv6 address that contains an IPv4 address has the kind of the IPv4 address. The types are
/// mapped (`::ffff:0:0/96`), NAT64 (`64:ff9b::/96`), 6to4 (`2002::/16`), Teredo (`2001::/32`) and
/// ISATAP (an interface identifier that begins with `0:5efe` or `200:5efe`). A Teredo address is
/// `global` only if its client and its server are `global`. An ISATAP address has the kind of its
/// prefix if this kind is neither `global` nor `reserved`. Addresses in `::/96` (IPv4-compatible,
/// obsolete) are never `global`. Addresses in `64:ff9b:1::/48` are not, either: only their operator
/// knows the place of the IPv4 address.
[[nodiscard]] constexpr std::string_view kind_of(const ip_address& address) noexcept {
  const http_detail::ipv6_octets& octets = address.octets();
  const bool is_isatap =  // without regard to the universal bit and the group bit
      (octets[8] & 0xFCU) == 0 && octets[9] == 0 && octets[10] == 0x5E && octets[11] == 0xFE;
  const std::string_view outer = listed_kind(address);
  if (outer == "global" || outer == "reserved") {
    for (const embedded_ipv4& place : embedded_ipv4_places) {
      const bool has_ipv4 =
          place.prefix.contains(address) && (place.prefix.length() > 0 || is_isatap);
      if (has_ipv4 && listed_kind(place.in(address)) != "global") {
        return listed_kind(place.in(address));
      }
    }
  }
  return outer;
}

}  // namespace robots::detail
