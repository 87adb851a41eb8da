#include <robots/base/ascii.hpp>

#include <doctest/doctest.h>

#include <string_view>

using robots::base::printable;

TEST_CASE("Controls, octets outside ASCII and backslashes are escaped, and nothing else") {
  CHECK(printable("") == "");
  CHECK(printable("/a*b$ ~") == "/a*b$ ~");
  CHECK(printable("\x1B[2J\n\r\t\x7F") == "\\x1B[2J\\x0A\\x0D\\x09\\x7F");
  CHECK(printable("\xC3\xA9") == "\\xC3\\xA9");
  CHECK(printable(std::string_view{"a\0b", 3}) == "a\\x00b");
}

TEST_CASE("An escape in the original text differs from an escape of the function") {
  CHECK(printable("\\x0A") == "\\x5Cx0A");
}
