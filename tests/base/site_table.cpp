#include <robots/base/site_table.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <random>
#include <set>
#include <string>
#include <string_view>

namespace {

using namespace std::chrono_literals;
using robots::base::site_table;
using time_point = std::chrono::steady_clock::time_point;

struct known {
  time_point until = time_point::max();
  int number = 0;
};

constexpr auto needed_until = [](const known& site) { return site.until; };
constexpr time_point now{1h};

}  // namespace

TEST_CASE("A value is found at the same address as long as it is needed") {
  site_table<known> table{1'000};
  known* const first = table.find_or_add("a", now, needed_until);
  REQUIRE(first != nullptr);
  first->number = 7;
  for (int i = 0; i < 500; ++i) {
    REQUIRE(table.find_or_add(std::to_string(i), now, needed_until) != nullptr);
  }
  CHECK(table.find("a") == first);
  CHECK(table.find_or_add("a", now, needed_until) == first);
  CHECK(first->number == 7);
  CHECK(table.find("b") == nullptr);
  CHECK(table.size() == 501);
}

TEST_CASE(
    "A table holds up to its capacity, plus one site for each site that is no longer needed") {
  constexpr std::size_t capacity = 1'000;
  site_table<known> table{capacity};
  for (std::size_t i = 0; i < capacity; ++i) {
    known* const added = table.find_or_add(std::to_string(i), now, needed_until);
    REQUIRE(added != nullptr);
    added->until = now + std::chrono::seconds{i + 1};
  }
  CHECK(table.find_or_add("one more", now, needed_until) == nullptr);
  for (std::size_t i = 0; i < capacity; ++i) {
    const time_point later = now + std::chrono::seconds{i + 1};
    known* const added = table.find_or_add("new" + std::to_string(i), later, needed_until);
    REQUIRE(added != nullptr);
    REQUIRE(table.find(std::to_string(i)) == nullptr);
    REQUIRE(table.find_or_add("one more", later, needed_until) == nullptr);
  }
  CHECK(table.size() == capacity);
}

TEST_CASE("The only site that is not needed is found at once among very many") {
  constexpr std::size_t capacity = 100'000;
  site_table<known> table{capacity};
  for (std::size_t i = 0; i < capacity; ++i) {
    table.find_or_add(std::to_string(i), now, needed_until)->number = static_cast<int>(i);
  }
  CHECK(table.find_or_add("x", now, needed_until) == nullptr);
  known* const released = table.find("77777");
  REQUIRE(released != nullptr);
  released->until = now;
  table.forget_after(*released, now);
  CHECK(table.find_or_add("x", now, needed_until) != nullptr);
  CHECK(table.find("77777") == nullptr);
}

TEST_CASE("A full table forgets the site that is needed for longest, if that is beyond the limit") {
  site_table<known> table{3};
  table.find_or_add("for an hour", now, needed_until)->until = now + 1h;
  table.find_or_add("for a year", now, needed_until)->until = now + 24h * 365;
  table.find_or_add("until told", now, needed_until)->until = time_point::max();
  CHECK(table.find_or_add("new", now, needed_until) == nullptr);
  CHECK(table.find_or_add("new", now, needed_until, now + 2h) != nullptr);
  CHECK(table.find("for a year") == nullptr);
  table.find("new")->until = time_point::max();
  CHECK(table.find_or_add("newer", now, needed_until, now + 1h) == nullptr);
  CHECK(table.find_or_add("newer", now, needed_until, now + 59min) != nullptr);
  CHECK(table.find("until told") != nullptr);
}

TEST_CASE("A site can be forgotten by name, even by the name that the table keeps") {
  site_table<known> table{2};
  REQUIRE(table.find_or_add("a", now, needed_until) != nullptr);
  REQUIRE(table.find_or_add("b", now, needed_until) != nullptr);
  std::string_view own;
  table.for_each([&](std::string_view key, const known&) { own = key; });
  CHECK(table.erase(own));
  CHECK(table.size() == 1);
  CHECK_FALSE(table.erase("c"));
}

TEST_CASE("The table stays near the number of sites that are needed") {
  std::mt19937 random{50};
  site_table<known> table{1'000'000};
  std::set<std::string> needed;
  std::size_t largest = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::string key = std::to_string(i);
    known* const added = table.find_or_add(key, now, needed_until);
    REQUIRE(added != nullptr);
    if (random() % 100 == 0) {
      needed.insert(key);
    } else {
      added->until = now;
    }
    largest = std::max(largest, table.size());
  }
  for (const std::string& key : needed) {
    REQUIRE(table.find(key) != nullptr);
  }
  CHECK(largest < 2 * needed.size());
}
