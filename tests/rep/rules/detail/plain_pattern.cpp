#include <robots/rep/rules/detail/plain_pattern.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>

using namespace robots::rep_detail;

TEST_CASE("a plain pattern is read in one look, wherever its first wildcard is") {
  for (std::size_t size = 0; size < 140; ++size) {
    for (std::size_t star = 0; star <= size; ++star) {
      std::string text(size, 'x');
      if (star < size) {
        text[star] = '*';
      }
      const auto found = read_plain_pattern(text);
      REQUIRE(found);
      CHECK(found->star == star);
      CHECK(found->key == std::min(star, max_key_size));
      CHECK(found->hash == hash_of(text.substr(0, found->key)));
    }
  }
}

TEST_CASE("a pattern that some dialect changes is not plain") {
  for (std::size_t size = 2; size < 140; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (const char c : {'%', '$', ' ', '\xE4', '\0', '*'}) {
        std::string text(size, 'x');
        text[at] = c;
        text[at > 0 ? at - 1 : 1] = '*';
        CHECK_FALSE(read_plain_pattern(text));
      }
    }
  }
}
