#include <robots/base/json_reader.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <string_view>

namespace {

using robots::base::json_type;
using robots::base::json_value;
using robots::base::read_json;

bool is_json(std::string_view text) { return read_json(text).has_value(); }

TEST_CASE("Each kind of JSON value is read") {
  const auto value = read_json(
      " { \"null\" : null, \"yes\":true, \"no\":false, \"n\": -1.5e+3, \"s\":\"x\", \"a\":[1,[ ]],"
      "\"o\":{} } \r\n");
  REQUIRE(value.has_value());
  CHECK(value->type == json_type::object);
  CHECK(value->find("null")->type == json_type::null);
  CHECK(value->find("yes")->text == "true");
  CHECK(value->find("no")->text == "false");
  CHECK(value->find("n")->text == "-1.5e+3");
  CHECK(value->find("s")->text == "x");
  CHECK(value->find("a")->items.size() == 2);
  CHECK(value->find("a")->items[1].type == json_type::array);
  CHECK(value->find("o")->items.empty());
  CHECK(value->find("missing") == nullptr);
}

TEST_CASE("Escapes become characters") {
  const auto value = read_json(R"("\"\\\/\b\f\n\r\tA\u00fc\u20AC\ud83d\ude00")");
  REQUIRE(value.has_value());
  CHECK(value->text == "\"\\/\b\f\n\r\tA\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80");
}

TEST_CASE("Of a repeated name, the last value is found") {
  const auto value = read_json(R"({"a":1,"a":2})");
  REQUIRE(value.has_value());
  CHECK(value->find("a")->text == "2");
  CHECK(value->items.size() == 2);
}

TEST_CASE("A text that RFC 8259 does not allow is refused as a whole") {
  for (const char* text : {"",
                           " ",
                           "{",
                           "}",
                           "[1,]",
                           "{\"a\":1,}",
                           "[1 2]",
                           "{\"a\" 1}",
                           "{a:1}",
                           "{1:1}",
                           "'a'",
                           "01",
                           "-",
                           "1.",
                           ".5",
                           "1e",
                           "+1",
                           "nul",
                           "True",
                           "NaN",
                           "\"",
                           "\"\\\"",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\u12G4\"",
                           "\"\\ud800\"",
                           "\"\\ud800\\u0041\"",
                           "\"\\udc00\"",
                           "\"\n\"",
                           "\"\x01\"",
                           "[1]x",
                           "[1] [2]",
                           "// c\n1",
                           "\xEF\xBB\xBF"
                           "1",
                           "\"\xFF\"",
                           "\"\xC3\"",
                           "\"\xED\xA0\x80\""}) {
    INFO(text);
    CHECK_FALSE(is_json(text));
  }
  CHECK_FALSE(is_json(std::string_view{"1\0", 2}));
}

TEST_CASE("Numbers are read as RFC 8259 writes them") {
  for (const char* text : {"0", "-0", "10", "0.5", "1E2", "1e-2", "12345678901234567890123"}) {
    INFO(text);
    CHECK(read_json(text)->text == text);
  }
}

TEST_CASE("Nesting has a limit, so that a hostile text cannot exhaust the stack") {
  CHECK(is_json(std::string(32, '[') + std::string(32, ']')));
  CHECK_FALSE(is_json(std::string(33, '[') + std::string(33, ']')));
  CHECK(read_json("[[1]]", {.most_nested = 2}).has_value());
  CHECK_FALSE(read_json("[[1]]", {.most_nested = 1}).has_value());
  CHECK(read_json("[[1],[2],[3]]", {.most_nested = 2}).has_value());
  CHECK_FALSE(is_json(std::string(1'000'000, '[')));
}

TEST_CASE("The number of values has a limit, so that a hostile text cannot exhaust the memory") {
  CHECK(read_json("[1,2]", {.most_values = 3}).has_value());
  CHECK_FALSE(read_json("[1,2]", {.most_values = 2}).has_value());
  CHECK(read_json(R"({"a":[{}],"b":null})", {.most_values = 4}).has_value());
  CHECK_FALSE(read_json(R"({"a":[{}],"b":null})", {.most_values = 3}).has_value());
  CHECK_FALSE(read_json("1", {.most_values = 0}).has_value());
}

TEST_CASE("A reader of texts without blanks refuses blanks outside of strings") {
  CHECK(read_json(R"({"a b":[1,{"c":" \n"}]})", {.permits_blanks = false}).has_value());
  for (const char* text : {" 1", "1 ", "1\n", "[1, 2]", "[ ]", "{ }", R"({"a": 1})", R"({"a" :1})",
                           R"({"a":1 })", "[1\t]"}) {
    INFO(text);
    CHECK(is_json(text));
    CHECK_FALSE(read_json(text, {.permits_blanks = false}).has_value());
  }
}

}  // namespace
