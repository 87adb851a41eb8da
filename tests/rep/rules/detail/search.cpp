#include <robots/rep/rules/detail/search.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>

namespace {

/// Returns the place after the text that the search finds, or npos.
constexpr std::size_t end_of(std::string_view text, std::string_view needle) {
  const std::size_t place = robots::rep_detail::two_way_find(text, needle);
  return place == std::string_view::npos ? place : place + needle.size();
}

static_assert(end_of("hello world", "world") == 11);
static_assert(end_of("hello world", "worlds") == std::string_view::npos);
static_assert(end_of("aaaab", "aab") == 5);
static_assert(end_of("abababc", "ababc") == 7);
static_assert(end_of("", "a") == std::string_view::npos);
static_assert(end_of("a", "a") == 1);

TEST_CASE("The search agrees with the standard library on texts with few different letters") {
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

TEST_CASE("A literal is found where the standard library finds it, near the start or far away") {
  std::mt19937 random{43};
  for (int round = 0; round < 30'000; ++round) {
    const auto letters = 1 + random() % 4;
    const auto repeated = [&](std::size_t size) {
      std::string text(size, 'a');
      for (char& c : text) {
        c = static_cast<char>('a' + random() % letters);
      }
      return text;
    };
    const std::string text = repeated(random() % 400);
    const std::string literal = repeated(1 + random() % robots::rep_detail::short_literal);
    CAPTURE(text);
    CAPTURE(literal);
    const auto found = robots::rep_detail::find_short(text, literal);
    REQUIRE(found.place == text.find(literal));
    REQUIRE(found.steps <= text.size());
    const std::string needle = text.substr(text.size() / 2, 17 + random() % 40) + repeated(3);
    const auto start = text.find(needle);
    REQUIRE(end_of(text, needle) ==
            (start == std::string::npos ? std::string::npos : start + needle.size()));
  }
}

}  // namespace
