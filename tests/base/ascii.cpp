#include <robots/base/ascii.hpp>

#include <robots/base/printable.hpp>
#include <robots/base/scheme.hpp>

#include <doctest/doctest.h>

#include <string_view>

using robots::base::printable;
using robots::base::scheme_length;
using robots::base::scheme_prefix;

static_assert(scheme_length("h") == 1 && scheme_length("HTTP") == 4 && scheme_length("a1+-.") == 5);
static_assert(scheme_length("") == 0 && scheme_length("1a") == 0 && scheme_length("+a") == 0);
static_assert(scheme_length("a b") == 1);

static_assert(scheme_prefix("https://example.com/a") == 8);
static_assert(scheme_prefix("x://") == 4);
static_assert(scheme_prefix("http:///") == 7);
static_assert(scheme_prefix("") == 0 && scheme_prefix("/") == 0 && scheme_prefix("://") == 0);
static_assert(scheme_prefix("http:/a") == 0 && scheme_prefix("localhost:80") == 0);
static_assert(scheme_prefix("1a://b") == 0 && scheme_prefix("a_b://c") == 0);
static_assert(scheme_prefix("example.com/x://y") == 0 && scheme_prefix("h?x://y") == 0);
static_assert(noexcept(scheme_prefix({})));

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
