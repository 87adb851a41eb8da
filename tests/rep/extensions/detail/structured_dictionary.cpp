#include <robots/rep/extensions/usage_preferences.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace {

using robots::rep_detail::dictionary_reader;
using namespace std::string_view_literals;

constexpr std::string_view dictionary_token(std::string_view text, std::string_view key) {
  return dictionary_reader{text}.token_of(key).value_or("");
}

constexpr bool valid(std::string_view text) {
  return dictionary_reader{text}.token_of("a").has_value();
}

static_assert(valid(""));
static_assert(valid("a"));
static_assert(valid("a=b"));
static_assert(valid("  a=b , c \t,\td=1 "));
static_assert(valid("*a-b.c_1=x, a;p;q=1, b=?0;x=?1"));
static_assert(valid("a=1, b=-1.5, c=999999999999999, d=123456789012.123, e=@-7"));
static_assert(valid(R"(a="x \" \\ y", b=%"f%c3%bc", c=:YQ==:)"));
static_assert(valid(R"(a=%"%41", b=%"")"));
static_assert(valid(R"(a=(), b=( 1  "x" tok;p=1 ), c=(1);q)"));
static_assert(valid("a=x/y:z*!"));

static_assert(!valid("a,"));
static_assert(!valid(",a"));
static_assert(!valid("a b"));
static_assert(!valid("a;b c"));
static_assert(!valid("A=b"));
static_assert(!valid("a=B, C=d"));
static_assert(!valid("a="));
static_assert(!valid("a =b"));
static_assert(!valid("a= b"));
static_assert(!valid("1=a"));
static_assert(!valid("\ta"));
static_assert(!valid("a=1., b"));
static_assert(!valid("a=1.1234"));
static_assert(!valid("a=1234567890123.1"));
static_assert(!valid("a=1234567890123456"));
static_assert(!valid("a=--1"));
static_assert(!valid("a=-"));
static_assert(!valid("a=@1.5"));
static_assert(!valid(R"(a="x)"));
static_assert(!valid(R"(a="\x")"));
static_assert(!valid(R"(a="\)"));
static_assert(!valid("a=\"\x7F\""));
static_assert(!valid("a=\"\0\""sv));
static_assert(!valid(R"(a=%"%C3")"));
static_assert(!valid(R"(a=%"%c)"));
static_assert(!valid(R"(a=%x)"));
static_assert(!valid("a=:YQ"));
static_assert(!valid("a=:Y Q:"));
static_assert(!valid("a=?2"));
static_assert(!valid("a=("));
static_assert(!valid("a=(1"));
static_assert(!valid("a=(1\t2)"));
static_assert(!valid("a=(1,2)"));
static_assert(!valid("a=((1))"));
static_assert(!valid("a;=1"));
static_assert(!valid("a;b="));
static_assert(!valid("a\0"sv));

static_assert(dictionary_token("a=y, b=n", "b") == "n");
static_assert(dictionary_token("a=y;b=n", "b").empty());
static_assert(dictionary_token("a=y, a=n", "a") == "n");
static_assert(dictionary_token("a=y, a", "a").empty());
static_assert(dictionary_token("a=\"y\"", "a").empty());
static_assert(dictionary_token("a=(y)", "a").empty());
static_assert(dictionary_token("a=y, b=", "a").empty());

static_assert(dictionary_token("a=y, b, c=1;p, d=n", "a") == "y");
static_assert(dictionary_token("a=y, b, c=1;p, d=n", "b").empty());
static_assert(dictionary_token("a=y, b, c=1;p, d=n", "c").empty());
static_assert(dictionary_token("a=y, b, c=1;p, d=n", "d") == "n");

TEST_CASE("Any octets are read or refused") {
  const std::string_view whole = R"(a=("x" 1.5);q=%"%c3%bc", b=:YQ==:, c=@1, d=?1, e=y)";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    for (int octet = -1; octet < 256; ++octet) {
      std::string text{whole.substr(0, size)};
      if (octet >= 0) {
        text += static_cast<char>(octet);
      }
      static_cast<void>(valid(text));
    }
  }
  CHECK(valid(whole));
}

}  // namespace
