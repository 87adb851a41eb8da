#include <robots/rep/read/detail/line_reader.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace {

std::vector<std::string_view> lines(std::string_view text) {
  robots::rep_detail::line_reader reader{text};
  std::vector<std::string_view> result;
  while (!reader.done()) {
    result.push_back(reader.next().text);
    CHECK(reader.number() == result.size());
  }
  return result;
}

using list = std::vector<std::string_view>;

TEST_CASE("CR, LF and CR LF end a line and nothing else does") {
  CHECK(lines("a\nb\rc\r\nd") == list{"a", "b", "c", "d"});
  CHECK(lines("a\n") == list{"a"});
  CHECK(lines("").empty());
  CHECK(lines("\n\n") == list{"", ""});
  CHECK(lines("\r\r\n\n") == list{"", "", ""});
  CHECK(lines("a\n\rb") == list{"a", "", "b"});
  CHECK(lines("a\fb\vc\xC2\x85") == list{"a\fb\vc\xC2\x85"});
  CHECK(lines("a\xE2\x80\xA8"
              "b") == list{"a\xE2\x80\xA8"
                           "b"});
}

TEST_CASE("a text of CR lines is read to its end") {
  const std::string text(100'000, '\r');
  CHECK(lines(text).size() == text.size());
}

}  // namespace
