#include <robots/base/text_table.hpp>

#include <robots/base/text_set.hpp>

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>

namespace {

using robots::base::text_set;
using robots::base::text_table;

}  // namespace

TEST_CASE("A table of texts has the entries of a map after any sequence of calls") {
  std::mt19937 random{46};
  text_table<int> table;
  std::map<std::string, int> model;
  for (int i = 0; i < 20'000; ++i) {
    const std::string key = std::to_string(random() % 300);
    switch (random() % 3) {
      case 0:
        REQUIRE(table.erase(key) == (model.erase(key) == 1));
        break;
      case 1:
        table[key] += i;
        model[key] += i;
        break;
      default:
        const int* const found = std::as_const(table).find(key);
        REQUIRE((found != nullptr) == (model.count(key) == 1));
        REQUIRE((found == nullptr || *found == model.at(key)));
        break;
    }
    REQUIRE(table.size() == model.size());
  }
  std::map<std::string, int> visited;
  table.for_each([&](const std::string& key, int value) { visited.emplace(key, value); });
  CHECK(visited == model);
}

TEST_CASE("A value of a table of texts does not move, and lives until its entry is erased") {
  const auto shared = std::make_shared<int>(1);
  text_table<std::shared_ptr<int>> table;
  auto& value = table["a"];
  value = shared;
  for (int i = 0; i < 1'000; ++i) {
    table[std::to_string(i)] = shared;
  }
  CHECK(table.find("a") == &value);
  CHECK(shared.use_count() == 1'002);
  CHECK(table.erase("a"));
  CHECK_FALSE(table.erase("a"));
  CHECK(shared.use_count() == 1'001);
  table.clear();
  CHECK(shared.use_count() == 1);
  CHECK(table.empty());
  CHECK_FALSE(table.contains("1"));
}

TEST_CASE("A table of texts that is moved leaves an empty table") {
  text_table<int> from;
  from["a"] = 1;
  text_table<int> to{std::move(from)};
  CHECK(to.contains("a"));
  CHECK_FALSE(from.contains("a"));  // NOLINT(bugprone-use-after-move)
  from["b"] = 2;
  to = std::move(from);
  CHECK(to.contains("b"));
  CHECK_FALSE(to.contains("a"));
}

TEST_CASE("A set of texts has each text once") {
  text_set set;
  CHECK(set.empty());
  CHECK(set.insert("a"));
  CHECK_FALSE(set.insert("a"));
  CHECK(set.size() == 1);
  CHECK(set.contains("a"));
  CHECK_FALSE(set.contains(""));
  CHECK(set.erase("a"));
  CHECK_FALSE(set.erase("a"));
  set.insert("b");
  set.clear();
  CHECK_FALSE(set.contains("b"));
}
