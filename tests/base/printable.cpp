#include <robots/base/printable.hpp>

#include <doctest/doctest.h>

#include <string_view>

using robots::base::printable;

TEST_CASE("Control characters and other octets with an effect are escaped, and nothing else is") {
  CHECK(printable("") == "");
  CHECK(printable("/a*b$ ~") == "/a*b$ ~");
  CHECK(printable("\x1B[2J\n\r\t\x7F") == "\\x1B[2J\\x0A\\x0D\\x09\\x7F");
  CHECK(printable("\xC3\xA9") == "\\xC3\\xA9");
  CHECK(printable(std::string_view{"a\0b", 3}) == "a\\x00b");
}

TEST_CASE("An escape in the original text differs from one that the function made") {
  CHECK(printable("\\x0A") == "\\x5Cx0A");
}
