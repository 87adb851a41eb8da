#include <robots/rep/read/detail/line_index.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::rep_detail::line_index;
using places = std::vector<std::size_t>;

/// Whether AVX2 is used: both ways, where the machine has it.
std::vector<bool> ways() {
  return robots::rep_detail::has_avx2() ? std::vector{false, true} : std::vector{false};
}

/// Where the lines end of which the index tells, as places in `text`.
places ends(std::string_view text) {
  std::vector<places> found;
  for (const bool avx2 : ways()) {
    line_index index;
    index.fill(text.data(), text.data() + text.size(), avx2);
    CHECK(index.stop() == text.data() + text.size());
    found.emplace_back(index.ends().begin(), index.ends().end());
  }
  CHECK(found.front() == found.back());
  return found.front();
}

TEST_CASE("CR, LF and CR LF end a line and nothing else does, the end of the text aside") {
  CHECK(ends("a\nb\rc\r\nd") == places{1, 3, 5, 8});
  CHECK(ends("a\n") == places{1});
  CHECK(ends("\n\n") == places{0, 1});
  CHECK(ends("\r\r\n\n") == places{0, 1, 3});
  CHECK(ends("a\n\rb") == places{1, 2, 4});
  CHECK(ends("a\fb\vc\xC2\x85") == places{7});
  CHECK(ends("a\xE2\x80\xA8"
             "b") == places{5});
}

TEST_CASE("line ends and odd octets are found wherever they stand, in texts of any length") {
  const auto look_for = [](std::string_view found, std::size_t place, std::size_t size, bool avx2) {
    std::string text(size, 'x');
    text.replace(place, found.size(), found);
    const std::string copy = text;  // of its exact length, so that sanitizers watch its end
    const char* const begin = copy.data();
    line_index index;
    index.fill(begin, begin + copy.size(), avx2);
    const bool is_line_end = robots::rep_detail::is_line_end(found.front());
    places expected;
    if (is_line_end) {
      expected.push_back(place);
    }
    if (!is_line_end || place + found.size() < copy.size()) {
      expected.push_back(copy.size());
    }
    CHECK(std::equal(index.ends().begin(), index.ends().end(), expected.begin(), expected.end()));
    for (const std::size_t from : {std::size_t{0}, std::min<std::size_t>(place / 2, 63), place}) {
      CHECK(index.find_odd(begin + from) == begin + place);
    }
  };
  for (const bool avx2 : ways()) {
    for (std::size_t size = 1; size < 450; size += size < 140 ? 1 : 61) {
      for (std::size_t place = 0; place < size; ++place) {
        for (const std::string_view found : std::initializer_list<std::string_view>{
                 "\n", "\r", "\r\n", "#", "!", " ", std::string_view{"\0", 1}}) {
          look_for(found, place, size, avx2);
        }
      }
    }
  }
}

TEST_CASE("the odd octet behind a long value is found from any place near the one in front of it") {
  for (const bool avx2 : ways()) {
    for (std::size_t in_front = 0; in_front < 130; ++in_front) {
      for (std::size_t size = 0; size < 600; ++size) {
        std::string text(in_front + size + 200, 'x');
        text[in_front] = ' ';
        text[in_front + 1 + size] = '\n';
        line_index index;
        index.fill(text.data(), text.data() + text.size(), avx2);
        for (const std::size_t behind : {1U, 2U, 10U, 62U, 63U}) {
          if (behind <= size) {
            const char* const found = index.find_odd(text.data() + in_front + behind);
            CHECK(found == text.data() + in_front + 1 + size);
          }
        }
      }
    }
  }
}

TEST_CASE("an index that is full says how far it has come") {
  for (const bool avx2 : ways()) {
    for (const char c : {'\r', 'x'}) {
      const std::string text(100'000, c);
      const char* const end = text.data() + text.size();
      line_index index;
      std::size_t lines = 0;
      for (const char* from = text.data(); from != end; from = index.stop()) {
        index.fill(from, end, avx2);
        REQUIRE(index.stop() > from);
        lines += index.ends().size();
      }
      CHECK(lines == (c == 'x' ? 1 : text.size()));
    }
  }
}

/// Lines that begin and end all over the words of an index, compared with those found one by one.
TEST_CASE("lines of all lengths up to that of several words are found") {
  std::string text;
  places expected;
  for (std::size_t length = 0; length < 150; ++length) {
    text.append(length, 'x');
    expected.push_back(text.size());
    text += length % 3 == 0 ? "\r\n" : "\n";
  }
  CHECK(ends(text) == expected);
}

}  // namespace
