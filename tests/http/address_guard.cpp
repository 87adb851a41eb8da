#include <robots/http/address_guard.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using robots::address_guard;

namespace {

bool permits(const address_guard& guard, std::string_view text) {
  return guard.permits(robots::detail::parse_ip_address(text).value());
}

address_guard allowing(const std::vector<std::string>& texts) { return address_guard(texts); }

std::string complaint(const std::string& text) {
  try {
    static_cast<void>(allowing({"127.0.0.1", text}));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("A guard reads addresses, and permits no other text unless it permits everything") {
  const address_guard guard;
  CHECK(guard.permits("1.1.1.1"));
  CHECK(guard.permits("[2606:4700:4700::1111]"));
  CHECK_FALSE(guard.permits("::1"));
  for (const char* text : {"", "example.com", "127.1", "1.1.1.1:80", "fe80::1%eth0"}) {
    CAPTURE(text);
    CHECK_FALSE(guard.permits(text));
    CHECK(address_guard::none().permits(text));
  }
}

TEST_CASE("A guard permits only public addresses of the internet") {
  const address_guard guard;
  CHECK_FALSE(guard.permits_all());
  for (const char* text : {"1.1.1.1", "8.8.8.8", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
                           "2606:4700:4700::1111", "2606:4700::200:5efe:8.8.8.8"}) {
    CAPTURE(text);
    CHECK(permits(guard, text));
    CHECK(permits(allowing({"10.0.0.0/8"}), text));
  }
  for (const char* text : {"0.0.0.0",
                           "127.0.0.1",
                           "127.255.255.254",
                           "10.0.0.1",
                           "172.31.0.1",
                           "192.168.1.1",
                           "100.64.0.1",
                           "169.254.169.254",
                           "224.0.0.1",
                           "255.255.255.255",
                           "240.0.0.1",
                           "192.0.2.1",
                           "::",
                           "::1",
                           "::ffff:127.0.0.1",
                           "::127.0.0.1",
                           "64:ff9b::127.0.0.1",
                           "64:ff9b:1::1",
                           "2002:7f00:1::1",
                           "2606:4700::5efe:7f00:1",
                           "2606:4700::5efe:10.0.0.1",
                           "2606:4700::200:5efe:169.254.169.254",
                           "fe80::200:5efe:8.8.8.8",
                           "2002:7f00:1::5efe:8.8.8.8",
                           "::ffff:0:127.0.0.1",
                           "fd00:ec2::254",
                           "fe80::1",
                           "fec0::1",
                           "ff02::1",
                           "2001:db8::1"}) {
    CAPTURE(text);
    CHECK_FALSE(permits(guard, text));
  }
}

TEST_CASE("A list permits only its addresses") {
  SUBCASE("one address") {
    const address_guard guard = allowing({"127.0.0.1"});
    CHECK(permits(guard, "127.0.0.1"));
    CHECK(permits(guard, "::ffff:127.0.0.1"));
    for (const char* text : {"127.0.0.2", "127.0.0.0", "0.0.0.0", "::1", "::127.0.0.1",
                             "::ffff:127.0.0.2", "64:ff9b::127.0.0.1", "2002:7f00:1::"}) {
      CAPTURE(text);
      CHECK_FALSE(permits(guard, text));
    }
  }
  SUBCASE("a prefix") {
    const address_guard guard = allowing({"10.0.0.0/8", "fd00::/8"});
    CHECK(permits(guard, "10.0.0.0"));
    CHECK(permits(guard, "10.255.255.255"));
    CHECK(permits(guard, "::ffff:10.1.2.3"));
    CHECK(permits(guard, "fd00:ec2::254"));
    CHECK_FALSE(permits(guard, "fc00::1"));
    CHECK_FALSE(permits(guard, "127.0.0.1"));
    CHECK_FALSE(permits(guard, "172.16.0.1"));
  }
  SUBCASE("an IPv6 address in brackets") {
    CHECK(permits(allowing({"[::1]"}), "::1"));
    CHECK_FALSE(permits(allowing({"[::1]"}), "127.0.0.1"));
  }
  SUBCASE("an IPv4 address, also if the list has its mapped form") {
    CHECK(permits(allowing({"::ffff:127.0.0.1"}), "127.0.0.1"));
    CHECK(permits(allowing({"::ffff:10.0.0.0/104"}), "10.1.2.3"));
    CHECK_FALSE(permits(allowing({"::ffff:10.0.0.0/104"}), "127.0.0.1"));
  }
  SUBCASE("all addresses of a family, but not mapped addresses of the other family") {
    CHECK(permits(allowing({"::/0"}), "fe80::1"));
    CHECK_FALSE(permits(allowing({"::/0"}), "127.0.0.1"));
    CHECK_FALSE(permits(allowing({"::/0"}), "::ffff:127.0.0.1"));
    CHECK(permits(allowing({"0.0.0.0/0"}), "::ffff:127.0.0.1"));
    CHECK_FALSE(permits(allowing({"0.0.0.0/0"}), "::1"));
  }
  SUBCASE("a translated network with its own prefix") {
    CHECK(permits(allowing({"64:ff9b:1::/48"}), "64:ff9b:1::8.8.8.8"));
    CHECK(permits(allowing({"64:ff9b::/96"}), "64:ff9b::10.0.0.1"));
  }
}

TEST_CASE("Without a guard every address is permitted") {
  const address_guard none = address_guard::none();
  CHECK(none.permits_all());
  for (const char* text : {"127.0.0.1", "::", "255.255.255.255", "8.8.8.8"}) {
    CHECK(permits(none, text));
  }
}

TEST_CASE("The error for a text that is not an address says what to write") {
  CHECK(complaint("localhost") ==
        "\"localhost\" is neither an IP address nor an address prefix; write \"127.0.0.1\", "
        "\"::1\", \"10.0.0.0/8\" or \"fd00::/8\"");
  CHECK(complaint("10.1.2.3/8") ==
        "\"10.1.2.3/8\" is not the first address of its prefix; write \"10.0.0.0/8\", or "
        "the address alone");
  CHECK(complaint("[fd00::1]/8").find("write \"fd00::/8\"") != std::string::npos);
  for (const char* text : {"", " ", "*", "127.0.0.1/33", "127.0.0.1:80", "127.1", "0x7f.0.0.1",
                           "127.0.0.0/8 ", "fe80::1%eth0", "http://127.0.0.1/", "127.0.0.1,::1"}) {
    CAPTURE(text);
    CHECK(complaint(text) != "none");
  }
}
