// Rulings of several processes that share a store.
#include "cache/cache_fixture.hpp"
#include "support/gate.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/policy.hpp>
#include <robots/rulings/cache_rulings.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/store/tiered_storage.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/memory_store.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

using namespace std::chrono_literals;
using robots::cache_options;
using robots::fallback_policy;
using robots::LruStorage;
using robots::ManualClock;
using robots::ScriptedFetcher;
using robots::site_override;
using robots::TieredStorage;
using robots::test::foo_bot;
using robots::test::gate;
using robots::test::home;
using robots::test::ok;
using robots::test::robots_url;
using robots::test::secret;

namespace {

using memory_store = robots::MemoryStore<ManualClock>;
using tiered = TieredStorage<LruStorage<64>, memory_store>;

/// Records the events about rulings of all processes, in order.
struct Heard {
  struct texts {
    std::mutex mutex;
    std::vector<std::string> all;
  };
  std::shared_ptr<texts> heard = std::make_shared<texts>();

  void on(const robots::halt_event& event) const {
    note((event.resumed ? "resumed " : "halted ") + std::string{event.site});
  }
  void on(const robots::override_event& event) const {
    note(std::string{to_string(event.value)} + " " + std::string{event.site});
  }
  void on(const robots::quarantine_event& event) const {
    note((event.released ? "released " : "quarantined ") + std::string{event.site});
  }
  void note(std::string text) const {
    const std::scoped_lock lock{heard->mutex};
    heard->all.push_back(std::move(text));
  }
  [[nodiscard]] std::vector<std::string> take() const {
    const std::scoped_lock lock{heard->mutex};
    return std::exchange(heard->all, {});
  }
};

using process = robots::basic_robots_cache<ScriptedFetcher, ManualClock, tiered, Heard>;

struct crawl {
  [[nodiscard]] std::unique_ptr<process> start(cache_options options = foo_bot()) {
    return std::make_unique<process>(std::move(options), web, clock,
                                     tiered{LruStorage<64>{}, store}, heard);
  }

  /// Waits until the record of the site contains `text`.
  void wait_for_record(std::string_view text, std::string_view site = "example.com") {
    for (;;) {
      const auto record = store.load(robots::rulings_detail::ruling_key(site));
      if (record && record->find(text) != std::string::npos) {
        return;
      }
      std::this_thread::yield();
    }
  }

  ScriptedFetcher web;
  ManualClock clock;
  memory_store store{clock};
  Heard heard;
};

/// A crawler that needs a sign-off for one site.
cache_options careful_bot() {
  cache_options options = foo_bot();
  options.sign_off = {"risky.example"};
  return options;
}

template <class Condition>
void wait_until(const Condition& holds) {
  while (!holds()) {
    std::this_thread::yield();
  }
}

constexpr const char* halt_by_hand = " 1 0 3 ";
constexpr const char* no_halt = " 1 0 0 ";

}  // namespace

TEST_CASE("A halt applies in every process, even in one that starts later, until it is lifted") {
  crawl of;
  of.web.otherwise(ok());
  const auto first = of.start();
  const auto second = of.start();
  CHECK(first->allowed(home));
  CHECK(second->allowed(home));
  first->halt(home);
  wait_until([&] { return second->is_halted(home); });
  CHECK(to_string(second->check(home).reason) == "halted");
  of.wait_for_record(halt_by_hand);

  const auto third = of.start();
  CHECK(to_string(third->check(home).reason) == "halted");
  CHECK(third->halted().size() == 1);
  CHECK(of.web.count() == 1);
  CHECK(of.heard.take() ==
        std::vector<std::string>{"halted example.com", "halted example.com", "halted example.com"});

  CHECK(third->resume(home));
  wait_until([&] { return !first->is_halted(home) && !second->is_halted(home); });
  CHECK(first->allowed(home));
  CHECK(second->allowed(home));
  of.wait_for_record(no_halt);
  CHECK(of.start()->allowed(home));
}

TEST_CASE("A process that has not asked about a site can lift its halt") {
  crawl of;
  of.web.otherwise(ok());
  const auto first = of.start();
  first->halt(home);
  of.wait_for_record(halt_by_hand);

  const auto second = of.start();
  CHECK(second->resume(home));
  CHECK_FALSE(second->resume(home));
  wait_until([&] { return !first->is_halted(home); });
  CHECK(first->allowed(home));
}

TEST_CASE("A process that has not asked about a site can release it from quarantine") {
  crawl of;
  of.web.otherwise(ok("<html>\n<body>\n"));
  cache_options strict = foo_bot(fallback_policy::strict());
  strict.quarantine_after = 1;
  const auto first = of.start(strict);
  CHECK_FALSE(first->allowed(home));
  of.wait_for_record(" 3 2 1 ");

  of.web.otherwise(ok());
  of.start(strict)->release(home);
  wait_until([&] { return !first->is_quarantined(home); });
  CHECK(first->allowed(home));
}

TEST_CASE("Overrides, sign-offs and quarantine apply in every process") {
  crawl of;
  of.web.otherwise(ok());
  const cache_options careful = careful_bot();
  const auto first = of.start(careful);
  const auto second = of.start(careful);

  first->set_override(secret, site_override::allow);
  wait_until([&] { return !second->overrides().empty(); });
  CHECK(second->check(secret).allowed);
  of.wait_for_record(" 0 2 1 ");
  CHECK(of.start(careful)->check(secret).allowed);
  second->set_override(secret, site_override::none);
  wait_until([&] { return first->overrides().empty(); });
  CHECK_FALSE(first->allowed(secret));

  CHECK(to_string(first->check("https://risky.example/").reason) == "needs_sign_off");
  CHECK(to_string(second->check("https://risky.example/").reason) == "needs_sign_off");
  first->sign_off("risky.example");
  wait_until([&] { return second->awaiting_sign_off().empty(); });
  CHECK(second->allowed("https://risky.example/"));
  of.wait_for_record(" 2 0 1 ", "risky.example");
  CHECK(of.start(careful)->check("https://risky.example/").allowed);
}

TEST_CASE("No process asks a site in quarantine until one of them releases it") {
  crawl of;
  of.web.otherwise(ok("<html>\n<body>\n"));
  cache_options strict = foo_bot(fallback_policy::strict());
  strict.quarantine_after = 1;
  const auto first = of.start(strict);
  const auto second = of.start(strict);
  CHECK_FALSE(first->allowed(home));
  wait_until([&] { return second->is_quarantined(home); });
  of.clock.advance(24h);
  CHECK_FALSE(second->allowed(home));
  of.wait_for_record(" 3 2 1 ");
  const auto third = of.start(strict);
  CHECK(third->check(home).policy->outcome() == robots::outcome::quarantined);
  CHECK(of.web.count() == 1);

  of.web.otherwise(ok());
  third->release(home);
  wait_until([&] { return !first->is_quarantined(home) && !second->is_quarantined(home); });
  CHECK(first->allowed(home));
}

TEST_CASE("A ruling that is made while the store is down is shared when it is up again") {
  crawl of;
  of.web.otherwise(ok());
  const auto first = of.start();
  const auto second = of.start();
  of.store.fail("it is down");
  first->halt(home);
  CHECK(first->is_halted(home));
  CHECK_FALSE(second->is_halted(home));
  of.store.recover();
  of.clock.advance(10min);
  CHECK(first->allowed("https://other.example/"));
  wait_until([&] { return second->is_halted(home); });
}

TEST_CASE("If two processes make rulings at the same moment, both rulings are kept") {
  crawl of;
  of.web.otherwise(ok());
  const auto first = of.start();
  const auto second = of.start();
  of.store.fail("it is down");  // so that neither process gets the message of the other
  first->halt(home);
  second->set_override(home, site_override::deny);
  of.store.recover();
  of.clock.advance(10min);
  CHECK(first->allowed("https://other.example/"));
  CHECK(second->allowed("https://another.example/"));
  wait_until([&] { return second->is_halted(home) && !first->overrides().empty(); });
  of.wait_for_record(halt_by_hand);
  of.wait_for_record(" 0 2 2 ");
}

TEST_CASE("A process learns the rulings that it missed, also on sites that it does not look up") {
  crawl of;
  of.web.otherwise(ok());
  const auto first = of.start();
  first->halt(home);
  of.wait_for_record(halt_by_hand);
  auto text = *of.store.load("ruling://example.com");
  // Another process lifts the halt, and the message is lost.
  text.replace(text.find(" 1 0 3 "), 7, no_halt);
  text.back() = text.back() == '9' ? '8' : '9';
  of.clock.advance(1s);
  of.store.publish("ruling://example.com", text, 1h);
  CHECK(first->is_halted(home));
  of.store.lose_changes();
  wait_until([&] { return !first->is_halted(home); });
}

TEST_CASE("A process that may have missed rulings loads those on 64 sites in one round trip") {
  constexpr int sites = 64;
  std::atomic<int> calls = 0;
  crawl of;
  auto second = of.start();
  {
    const auto first = of.start();
    for (int i = 0; i < sites; ++i) {
      first->halt("https://site" + std::to_string(i) + ".example/");
    }
    wait_until([&] { return second->halted().size() == sites; });
  }
  of.store.on_call([&calls](std::string_view) { ++calls; });
  of.store.lose_changes();
  wait_until([&] { return calls > 0; });
  second.reset();  // waits for the thread that asks
  CHECK(calls == 1);
}

TEST_CASE("Each ruling from a round trip for several sites applies to its own site") {
  gate door;  // outlives the cache, whose threads pass it
  crawl of;
  const std::vector<std::string> halted{"site1.example", "site2.example", "site3.example"};
  {
    const auto first = of.start();
    for (const std::string& site : halted) {
      first->halt(site);
      of.wait_for_record(halt_by_hand, site);
    }
  }
  const auto second = of.start();
  of.store.on_call([&door](std::string_view) { door.pass(); });
  const robots::look_up slow = second->begin(home);
  door.wait_for_arrivals();
  std::vector<robots::look_up> at_once;
  for (const std::string& site : halted) {
    at_once.push_back(second->begin("https://" + site));
  }
  door.open();
  for (robots::look_up& one : at_once) {
    while (std::holds_alternative<robots::look_up::news_wait>(one.next())) {
      std::promise<void> news;
      one.call_on_news([&news] { news.set_value(); });
      news.get_future().wait();
      one.resume();
    }
    CHECK(one.policy()->refused() == robots::decision_reason::halted);
  }
  CHECK(of.web.count() == 0);
}

TEST_CASE("A process learns a sign-off that it missed") {
  crawl of;
  of.web.otherwise(ok());
  const cache_options careful = careful_bot();
  const auto first = of.start(careful);
  CHECK_FALSE(first->allowed("https://risky.example/"));
  of.store.publish("ruling://risky.example", "ruling 1 risky.example 2 0 1 1", 1h);
  of.store.lose_changes();
  wait_until([&] { return first->awaiting_sign_off().empty(); });
  CHECK(first->allowed("https://risky.example/"));
}

TEST_CASE("A site that another process signed off is allowed once the store has answered") {
  crawl of;
  of.web.otherwise(ok());
  of.store.publish("ruling://risky.example", "ruling 1 risky.example 2 0 1 1", 1h);
  const auto careful = of.start(careful_bot());
  std::atomic<bool> asks = false;
  of.store.on_call([&asks](std::string_view) { asks = true; });
  CHECK_FALSE(careful->allowed("https://risky.example/", {.timeout = 1s}));
  CHECK_FALSE(asks);
  CHECK(careful->allowed(home));
  wait_until([&] { return careful->awaiting_sign_off().empty(); });
  CHECK(careful->allowed("https://risky.example/"));
}

TEST_CASE("A damaged record of rulings, or one from the future, is ignored") {
  crawl of;
  of.web.otherwise(ok());
  const auto first = of.start();
  for (const char* text : {"ruling 1 example.com 1 0", "ruling 1 example.com 1 0 1 99999999999999",
                           "\xFF\xFE", "ruling 1 other.example 0 0 1 5"}) {
    CAPTURE(text);
    of.store.publish("ruling://example.com", text, 1h);
    const auto before = first->stats().far_rejected;
    first->invalidate(home);
    CHECK_FALSE(first->allowed(secret));
    CHECK_FALSE(first->is_halted(home));
    CHECK(first->overrides().empty());
    CHECK(first->stats().far_rejected == before + 1);
  }
}

TEST_CASE("Callers that wait at a gate learn a ruling of another process") {
  crawl of;
  const auto first = of.start();
  const auto second = of.start();
  std::vector<std::string> denied;
  std::mutex mutex;
  const auto listening = second->on_denial([&](std::string_view site) {
    const std::scoped_lock lock{mutex};
    denied.emplace_back(site);
  });
  first->halt("https://a.example/");
  first->set_override("https://b.example/", site_override::deny);
  first->set_override("https://c.example/", site_override::allow);
  wait_until([&] {
    const std::scoped_lock lock{mutex};
    return denied.size() == 2;
  });
  CHECK(second->is_denied("https://a.example/x"));
  CHECK(second->is_denied("https://b.example/x"));
  CHECK_FALSE(second->is_denied("https://c.example/x"));
}
