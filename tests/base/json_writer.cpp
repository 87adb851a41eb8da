#include <robots/base/json_writer.hpp>

#include <robots/base/printable.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <string_view>

using robots::base::append_json;
using robots::base::json_writer;
using namespace std::chrono_literals;
using namespace std::string_view_literals;

namespace {

std::string json(std::string_view text) {
  std::string line;
  append_json(line, text);
  return line;
}

}  // namespace

TEST_CASE("A JSON string is printable ASCII, whatever the text") {
  CHECK(json("") == R"("")");
  CHECK(json("/a*b$ ~") == R"("/a*b$ ~")");
  CHECK(json("say \"no\"") == R"("say \"no\"")");
  CHECK(json("\x1B[2J\r\n\x7F"sv) == R"("\u001B[2J\u000D\u000A\u007F")");
  CHECK(json("a\0b"sv) == R"("a\u0000b")");
  CHECK(json("\xC3\xA9 \xE2\x82\xAC \xE2\x80\xAE") == R"("\u00E9 \u20AC \u202E")");
  CHECK(json("\xF0\x9F\xA4\x96 \xF4\x8F\xBF\xBF") == R"("\uD83E\uDD16 \uDBFF\uDFFF")");
}

TEST_CASE("An octet outside UTF-8 and a backslash can be recovered from JSON text") {
  CHECK(json("\xFF") == R"("\\xFF")");
  CHECK(json("\\xFF") == R"("\\x5CxFF")");
  CHECK(json("\xE2\x82") == R"("\\xE2\\x82")");
  CHECK(json("\xED\xA0\x80") == R"("\\xED\\xA0\\x80")");  // half of a surrogate pair
  CHECK(json("\xC0\xAF") == R"("\\xC0\\xAF")");           // not the shortest form
}

TEST_CASE("An object is written member by member") {
  CHECK(json_writer{}.finish() == "{}");
  json_writer line;
  line.text("a\"", "b").number("n", -1).number("m", ~0ULL).flag("yes", true).flag("no", false);
  line.open_list("l").open().number("x", 1U).number("y", 2).close().open().close().close_list();
  line.open_list("none").close_list().open_list("t").item("a").item("b\"").close_list().null("z");
  CHECK(std::move(line).finish() ==
        R"({"a\"":"b","n":-1,"m":18446744073709551615,"yes":true,"no":false,)"
        R"("l":[{"x":1,"y":2},{}],"none":[],"t":["a","b\""],"z":null})");
}

TEST_CASE("Seconds are written exactly") {
  json_writer line;
  line.seconds("a", 0ns).seconds("b", 1500ms).seconds("c", 1ns).seconds("d", 3600s);
  line.seconds("e", 10ms).seconds("f", -1s);
  CHECK(std::move(line).finish() == R"({"a":0,"b":1.5,"c":0.000000001,"d":3600,"e":0.01,"f":0})");
}
