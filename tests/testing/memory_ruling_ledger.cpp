#include <robots/testing/memory_ruling_ledger.hpp>

#include "rulings/ledger_conformance.hpp"
#include <robots/store/shared_store.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <memory>
#include <string>

using robots::MemoryRulingLedger;
using robots::test::ledger_reader;
using robots::test::order_for;

static_assert(std::derived_from<MemoryRulingLedger, robots::RulingLedger>);

TEST_CASE("MemoryRulingLedger is a ledger of rulings") {
  MemoryRulingLedger first;
  robots::test::ledger_conformance([&] { return std::make_unique<MemoryRulingLedger>(first); },
                                   [&] { first.lose_all(); });
}

TEST_CASE("A MemoryRulingLedger fails together with its copies, before or after the effect") {
  MemoryRulingLedger ledger;
  MemoryRulingLedger other{ledger};
  ledger.fail("no route to host");
  CHECK_THROWS_WITH_AS((void)other.read({}), "no route to host", robots::store_error);
  CHECK_THROWS_AS((void)other.append(order_for("example.com", "by_hand", "1"), {}),
                  robots::store_error);
  ledger.recover();
  CHECK(other.read({}).orders.empty());
  ledger.fail_after_effect("the answer is lost");
  CHECK_THROWS_AS((void)other.append(order_for("example.com", "by_hand", "1"), {}),
                  robots::store_error);
  ledger.recover();
  CHECK(other.read({}).orders.size() == 1);
}

TEST_CASE("An older backup of a ledger gets back the orders that it lacks") {
  MemoryRulingLedger ledger;
  (void)ledger.append(order_for("example.com", "by_hand", "1"), {});
  ledger.back_up();
  (void)ledger.append(order_for("example.com", "", "2"), {});
  (void)ledger.append(order_for("other.example", "by_hand", "3"), {});
  ledger_reader reader;
  reader.catch_up(ledger);
  ledger.restore();
  SUBCASE("if nobody has made an order since") {}
  SUBCASE("if others have made as many orders as are lost") {
    (void)ledger.append(order_for("third.example", "by_hand", "4"), {});
    (void)ledger.append(order_for("fourth.example", "by_hand", "5"), {});
  }
  reader.catch_up(ledger);
  ledger_reader late;
  late.catch_up(ledger);
  CHECK(late.value("halt example.com").empty());
  CHECK(late.value("halt other.example") == "by_hand");
  CHECK(late.rulings == reader.rulings);
}

TEST_CASE("A MemoryRulingLedger reports an order to all its copies") {
  MemoryRulingLedger ledger;
  MemoryRulingLedger other{ledger};
  int news = 0;
  other.watch([&] { ++news; });
  (void)ledger.append(order_for("example.com", "by_hand", "1"), {});
  CHECK(news == 1);
  ledger.lose_messages(true);
  (void)ledger.append(order_for("example.com", "", "2"), {});
  CHECK(news == 1);
  ledger.lose_messages(false);
  other.watch({});
  (void)ledger.append(order_for("example.com", "by_hand", "3"), {});
  CHECK(news == 1);
}
