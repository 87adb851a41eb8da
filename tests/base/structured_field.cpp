#include <robots/base/structured_field.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace {

using robots::base::field_keys;
using robots::base::field_type;
using robots::base::field_value;
using robots::base::read_dictionary_field;
using robots::base::read_list_field;
using namespace std::string_view_literals;

/// Keeps the Token of one key, as a reader of a Dictionary does.
struct token_reader {
  std::string_view wanted;
  std::string_view token{};

  constexpr void on_member(std::string_view key, const field_value& value) {
    if (key == wanted) {
      token = value.type == field_type::token ? value.text : ""sv;
    }
  }
  constexpr void on_parameter(std::string_view, const field_value&) {}
};

constexpr std::string_view dictionary_token(std::string_view text, std::string_view key) {
  token_reader reader{.wanted = key};
  return read_dictionary_field(text, reader) ? reader.token : ""sv;
}

constexpr bool valid(std::string_view text) {
  token_reader reader{.wanted = "a"};
  return read_dictionary_field(text, reader);
}

/// Writes what a handler gets as text: `(member;parameter=value)`.
struct writer {
  std::string text;

  void on_member(std::string_view key, const field_value& value) {
    text.append("(").append(key).append("=").append(value.text).append(" ");
    text += static_cast<char>('0' + static_cast<int>(value.type));
    text += ')';
  }
  void on_parameter(std::string_view key, const field_value& value) {
    text.append("[").append(key).append("=").append(value.text).append("]");
  }
};

std::string list(std::string_view text, field_keys keys = field_keys::lower_case) {
  writer handler;
  return read_list_field(text, handler, keys) ? handler.text : "fails";
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

TEST_CASE("A List has members without keys, each with its parameters") {
  CHECK(list("*;nosnippet, ExampleBot;noindex") == "(=* 1)[nosnippet=1](=ExampleBot 1)[noindex=1]");
  CHECK(list("a;b=?0;b") == "(=a 1)[b=0][b=1]");
  CHECK(list(R"("x\"y";k="v", ?1, -1.5, 7, @12, :YQ==:, %"%c3%bc")") ==
        R"((=x\"y 2)[k=v](=1 0)(=-1.5 4)(=7 3)(=@12 6)(=:YQ==: 5)(=%"%c3%bc" 7))");
  CHECK(list("(a b;c=1);d") == "(=(a b;c=1) 8)[d=1]");
  CHECK(list("").empty());
}

TEST_CASE("One wrong member spoils a whole List") {
  CHECK(list("*;noindex, 7Bot;nosnippet") == "fails");
  CHECK(list("a,") == "fails");
  CHECK(list("a b") == "fails");
  CHECK(list("a;B") == "fails");
}

TEST_CASE("Keys in upper case are read only if the caller asks for them") {
  CHECK(list("*;NoIndex", field_keys::any_case) == "(=* 1)[NoIndex=1]");
  CHECK(list("*;NoIndex") == "fails");
}

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
