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

/// Where the lines end of which the index tells, as places in `text`.
std::vector<std::size_t> ends(std::string_view text) {
  line_index index;
  index.fill(text.data(), text.data() + text.size());
  CHECK(index.stop() == text.data() + text.size());
  return {index.ends().begin(), index.ends().end()};
}

using places = std::vector<std::size_t>;

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
  for (std::size_t size = 1; size < 140; ++size) {
    for (std::size_t place = 0; place < size; ++place) {
      for (const std::string_view found : std::initializer_list<std::string_view>{
               "\n", "\r", "\r\n", "#", "!", " ", std::string_view{"\0", 1}}) {
        std::string text(size, 'x');
        text.replace(place, found.size(), found);
        const std::string copy = text;  // of its exact length, so that sanitizers watch its end
        const char* const begin = copy.data();
        const char* const end = begin + copy.size();
        line_index index;
        index.fill(begin, end);
        const bool is_line_end = robots::rep_detail::is_line_end(found.front());
        places expected;
        if (is_line_end) {
          expected.push_back(place);
        }
        if (!is_line_end || place + found.size() < copy.size()) {
          expected.push_back(copy.size());
        }
        CHECK(
            std::equal(index.ends().begin(), index.ends().end(), expected.begin(), expected.end()));
        for (const std::size_t from : {std::size_t{0}, place / 2, place}) {
          CHECK(index.find_odd(begin + from) == begin + place);
        }
      }
    }
  }
}

TEST_CASE("an index that is full says how far it has come") {
  for (const char c : {'\r', 'x'}) {
    const std::string text(100'000, c);
    const char* const end = text.data() + text.size();
    line_index index;
    std::size_t lines = 0;
    for (const char* from = text.data(); from != end; from = index.stop()) {
      index.fill(from, end);
      REQUIRE(index.stop() > from);
      lines += index.ends().size();
    }
    CHECK(lines == (c == 'x' ? 1 : text.size()));
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
