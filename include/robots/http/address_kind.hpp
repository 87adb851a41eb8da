#pragma once

#include <robots/http/ip_address.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots::http_detail {

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

/// Returns true if the interface identifier is an ISATAP identifier, which contains an IPv4 address
/// (RFC 5214, section 6.1). Such an address can have any prefix.
[[nodiscard]] constexpr bool is_isatap(const detail::ip_address& address) noexcept {
  constexpr std::size_t identifier = 8;
  const auto& octets = address.octets();
  constexpr std::uint8_t universal_or_group = 0x03;
  return (octets[identifier] & ~universal_or_group) == 0 && octets[identifier + 1] == 0 &&
         octets[identifier + 2] == 0x5E && octets[identifier + 3] == 0xFE;
}

/// Returns the IPv4 addresses inside an IPv6 address, at most two. Reads compatible addresses (RFC
/// 4291, section 2.5.5.1), NAT64 (RFC 6052, section 2.1), 6to4 (RFC 3056, section 2), Teredo (RFC
/// 4380, section 4) and ISATAP (RFC 5214).
[[nodiscard]] constexpr std::array<std::optional<detail::ip_address>, 2> embedded_ipv4(
    const detail::ip_address& address) noexcept {
  constexpr std::size_t last = 12;
  if (teredo.contains(address)) {
    return {ipv4_at(address, last, 0xFF), ipv4_at(address, 4)};  // the client and the server
  }
  std::array<std::optional<detail::ip_address>, 2> found{};
  if (six_to_four.contains(address)) {
    found[0] = ipv4_at(address, 2);
  }
  if (ipv4_compatible.contains(address) || nat64.contains(address) || is_isatap(address)) {
    found[1] = ipv4_at(address, last);
  }
  return found;
}

}  // namespace robots::http_detail

namespace robots::detail {

/// The kind of the addresses with a prefix, by the special-purpose registries of IANA (RFC 6890).
struct special_prefix {
  constexpr special_prefix(std::string_view text, std::string_view purpose)
      : prefix(parse_ip_prefix(text).value()), kind(purpose) {}

  ip_prefix prefix;
  std::string_view kind;
};

// The first prefix that contains an address decides. The registries call some addresses in
// 192.0.0.0/24 and 2001::/23 globally reachable, but no such address serves pages. So this table
// lists all of them as reserved. Only 2000::/3 is assigned for global use in IPv6 (RFC 4291,
// section 2.4).
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

/// Returns the kind of `address`:
///
/// | kind            | addresses                                                                |
/// |-----------------|--------------------------------------------------------------------------|
/// | `global`        | reachable from the internet                                              |
/// | `unspecified`   | `0.0.0.0`, `::`; with these, many systems connect to themselves          |
/// | `loopback`      | this machine                                                             |
/// | `private_use`   | private networks (RFC 1918, RFC 4193, RFC 3879, RFC 8215)                |
/// | `shared`        | customers behind a carrier's NAT (RFC 6598)                              |
/// | `link_local`    | the local link (RFC 3927, RFC 4291), such as metadata services of clouds |
/// | `multicast`     | groups of hosts (RFC 5771, RFC 4291)                                     |
/// | `documentation` | examples in documents (RFC 5737, RFC 3849, RFC 9637)                     |
/// | `benchmarking`  | test networks (RFC 2544, RFC 5180)                                       |
/// | `reserved`      | any other address that serves no pages                                   |
///
/// An IPv6 address that contains an IPv4 address has the kind of the IPv4 address. There are five
/// such forms: mapped (`::ffff:0:0/96`), NAT64 (`64:ff9b::/96`), 6to4 (`2002::/16`), Teredo
/// (`2001::/32`) and ISATAP (an interface identifier that begins with `0:5efe` or `200:5efe`). A
/// Teredo address is `global` only if its client and its server are both `global`. An ISATAP
/// address is `global` only if its prefix is `global`, too. The obsolete compatible form (`::/96`)
/// is never `global`. An address in `64:ff9b:1::/48` is never `global`, since only the operator of
/// that prefix knows which octets are the IPv4 address. Takes constant time.
[[nodiscard]] constexpr std::string_view kind_of(const ip_address& address) noexcept {
  const std::string_view outer = listed_kind(address);
  if (outer == "global" || outer == "reserved") {
    for (const std::optional<ip_address>& inside : http_detail::embedded_ipv4(address)) {
      if (inside && listed_kind(*inside) != "global") {
        return listed_kind(*inside);
      }
    }
  }
  return outer;
}

/// Returns true if `address` is reachable from the internet.
[[nodiscard]] constexpr bool is_global(const ip_address& address) noexcept {
  return kind_of(address) == "global";
}

}  // namespace robots::detail
