#include <robots/rulings/detail/lost_orders.hpp>

#include "rulings/ledger_conformance.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>

using namespace robots;
using rulings_detail::find_lost;
using rulings_detail::order_table;
using test::order_for;

namespace {

order_table table_of(std::initializer_list<ruling_order> orders) {
  order_table table;
  for (const ruling_order& order : orders) {
    table[rulings_detail::name_of(order)] = order;
  }
  return table;
}

ruling_order numbered(const std::string& value, const std::string& id, ruling_number number) {
  ruling_order order = order_for("example.com", value, id);
  order.number = number;
  return order;
}

}  // namespace

TEST_CASE("A ledger that has all orders of a process lacks nothing") {
  const auto mine = table_of({numbered("by_hand", "1", {1, 1})});
  const ledger_head head{.last = {1, 1}, .token = "a", .last_id = "1"};
  CHECK(find_lost(head, mine, head, mine, "new").is_whole);
  CHECK(find_lost({}, {}, head, mine, "new").is_whole);
  const ledger_head later{.last = {1, 2}, .token = "a", .last_id = "2"};
  CHECK(find_lost(head, mine, later, table_of({numbered("", "2", {1, 2})}), "new").is_whole);
}

TEST_CASE("An order with a higher number is put back with its number, into a new generation") {
  const ledger_head known{.last = {1, 7}, .token = "a", .last_id = "7"};
  const ledger_head theirs{.last = {1, 3}, .token = "a", .last_id = "3"};
  const auto lost = find_lost(known, table_of({numbered("", "7", {1, 7})}), theirs,
                              table_of({numbered("by_hand", "3", {1, 3})}), "new");
  CHECK(!lost.is_whole);
  REQUIRE(lost.orders.size() == 1);
  CHECK(lost.orders[0].number == ruling_number{1, 7});
  CHECK(lost.next.last == ruling_number{2, 8});
  CHECK(lost.next.token == "new,a");
}

TEST_CASE("A backup from an earlier generation is no ledger that began again: its orders are old") {
  const auto mine = table_of({numbered("", "7", {1, 7})});
  const ledger_head theirs{.last = {1, 3}, .token = "a", .last_id = "3"};
  for (const char* const token : {"c,b,a", "b,a", "c,a,x"}) {
    const ledger_head known{.last = {3, 9}, .token = token, .last_id = "back"};
    const auto lost =
        find_lost(known, mine, theirs, table_of({numbered("by_hand", "3", {1, 3})}), "new");
    REQUIRE(lost.orders.size() == 1);
    CHECK(lost.orders[0].id == "7");
    CHECK(lost.orders[0].number == ruling_number{1, 7});
    CHECK(lost.next.last == ruling_number{4, 10});
    CHECK(lost.next.token == "new," + std::string{token});
  }
}

TEST_CASE("A token names each ledger before it once, and has at most 2,000 octets") {
  using rulings_detail::token_after;
  CHECK(token_after("d", "c,b,a", "b,a") == "d,c,b,a");
  CHECK(token_after("d", "c,a", "x,a") == "d,c,a,x");
  CHECK(token_after("d", "", "") == "d");
  std::string token = "first";
  for (int generation = 0; generation < 1'000; ++generation) {
    token = token_after("name-" + std::to_string(generation), token, token);
  }
  CHECK(token.starts_with("name-999,name-998,"));
  CHECK(token.size() > 1'900);
  CHECK(token.size() <= 2'000);
  CHECK(token_after("d", "c," + std::string(3'000, 'x') + ",a", "") == "d,c,a");
}

TEST_CASE("Orders of a ledger that began again get numbers above all that was lost") {
  const ledger_head known{.last = {1, 7}, .token = "a", .last_id = "7"};
  const ledger_head theirs{.last = {1, 1}, .token = "b", .last_id = "x"};
  const auto lost = find_lost(known, table_of({numbered("by_hand", "7", {1, 7})}), theirs,
                              table_of({numbered("", "x", {1, 1})}), "new");
  REQUIRE(lost.orders.size() == 1);
  CHECK(lost.orders[0].id == "x");
  CHECK(lost.orders[0].number == ruling_number{2, 8});
  CHECK(lost.next.last == ruling_number{2, 9});
}

TEST_CASE("An order keeps its highest number, also if the ledger has it with a lower one") {
  const ledger_head known{.last = {2, 12}, .token = "a", .last_id = "7"};
  const ledger_head theirs{.last = {2, 2}, .token = "b", .last_id = "mark"};
  const auto lost = find_lost(known, table_of({numbered("", "x", {2, 11})}), theirs,
                              table_of({numbered("", "x", {1, 1})}), "new");
  REQUIRE(lost.orders.size() == 1);
  CHECK(lost.orders[0].number == ruling_number{2, 11});
}

TEST_CASE(
    "A process that has read nothing but its own order puts it back into the next generation") {
  const auto lost = find_lost({}, table_of({numbered("by_hand", "1", {4, 7})}), {}, {}, "new");
  REQUIRE(lost.orders.size() == 1);
  CHECK(lost.next.last == ruling_number{5, 8});
}

TEST_CASE("An empty ledger gets at least the numbers of a process that knows no ruling") {
  const ledger_head known{.last = {3, 7}, .token = "a", .last_id = "7"};
  const auto lost = find_lost(known, {}, {}, {}, "new");
  CHECK(!lost.is_whole);
  CHECK(lost.orders.empty());
  CHECK(lost.next.last == ruling_number{4, 8});
}
