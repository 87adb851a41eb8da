#include <robots/rep/read/detail/most_lines.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

namespace {

using robots::detail::most_lines;

static_assert(most_lines("") == 1);
static_assert(most_lines("a\nb\rc") == 3);

TEST_CASE("lines are counted, at most a few too many") {
  for (std::size_t count = 0; count < 200; ++count) {
    std::string line_feeds;
    std::string both;
    for (std::size_t i = 0; i < count; ++i) {
      line_feeds += std::string(i % 5, 'x') + '\n';
      both += std::string(i % 5, 'x') + "\r\n";
    }
    CHECK(most_lines(line_feeds) == count + 1);
    CHECK(most_lines(both) > count);
    CHECK(most_lines(both) <= count + 1 + both.size() / 32 + 32);
  }
}

}  // namespace
