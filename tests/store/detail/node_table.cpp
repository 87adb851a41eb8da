#include <robots/store/detail/node_table.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>

using robots::store_detail::entry_node;
using robots::store_detail::hashed_key;
using robots::store_detail::node_table;

// Two cache lines where a pointer has 64 bits; what else an ABI makes of it costs only time.
static_assert(sizeof(void*) != 8 || sizeof(entry_node) == 128);

TEST_CASE("keys are found in the nodes that they were given, until these are removed") {
  node_table table;
  std::map<std::string, entry_node*> added;
  std::mt19937 random{17};
  for (int step = 0; step < 20'000; ++step) {
    const std::string key(random() % 2 == 0 ? 3 : 60, static_cast<char>('a' + random() % 8));
    const std::string numbered = key + std::to_string(random() % 100);
    const hashed_key wanted{numbered};
    entry_node* const found = table.find(wanted);
    const auto known = added.find(numbered);
    REQUIRE(found == (known == added.end() ? nullptr : known->second));
    if (found == nullptr) {
      added[numbered] = &table.add(wanted);
      added[numbered]->used = 1;
    } else if (random() % 2 == 0) {
      table.remove(*found);
      added.erase(known);
    }
    REQUIRE(table.size() == added.size());
  }
  std::set<const entry_node*> used;
  for (std::size_t slot = 0; slot < table.slots(); ++slot) {
    if (table.at(slot).used != 0) {
      used.insert(&table.at(slot));
    }
  }
  CHECK(used.size() == added.size());
  CHECK(table.slots() < 2'000);  // vacant ones are used again
}
