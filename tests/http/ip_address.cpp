#include <robots/http/ip_address.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

using robots::detail::ends_in_number;
using robots::detail::ip_address;
using robots::detail::parse_ip_address;

namespace {

constexpr ip_address v4(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d) {
  return ip_address(std::array{a, b, c, d});
}

std::string written(std::string_view text) {
  const auto address = parse_ip_address(text);
  return address ? to_string(*address) : "none";
}

static_assert(parse_ip_address("192.0.2.1") == v4(192, 0, 2, 1));
static_assert(parse_ip_address("0.0.0.0") == v4(0, 0, 0, 0));
static_assert(parse_ip_address("255.255.255.255") == v4(255, 255, 255, 255));
static_assert(parse_ip_address("::ffff:192.0.2.1") == v4(192, 0, 2, 1));
static_assert(parse_ip_address("::192.0.2.1") != v4(192, 0, 2, 1));
static_assert(parse_ip_address("1.2.3.4")->is_v4());
static_assert(parse_ip_address("::ffff:102:304")->is_v4());
static_assert(!parse_ip_address("::1.2.3.4")->is_v4());
static_assert(noexcept(parse_ip_address({})));
static_assert(ends_in_number("127.1") && ends_in_number("a.0x7f") && !ends_in_number("1.a"));

}  // namespace

TEST_CASE("An address is written in the form of RFC 5952, and parsing it gives the same address") {
  for (const auto& [text, expected] : std::initializer_list<std::array<std::string_view, 2>>{
           {"::", "::"},
           {"::1", "::1"},
           {"1::", "1::"},
           {"0:0:0:0:0:0:0:0", "::"},
           {"2001:0db8:0:0:0:0:0:0001", "2001:db8::1"},
           {"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
           {"2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
           {"2001:0:0:1:0:0:0:1", "2001:0:0:1::1"},
           {"2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},
           {"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
           {"::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"},
           {"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"},
           {"::1.2.3.4", "::102:304"},
           {"::ffff:1.2.3.4", "1.2.3.4"},
           {"::FFFF:0102:0304", "1.2.3.4"},
           {"64:ff9b::127.0.0.1", "64:ff9b::7f00:1"},
           {"ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
            "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
           {"[2001:DB8::1]", "2001:db8::1"},
           {"1.2.3.4", "1.2.3.4"},
           {"192.0.2.255", "192.0.2.255"},
           {"10.20.30.100", "10.20.30.100"}}) {
    CAPTURE(text);
    CHECK(written(text) == expected);
    CHECK(parse_ip_address(expected) == parse_ip_address(text));
  }
}

TEST_CASE("Only an IPv6 address can have brackets, and only one pair") {
  CHECK(parse_ip_address("[::1]") == parse_ip_address("::1"));
  for (const std::string_view text :
       {"[127.0.0.1]", "[", "]", "[]", "[::1", "::1]", "[[::1]]", "[::1]]", "[::1]:80"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_ip_address(text));
  }
}

TEST_CASE("A spelling that programs read differently is refused") {
  using namespace std::string_view_literals;
  for (const std::string_view text : {""sv,
                                      "."sv,
                                      "1"sv,
                                      "2130706433"sv,
                                      "127.1"sv,
                                      "127.0.1"sv,
                                      "0x7f.0.0.1"sv,
                                      "0x7f000001"sv,
                                      "0177.0.0.1"sv,
                                      "127.0.0.01"sv,
                                      "00.0.0.0"sv,
                                      "127.0.0.1."sv,
                                      ".127.0.0.1"sv,
                                      "127..0.1"sv,
                                      "127.0.0.1.1"sv,
                                      "127.0.0.256"sv,
                                      "127.0.0.1000"sv,
                                      "1.2.3.-4"sv,
                                      "+1.2.3.4"sv,
                                      " 127.0.0.1"sv,
                                      "127.0.0.1 "sv,
                                      "127.0.0.1\0"sv,
                                      "127.0.0.1:80"sv,
                                      "127.0.0.1/32"sv,
                                      "127.0.0.1%eth0"sv,
                                      "1%2e2.3.4"sv,
                                      "\xEF\xBC\x91.2.3.4"sv,
                                      "localhost"sv,
                                      ":"sv,
                                      ":::"sv,
                                      ":1"sv,
                                      "1:"sv,
                                      "::1:"sv,
                                      ":1::"sv,
                                      "1::2::3"sv,
                                      "::1::"sv,
                                      "1:2:3:4:5:6:7"sv,
                                      "1:2:3:4:5:6:7:8:"sv,
                                      "1:2:3:4:5:6:7:8:9"sv,
                                      "1:2:3:4:5:6:7:8::"sv,
                                      "::1:2:3:4:5:6:7:8"sv,
                                      "1:2:3:4::5:6:7:8"sv,
                                      "00001::"sv,
                                      "12345::"sv,
                                      "g::"sv,
                                      "::1%25eth0"sv,
                                      "fe80::1%eth0"sv,
                                      "fe80::1%1"sv,
                                      "::1/128"sv,
                                      "::1 "sv,
                                      "::1\0"sv,
                                      "::127.1"sv,
                                      "::0127.0.0.1"sv,
                                      "::1.2.3.4:5"sv,
                                      "1.2.3.4::"sv,
                                      "1:2:3:4:5:6:7:1.2.3.4"sv,
                                      "1:2:3:4:5:6:7:8:1.2.3.4"sv,
                                      "1:2:3:4:5:1.2.3.4"sv,
                                      "::ffff:1.2.3.4.5"sv,
                                      "v1.fe80::a"sv}) {
    CAPTURE(text);
    CHECK_FALSE(parse_ip_address(text));
  }
}

TEST_CASE("A text that is no address is refused, however long it is") {
  CHECK_FALSE(parse_ip_address(std::string(1'000'000, '0')));
  CHECK_FALSE(parse_ip_address(std::string(1'000'000, ':')));
  CHECK_FALSE(parse_ip_address("[" + std::string(1'000'000, 'f') + "]"));
}
