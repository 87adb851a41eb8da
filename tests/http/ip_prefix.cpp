#include <robots/http/ip_prefix.hpp>

#include <robots/http/ip_address.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using robots::detail::parse_ip_address;
using robots::detail::parse_ip_prefix;

namespace {

constexpr bool holds(std::string_view prefix, std::string_view address) {
  return parse_ip_prefix(prefix).value().contains(parse_ip_address(address).value());
}

static_assert(holds("10.0.0.0/8", "10.0.0.0"));
static_assert(holds("10.0.0.0/8", "10.255.255.255"));
static_assert(!holds("10.0.0.0/8", "9.255.255.255"));
static_assert(!holds("10.0.0.0/8", "11.0.0.0"));
static_assert(holds("100.64.0.0/10", "100.127.255.255"));
static_assert(!holds("100.64.0.0/10", "100.128.0.0"));
static_assert(!holds("100.64.0.0/10", "100.63.255.255"));
static_assert(holds("0.0.0.0/0", "255.255.255.255"));
static_assert(holds("192.0.2.1", "192.0.2.1"));
static_assert(!holds("192.0.2.1", "192.0.2.0"));
static_assert(holds("192.0.2.0/31", "192.0.2.1"));
static_assert(!holds("192.0.2.0/31", "192.0.2.2"));
static_assert(holds("fc00::/7", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"));
static_assert(!holds("fc00::/7", "fe00::"));
static_assert(holds("[::1]", "::1"));
static_assert(holds("::1/128", "::1"));
static_assert(!holds("::/0", "1.2.3.4"));
static_assert(!holds("0.0.0.0/0", "::"));
static_assert(!holds("1.2.3.4/32", "102:304::"));

static_assert(parse_ip_prefix("10.1.2.3/8")->first() == parse_ip_address("10.0.0.0"));
static_assert(parse_ip_prefix("10.1.2.3/15")->first() == parse_ip_address("10.0.0.0"));
static_assert(parse_ip_prefix("10.1.2.3/16")->first() == parse_ip_address("10.1.0.0"));
static_assert(parse_ip_prefix("10.1.2.3/31")->first() == parse_ip_address("10.1.2.2"));
static_assert(parse_ip_prefix("255.1.2.3/0")->first() == parse_ip_address("0.0.0.0"));
static_assert(parse_ip_prefix("ffff::1/9")->first() == parse_ip_address("ff80::"));
static_assert(parse_ip_prefix("10.1.2.3")->length() == 32);
static_assert(parse_ip_prefix("::1")->length() == 128);
static_assert(holds("10.0.0.0/8", "::ffff:10.1.2.3"));
static_assert(holds("::ffff:10.0.0.0/104", "10.1.2.3"));
static_assert(parse_ip_prefix("::ffff:10.0.0.0/104")->length() == 8);
static_assert(!parse_ip_prefix("10.0.0.0/104"));
static_assert(!holds("::/0", "::ffff:1.2.3.4"));
static_assert(!holds("::ffff:0:0/95", "1.2.3.4"));
static_assert(holds("::ffff:0:0/96", "1.2.3.4"));
static_assert(noexcept(parse_ip_prefix({})));

}  // namespace

TEST_CASE("A text without an address and a length in bits is not a prefix") {
  for (const std::string_view text : {"",
                                      "/",
                                      "/8",
                                      "10.0.0.0/",
                                      "10.0.0.0/33",
                                      "10.0.0.0/08",
                                      "10.0.0.0/ 8",
                                      "10.0.0.0/+8",
                                      "10.0.0.0/-1",
                                      "10.0.0.0/8/8",
                                      "10.0.0.0/255.0.0.0",
                                      "10/8",
                                      "10.0.0.0/99999999999999999999",
                                      "::/129",
                                      "::/1000",
                                      "[::]/x",
                                      "[::/0]",
                                      "::1%lo/128",
                                      "localhost",
                                      "*"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_ip_prefix(text));
  }
  CHECK_FALSE(parse_ip_prefix("10.0.0.0/" + std::string(1'000'000, '8')));
}
