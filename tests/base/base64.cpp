#include <robots/base/base64.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <string_view>

using robots::base::base64;
using robots::base::base64url;
using robots::base::from_base64url;
using namespace std::string_view_literals;

TEST_CASE("Base64 has the test vectors of RFC 4648, section 10") {
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foob") == "Zm9vYg==");
  CHECK(base64("fooba") == "Zm9vYmE=");
  CHECK(base64("foobar") == "Zm9vYmFy");
}

TEST_CASE("Base64 for URLs has its own last two digits and no padding") {
  CHECK(base64("\xFB\xFF\xFE"sv) == "+//+");
  CHECK(base64url("\xFB\xFF\xFE"sv) == "-__-");
  CHECK(base64url("\x00\x00"sv) == "AAA");
}

TEST_CASE("Base64 for URLs is read back for all octets and lengths") {
  std::string octets;
  for (int i = 0; i < 600; ++i) {
    CHECK(from_base64url(base64url(octets)) == octets);
    octets += static_cast<char>(i * 7);
  }
}

TEST_CASE("A text that is no Base64 for URLs is refused") {
  for (const std::string_view text :
       {"Zg==", "Zm9v\n", "+//+", "A", "AAAAA", " Zm9v", "Zh", "Zm9", "\xFF"}) {
    INFO(text);
    CHECK(from_base64url(text) == std::nullopt);
  }
}
