#include <robots/rep/rules/detail/prefix_hash.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

using namespace robots::rep_detail;

TEST_CASE("The hash of a prefix is that of a text of its own") {
  const std::string text = "/a/fairly/long/path/with/several/words.html?and=query";
  const prefix_hashes<63> hashes{text};
  for (std::size_t size = 0; size <= text.size(); ++size) {
    CHECK(hashes.of(size) == hash_of(text.substr(0, size)));
  }
}

TEST_CASE("Of a text that is too long, the first prefixes are hashed") {
  const std::string text(500, 'x');
  const prefix_hashes<63> hashes{text};
  for (std::size_t size = 0; size <= 63; ++size) {
    CHECK(hashes.of(size) == hash_of(text.substr(0, size)));
  }
}

TEST_CASE("A text with other octets has no hash of graphic ones") {
  for (std::size_t size = 1; size < 40; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'x');
      CHECK(hash_of_graphic_without<'*'>(text) == hash_of(text));
      text[at] = '*';
      CHECK_FALSE(hash_of_graphic_without<'*'>(text));
      text[at] = ' ';
      CHECK_FALSE(hash_of_graphic_without<'*'>(text));
    }
  }
}
