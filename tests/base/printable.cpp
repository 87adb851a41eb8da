#include <robots/base/printable.hpp>

#include <doctest/doctest.h>

#include <string_view>

using robots::base::printable;

TEST_CASE("What could be taken for more than text is spelled out, and nothing else") {
  CHECK(printable("") == "");
  CHECK(printable("/a*b$ ~") == "/a*b$ ~");
  CHECK(printable("\x1B[2J\n\r\t\x7F") == "\\x1B[2J\\x0A\\x0D\\x09\\x7F");
  CHECK(printable("\xC3\xA9") == "\\xC3\\xA9");
  CHECK(printable(std::string_view{"a\0b", 3}) == "a\\x00b");
}

TEST_CASE("An escape that stands in the text itself can be told from one that was made") {
  CHECK(printable("\\x0A") == "\\x5Cx0A");
}
