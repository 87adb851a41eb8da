#include <robots/rep/rules/detail/prefix_hash.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

using namespace robots::rep_detail;

TEST_CASE("A prefix of a text and the same octets alone have the same hash") {
  const std::string text = "/a/fairly/long/path/with/several/words.html?and=query";
  prefix_hasher hashes{text};
  for (std::size_t size = 0; size <= text.size(); ++size) {
    CHECK(hashes.of(size) == hash_of(text.substr(0, size)));
  }
}

TEST_CASE("Prefixes of any lengths are hashed one after another") {
  const std::string text(500, 'x');
  prefix_hasher hashes{text};
  for (const std::size_t size : {0U, 0U, 3U, 8U, 9U, 31U, 32U, 400U, 500U}) {
    CHECK(hashes.of(size) == hash_of(text.substr(0, size)));
  }
}
