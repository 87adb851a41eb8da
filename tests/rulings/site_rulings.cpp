#include <robots/rulings/site_rulings.hpp>

#include "rulings/loss_conformance.hpp"
#include "support/gate.hpp"
#include <robots/base/stop_token.hpp>
#include <robots/rulings/detail/ruling_table.hpp>
#include <robots/testing/memory_ruling_ledger.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace robots;
using namespace std::chrono_literals;
using test::crawl_process;
using enum ruling_effect;

TEST_CASE("SiteRulings loses no order with a MemoryRulingLedger") {
  MemoryRulingLedger first;
  test::loss_conformance([&] { return std::make_shared<MemoryRulingLedger>(first); },
                         [&] { first.lose_all(); });
}

TEST_CASE("SiteRulings without a ledger keeps rulings in the process") {
  SiteRulings rulings;
  CHECK(rulings.is_read());
  CHECK(rulings.find("https://example.com/").effect == none);
  CHECK(!rulings.may_decide_on("example.com"));
  CHECK(rulings.halt("example.com", "ann").at(0).number == ruling_number{1, 1});
  CHECK(rulings.halt("example.com").empty());
  SiteRulings copy = rulings;
  CHECK(copy.find("https://example.com/").effect == halted);
  CHECK(copy.may_decide_on("example.com"));
  CHECK(explain(copy.find("example.com")) == "halted (by_hand) by ann, order 1-1 on example.com");
  CHECK(copy.resume("https://example.com/page").size() == 1);
  CHECK(copy.resume("example.com").empty());
  CHECK(rulings.find("example.com").effect == none);
  CHECK(explain(rulings.find("example.com")) == "no ruling");
}

TEST_CASE("Each kind of ruling has one function that makes it and one that ends it") {
  SiteRulings rulings{{.needs_sign_off = {"gov"}}};
  CHECK(rulings.find("a.gov").effect == needs_sign_off);
  CHECK(rulings.sign_off("a.gov").at(0).kind == ruling_kind::sign_off);
  CHECK(rulings.sign_off("a.gov").empty());
  CHECK(rulings.find("a.gov").effect == none);
  CHECK(rulings.withdraw_sign_off("a.gov").size() == 1);
  CHECK(rulings.withdraw_sign_off("a.gov").empty());
  CHECK(rulings.find("a.gov").effect == needs_sign_off);
  CHECK(rulings.override_with("x.example", site_override::allow).size() == 1);
  CHECK(rulings.find("x.example").effect == allowed);
  CHECK(rulings.override_with("x.example", site_override::deny).size() == 1);
  CHECK(rulings.find("x.example").effect == denied);
  CHECK(rulings.override_with_text("x.example", "User-agent: *\nDisallow: /a\n").size() == 1);
  CHECK(rulings.find("x.example").effect == fixed_text);
  CHECK(rulings.find("x.example").order->detail == "User-agent: *\nDisallow: /a\n");
  CHECK(rulings.in_force().size() == 1);
  CHECK(rulings.end_override("x.example").size() == 1);
  CHECK(rulings.end_override("x.example").empty());
  CHECK(rulings.quarantine("x.example").size() == 1);
  CHECK(rulings.find("x.example").effect == quarantined);
  CHECK(rulings.end_quarantine("x.example").size() == 1);
  CHECK(rulings.find("x.example").effect == none);
}

TEST_CASE("The more precise override decides, and a halt decides before an override") {
  SiteRulings rulings;
  (void)rulings.override_with("example.com", site_override::deny);
  (void)rulings.override_with("https://example.com", site_override::allow);
  CHECK(rulings.find("https://example.com/").effect == allowed);
  CHECK(rulings.find("http://example.com/").effect == denied);
  (void)rulings.halt("example.com");
  CHECK(rulings.find("https://example.com/").effect == halted);
  CHECK(!rulings.find("https://example.com/").may_ask());
}

TEST_CASE("Rulings on thousands of ports of one host decide each about its own origins") {
  SiteRulings rulings;
  constexpr int first = 10'000;
  constexpr int count = 2'000;
  for (int port = first; port < first + count; ++port) {
    const std::string place = "example.com:" + std::to_string(port);
    (void)rulings.halt(port % 2 == 0 ? place : "https://" + place);
  }
  int halted = 0;
  for (int port = first; port < first + count; ++port) {
    const std::string place = "example.com:" + std::to_string(port);
    CHECK(rulings.find("https://" + place).effect == ruling_effect::halted);
    halted += rulings.find("http://" + place).effect == ruling_effect::halted ? 1 : 0;
  }
  CHECK(halted == count / 2);
  CHECK(rulings.find("https://example.com").effect == ruling_effect::none);
  CHECK(rulings.resume("https://example.com:10001").size() == 1);
  CHECK(rulings.resume("http://example.com:10002").size() == 1);
  CHECK(rulings.in_force().size() == count - 2);
  CHECK(rulings.resume("example.com").size() == count - 2);
  CHECK(rulings.in_force().empty());
}

TEST_CASE("The only ruling holds at each moment while another thread replaces it") {
  rulings_detail::ruling_table table;
  ruling_order halt{.site = "example.com", .kind = ruling_kind::halt, .value = "by_hand"};
  table.put(halt);
  std::atomic<bool> is_over = false;
  std::thread writer{[&] {
    for (int i = 0; i < 50'000; ++i) {
      table.put(halt);
    }
    is_over = true;
  }};
  std::size_t misses = 0;
  while (!is_over) {
    misses += table.may_have("example.com") ? 0U : 1U;
  }
  writer.join();
  CHECK(misses == 0);
  CHECK(table.size() == 1);
}

TEST_CASE("SiteRulings refuses mistakes of the programmer") {
  SiteRulings rulings;
  CHECK_THROWS_AS(rulings.halt("no site"), std::invalid_argument);
  CHECK_THROWS_AS(rulings.override_with("example.com", site_override::none), std::invalid_argument);
  CHECK_THROWS_AS(rulings.override_with_text("example.com", std::string(65'537, 'x')),
                  std::invalid_argument);
  CHECK_THROWS_AS(
      rulings.override_with_text("example.com", std::string(65'536, 'x'), std::string(1'025, 'm')),
      std::invalid_argument);
  CHECK_THROWS_AS(SiteRulings{rulings_options{.poll = -1ms}}, std::invalid_argument);
  CHECK_THROWS_AS(SiteRulings{rulings_options{.maker = "two\nlines"}}, std::invalid_argument);
}

TEST_CASE("A function that throws makes a host a high risk") {
  SiteRulings rulings{
      {.is_high_risk = [](std::string_view) -> bool { throw std::runtime_error{"no list"}; }}};
  CHECK(rulings.find("example.com").effect == needs_sign_off);
}

TEST_CASE("A message of the ledger is enough for a process to learn of an order") {
  MemoryRulingLedger first;
  SiteRulings own{{.ledger = std::make_shared<MemoryRulingLedger>(first), .poll = 1h}};
  std::atomic<int> orders = 0;
  const auto subscription = own.on_order([&](const ruling_order&) { ++orders; });
  CHECK(own.wait_until_read());
  SiteRulings other{{.ledger = std::make_shared<MemoryRulingLedger>(first), .poll = 0ms}};
  // The thread may still be before its `watch`, whose later reading finds the order, too.
  (void)other.halt("example.com");
  while (own.find("example.com").effect != halted) {
    std::this_thread::yield();
  }
  CHECK(own.find("https://example.com/").order->number == ruling_number{1, 1});
}

TEST_CASE("A process whose first call is an order learns the orders of others") {
  const MemoryRulingLedger first;
  SiteRulings own{{.ledger = std::make_shared<MemoryRulingLedger>(first), .poll = 1h}};
  SiteRulings other{{.ledger = std::make_shared<MemoryRulingLedger>(first), .poll = 0ms}};
  (void)own.halt("a.example");
  (void)other.halt("b.example");
  while (own.find("b.example").effect != halted) {
    std::this_thread::yield();
  }
  CHECK(own.in_force().size() == 2);
}

TEST_CASE("A stop ends the wait for a ledger that does not answer") {
  struct slow_ledger final : RulingLedger {
    [[nodiscard]] std::optional<ruling_number> append(const ruling_order& /*order*/,
                                                      const ledger_head& /*known*/) override {
      return std::nullopt;
    }
    [[nodiscard]] ledger_news read(const ledger_head& /*known*/) override {
      door.pass();
      return {};
    }
    [[nodiscard]] bool put_back(const ledger_head& /*expected*/, const ledger_head& /*next*/,
                                std::span<const ruling_order> /*orders*/) override {
      return false;
    }
    test::gate door;
  };
  const auto slow = std::make_shared<slow_ledger>();
  const SiteRulings rulings{{.ledger = slow, .poll = 1h}};
  stop_source stop;
  std::thread stopping{[&] {
    slow->door.wait_for_arrivals();
    stop.request_stop();
  }};
  CHECK_FALSE(rulings.wait_until_read({}, stop.get_token()));
  stopping.join();
  slow->door.open();
  CHECK(rulings.wait_until_read());
}

TEST_CASE("A function that gets each order may make orders, end its own calls, and throw") {
  SiteRulings rulings;
  std::vector<std::string> heard;
  std::shared_ptr<const void> first = rulings.on_order([&](const ruling_order& order) {
    heard.push_back("first " + order.site);
    (void)rulings.halt("b.example");
    first.reset();
    throw std::runtime_error{"no room for orders"};
  });
  const auto second =
      rulings.on_order([&](const ruling_order& order) { heard.push_back("second " + order.site); });
  (void)rulings.halt("a.example");
  CHECK(heard ==
        std::vector<std::string>{"first a.example", "second a.example", "second b.example"});
}

TEST_CASE("An order is put back that the ledger lost before its process has read again") {
  MemoryRulingLedger first;
  crawl_process a{std::make_shared<MemoryRulingLedger>(first)};
  crawl_process b{std::make_shared<MemoryRulingLedger>(first)};
  (void)a.rulings.halt("first.example");
  CHECK(a.rulings.catch_up());
  first.back_up();
  (void)a.rulings.halt("example.com");
  first.restore();  // as after a crash of a server that stores its data each second
  SUBCASE("if nobody has made an order since") {}
  SUBCASE("if another process has made an order since") {
    CHECK(b.rulings.halt("third.example").at(0).number == ruling_number{1, 2});
  }
  SUBCASE("if another process has made several orders since") {
    (void)b.rulings.halt("third.example");
    (void)b.rulings.halt("fourth.example");
  }
  SUBCASE("if the process makes another order") { (void)a.rulings.halt("fifth.example"); }
  CHECK(a.rulings.catch_up());
  CHECK(a.rulings.put_backs() == 1);
  CHECK(b.rulings.catch_up());
  crawl_process late{std::make_shared<MemoryRulingLedger>(first)};
  CHECK(late.rulings.catch_up());
  CHECK(late.effect("https://example.com/") == halted);
  CHECK(late.rulings.in_force() == a.rulings.in_force());
  CHECK(late.rulings.in_force() == b.rulings.in_force());
  CHECK(a.rulings.catch_up());
  CHECK(a.rulings.put_backs() == 1);
}

TEST_CASE("An order is news when it is made, and again when the ledger has numbered it") {
  const MemoryRulingLedger first;
  crawl_process a{std::make_shared<MemoryRulingLedger>(first)};
  CHECK(a.rulings.catch_up());
  (void)a.rulings.halt("old.example");
  std::vector<std::string> news;
  std::string id;
  const auto subscription = a.rulings.on_news([&](const ruling_order& order, order_news why) {
    news.push_back(std::string{to_string(why)} + ' ' + order.site + ' ' + to_string(order.number));
    CHECK((order.site == "old.example" || id.empty() || id == order.id));
    id = order.site == "old.example" ? id : order.id;
  });
  int orders = 0;
  const auto plain = a.rulings.on_order([&](const ruling_order&) { ++orders; });
  a.ledger->is_down = true;
  (void)a.rulings.halt("example.com");
  a.ledger->is_down = false;
  CHECK(a.rulings.catch_up());
  CHECK(a.rulings.catch_up());
  CHECK(news == std::vector<std::string>{"in_force old.example 1-1", "made example.com 0-0",
                                         "numbered example.com 1-2"});
  CHECK(orders == 1);
}

TEST_CASE("An order that is put back keeps its number, so it is no news") {
  MemoryRulingLedger first;
  crawl_process a{std::make_shared<MemoryRulingLedger>(first)};
  crawl_process b{std::make_shared<MemoryRulingLedger>(first)};
  (void)a.rulings.halt("example.com");
  CHECK(b.rulings.catch_up());
  std::vector<std::string> news;
  const auto subscription = b.rulings.on_news([&](const ruling_order& order, order_news why) {
    news.push_back(std::string{to_string(why)} + ' ' + order.site + ' ' + to_string(order.number));
  });
  first.lose_all();
  CHECK(a.rulings.catch_up());
  CHECK(a.rulings.put_backs() == 1);
  CHECK(b.rulings.catch_up());
  CHECK(b.rulings.put_backs() == 0);
  CHECK(b.rulings.in_force() == a.rulings.in_force());
  CHECK(news == std::vector<std::string>{"in_force example.com 1-1"});
}

TEST_CASE("A function that is called during a report begins with the orders in force") {
  SiteRulings rulings;
  std::vector<std::string> heard;
  std::shared_ptr<const void> late;
  const auto first = rulings.on_order([&](const ruling_order& order) {
    if (late == nullptr) {
      (void)rulings.halt("b.example");  // is reported after this call
      late = rulings.on_news([&](const ruling_order& known, order_news why) {
        heard.push_back(std::string{to_string(why)} + ' ' + known.site);
      });
      (void)rulings.halt("c.example");
    }
    static_cast<void>(order);
  });
  (void)rulings.halt("a.example");
  CHECK(heard ==
        std::vector<std::string>{"in_force a.example", "in_force b.example", "made c.example"});
}

TEST_CASE("An older backup of the ledger gets back the orders that it lacks") {
  MemoryRulingLedger first;
  crawl_process a{std::make_shared<MemoryRulingLedger>(first)};
  (void)a.rulings.halt("example.com");
  first.back_up();
  (void)a.rulings.resume("example.com");
  (void)a.rulings.halt("other.example");
  first.restore();
  CHECK(a.rulings.catch_up());
  crawl_process late{std::make_shared<MemoryRulingLedger>(first)};
  CHECK(late.rulings.catch_up());
  CHECK(late.effect("https://example.com/") == none);
  CHECK(late.effect("https://other.example/") == halted);
}
