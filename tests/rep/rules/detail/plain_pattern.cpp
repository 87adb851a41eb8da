#include <robots/rep/rules/detail/plain_pattern.hpp>

#include <robots/rep/rules/detail/prefix_hash.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

using namespace robots::rep_detail;

TEST_CASE("A plain pattern has the hash of its octets") {
  for (std::size_t size = 0; size <= max_key_size; ++size) {
    const std::string text(size, 'x');
    CHECK(hash_of_plain(text) == hash_of(text));
  }
}

TEST_CASE("A pattern longer than a key is not plain") {
  CHECK_FALSE(hash_of_plain(std::string(max_key_size + 1, 'x')));
}

TEST_CASE("A pattern with an octet that a dialect changes, or with a wildcard, is not plain") {
  for (std::size_t size = 1; size <= max_key_size; ++size) {
    for (std::size_t place = 0; place < size; ++place) {
      for (const char c : {'%', '$', '*', ' ', '\x7F', '\xE4', '\0'}) {
        std::string text(size, 'x');
        text[place] = c;
        CHECK_FALSE(hash_of_plain(text));
      }
    }
  }
}
