#include <robots/rep/text/detail/octet_window.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace {

using robots::rep_detail::octet_block;
using robots::rep_detail::octet_set;
using robots::rep_detail::octet_window;

TEST_CASE("a block tells which octets equal one, and which are at most one") {
  for (unsigned first = 0; first < 256; ++first) {
    std::string text;
    for (unsigned i = 0; i < octet_block::size; ++i) {
      text += static_cast<char>(first + 5 * i);
    }
    const octet_block block = octet_block::load(text.data());
    for (const char c : {'\0', '\n', '#', '~', '\x7F'}) {
      octet_set equal = 0;
      octet_set at_most = 0;
      for (std::size_t i = 0; i < text.size(); ++i) {
        const bool below = static_cast<unsigned char>(text[i]) <= static_cast<unsigned char>(c);
        equal |= octet_set{text[i] == c} << i;
        at_most |= octet_set{below} << i;
      }
      CHECK(octet_block::any_at_most(c, block, block) == (at_most != 0));
      CHECK(block.equal(c) == equal);
      CHECK(block.at_most(c) == at_most);
    }
  }
}

TEST_CASE("an octet is found wherever it stands, in texts of any length") {
  const auto hashes = [](const auto& octets) { return octets.equal('#'); };
  for (std::size_t size = 0; size < 100; ++size) {
    for (std::size_t place = 0; place <= size; ++place) {
      std::string text(size, 'x');
      if (place < size) {
        text[place] = '#';
      }
      const std::string copy = text;  // of its exact length, so that sanitizers watch its end
      const char* const begin = copy.data();
      const char* const end = begin + size;
      const octet_window window{begin, end};
      for (std::size_t from = 0; from <= size; ++from) {
        CHECK(window.find(begin + from, hashes) == std::find(begin + from, end, '#'));
      }
    }
  }
}

}  // namespace
