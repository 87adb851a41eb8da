// SqliteStore in a process that forks.
#include "support/forked_child.hpp"
#include "support/temporary_folder.hpp"
#include <robots/adapters/sqlite/sqlite_store.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

using namespace robots::test;
using namespace std::chrono_literals;
using robots::sqlite_options;
using robots::SqliteStore;

TEST_CASE("A SqliteStore of the parent refuses calls in a child, and is destroyed without a wait") {
  const temporary_folder folder;
  const sqlite_options options{.path = (folder.path() / "robots.sqlite").string()};
  auto store = std::make_unique<SqliteStore>(options);
  store->watch([](std::string_view /*key*/) {});
  store->publish("https://a.example", "of the parent", 1h);
  CHECK(in_forked_child([&] {
          std::string said = refusal_of([&] { (void)store->load("https://a.example"); });
          expect(refusal_of([&] { store->watch([](std::string_view /*key*/) {}); }) == said);
          expect(refusal_of([&] { store->erase("https://a.example"); }) == said);
          store.reset();
          return said;
        }) == made_before_fork("SqliteStore"));
  CHECK(store->load("https://a.example") == "of the parent");
}

TEST_CASE("A child opens no SQLite file that was open at the fork, under any name") {
  const temporary_folder folder;
  const std::string path = (folder.path() / "robots.sqlite").string();
  auto store = std::make_unique<SqliteStore>(sqlite_options{.path = path});
  for (const std::string& name : {path, (folder.path() / "." / "robots.sqlite").string()}) {
    CHECK(in_forked_child([&] {
            store.reset();  // this does not close the file
            return refusal_of([&] { const SqliteStore again{{.path = name}}; });
          }) ==
          "SqliteStore: " + name +
              ": it was open in the parent process at the fork, and SQLite cannot lock it again in "
              "a child: make the first store of this file after the fork");
  }
}

TEST_CASE(
    "A child opens a SQLite file that the parent closed before the fork, and any other file") {
  const temporary_folder folder;
  const auto file = [&](const char* name) {
    return sqlite_options{.path = (folder.path() / name).string()};
  };
  const SqliteStore other{file("other.sqlite")};
  auto store = std::make_unique<SqliteStore>(file("robots.sqlite"));
  store->publish("https://a.example", "of the parent", 1h);
  store.reset();
  CHECK(in_forked_child([&] {
          SqliteStore own{file("robots.sqlite")};
          const SqliteStore third{file("third.sqlite")};
          return own.load("https://a.example").value();
        }) == "of the parent");
}

TEST_CASE("A child that throws ends, and its parent reports the exception") {
  CHECK(in_killed_child([] { throw std::runtime_error("no such file"); }) == "threw no such file");
  CHECK(in_killed_child([] { throw 7; }) == "threw something");
  CHECK(in_killed_child([] {}) == "");
}
