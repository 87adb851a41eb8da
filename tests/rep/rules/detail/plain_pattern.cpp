#include <robots/rep/rules/detail/plain_pattern.hpp>

#include <robots/rep/rules/detail/prefix_hash.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>

using namespace robots::rep_detail;

static_assert(has_double_star("**"));
static_assert(has_double_star("/a*b**c"));
static_assert(!has_double_star("/a*b*c*"));
static_assert(!has_double_star("*"));
static_assert(!has_double_star(""));

TEST_CASE("One pass over a plain pattern finds the first wildcard and the hash of the key") {
  for (std::size_t size = 0; size < 140; ++size) {
    for (std::size_t star = 0; star <= size; ++star) {
      std::string text(size, 'x');
      if (star < size) {
        text[star] = '*';
      }
      const auto plain = read_plain_pattern(text);
      REQUIRE(plain);
      CHECK(plain->star == star);
      CHECK(plain->key_size == std::min(star, max_key_size));
      CHECK(plain->hash == hash_of(text.substr(0, plain->key_size)));
    }
  }
}

TEST_CASE("A pattern with `**` or with an octet that a dialect changes is not plain") {
  for (std::size_t size = 2; size < 140; ++size) {
    for (std::size_t place = 0; place < size; ++place) {
      for (const char c : {'%', '$', ' ', '\x7F', '\xE4', '\0'}) {
        std::string text(size, 'x');
        text[place] = c;
        CHECK_FALSE(read_plain_pattern(text));
        text[place > 0 ? place - 1 : 1] = '*';
        CHECK_FALSE(read_plain_pattern(text));
        text[place] = '*';
        CHECK_FALSE(read_plain_pattern(text));
      }
    }
  }
}
