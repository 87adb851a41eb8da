#include <robots/base/structured_field_writer.hpp>

#include <robots/base/structured_field.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace std::string_view_literals;

TEST_CASE("A String is written with its two escapes") {
  std::string field = "a=";
  robots::base::append_field_string(field, "say \"yes\" \\ no");
  CHECK(field == "a=\"say \\\"yes\\\" \\\\ no\"");
}

TEST_CASE("A Byte Sequence is written between colons") {
  std::string field;
  robots::base::append_field_bytes(field, "\x01\xFF"sv);
  CHECK(field == ":Af8=:");
}

TEST_CASE("The length of a key is that of its first part that RFC 9651 permits") {
  static_assert(robots::base::field_key_length("sig1") == 4);
  static_assert(robots::base::field_key_length("*a_b-c.d*=1") == 9);
  static_assert(robots::base::field_key_length("sIg") == 1);
  static_assert(robots::base::field_key_length("1sig") == 0);
  static_assert(robots::base::field_key_length("-sig") == 0);
  static_assert(robots::base::field_key_length("") == 0);
  static_assert(robots::base::field_key_length("SiG", robots::base::field_keys::any_case) == 3);
}
