#include <robots/adapters/sqlite/sqlite_ruling_ledger.hpp>

#include "rulings/composed_losses.hpp"
#include "rulings/ledger_conformance.hpp"
#include "rulings/loss_conformance.hpp"
#include "support/forked_child.hpp"
#include "support/temporary_folder.hpp"
#include <robots/adapters/sqlite/sqlite_store.hpp>

#include <doctest/doctest.h>
#include <signal.h>
#include <sqlite3.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace robots::test;
using namespace std::chrono_literals;
using robots::sqlite_options;
using robots::SqliteRulingLedger;
using robots::SqliteStore;

namespace {

sqlite_options rulings_in(const temporary_folder& folder) {
  // On a busy machine, several writers can lock the file for longer than the default of 1 s.
  return {.path = (folder.path() / "robots.sqlite").string(),
          .max_bytes = 1U << 20U,
          .timeout = std::chrono::minutes{1}};
}

/// Runs statements, and returns the values of their rows, with a line for each row.
std::string run_sql(const std::string& path, const std::string& sql) {
  sqlite3* opened = nullptr;
  REQUIRE(::sqlite3_open(path.c_str(), &opened) == SQLITE_OK);
  ::sqlite3_busy_timeout(opened, 5'000);
  std::string rows;
  const auto add_row = [](void* to, int count, char** values, char** /*names*/) {
    for (int i = 0; i < count; ++i) {
      static_cast<std::string*>(to)->append(values[i] != nullptr ? values[i] : "").append("|");
    }
    static_cast<std::string*>(to)->append("\n");
    return 0;
  };
  CHECK(::sqlite3_exec(opened, sql.c_str(), add_row, &rows, nullptr) == SQLITE_OK);
  REQUIRE(::sqlite3_close(opened) == SQLITE_OK);
  return rows;
}

/// Deletes all rulings, as an older copy of the file would.
constexpr const char* lose_all =
    "DELETE FROM rulings; DELETE FROM ruling_log; DELETE FROM ruling_ids;"
    "UPDATE ruling_head SET generation = 0, number = 0, octets = ''";

}  // namespace

TEST_CASE("SqliteRulingLedger is a ledger of rulings, and SiteRulings loses no order with it") {
  const temporary_folder folder;
  const sqlite_options options = rulings_in(folder);
  const auto lose = [&] { run_sql(options.path, lose_all); };
  SUBCASE("as a ledger") {
    ledger_conformance([&] { return std::make_unique<SqliteRulingLedger>(options); }, lose);
  }
  SUBCASE("with SiteRulings") {
    loss_conformance([&] { return std::make_shared<SqliteRulingLedger>(options); }, lose);
  }
  SUBCASE("with the SiteRulings of caches") {
    composed_loss_conformance(
        {.open = [&] { return std::make_shared<SqliteRulingLedger>(options); }, .lose = lose});
  }
}

TEST_CASE("A full SqliteStore drops records, but no ruling of a ledger in the same file") {
  const temporary_folder folder;
  const sqlite_options options = rulings_in(folder);
  SqliteRulingLedger ledger{options};
  SqliteStore store{options};
  for (int i = 0; i < 200; ++i) {
    const std::string name = std::to_string(i);
    (void)ledger.append(order_for("h" + name + ".example", "by_hand", name), {});
  }
  const std::string value(64'000, 'x');
  for (int i = 0; i < 60; ++i) {
    store.publish("https://h" + std::to_string(i) + ".example", value, 1h);
  }
  CHECK(!store.load("https://h0.example"));
  CHECK(store.load("https://h59.example"));
  CHECK(ledger.read({}).orders.size() == 200);
}

TEST_CASE("Rulings do not count as octets of a SqliteStore") {
  const temporary_folder folder;
  const sqlite_options options = rulings_in(folder);
  SqliteRulingLedger ledger{options};
  for (int i = 0; i < 40; ++i) {
    const std::string name = std::to_string(i);
    auto order =
        order_for("h" + name + ".example", "text", name, robots::ruling_kind::site_override);
    order.detail.assign(robots::rulings_detail::most_detail, 'x');
    (void)ledger.append(order, {});
  }  // 5 MiB, five times as much as `max_bytes`
  SqliteStore store{options};
  for (int i = 0; i < 8; ++i) {
    store.publish("https://h" + std::to_string(i) + ".example", std::string(64'000, 'x'), 1h);
  }
  CHECK(store.load("https://h0.example"));
  CHECK(store.load("https://h7.example"));
}

TEST_CASE(
    "A SqliteRulingLedger neither reads nor changes tables of another version of its format") {
  const temporary_folder folder;
  const sqlite_options options = rulings_in(folder);
  {
    SqliteRulingLedger older{options};
    (void)older.append(order_for("example.com", "by_hand", "7"), {});
    (void)older.append(order_for("old.example", "by_hand", "8"), {});
  }
  // With the content of the present version, so that a ledger that looks there would take it.
  const auto rows_of_other_version = [&] {
    std::string rows;
    for (const char* const table : {"rulings2", "ruling_log2", "ruling_ids2", "ruling_head2"}) {
      rows += run_sql(options.path, std::string{"SELECT * FROM "} + table);
    }
    return rows;
  };
  for (const std::string& table :
       std::vector<std::string>{"rulings", "ruling_log", "ruling_ids", "ruling_head"}) {
    run_sql(options.path, "ALTER TABLE " + table + " RENAME TO " + table + '2');
  }
  const std::string before = rows_of_other_version();
  CHECK(before.find("halt old.example") != std::string::npos);
  SqliteRulingLedger ledger{options};
  const robots::ledger_news first = ledger.read({});
  CHECK(first.head.token.empty());
  CHECK(first.orders.empty());
  CHECK(ledger.append(order_for("other.example", "by_hand", "8"), {}) ==
        robots::ruling_number{.generation = 1, .number = 1});
  ledger_reader reader;
  reader.catch_up(ledger);
  run_sql(options.path, lose_all);
  reader.catch_up(ledger);  // puts back what is lost
  CHECK(reader.rulings.size() == 1);
  SqliteStore store{options};
  for (int i = 0; i < 60; ++i) {  // more than `max_bytes`
    store.publish("https://h" + std::to_string(i) + ".example", std::string(64'000, 'x'), 1h);
  }
  CHECK(rows_of_other_version() == before);
}

TEST_CASE("An order that SqliteRulingLedger has acknowledged outlasts kill -9") {
  const temporary_folder folder;
  const sqlite_options options = rulings_in(folder);
  CHECK(in_killed_child([&] {
          SqliteRulingLedger ledger{options};
          (void)ledger.append(order_for("example.com", "by_hand", "1"), {});
          ::kill(::getpid(), SIGKILL);  // while the file is open
        }) == "");
  SqliteRulingLedger ledger{options};
  CHECK(ledger.read({}).orders.size() == 1);
}

TEST_CASE("A halt outlasts kill -9 of the process that gave it, and is ended by one resume") {
  const temporary_folder folder;
  const auto open = [&] { return std::make_shared<SqliteRulingLedger>(rulings_in(folder)); };
  CHECK(in_killed_child([&] {
          composed_process killed{open()};
          (void)killed.rulings().halt("example.com");
          ::kill(::getpid(), SIGKILL);  // while the file is open
        }) == "");
  composed_process next{open()};
  composed_process other{open()};
  CHECK(next.reason() == "halted");
  CHECK(other.reason() == "halted");
  CHECK(other.rulings().resume("example.com").size() == 1);
  CHECK(next.rulings().catch_up());
  CHECK(next.reason() == "no_rule");
}

TEST_CASE("A SqliteRulingLedger that cannot write its file says so, and names the file") {
  const temporary_folder folder;
  SqliteRulingLedger ledger{{.path = (folder.path() / "no" / "folder.sqlite").string()}};
  CHECK_THROWS_AS((void)ledger.append(order_for("example.com", "by_hand", "1"), {}),
                  robots::store_error);
  CHECK_THROWS_AS(SqliteRulingLedger{sqlite_options{}}, std::invalid_argument);
}
