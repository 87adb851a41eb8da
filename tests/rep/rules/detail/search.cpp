#include <robots/rep/rules/detail/search.hpp>

#include <robots/rep/text/detail/text_cursor.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>

namespace {

using robots::rep_detail::text_cursor;

/// Where the search ends, or npos.
constexpr std::size_t end_of(std::string_view text, std::string_view needle) {
  text_cursor cursor{text};
  return robots::rep_detail::two_way_find(cursor, needle) ? text.size() - cursor.rest().size()
                                                          : std::string_view::npos;
}

static_assert(end_of("hello world", "world") == 11);
static_assert(end_of("hello world", "worlds") == std::string_view::npos);
static_assert(end_of("aaaab", "aab") == 5);
static_assert(end_of("abababc", "ababc") == 7);
static_assert(end_of("", "a") == std::string_view::npos);
static_assert(end_of("a", "a") == 1);

TEST_CASE("the search agrees with the standard library on texts of few letters") {
  std::mt19937 random{42};
  for (int round = 0; round < 30'000; ++round) {
    const auto letters = 1 + random() % 3;
    std::string text;
    std::string needle;
    for (auto n = random() % 40; n > 0; --n) {
      text += static_cast<char>('a' + random() % letters);
    }
    for (auto n = 1 + random() % 10; n > 0; --n) {
      needle += static_cast<char>('a' + random() % letters);
    }
    const auto found = text.find(needle);
    CAPTURE(text);
    CAPTURE(needle);
    REQUIRE(end_of(text, needle) ==
            (found == std::string::npos ? std::string::npos : found + needle.size()));
  }
}

}  // namespace
