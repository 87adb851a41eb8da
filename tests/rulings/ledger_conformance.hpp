// The promises of `RulingLedger`, as tests that run against any model.
#pragma once

#include <robots/policy/site_override.hpp>
#include <robots/rulings/detail/lost_orders.hpp>
#include <robots/rulings/ruling_ledger.hpp>
#include <robots/rulings/ruling_order.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace robots::test {

[[nodiscard]] inline ruling_order order_for(std::string site, std::string value, std::string id,
                                            ruling_kind kind = ruling_kind::halt) {
  return {.site = std::move(site),
          .kind = kind,
          .value = std::move(value),
          .maker = "a test",
          .id = std::move(id),
          .time = 1'764'000'000};
}

/// Reads a ledger as a process does, and remembers the rulings. Puts back what the ledger lost.
class ledger_reader {
 public:
  void catch_up(RulingLedger& ledger) {
    for (bool has_more = true; has_more;) {
      const ledger_news news = ledger.read(known);
      if (!news.is_continued && put_back(ledger, news)) {
        continue;
      }
      if (!news.is_continued) {
        rulings.clear();
      }
      for (const ruling_order& order : news.orders) {
        rulings[rulings_detail::name_of(order)] = order;
      }
      known = news.head;
      has_more = news.has_more;
    }
  }

  [[nodiscard]] std::string value(std::string_view name) const {
    const auto listed = rulings.find(name);
    return listed == rulings.end() ? "nothing" : listed->second.value;
  }

  ledger_head known{};
  std::map<std::string, ruling_order, std::less<>> rulings{};

 private:
  [[nodiscard]] bool put_back(RulingLedger& ledger, const ledger_news& news) {
    rulings_detail::order_table mine;
    for (const auto& [name, order] : rulings) {
      mine[name] = order;
    }
    rulings_detail::order_table theirs;
    for (const ruling_order& order : news.orders) {
      theirs[rulings_detail::name_of(order)] = order;
    }
    const auto lost = rulings_detail::find_lost(known, mine, news.head, theirs,
                                                "reader" + std::to_string(++tokens_));
    return !lost.is_whole && ledger.put_back(news.head, lost.next, lost.orders);
  }

  static inline std::atomic<int> tokens_ = 0;
};

/// Tests a ledger. `open()` opens the same ledger as another process does, and returns a pointer.
/// `lose()` makes the ledger lose all orders.
template <class Open, class Lose>
void ledger_conformance(const Open& open, const Lose& lose) {
  auto a = open();
  auto b = open();
  SUBCASE("An empty ledger continues what a reader without knowledge has read") {
    const ledger_news news = a->read({});
    CHECK(news.is_continued);
    CHECK(news.orders.empty());
    CHECK(news.head == ledger_head{});
  }
  SUBCASE("Each order gets the next number, whoever makes it") {
    const auto first = a->append(order_for("example.com", "by_hand", "1"), {});
    const auto second = b->append(order_for("other.example", "hostile", "2"), {});
    CHECK(first == ruling_number{1, 1});
    CHECK(second == ruling_number{1, 2});
    const ledger_news all = a->read({});
    CHECK(!all.is_continued);
    CHECK(all.orders.size() == 2);
    CHECK(all.head.last == second);
    CHECK(all.head.last_id == "2");
    CHECK(!all.head.token.empty());
  }
  SUBCASE("A reader gets each later order once, in sequence, with all its parts") {
    (void)a->append(order_for("example.com", "by_hand", "1"), {});
    const ledger_head known = b->read({}).head;
    ruling_order fixed =
        order_for("https://example.com:8443", "text", "2", ruling_kind::site_override);
    using namespace std::string_literals;
    fixed.detail = "User-agent: *\r\nDisallow: /\n\n\0 end"s;
    fixed.maker = "ann@example";
    (void)a->append(fixed, {});
    (void)a->append(order_for("example.com", "", "3"), {});
    const ledger_news news = b->read(known);
    REQUIRE(news.is_continued);
    REQUIRE(news.orders.size() == 2);
    fixed.number = {1, 2};
    CHECK(news.orders[0] == fixed);
    CHECK(news.orders[1].number == ruling_number{1, 3});
    CHECK(!news.orders[1].is_in_force());
    CHECK(b->read(news.head).orders.empty());
    CHECK(b->read(news.head).head == news.head);
  }
  SUBCASE("The state has the last order of each site and kind, also one that ends a ruling") {
    (void)a->append(order_for("example.com", "by_hand", "1"), {});
    (void)a->append(order_for("example.com", "given", "2", ruling_kind::sign_off), {});
    (void)a->append(order_for("example.com", "", "3"), {});
    ledger_reader late;
    late.catch_up(*b);
    CHECK(late.rulings.size() == 2);
    CHECK(late.value("halt example.com").empty());
    CHECK(late.value("sign_off example.com") == "given");
  }
  SUBCASE("An order that is sent again is made once, even after a later order") {
    const auto number = a->append(order_for("example.com", "by_hand", "1"), {});
    (void)b->append(order_for("example.com", "", "2"), {});
    CHECK(a->append(order_for("example.com", "by_hand", "1"), {}) == number);
    ledger_reader reader;
    reader.catch_up(*b);
    CHECK(reader.value("halt example.com").empty());
    CHECK(reader.known.last == ruling_number{1, 2});
  }
  SUBCASE("An order made by a process that has read nothing deletes no ruling of another kind") {
    (void)a->append(order_for("example.com", "by_hand", "1"), {});
    (void)b->append(order_for("example.com", "allow", "2", ruling_kind::site_override), {});
    ledger_reader reader;
    reader.catch_up(*a);
    CHECK(reader.value("halt example.com") == "by_hand");
    CHECK(reader.value("site_override example.com") == "allow");
  }
  SUBCASE("Many processes that order at once get different numbers, and lose nothing") {
    constexpr int processes = 4;
    constexpr int orders = 25;
    std::vector<std::thread> threads;
    for (int process = 0; process < processes; ++process) {
      threads.emplace_back([&, process] {
        auto own = open();
        for (int i = 0; i < orders; ++i) {
          const std::string name = std::to_string(process) + "-" + std::to_string(i);
          (void)own->append(order_for("h" + name + ".example", "by_hand", name), {});
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    ledger_reader reader;
    reader.catch_up(*a);
    std::set<std::uint64_t> numbers;
    for (const auto& [name, order] : reader.rulings) {
      numbers.insert(order.number.number);
    }
    CHECK(numbers.size() == processes * orders);
    CHECK(*numbers.rbegin() == processes * orders);
  }
  SUBCASE("A reader gets more orders than fit into one reply") {
    ledger_reader reader;
    (void)a->append(order_for("first.example", "by_hand", "first"), {});
    reader.catch_up(*a);
    for (int i = 0; i < 40; ++i) {
      ruling_order text = order_for("h" + std::to_string(i) + ".example", "text", std::to_string(i),
                                    ruling_kind::site_override);
      text.detail.assign(rulings_detail::most_detail, 'x');
      (void)a->append(text, {});
    }
    for (int i = 0; i < 1'100; ++i) {
      (void)a->append(order_for("n.example", i % 2 == 0 ? "by_hand" : "", "n" + std::to_string(i)),
                      {});
    }
    reader.catch_up(*b);
    CHECK(reader.rulings.size() == 42);
    CHECK(reader.value("halt n.example").empty());
    CHECK(reader.known.last.number == 1'141);
    ledger_reader late;
    late.catch_up(*b);
    CHECK(late.rulings.size() == 42);
  }
  SUBCASE("What the ledger lost, a process that has read it puts back") {
    (void)a->append(order_for("example.com", "by_hand", "1"), {});
    (void)a->append(order_for("other.example", "hostile", "2"), {});
    (void)a->append(order_for("other.example", "", "3"), {});
    ledger_reader reader;
    reader.catch_up(*a);
    const ledger_head before = reader.known;
    lose();
    CHECK(!b->append(order_for("third.example", "by_hand", "4"), before));
    reader.catch_up(*a);
    CHECK(reader.known.last > before.last);
    CHECK(reader.known.token != before.token);
    ledger_reader late;
    late.catch_up(*b);
    CHECK(late.value("halt example.com") == "by_hand");
    CHECK(late.value("halt other.example").empty());  // the end of a halt is kept, too
    CHECK(late.rulings.at("halt example.com").number == ruling_number{1, 1});
    const auto next = b->append(order_for("third.example", "by_hand", "4"), late.known);
    REQUIRE(next);
    CHECK(*next > before.last);
    CHECK(a->append(order_for("example.com", "by_hand", "1"), reader.known) == ruling_number{1, 1});
  }
  SUBCASE("An order made after the loss is later than all that is put back") {
    (void)a->append(order_for("example.com", "by_hand", "1"), {});
    (void)a->append(order_for("other.example", "by_hand", "2"), {});
    ledger_reader reader;
    reader.catch_up(*a);
    lose();
    (void)b->append(order_for("example.com", "", "3"), {});  // by a process that knows nothing
    reader.catch_up(*a);
    ledger_reader late;
    late.catch_up(*b);
    CHECK(reader.value("halt example.com").empty());
    CHECK(late.value("halt example.com").empty());
    CHECK(late.value("halt other.example") == "by_hand");
    CHECK(late.rulings.at("halt example.com").number.generation == 2);
  }
  SUBCASE("Two processes that know different parts put back all, and the last order wins") {
    (void)a->append(order_for("example.com", "by_hand", "1"), {});
    ledger_reader early;
    early.catch_up(*a);
    (void)a->append(order_for("example.com", "", "2"), {});
    (void)a->append(order_for("other.example", "hostile", "3"), {});
    ledger_reader late;
    late.catch_up(*a);
    lose();
    early.catch_up(*a);
    late.catch_up(*b);
    early.catch_up(*a);
    CHECK(early.rulings == late.rulings);
    CHECK(early.known == late.known);
    CHECK(early.value("halt example.com").empty());
    CHECK(early.value("halt other.example") == "hostile");
  }
  SUBCASE("A put-back that another process has overtaken changes nothing") {
    (void)a->append(order_for("example.com", "by_hand", "1"), {});
    const ledger_head old = a->read({}).head;
    (void)b->append(order_for("other.example", "by_hand", "2"), {});
    const ledger_head next{.last = {2, 9}, .token = "new", .last_id = "mark"};
    const std::vector<ruling_order> orders{order_for("x.example", "by_hand", "3")};
    CHECK(!a->put_back(old, next, orders));
    CHECK(a->read({}).orders.size() == 2);
    CHECK(a->put_back(a->read({}).head, next, {}));
    CHECK(a->read({}).head == next);
    CHECK(a->read(next).is_continued);
  }
}

}  // namespace robots::test
