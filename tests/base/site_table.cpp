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
constexpr time_point first_time{1h};

}  // namespace

TEST_CASE("A value is found at the same address as long as it is needed") {
  site_table<known> table{1'000};
  known* const first = table.find_or_add("a", first_time, needed_until);
  REQUIRE(first != nullptr);
  first->number = 7;
  for (int i = 0; i < 500; ++i) {
    REQUIRE(table.find_or_add(std::to_string(i), first_time, needed_until) != nullptr);
  }
  CHECK(table.find("a") == first);
  CHECK(table.find_or_add("a", first_time, needed_until) == first);
  CHECK(first->number == 7);
  CHECK(table.find("b") == nullptr);
  CHECK(table.size() == 501);
}

TEST_CASE("A full table has room for one new site for each site that is not needed any more") {
  constexpr std::size_t capacity = 1'000;
  site_table<known> table{capacity};
  for (std::size_t i = 0; i < capacity; ++i) {
    known* const added = table.find_or_add(std::to_string(i), first_time, needed_until);
    REQUIRE(added != nullptr);
    added->until = first_time + std::chrono::seconds{i + 1};
  }
  CHECK(table.find_or_add("one more", first_time, needed_until) == nullptr);
  for (std::size_t i = 0; i < capacity; ++i) {
    const time_point later = first_time + std::chrono::seconds{i + 1};
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
    table.find_or_add(std::to_string(i), first_time, needed_until)->number = static_cast<int>(i);
  }
  CHECK(table.find_or_add("x", first_time, needed_until) == nullptr);
  known* const released = table.find("77777");
  REQUIRE(released != nullptr);
  released->until = first_time;
  table.forget_after(*released, first_time);
  CHECK(table.find_or_add("x", first_time, needed_until) != nullptr);
  CHECK(table.find("77777") == nullptr);
}

TEST_CASE("A full table can forget a site that is needed for longer than the limit") {
  site_table<known> table{3};
  table.find_or_add("for an hour", first_time, needed_until)->until = first_time + 1h;
  table.find_or_add("for a year", first_time, needed_until)->until = first_time + 24h * 365;
  table.find_or_add("until told", first_time, needed_until)->until = time_point::max();
  CHECK(table.find_or_add("new", first_time, needed_until) == nullptr);
  CHECK(table.find_or_add("new", first_time, needed_until, first_time + 2h) != nullptr);
  CHECK(table.find("for a year") == nullptr);
  table.find("new")->until = time_point::max();
  CHECK(table.find_or_add("newer", first_time, needed_until, first_time + 1h) == nullptr);
  CHECK(table.find_or_add("newer", first_time, needed_until, first_time + 59min) != nullptr);
  CHECK(table.find("until told") != nullptr);
}

TEST_CASE("A site can be forgotten by its name, even if the name is the table's own copy") {
  site_table<known> table{2};
  REQUIRE(table.find_or_add("a", first_time, needed_until) != nullptr);
  REQUIRE(table.find_or_add("b", first_time, needed_until) != nullptr);
  std::string_view own;
  table.for_each([&](std::string_view key, const known&) { own = key; });
  CHECK(table.erase(own));
  CHECK(table.size() == 1);
  CHECK_FALSE(table.erase("c"));
}

TEST_CASE("The size of a table stays near the number of needed sites") {
  std::mt19937 random{50};
  site_table<known> table{1'000'000};
  std::set<std::string> needed;
  std::size_t largest = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::string key = std::to_string(i);
    known* const added = table.find_or_add(key, first_time, needed_until);
    REQUIRE(added != nullptr);
    if (random() % 100 == 0) {
      needed.insert(key);
    } else {
      added->until = first_time;
    }
    largest = std::max(largest, table.size());
  }
  for (const std::string& key : needed) {
    REQUIRE(table.find(key) != nullptr);
  }
  CHECK(largest < 2 * needed.size());
}
