// The losses of orders that `SiteRulings` must prevent, as tests that run over any ledger. Each
// `SiteRulings` stands for a process. None has a thread: a call of `catch_up` stands for a poll.
#pragma once

#include <robots/rulings/site_rulings.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::test {

/// A ledger whose calls fail while `is_down` is true, also after the effect.
class failing_ledger final : public RulingLedger {
 public:
  explicit failing_ledger(std::shared_ptr<RulingLedger> inner) : inner_{std::move(inner)} {}

  [[nodiscard]] std::optional<ruling_number> append(const ruling_order& order,
                                                    const ledger_head& known) override {
    require_up();
    ++appends;
    auto number = inner_->append(order, known);
    if (loses_answers) {
      throw std::runtime_error{"the answer is lost: try again"};
    }
    return number;
  }
  [[nodiscard]] ledger_news read(const ledger_head& known) override {
    require_up();
    return inner_->read(known);
  }
  [[nodiscard]] bool put_back(const ledger_head& expected, const ledger_head& next,
                              std::span<const ruling_order> orders) override {
    require_up();
    const bool is_done = inner_->put_back(expected, next, orders);
    if (loses_answers) {
      throw std::runtime_error{"the answer is lost: try again"};
    }
    return is_done;
  }

  bool is_down = false;
  bool loses_answers = false;
  int appends = 0;

 private:
  void require_up() const {
    if (is_down) {
      throw std::runtime_error{"no route to the ledger: try again"};
    }
  }

  std::shared_ptr<RulingLedger> inner_;
};

/// Returns options with a ledger that is read only by `catch_up`.
[[nodiscard]] inline rulings_options over_ledger(std::shared_ptr<RulingLedger> own,
                                                 rulings_options options = {}) {
  options.ledger = std::move(own);
  options.poll = std::chrono::milliseconds{0};
  return options;
}

/// A process of a crawl: its ledger, which can fail, and its rulings.
struct crawl_process {
  explicit crawl_process(std::shared_ptr<RulingLedger> inner, rulings_options options = {})
      : ledger{std::make_shared<failing_ledger>(std::move(inner))},
        rulings{over_ledger(ledger, std::move(options))} {}

  [[nodiscard]] ruling_effect effect(std::string_view url) const {
    return rulings.find(url).effect;
  }

  std::shared_ptr<failing_ledger> ledger;
  SiteRulings rulings;
};

/// `open()` opens the same ledger as another process does, and returns a shared pointer. `lose()`
/// makes the ledger lose all orders.
template <class Open, class Lose>
void loss_conformance(const Open& open, const Lose& lose) {
  using enum ruling_effect;
  const std::string url = "https://example.com/page";
  crawl_process a{open()};
  crawl_process b{open()};
  SUBCASE("A halt outlasts an override and a sign-off by a process that has not read the ledger") {
    CHECK(a.rulings.halt("example.com").size() == 1);
    CHECK(b.rulings.override_with("example.com", site_override::allow).size() == 1);
    CHECK(b.rulings.sign_off("example.com").size() == 1);
    CHECK(a.rulings.catch_up());
    CHECK(a.effect(url) == halted);
    CHECK(b.effect(url) == halted);
  }
  SUBCASE(
      "An alarm about http on port 443, or https on port 80, halts this site in all processes") {
    for (const std::string place : {"http://a.example:443/", "https://b.example:80/"}) {
      CHECK(a.rulings.raise_halt(place, halt_reason::hostile, "rules 7").size() == 1);
      CHECK(a.effect(place) == halted);
      CHECK(a.rulings.catch_up());
      CHECK(b.rulings.catch_up());
      CHECK(b.effect(place) == halted);
    }
    CHECK(b.effect("https://a.example/") == none);
    CHECK(b.effect("http://b.example/") == none);
    CHECK(b.rulings.resume("http://a.example:443/").size() == 1);
    CHECK(a.rulings.catch_up());
    CHECK(a.effect("http://a.example:443/") == none);
    CHECK(a.rulings.has_accepted("http://a.example:443/", "rules 7"));
  }
  SUBCASE("A process whose first call of the ledger fails denies all sites, and learns of a halt") {
    (void)a.rulings.halt("example.com");
    b.ledger->is_down = true;
    CHECK(!b.rulings.catch_up());
    CHECK(b.rulings.failure() == "no route to the ledger: try again");
    CHECK(b.effect(url) == unread);
    CHECK(b.effect("https://other.example/") == unread);
    b.ledger->is_down = false;
    CHECK(b.rulings.catch_up());
    CHECK(b.effect(url) == halted);
    CHECK(b.effect("https://other.example/") == none);
  }
  SUBCASE("A process that may ignore an unread ledger obeys its own orders until then") {
    crawl_process c{open(), {.without_ledger = unread_ledger::ignored}};
    c.ledger->is_down = true;
    CHECK(c.effect(url) == none);
    (void)c.rulings.halt("example.com");
    CHECK(c.effect(url) == halted);
  }
  SUBCASE("One resume is enough for all processes, and holds until the site changes again") {
    CHECK(a.rulings.catch_up());
    CHECK(b.rulings.catch_up());
    CHECK(a.rulings.raise_halt("https://example.com", halt_reason::hostile, "rules 7").size() == 1);
    CHECK(a.rulings.catch_up());
    CHECK(a.rulings.resume("example.com").size() == 1);
    // The second process notices the same change, before or after it has read the resume.
    (void)b.rulings.raise_halt("https://example.com", halt_reason::hostile, "rules 7");
    CHECK(b.rulings.catch_up());
    CHECK(b.effect(url) == none);
    CHECK(b.rulings.raise_halt("https://example.com", halt_reason::hostile, "rules 7").empty());
    CHECK(a.rulings.catch_up());
    CHECK(a.effect(url) == none);
    CHECK(b.rulings.raise_halt("https://example.com", halt_reason::hostile, "rules 8").size() == 1);
    CHECK(b.rulings.catch_up());
    CHECK(a.rulings.catch_up());
    CHECK(a.effect(url) == halted);
  }
  SUBCASE("The end of a quarantine accepts the files that other processes have seen before") {
    CHECK(b.rulings.catch_up());
    CHECK(a.rulings.raise_quarantine("https://example.com").size() == 1);
    CHECK(a.rulings.catch_up());
    CHECK(a.rulings.end_quarantine("example.com").size() == 1);
    CHECK(b.rulings.raise_quarantine("https://example.com").size() == 1);
    CHECK(b.effect(url) == quarantined);
    CHECK(b.rulings.catch_up());
    CHECK(b.effect(url) == none);
    CHECK(b.rulings.unsent() == 0);
    CHECK(b.rulings.raise_quarantine("https://example.com").size() == 1);
    CHECK(b.rulings.catch_up());
    CHECK(a.rulings.catch_up());
    CHECK(a.effect(url) == quarantined);
  }
  SUBCASE(
      "A sign-off that was given before a process began is known to it, whatever it does first") {
    (void)a.rulings.sign_off("bank.example");
    crawl_process c{open(), {.needs_sign_off = {"bank.example"}}};
    CHECK(c.effect("https://bank.example/") == unread);
    CHECK(c.rulings.wait_until_read());
    CHECK(c.effect("https://bank.example/") == none);
    (void)a.rulings.withdraw_sign_off("bank.example");
    (void)c.rulings.catch_up();
    CHECK(c.effect("https://bank.example/") == needs_sign_off);
  }
  SUBCASE("Orders of one millisecond, and of any clocks, have one sequence") {
    (void)a.rulings.override_with("example.com", site_override::deny);
    (void)b.rulings.override_with("example.com", site_override::allow);
    (void)a.rulings.override_with("example.com", site_override::deny);
    (void)b.rulings.catch_up();
    CHECK(a.effect(url) == denied);
    CHECK(b.effect(url) == denied);
  }
  SUBCASE("An order that is made while the ledger is down holds at once, and is sent once") {
    CHECK(a.rulings.catch_up());
    a.ledger->is_down = true;
    const auto orders = a.rulings.halt("example.com");
    REQUIRE(orders.size() == 1);
    CHECK(orders[0].number == ruling_number{});
    CHECK(a.effect(url) == halted);
    CHECK(a.rulings.unsent() == 1);
    a.ledger->is_down = false;
    a.ledger->loses_answers = true;
    CHECK(!a.rulings.catch_up());
    CHECK(!a.rulings.catch_up());
    a.ledger->loses_answers = false;
    CHECK(a.rulings.catch_up());
    CHECK(a.rulings.unsent() == 0);
    CHECK(b.rulings.catch_up());
    CHECK(b.effect(url) == halted);
    CHECK(a.rulings.find(url).order->number == ruling_number{1, 1});
    CHECK(b.rulings.find(url).order->number == ruling_number{1, 1});
    CHECK(b.rulings.resume(url).at(0).number == ruling_number{1, 2});
  }
  SUBCASE("A ledger that has lost all orders gets them back from any process that knows them") {
    (void)a.rulings.halt("example.com");
    (void)a.rulings.halt("other.example");
    (void)a.rulings.resume("other.example");
    CHECK(b.rulings.catch_up());
    lose();
    SUBCASE("before it gets a new order") { CHECK(b.rulings.catch_up()); }
    SUBCASE("after it got a new order of a process that knew nothing") {
      crawl_process c{open()};
      (void)c.rulings.halt("third.example");
      CHECK(b.rulings.catch_up());
    }
    SUBCASE("with a new order of a process that knows them") {
      (void)b.rulings.halt("third.example");
    }
    CHECK(b.rulings.put_backs() == 1);
    crawl_process late{open()};
    CHECK(late.rulings.catch_up());
    CHECK(late.effect(url) == halted);
    CHECK(late.effect("https://other.example/") == none);
    CHECK(a.rulings.catch_up());
    CHECK(a.rulings.in_force() == late.rulings.in_force());
  }
  SUBCASE("An order that was made after a loss is later than what is put back") {
    (void)a.rulings.halt("example.com");
    lose();
    crawl_process c{open()};
    // It does not know the halt, so it ends nothing that it knows; the override is its order.
    (void)c.rulings.override_with("example.com", site_override::deny);
    CHECK(a.rulings.override_with("example.com", site_override::allow).size() == 1);
    CHECK(c.rulings.catch_up());
    CHECK(c.effect(url) == halted);
    (void)c.rulings.resume("example.com");
    CHECK(a.rulings.catch_up());
    CHECK(a.effect(url) == allowed);
    CHECK(c.effect(url) == allowed);
  }
  SUBCASE("A ruling reaches the site that its text names, with any port and scheme") {
    (void)a.rulings.halt("http://h.example:443");
    (void)a.rulings.halt("https://i.example:80");
    (void)a.rulings.halt("j.example:8080");
    (void)a.rulings.halt("k.example");
    CHECK(b.rulings.catch_up());
    CHECK(b.effect("http://h.example:443/") == halted);
    CHECK(b.effect("https://h.example/") == none);
    CHECK(b.effect("https://i.example:80/") == halted);
    CHECK(b.effect("http://i.example/") == none);
    CHECK(b.effect("http://j.example:8080/") == halted);
    CHECK(b.effect("https://j.example:8080/") == halted);
    CHECK(b.effect("j.example:8080") == halted);
    CHECK(b.effect("https://j.example/") == none);
    CHECK(b.effect("https://k.example:9/") == halted);
    CHECK(b.effect("http://k.example/") == halted);
    CHECK(b.effect("k.example") == halted);
  }
}

}  // namespace robots::test
