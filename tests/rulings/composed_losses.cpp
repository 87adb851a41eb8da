#include "rulings/composed_losses.hpp"

#include <robots/cache/prefetch.hpp>
#include <robots/client/page_driver.hpp>
#include <robots/client/page_result.hpp>
#include <robots/client/polite_client.hpp>
#include <robots/fetch/async_fetcher.hpp>
#include <robots/polite/admission.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/rulings/old_records.hpp>
#include <robots/rulings/site_rulings.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace robots::test {

namespace {

using namespace std::chrono_literals;

/// A first call of a process that is about a site.
struct first_contact {
  std::string name;
  std::function<void(composed_process&, const std::string& url)> call;
};

/// An asynchronous fetcher that answers at once.
struct answering_web {
  void async_fetch(const fetch_request& request, const std::function<void(fetch_response)>& done) {
    done(web.fetch(request));
  }
  ScriptedFetcher& web;
};

const std::vector<first_contact>& first_contacts() {
  using process = composed_process;
  static const std::vector<first_contact> all{
      {"check", [](process& one, const std::string& url) { (void)one.cache.check(url); }},
      {"get", [](process& one, const std::string& url) { (void)one.cache.get(url); }},
      {"refresh", [](process& one, const std::string& url) { (void)one.cache.refresh(url); }},
      {"begin",
       [](process& one, const std::string& url) {
         look_up looked = one.cache.begin(url);
         one.drive(looked);
       }},
      {"prefetch",
       [](process& one, const std::string& url) {
         answering_web net{one.web};
         (void)prefetch(one.cache, std::vector<std::string>{url}, net);
       }},
      {"is_denied", [](process& one, const std::string& url) { (void)one.cache.is_denied(url); }},
      {"report_response",
       [](process& one, const std::string& url) { (void)one.cache.report_response(url, 403); }},
      {"a redirect",
       [](process& one, const std::string& url) {
         one.web.on(robots_url, ScriptedFetcher::redirect(301, url + "robots.txt"));
         (void)one.cache.check(home);
       }},
      {"a gate",
       [](process& one, const std::string& url) {
         basic_host_gate gate{gate_options{}, one.clock};
         basic_admission front{one.cache, gate};
         (void)front.try_reserve(url);
       }},
      {"a polite client",
       [](process& one, const std::string& url) {
         basic_host_gate gate{gate_options{}, one.clock};
         basic_polite_client<ruled_cache, basic_host_gate<ManualClock>, ScriptedFetcher> client{
             one.cache, gate, one.web};
         (void)client.fetch(url);
       }},
      {"a page driver",
       [](process& one, const std::string& url) {
         basic_host_gate gate{gate_options{}, one.clock};
         answering_web net{one.web};
         page_driver<ruled_cache, basic_host_gate<ManualClock>, answering_web> driver{
             one.cache, gate, net, [] {}};
         bool is_done = false;
         driver.start(url, {}, [&](const page_result& /*result*/) { is_done = true; });
         while (!is_done) {
           one.clock.sleep_until(driver.next_run().value(), {});
           driver.run();
         }
       }},
      {"an order", [](process& one, const std::string&) { one.rulings().halt("own.example"); }},
  };
  return all;
}

}  // namespace

void composed_loss_conformance(const tested_ledger& tested) {
  const auto& [open, lose] = tested;
  const std::string other = "https://other.example/";
  SUBCASE("A halt and a denial outlast the orders of a process that could not read them first") {
    for (const bool is_down : {false, true}) {
      composed_process a{open()};
      composed_process b{open()};
      a.rulings().halt("example.com");
      a.rulings().override_with("other.example", site_override::deny);
      b.ledger->is_down = is_down;
      b.rulings().override_with("example.com", site_override::allow);
      b.rulings().sign_off("other.example");
      b.ledger->is_down = false;
      for (composed_process* const one : {&b, &a}) {
        CHECK(one->rulings().catch_up());
        CHECK(one->reason() == "halted");
        CHECK(one->reason(other) == "by_hand");
        CHECK_FALSE(one->cache.allowed(other));
        CHECK(one->web.count() == 0);
      }
      a.rulings().resume("example.com");
      a.rulings().end_override("example.com");
    }
  }
  SUBCASE("A failure of the ledger at the first look-up lets no process ignore a halt") {
    composed_process a{open()};
    a.rulings().halt("example.com");
    for (const first_contact& contact : first_contacts()) {
      CAPTURE(contact.name);
      composed_process b{open()};
      b.ledger->is_down = true;
      contact.call(b, home);
      CHECK(b.reason() == "unread");
      CHECK(b.web.count() == 0);
      b.ledger->is_down = false;
      CHECK(b.reason() == "halted");
      CHECK(b.cache.allowed(other));
      CHECK(b.web.count(robots_url) == 0);
    }
  }
  SUBCASE("A halt that the ledger has lost holds for processes that begin later, with any clock") {
    composed_process a{open()};
    auto b = std::make_unique<composed_process>(open());
    a.rulings().halt("example.com");
    CHECK(b->rulings().catch_up());
    lose();
    composed_process stranger{open()};  // has read nothing, and makes the first order since
    stranger.rulings().override_with("other.example", site_override::deny);
    CHECK(b->rulings().catch_up());
    b.reset();
    for (const int days : {-1'000, 0, 1'000}) {
      const auto date = ManualClock{}.wall_now() + std::chrono::days{days};
      composed_process late{open(), {}, ManualClock{date}};
      CHECK(late.reason() == "halted");
      CHECK(late.reason(other) == "by_hand");
      CHECK(late.web.count() == 0);
    }
    CHECK(a.rulings().catch_up());
    CHECK(a.reason(other) == "by_hand");
  }
  SUBCASE("One resume is enough for five processes that have seen the site turn hostile") {
    std::array<std::unique_ptr<composed_process>, 5> all;
    for (auto& one : all) {
      one = std::make_unique<composed_process>(open(), rulings_options{.halt_hostile = true});
      CHECK(one->cache.allowed(home));
      one->refresh(ok(everything));
    }
    for (const auto& one : all) {
      CHECK(one->rulings().catch_up());
      CHECK(one->reason() == "halted");
    }
    CHECK(all.back()->rulings().resume("example.com").size() == 1);
    for (const auto& one : all) {
      CHECK(one->rulings().catch_up());
      CHECK(one->reason() == "rule");
      one->clock.advance(25h);
      CHECK(one->reason() == "rule");
      CHECK(one->rulings().in_force().empty());
    }
  }
  SUBCASE("A sign-off from before a process began is known to it, whichever call comes first") {
    const std::string bank = "https://bank.example/";
    composed_process a{open()};
    a.rulings().sign_off("bank.example");
    for (const first_contact& contact : first_contacts()) {
      CAPTURE(contact.name);
      composed_process late{open(), {.needs_sign_off = {"bank.example"}}};
      contact.call(late, bank);
      CHECK(late.rulings().catch_up());
      CHECK(late.cache.allowed(bank));
      CHECK(late.rulings().awaiting_sign_off().empty());
    }
  }
  SUBCASE("Three processes whose clocks differ by minutes obey all orders, in one sequence") {
    const auto now = ManualClock{}.wall_now();
    composed_process behind{open(), {}, ManualClock{now - 90s}};
    composed_process exact{open(), {}, ManualClock{now}};
    composed_process ahead{open(), {}, ManualClock{now + 20min}};
    const std::array all{&ahead, &exact, &behind};
    ahead.rulings().halt("a.example");
    behind.rulings().halt("b.example");
    for (const int first : {0, 1, 2}) {  // whoever gives the last order
      for (int i = 0; i < 3; ++i) {
        all.at(static_cast<std::size_t>((first + i) % 3))
            ->rulings()
            .override_with("example.com", i == 2 ? site_override::deny : site_override::allow);
      }
      for (composed_process* const one : all) {
        CHECK(one->rulings().catch_up());
        CHECK(one->reason() == "by_hand");
        CHECK_FALSE(one->cache.allowed(home));
        CHECK(one->reason("https://a.example/") == "halted");
        CHECK(one->reason("http://b.example/") == "halted");
      }
    }
    behind.rulings().resume("a.example");
    ahead.rulings().resume("b.example");
    for (composed_process* const one : all) {
      CHECK(one->rulings().catch_up());
      CHECK(one->cache.allowed("https://a.example/"));
      CHECK(one->cache.allowed("https://b.example/"));
    }
  }
  SUBCASE("A ruling on a port that belongs to the other scheme reaches this site everywhere") {
    composed_process a{open(), {.halt_hostile = true}};
    composed_process b{open()};
    CHECK(b.rulings().catch_up());
    a.rulings().override_with("https://i.example:80", site_override::deny);
    const std::string odd = "http://h.example:443/";
    CHECK(a.cache.allowed(odd));
    a.refresh(ok(everything), odd + "robots.txt");
    for (composed_process* const one : {&a, &b}) {
      CHECK(one->rulings().catch_up());
      CHECK(one->reason(odd) == "halted");
      CHECK(one->reason("https://i.example:80/") == "by_hand");
      CHECK(one->cache.allowed("https://h.example/"));
      CHECK(one->cache.allowed("http://i.example/"));
    }
    CHECK(b.rulings().resume(odd).size() == 1);
    CHECK(a.rulings().catch_up());
    CHECK(a.reason(odd) == "rule");
  }
  SUBCASE("An order that is made while the ledger is down holds at once, and is made once") {
    composed_process a{open()};
    composed_process b{open()};
    CHECK(a.cache.allowed(home));
    CHECK(b.cache.allowed(home));
    a.ledger->is_down = true;
    a.rulings().halt("example.com");
    CHECK(a.reason() == "halted");
    a.ledger->is_down = false;
    a.ledger->loses_answers = true;
    CHECK_FALSE(a.rulings().catch_up());
    CHECK_FALSE(a.rulings().catch_up());
    a.ledger->loses_answers = false;
    CHECK(b.rulings().catch_up());
    CHECK(b.reason() == "halted");
    b.rulings().resume("example.com");
    CHECK(a.rulings().catch_up());
    CHECK(a.reason() == "no_rule");
    CHECK(b.reason() == "no_rule");
  }
  SUBCASE("The rulings of an older version hold after the upgrade, until somebody ends them") {
    const std::vector<std::string> old_records{
        "ruling 1 example.com 1 0 3 2000",      // halted by hand
        "ruling 1 other.example 0 0 2 1000",    // denied
        "ruling 1 bank.example 2 0 1 1500",     // signed off
        "ruling 1 bad.example 3 2 1 4000",      // https: in quarantine
        "ruling 1 h.example:443 1 0 1 5000",    // http on this port: hostile
        "ruling 1 resumed.example 1 0 0 6000",  // resumed
    };
    CHECK(import_rulings(*open(), old_records).size() == old_records.size());
    composed_process a{open(), {.needs_sign_off = {"bank.example"}}};
    CHECK(a.reason() == "halted");
    CHECK(a.reason(other) == "by_hand");
    CHECK_FALSE(a.cache.allowed(other));
    CHECK(a.cache.allowed("https://bank.example/"));
    CHECK(outcome_of(a.cache.check("https://bad.example/")) == "quarantined");
    CHECK(a.reason("http://h.example:443/") == "halted");
    CHECK(a.cache.allowed("https://h.example/"));
    CHECK(a.cache.allowed("https://resumed.example/"));
    CHECK(a.rulings().resume("example.com").size() == 1);
    CHECK(import_rulings(*open(), old_records).empty());  // as an old process may still run
    CHECK(a.rulings().catch_up());
    CHECK(a.reason() == "no_rule");
  }
}

}  // namespace robots::test
