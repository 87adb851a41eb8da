#include <robots/http/address_kind.hpp>

#include <robots/http/address_guard.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

using robots::detail::ip_address;
using robots::detail::kind_of;
using robots::detail::parse_ip_address;

namespace {

constexpr std::string_view global = "global";
constexpr std::string_view unspecified = "unspecified";
constexpr std::string_view loopback = "loopback";
constexpr std::string_view private_use = "private_use";
constexpr std::string_view shared = "shared";
constexpr std::string_view link_local = "link_local";
constexpr std::string_view multicast = "multicast";
constexpr std::string_view documentation = "documentation";
constexpr std::string_view benchmarking = "benchmarking";
constexpr std::string_view reserved = "reserved";

constexpr std::string_view kind(std::string_view text) {
  return kind_of(parse_ip_address(text).value());
}

/// The ends and the kind of a range, and the kinds of the addresses right before and after it.
struct range {
  std::string_view first;
  std::string_view last;
  std::string_view its;
  std::string_view before;
  std::string_view behind;
};

constexpr std::array ranges{
    range{"0.0.0.0", "0.0.0.0", unspecified, reserved, reserved},
    range{"0.0.0.1", "0.255.255.255", reserved, unspecified, global},
    range{"10.0.0.0", "10.255.255.255", private_use, global, global},
    range{"100.64.0.0", "100.127.255.255", shared, global, global},
    range{"127.0.0.0", "127.255.255.255", loopback, global, global},
    range{"168.63.129.16", "168.63.129.16", reserved, global, global},
    range{"169.254.0.0", "169.254.255.255", link_local, global, global},
    range{"172.16.0.0", "172.31.255.255", private_use, global, global},
    range{"192.0.0.0", "192.0.0.255", reserved, global, global},
    range{"192.0.2.0", "192.0.2.255", documentation, global, global},
    range{"192.88.99.0", "192.88.99.255", reserved, global, global},
    range{"192.168.0.0", "192.168.255.255", private_use, global, global},
    range{"198.18.0.0", "198.19.255.255", benchmarking, global, global},
    range{"198.51.100.0", "198.51.100.255", documentation, global, global},
    range{"203.0.113.0", "203.0.113.255", documentation, global, global},
    range{"224.0.0.0", "239.255.255.255", multicast, global, reserved},
    range{"240.0.0.0", "255.255.255.255", reserved, multicast, reserved},

    range{"::", "::", unspecified, multicast, loopback},
    range{"::1", "::1", loopback, unspecified, reserved},
    range{"64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", private_use, reserved, reserved},
    range{"100::", "100::ffff:ffff:ffff:ffff", reserved, reserved, reserved},
    range{"2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", benchmarking, reserved, reserved},
    range{"2001:1::", "2001:1:ffff:ffff:ffff:ffff:ffff:ffff", reserved, unspecified, benchmarking},
    range{"2001:3::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", reserved, reserved, global},
    range{"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", documentation, global, global},
    range{"3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", documentation, global, global},
    range{"4000::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", reserved, global, private_use},
    range{"fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", private_use, reserved, reserved},
    range{"fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", link_local, reserved, private_use},
    range{"fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", private_use, link_local, multicast},
    range{"ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", multicast, private_use, unspecified},
};

/// Returns the next or the previous address. The first address comes after the last.
constexpr ip_address beside(const ip_address& address, bool up) {
  std::array<std::uint8_t, 16> octets = address.octets();
  for (std::size_t i = octets.size(); i-- > 0;) {
    octets[i] = static_cast<std::uint8_t>(up ? octets[i] + 1 : octets[i] - 1);
    if (octets[i] != (up ? 0x00 : 0xFF)) {
      break;
    }
  }
  return ip_address(octets);
}

constexpr std::size_t first_wrong_range() {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const ip_address first = parse_ip_address(ranges[i].first).value();
    const ip_address last = parse_ip_address(ranges[i].last).value();
    if (kind_of(first) != ranges[i].its || kind_of(last) != ranges[i].its ||
        kind_of(beside(first, false)) != ranges[i].before ||
        kind_of(beside(last, true)) != ranges[i].behind) {
      return i;
    }
  }
  return ranges.size();
}

static_assert(first_wrong_range() == ranges.size());

// Addresses of the internet.
static_assert(kind("1.1.1.1") == global);
static_assert(kind("8.8.8.8") == global);
static_assert(kind("192.31.196.1") == global);  // AS112 (RFC 7535)
static_assert(kind("223.255.255.255") == global);
static_assert(kind("2606:4700:4700::1111") == global);
static_assert(kind("2620:4f:8000::1") == global);
static_assert(kind("2000::") == global);

// Addresses of cloud metadata services.
static_assert(kind("169.254.169.254") == link_local);
static_assert(kind("fd00:ec2::254") == private_use);
static_assert(kind("100.100.100.200") == shared);
static_assert(kind("192.0.0.192") == reserved);

// IPv4 addresses inside IPv6 addresses.
static_assert(kind("::ffff:127.0.0.1") == loopback);
static_assert(kind("::ffff:0.0.0.0") == unspecified);
static_assert(kind("::ffff:a9fe:a9fe") == link_local);
static_assert(kind("::ffff:8.8.8.8") == global);
static_assert(kind("::127.0.0.1") == loopback);
static_assert(kind("::10.0.0.1") == private_use);
static_assert(kind("::8.8.8.8") == reserved);
static_assert(kind("::ffff:0:127.0.0.1") == reserved);
static_assert(kind("::fffe:8.8.8.8") == reserved);
static_assert(kind("2606:4700::5efe:7f00:1") == loopback);
static_assert(kind("2606:4700::200:5efe:8.8.8.8") == global);
static_assert(kind("fe80::5efe:8.8.8.8") == link_local);
static_assert(kind("64:ff9b::127.0.0.1") == loopback);
static_assert(kind("64:ff9b::10.0.0.1") == private_use);
static_assert(kind("64:ff9b::8.8.8.8") == global);
static_assert(kind("64:ff9b::1:808:808") == reserved);
static_assert(kind("64:ff9b:1::8.8.8.8") == private_use);
static_assert(kind("2002:7f00:1::") == loopback);
static_assert(kind("2002:7fff:ffff::1") == loopback);
static_assert(kind("2002:a9fe:a9fe::1") == link_local);
static_assert(kind("2002:808:808::1") == global);
static_assert(kind("2002:808:808::5efe:7f00:1") == loopback);
static_assert(kind("2002:808:808::200:5efe:a00:1") == private_use);
static_assert(kind("2002:808:808::5efe:808:808") == global);
static_assert(kind("2002:e000::") == multicast);
static_assert(kind("2001:0:808:808::80ff:fffe") == loopback);     // client 127.0.0.1
static_assert(kind("2001:0:7f00:1::f7f7:f7f7") == loopback);      // server 127.0.0.1
static_assert(kind("2001:0:808:808::f7f7:f7f7") == global);       // both 8.8.8.8
static_assert(kind("2001:0:808:808:0:5efe:7f00:1") == loopback);  // ISATAP 127.0.0.1
static_assert(kind("2001:0:808:808:200:5efe:a9fe:a9fe") == link_local);
static_assert(kind("2001:0:808:808::5601:5601") == link_local);  // client 169.254.169.254
static_assert(noexcept(kind_of(ip_address(std::array<std::uint8_t, 16>{}))));

}  // namespace

TEST_CASE("Each special range begins and ends at the right address") {
  for (const range& one : ranges) {
    CAPTURE(one.first);
    const ip_address first = parse_ip_address(one.first).value();
    const ip_address last = parse_ip_address(one.last).value();
    CHECK(kind_of(first) == one.its);
    CHECK(kind_of(last) == one.its);
    CHECK(kind_of(beside(first, false)) == one.before);
    CHECK(kind_of(beside(last, true)) == one.behind);
  }
}
