#include <robots/polite/detail/host_table.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <set>
#include <string>

namespace {

using robots::detail::host_table;

struct known {
  bool needed = true;
  int number = 0;
};

constexpr auto forgettable = [](const known& host) { return !host.needed; };

}  // namespace

TEST_CASE("a value is found again where it was, while it is needed") {
  host_table<known> table{1'000};
  known* const first = table.find_or_add("a", forgettable);
  REQUIRE(first != nullptr);
  first->number = 7;
  for (int i = 0; i < 500; ++i) {
    REQUIRE(table.find_or_add(std::to_string(i), forgettable) != nullptr);
  }
  CHECK(table.find("a") == first);
  CHECK(table.find_or_add("a", forgettable) == first);
  CHECK(first->number == 7);
  CHECK(table.find("b") == nullptr);
  CHECK(table.size() == 501);
}

TEST_CASE("what is not needed makes room, what is needed stays, and a full table says so") {
  host_table<known> table{100};
  for (int i = 0; i < 100; ++i) {
    table.find_or_add(std::to_string(i), forgettable)->number = i;
  }
  CHECK(table.find_or_add("one more", forgettable) == nullptr);
  table.find("42")->needed = false;
  int tries = 0;
  while (table.find_or_add("one more", forgettable) == nullptr) {
    REQUIRE(++tries < 3);
  }
  CHECK(table.find("42") == nullptr);
  CHECK(table.size() == 100);
}

TEST_CASE("the table stays near the number of hosts that are needed") {
  std::mt19937 random{50};
  host_table<known> table{1'000'000};
  std::set<std::string> needed;
  std::size_t largest = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::string key = std::to_string(i);
    known* const made = table.find_or_add(key, forgettable);
    REQUIRE(made != nullptr);
    made->needed = random() % 100 == 0;
    if (made->needed) {
      needed.insert(key);
    }
    largest = std::max(largest, table.size());
  }
  for (const std::string& key : needed) {
    REQUIRE(table.find(key) != nullptr);
  }
  CHECK(largest < 2 * needed.size());
}
