// Several caches over one shared store: what a site says is fetched once, and nothing depends on
// the store.
#include "cache_fixture.hpp"
#include "support/gate.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/site_records.hpp>
#include <robots/store/tiered_storage.hpp>
#include <robots/testing/memory_store.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

using namespace std::chrono_literals;
using robots::cache_options;
using robots::cache_stats;
using robots::decision;
using robots::fallback_policy;
using robots::fetch_request;
using robots::fetch_response;
using robots::look_up;
using robots::LruStorage;
using robots::ManualClock;
using robots::outcome;
using robots::record;
using robots::retry_wait;
using robots::ScriptedFetcher;
using robots::site_records;
using robots::store_error;
using robots::store_part_error;
using robots::tiered_options;
using robots::TieredStorage;
using robots::test::foo_bot;
using robots::test::foo_bot_that_asks_once;
using robots::test::gate;
using robots::test::home;
using robots::test::ok;
using robots::test::robots_url;
using robots::test::secret;

namespace {

using memory_store = robots::MemoryStore<ManualClock>;
using tiered = TieredStorage<LruStorage<64>, memory_store>;

static_assert(robots::SharingStorage<tiered>);
static_assert(!robots::SharingStorage<LruStorage<64>>);

constexpr const char* site_key = "https://example.com";
constexpr const char* lease_key = "example.com";  // shared with the bare host

/// What the observers of a fleet have heard of its store, in order, and of hits in it.
struct store_events {
  std::mutex mutex;
  std::vector<std::string> heard;
  std::vector<std::string> hits;
  std::vector<std::string> lost;
};

struct StoreObserver {
  std::shared_ptr<store_events> events = std::make_shared<store_events>();

  void on(const robots::far_hit_event& event) {
    const std::scoped_lock lock{events->mutex};
    events->hits.push_back(std::string{event.site} + " " + event.record.body);
  }
  void on(const robots::lost_invalidation_event& event) {
    const std::scoped_lock lock{events->mutex};
    events->lost.emplace_back(event.site);
  }
  void on(const robots::far_store_event& event) {
    const std::scoped_lock lock{events->mutex};
    events->heard.push_back(event.up ? "up" : "down: " + std::string{event.message});
  }
};

using tiered_cache =
    robots::basic_robots_cache<ScriptedFetcher, ManualClock, tiered, StoreObserver>;

/// Cannot be watched before it is up.
struct LateStore : memory_store {
  explicit LateStore(const memory_store& store) : memory_store(store) {}

  void watch(std::function<void(std::string_view)> told) override {
    if (!*is_up) {
      throw store_error{"not up yet"};
    }
    memory_store::watch(std::move(told));
  }

  std::shared_ptr<std::atomic<bool>> is_up = std::make_shared<std::atomic<bool>>(false);
};

/// Never hears of the changes of others.
struct DeafStore : memory_store {
  explicit DeafStore(const memory_store& store) : memory_store(store) {}

  void watch(std::function<void(std::string_view)> /*told*/) override {}
};

/// The keys of example.com are in a part of the store that may be down.
struct PartStore : memory_store {
  explicit PartStore(const memory_store& store) : memory_store(store) {}

  [[nodiscard]] std::vector<robots::store_reply> load_or_lease(
      std::span<const robots::store_question> questions,
      std::chrono::milliseconds duration) override {
    return SharedStore::load_or_lease(questions, duration);
  }
  [[nodiscard]] robots::partial_values load_partly(std::span<const std::string> keys) override {
    robots::partial_values loaded{.values = memory_store::load_all(keys)};
    for (std::size_t i = 0; i < keys.size(); ++i) {
      loaded.lost.push_back(*is_down && keys[i].ends_with("example.com"));
      if (loaded.lost[i]) {
        loaded.values[i].reset();
      }
    }
    if (std::ranges::find(loaded.lost, false) == loaded.lost.end()) {
      throw store_part_error{"a part is down"};
    }
    return loaded;
  }

  std::shared_ptr<std::atomic<bool>> is_down = std::make_shared<std::atomic<bool>>(false);
};

/// Fails once, in a thread of the cache's own.
struct FailingClock : ManualClock {
  explicit FailingClock(const ManualClock& same) : ManualClock(same) {}

  [[nodiscard]] robots::time_point now() const {
    if (!is_test && fails->exchange(false)) {
      throw std::bad_alloc{};
    }
    return ManualClock::now();
  }

  inline static thread_local bool is_test = false;  // whether this thread is of the test
  std::shared_ptr<std::atomic<bool>> fails = std::make_shared<std::atomic<bool>>(true);
};

/// One site is fetched by one worker, as long as it takes.
tiered_options patient() {
  tiered_options options;
  options.wait = 1h;
  options.lease = 2h;
  return options;
}

/// A shared store, a web and a time, for any number of workers.
struct fleet {
  [[nodiscard]] std::unique_ptr<tiered_cache> worker(cache_options options = foo_bot(),
                                                     tiered_options sharing = {}) {
    return std::make_unique<tiered_cache>(std::move(options), web, clock,
                                          tiered{LruStorage<64>{}, store, sharing}, observer);
  }

  /// Lets the time go on until `call` is done.
  template <class T>
  T wait_for(std::future<T>& call) {
    // The clock is not to run so fast that a thread that the system leaves waiting comes too late.
    while (call.wait_for(50us) != std::future_status::ready) {
      clock.advance(10ms);
    }
    return call.get();
  }

  /// What the store has of a site.
  [[nodiscard]] std::optional<site_records> stored(std::string_view key = site_key) {
    const auto value = store.load(key);
    return value ? robots::decode_site(*value).records : std::nullopt;
  }

  ScriptedFetcher web;
  ManualClock clock;
  memory_store store{clock};
  StoreObserver observer;
};

/// Waits until the store has heard of all that a cache invalidated.
template <class Cache>
void settle(Cache& cache) {
  while (cache.stats().pending_invalidations > 0) {
    std::this_thread::yield();
  }
}

/// Brings a look-up to its end as an event loop does, whose thread waits for news only.
void drive(look_up& at, fleet& in) {
  while (!at.policy()) {
    const robots::look_up_step step = at.next();
    if (const auto* const request = std::get_if<fetch_request>(&step)) {
      at.on_response(in.web.fetch(*request));
    } else if (const auto* const pause = std::get_if<retry_wait>(&step)) {
      in.clock.sleep_until(pause->until, pause->stop);
      at.on_wait_over();
    } else {
      std::promise<void> news;
      std::future<void> come = news.get_future();
      at.call_on_news([&news] { news.set_value(); });
      come.wait();
      at.resume();
    }
  }
}

/// A record of the site, fetched now.
record good_record(const fleet& at, std::string_view body = robots::test::rules) {
  record made;
  made.outcome = outcome::success;
  made.status = 200;
  made.url = made.final_url = robots_url;
  made.attempts = 1;
  made.exchanges = {{robots_url, 200, robots::fetch_error::none}};
  made.fetched_at = std::chrono::floor<std::chrono::seconds>(at.clock.wall_now());
  made.lifetime = 24h;
  made.body = body;
  return made;
}

}  // namespace

TEST_CASE("a tiered storage can be made of both parts or of the shared one alone") {
  fleet at;
  tiered both{LruStorage<64>{}, at.store};
  tiered far_alone{at.store, {.wait = 1s}};
  CHECK(far_alone.options().wait == 1s);
  TieredStorage deduced{LruStorage<4>{}, at.store};
  CHECK(deduced.size() == 0);
  CHECK(deduced.evictions() == 0);
  CHECK(deduced.memory_bytes() == 0);
  both.shared().publish("a", "1", 1s);
  CHECK(far_alone.shared().load("a") == "1");
}

TEST_CASE("options of a tiered storage that make no sense are refused") {
  fleet at;
  CHECK_THROWS_AS((tiered{at.store, {.lease = 0ms}}), std::invalid_argument);
  CHECK_THROWS_AS((tiered{at.store, {.poll = 0ms}}), std::invalid_argument);
  CHECK_THROWS_AS((tiered{at.store, {.wait = -1ms}}), std::invalid_argument);
  CHECK_THROWS_AS((tiered{at.store, {.patience = -1ms}}), std::invalid_argument);
  CHECK_THROWS_AS((tiered{at.store, {.clock_skew = -1s}}), std::invalid_argument);
  CHECK_THROWS_AS((tiered{at.store, {.clock_skew = std::chrono::seconds::max()}}),
                  std::invalid_argument);
  CHECK_THROWS_AS((tiered{at.store, {.breaker = {.failures = -1}}}), std::invalid_argument);
  cache_options options = foo_bot();
  options.background_threads = 0;
  CHECK_THROWS_WITH_AS(static_cast<void>(at.worker(options)),
                       "background_threads is 0: a cache with a shared store needs 1 at least",
                       std::invalid_argument);
}

TEST_CASE("what one worker fetches, the others have of the store") {
  fleet at;
  at.web.on(robots_url, ok());
  for (int worker = 0; worker < 4; ++worker) {
    const auto cache = at.worker();
    CHECK_FALSE(cache->allowed(secret));
    const decision made = cache->check(home);
    CHECK(made.allowed);
    CHECK(made.from_cache);
    CHECK(made.policy->version() == 1);
    const cache_stats stats = cache->stats();
    CHECK(stats.far_hits == (worker == 0 ? 0 : 1));
    CHECK(stats.far_misses == (worker == 0 ? 1 : 0));
    CHECK(stats.retrievals == (worker == 0 ? 1 : 0));
    CHECK(stats.far_failures == 0);
    CHECK(stats.far_rejected == 0);
  }
  CHECK(at.web.count() == 1);
  const std::string hit = std::string{site_key} + " " + std::string{robots::test::rules};
  CHECK(at.observer.events->hits == std::vector{hit, hit, hit});
}

TEST_CASE("after its expiry a site is fetched once more, by one worker") {
  fleet at;
  at.web.on(robots_url, ok(), ok("User-agent: *\nDisallow: /\n"));
  const auto first = at.worker();
  const auto second = at.worker();
  CHECK(first->allowed(home));
  CHECK(second->allowed(home));
  at.clock.advance(24h);
  CHECK_FALSE(second->allowed(home));
  CHECK_FALSE(first->allowed(home));
  CHECK_FALSE(at.worker()->allowed(home));
  CHECK(at.web.count() == 2);
}

TEST_CASE("each worker halts a site that turns hostile, whoever of them has asked it") {
  fleet at;
  at.web.on(robots_url, ok(), ok("User-agent: *\nDisallow: /\n"));
  cache_options options = foo_bot();
  options.halt_hostile = true;
  const auto first = at.worker(options);
  const auto second = at.worker(options);
  CHECK(first->allowed(home));
  CHECK(second->allowed(home));
  at.clock.advance(24h);
  CHECK(second->check(home).reason == robots::decision_reason::halted);
  CHECK(first->check(home).reason == robots::decision_reason::halted);
  // It is new there, and has nothing to compare with.
  const auto third = at.worker(options);
  CHECK(third->check(home).reason == robots::decision_reason::halted);
  CHECK(third->resume(home));  // the site is asked again, for all
  settle(*third);
  CHECK(third->check(home).reason == robots::decision_reason::rule);
  CHECK(at.worker(options)->check(home).reason == robots::decision_reason::rule);
  CHECK(at.web.count() == 3);
}

TEST_CASE("a policy from the store is as old as its file") {
  fleet at;
  at.web.on(robots_url, ok());
  CHECK(at.worker()->allowed(home));
  at.clock.advance(10h);
  const auto late = at.worker();
  CHECK(late->check(home).age == 10h);
  at.clock.advance(14h);
  CHECK_FALSE(late->check(home).from_cache);
  CHECK(at.web.count() == 2);
}

TEST_CASE("a hit in the process calls the store for nothing") {
  fleet at;
  at.web.on(robots_url, ok());
  const auto cache = at.worker();
  CHECK(cache->allowed(home));
  std::atomic<int> calls = 0;
  at.store.on_call([&calls](std::string_view) { ++calls; });
  for (int i = 0; i < 10; ++i) {
    CHECK(cache->allowed(home));
    CHECK_FALSE(cache->check(secret).allowed);
    CHECK(cache->begin(home).policy());
  }
  CHECK(calls == 0);
}

TEST_CASE("What was fetched before a site was invalidated by another process does not come back") {
  fleet at;
  robots::basic_robots_cache<ScriptedFetcher, ManualClock, TieredStorage<LruStorage<4>, DeafStore>>
      fetching{foo_bot(), at.web, at.clock, {LruStorage<4>{}, DeafStore{at.store}}};
  const auto invalidating = at.worker();
  for (const char* name : {site_key, lease_key}) {
    CAPTURE(name);
    bool is_first = true;
    at.web.on_call(robots_url, [&](const fetch_request&) {
      if (std::exchange(is_first, false)) {
        invalidating->invalidate(name);
        settle(*invalidating);
        return ok("User-agent: *\nDisallow:\n");
      }
      return ok();
    });
    CHECK(fetching.allowed(secret));  // asked before
    CHECK_FALSE(at.stored());
    CHECK_FALSE(at.worker()->allowed(secret));
    CHECK_FALSE(fetching.allowed(secret));
    fetching.invalidate(home);
    settle(fetching);
  }
}

using deaf_cache = robots::basic_robots_cache<ScriptedFetcher, ManualClock,
                                              TieredStorage<LruStorage<4>, DeafStore>>;

TEST_CASE("What was fetched without a lease does not come back after an invalidation") {
  for (const std::string reason : {"another process has it", "a refresh takes it", "it failed"}) {
    CAPTURE(reason);
    fleet at;
    if (reason != "it failed") {
      REQUIRE(at.store.try_lease(lease_key, 1h));
    }
    deaf_cache fetching{
        foo_bot(), at.web, at.clock, {LruStorage<4>{}, DeafStore{at.store}, {.wait = 0ms}}};
    const auto invalidating = at.worker();
    if (reason == "it failed") {
      at.store.fail("it is down");
    }
    bool is_first = true;
    at.web.on_call(robots_url, [&](const fetch_request&) {
      if (std::exchange(is_first, false)) {
        at.store.recover();
        at.clock.advance(1min);  // the breaker's time
        invalidating->invalidate(home);
        settle(*invalidating);
        return ok("User-agent: *\nDisallow:\n");
      }
      return ok();
    });
    if (reason == "a refresh takes it") {
      static_cast<void>(fetching.refresh(home));
    } else {
      CHECK(fetching.allowed(secret));
    }
    CHECK_FALSE(at.stored());
    CHECK_FALSE(at.worker()->allowed(secret));
  }
}

TEST_CASE("A refresh replaces what a process that asked before it is about to publish") {
  fleet at;
  const auto slow = at.worker();
  const auto refreshing = at.worker();
  bool is_first = true;
  at.web.on_call(robots_url, [&](const fetch_request&) {
    if (std::exchange(is_first, false)) {
      static_cast<void>(refreshing->refresh(home));
      return ok("User-agent: *\nDisallow:\n");
    }
    return ok();
  });
  CHECK(slow->allowed(secret));  // asked before
  CHECK(at.stored()->latest.body == robots::test::rules);
  CHECK_FALSE(slow->allowed(secret));
  CHECK_FALSE(at.worker()->allowed(secret));
  CHECK(at.web.count() == 2);
}

TEST_CASE("A refresh under one name of a site reaches its other names in other processes") {
  constexpr const char* http_url = "http://example.com/robots.txt";
  for (const bool by_http : {true, false}) {
    const std::string origin = by_http ? "http://example.com/" : "https://example.com/";
    for (const std::string& asked : {origin, std::string{"example.com/"}}) {
      for (const std::string& refreshed : {origin, std::string{"example.com/"}}) {
        CAPTURE(asked);
        CAPTURE(refreshed);
        fleet at;
        std::string body = "User-agent: *\nDisallow:\n";
        const auto answer = [&body](const fetch_request&) { return ok(body); };
        if (by_http) {
          at.web.on(robots_url, ScriptedFetcher::failure(robots::fetch_error::connect));
          at.web.on_call(http_url, answer);
        } else {
          at.web.on_call(robots_url, answer);
        }
        const auto asking = at.worker();
        const auto refreshing = at.worker();
        CHECK(asking->allowed(asked + "private/x"));
        CHECK(refreshing->allowed(asked + "private/x"));
        at.clock.advance(1s);
        body = robots::test::rules;
        static_cast<void>(refreshing->refresh(refreshed));
        CHECK_FALSE(refreshing->allowed(asked + "private/x"));
        CHECK_FALSE(asking->allowed(asked + "private/x"));
        CHECK_FALSE(at.worker()->allowed(asked + "private/x"));
      }
    }
  }
}

TEST_CASE("A refresh that the store misses does not leave the old rules to other processes") {
  fleet at;
  at.web.on(robots_url, ok("User-agent: *\nDisallow:\n"), ok());
  at.web.on("https://other.example/robots.txt", ok());
  const auto cache = at.worker();
  CHECK(cache->allowed(secret));
  at.store.fail("it is down");
  static_cast<void>(cache->refresh(home));
  at.store.recover();
  at.clock.advance(1min);                           // the breaker's time
  CHECK(cache->allowed("https://other.example/"));  // any other call of the store
  CHECK_FALSE(at.worker()->allowed(secret));
}

TEST_CASE("An invalidation does not wait for a store that hangs") {
  gate door;  // outlives the cache, whose threads pass it
  fleet at;
  at.web.on(robots_url, ok("User-agent: *\nDisallow:\n"), ok());
  const auto cache = at.worker();
  CHECK(cache->allowed(secret));
  at.store.on_call([&door](std::string_view) { door.pass(); });
  cache->invalidate(home);
  door.wait_for_arrivals();
  CHECK(cache->stats().pending_invalidations > 0);
  door.open();
  settle(*cache);
  CHECK_FALSE(at.stored());
  CHECK_FALSE(cache->allowed(secret));
}

TEST_CASE("After a surprising answer to a page, one process fetches the rules for all") {
  fleet at;
  at.web.on(robots_url, ok("User-agent: *\nDisallow:\n"), ok());
  const auto first = at.worker();
  const auto second = at.worker();
  CHECK(first->allowed(secret));
  CHECK(second->allowed(secret));
  at.clock.advance(1h);
  CHECK_FALSE(first->report_response(secret, 404));
  CHECK_FALSE(first->allowed(secret));
  CHECK_FALSE(second->allowed(secret));
  CHECK(at.web.count() == 2);
}

TEST_CASE("When many processes get surprising answers to pages, one of them fetches the rules") {
  fleet at;
  at.web.on(robots_url, ok("User-agent: *\nDisallow:\n"), ok());
  std::vector<std::unique_ptr<tiered_cache>> processes;
  for (int i = 0; i < 5; ++i) {
    processes.push_back(at.worker());
    CHECK(processes.back()->allowed(secret));
  }
  at.clock.advance(1h);
  for (const auto& each : processes) {
    CHECK_FALSE(each->report_response(secret, 503));
  }
  for (const auto& each : processes) {
    CHECK_FALSE(each->allowed(secret));
  }
  CHECK(at.web.count() == 2);
}

TEST_CASE("A cache that ignores older records asks each site again, and shares the answer") {
  fleet at;
  at.web.on(robots_url, ok("User-agent: *\nDisallow:\n"), ok());
  CHECK(at.worker()->allowed(secret));
  at.clock.advance(1min);
  CHECK(at.worker()->allowed(secret));
  tiered_options sharing;
  sharing.ignore_older = true;
  const auto first = at.worker(foo_bot(), sharing);
  const auto second = at.worker(foo_bot(), sharing);
  CHECK_FALSE(first->allowed(secret));
  CHECK_FALSE(second->allowed(secret));
  CHECK(at.web.count() == 2);
}

TEST_CASE("A fetch that takes longer than its lease is kept in its process") {
  fleet at;
  tiered_options sharing;
  sharing.lease = 2s;
  const auto cache = at.worker(foo_bot(), sharing);
  at.web.on_call(robots_url, [&](const fetch_request&) {
    at.clock.advance(3s);
    return ok();
  });
  for (int look_up = 0; look_up < 5; ++look_up) {
    CHECK(cache->allowed(home));
    CHECK_FALSE(cache->allowed(secret));
  }
  CHECK(at.web.count() == 1);
  CHECK_FALSE(at.stored());  // the process that has the lease now publishes
}

TEST_CASE("An invalidation that the store missed reaches the other processes once it answers") {
  for (const bool asks_again : {true, false}) {
    CAPTURE(asks_again);
    fleet at;
    at.web.on(robots_url, ok("User-agent: *\nDisallow:\n"), ok());
    at.web.on("https://other.example/robots.txt", ok());
    const auto other = at.worker();
    auto invalidating = at.worker();
    CHECK(other->allowed(secret));
    CHECK(invalidating->allowed(secret));
    at.store.fail("it is down");
    invalidating->invalidate(home);
    at.store.recover();
    CHECK(at.stored());
    if (asks_again) {
      CHECK(invalidating->allowed("https://other.example/"));  // any other call of the store
    } else {
      invalidating.reset();
    }
    CHECK_FALSE(at.stored());
    CHECK_FALSE(other->allowed(secret));
    CHECK(at.observer.events->lost.empty());
  }
}

TEST_CASE("An observer hears of invalidations that are lost with their process") {
  fleet at;
  at.web.on(robots_url, ok());
  auto cache = at.worker();
  CHECK(cache->allowed(home));
  at.store.fail("it is down");
  cache->invalidate(home);
  cache.reset();
  std::vector<std::string> lost = at.observer.events->lost;
  std::sort(lost.begin(), lost.end());
  CHECK(lost == std::vector<std::string>{lease_key, site_key});
}

TEST_CASE("what forgets in one process alone leaves the store as it is") {
  fleet at;
  at.web.on(robots_url, ok());
  const auto cache = at.worker();
  CHECK(cache->allowed(home));
  cache->clear();
  CHECK(cache->stats().size == 0);
  CHECK(cache->allowed(home));
  CHECK(cache->stats().far_hits == 1);
  CHECK(at.web.count() == 1);
}

TEST_CASE("a store that fails costs no decision, and is left alone until it answers again") {
  fleet at;
  at.web.on(robots_url, ok());
  at.store.fail("it is down");
  const auto cache = at.worker();
  for (int i = 0; i < 10; ++i) {
    CHECK_FALSE(cache->allowed("https://example.com/private/" + std::to_string(i)));
    CHECK(cache->allowed(home));
    cache->clear();
  }
  CHECK(cache->stats().far_failures == 3);
  CHECK(cache->stats().far_misses == 0);
  CHECK(at.web.count() == 10);
  CHECK(at.observer.events->heard == std::vector<std::string>{"down: it is down"});

  at.store.recover();
  at.clock.advance(5s);
  CHECK(cache->allowed(home));
  CHECK(at.observer.events->heard == std::vector<std::string>{"down: it is down", "up"});
  CHECK(at.worker()->allowed(home));
  CHECK(at.web.count() == 11);
}

TEST_CASE("a store of which a part is down is used for the sites in its other parts") {
  fleet at;
  const std::string other = "https://other.example/";
  at.web.on(robots_url, ok()).on(other + "robots.txt", ok());
  at.store.on_call([](std::string_view key) {
    if (key.find("example.com") != std::string_view::npos) {
      throw store_part_error{"a part is down"};
    }
  });
  const auto cache = at.worker();
  const auto reader = at.worker();
  for (int i = 0; i < 10; ++i) {
    CHECK_FALSE(cache->allowed(secret));
    cache->clear();
  }
  CHECK(at.web.count() == 10);
  CHECK(cache->allowed(other));
  CHECK(reader->allowed(other));
  CHECK(at.web.count() == 11);
  CHECK(cache->stats().far_failures > 3);
  CHECK(at.observer.events->heard.empty());
}

TEST_CASE("invalidations that a part of a store misses do not hold back others") {
  fleet at;
  const std::string other = "https://other.example/";
  at.web.on(other + "robots.txt", ok());
  const auto cache = at.worker();
  const auto reader = at.worker();
  CHECK(reader->allowed(other));
  at.store.on_call([](std::string_view /*key*/) { throw store_part_error{"a part is down"}; });
  for (int i = 0; i < 200; ++i) {
    cache->invalidate("https://www" + std::to_string(i) + ".example.com/");
  }
  cache->invalidate(other);
  std::atomic<int> calls = 0;
  at.store.on_call([&calls](std::string_view key) {
    ++calls;
    if (key.find("example.com") != std::string_view::npos) {
      throw store_part_error{"a part is down"};
    }
  });
  for (int i = 0; i < 10; ++i) {
    static_cast<void>(cache->allowed(other));
    cache->clear();
  }
  CHECK(at.store.load("https://other.example") != std::nullopt);
  const std::size_t asked = at.web.count();
  CHECK(asked <= 3);  // a lease that an invalidation ended brings nothing into the store
  CHECK(reader->allowed(other));
  CHECK(at.web.count() == asked);
  const int before = calls;
  CHECK(cache->allowed(other));
  CHECK(calls - before < 5);  // those of the part wait for a second
  at.clock.advance(1s);
  cache->clear();
  CHECK(cache->allowed(other));
  CHECK(calls - before > 50);
  at.store.recover();
}

TEST_CASE("a site in a part of the store that is down does not count as erased") {
  fleet at;
  const std::string first = "https://first.example/";
  const std::string other = "https://other.example/";
  at.web.on(robots_url, ok()).on(first + "robots.txt", ok()).on(other + "robots.txt", ok());
  gate door;
  PartStore store{at.store};
  const auto is_down = store.is_down;
  robots::basic_robots_cache<ScriptedFetcher, ManualClock, TieredStorage<LruStorage<64>, PartStore>>
      cache{foo_bot(), at.web, at.clock, {LruStorage<64>{}, std::move(store)}};
  for (const std::string& url : {std::string{home}, first, other}) {
    CHECK(cache.allowed(url));
  }
  for (const std::string key : {site_key, "https://first.example", "https://other.example"}) {
    at.store.announce(key);
  }
  *is_down = true;
  at.store.on_call([&door](std::string_view) { door.pass(); });
  std::vector<look_up> looking;
  looking.push_back(cache.begin(first));
  door.wait_for_arrivals();
  looking.push_back(cache.begin(home));
  looking.push_back(cache.begin(other));
  door.open();
  for (look_up& each : looking) {
    drive(each, at);
  }
  CHECK(at.web.count() == 3);
}

TEST_CASE("a store that fails and gives no leases has nobody wait") {
  fleet at;
  at.web.on(robots_url, ok());
  at.store.fail("out of memory");
  const auto cache = at.worker();
  CHECK_FALSE(cache->allowed(secret));
  CHECK(cache->stats().far_failures > 0);
  CHECK_FALSE(at.worker()->allowed(secret));
  CHECK(at.web.count() == 2);  // nothing is published without a lease
}

TEST_CASE("near hits and sites new to the crawler are served while the store is down") {
  fleet at;
  at.web.on(robots_url, ok()).on("https://other.example/robots.txt", ok());
  const auto cache = at.worker();
  CHECK(cache->allowed(home));
  at.store.fail("it is down");
  CHECK(cache->allowed(home));
  CHECK_FALSE(cache->allowed("https://other.example/private"));
  CHECK(at.web.count() == 2);
  at.store.recover();
  CHECK_FALSE(cache->allowed("https://other.example/private"));
  CHECK(at.web.count() == 2);
}

TEST_CASE("what a store throws that is no exception of the standard is survived, too") {
  fleet at;
  at.web.on(robots_url, ok());
  at.store.on_call([](std::string_view) { throw 7; });
  const auto cache = at.worker();
  CHECK(cache->allowed(home));
  CHECK(cache->stats().far_failures > 0);
}

TEST_CASE("a file that is published while the store fails is fetched again by the next worker") {
  fleet at;
  at.web.on_call(robots_url, [&at](const fetch_request&) {
    at.store.fail("it went down meanwhile");
    return ok();
  });
  CHECK(at.worker()->allowed(home));
  at.store.recover();
  at.clock.advance(2min);  // after which the lease is lost
  CHECK(at.worker()->allowed(home));
  CHECK(at.web.count() == 2);
}

TEST_CASE("what a store says that cannot be is as if it were not there") {
  fleet at;
  at.web.on(robots_url, ok());
  const auto refuses = [&at](std::string_view value) {
    at.store.publish(site_key, value, 24h);
    const auto cache = at.worker();
    CHECK_FALSE(cache->allowed(secret));
    CHECK(cache->allowed(home));
    CHECK(cache->stats().far_rejected > 0);
    CHECK(cache->stats().far_hits == 0);
    CHECK(cache->stats().retrievals == 1);
  };
  const auto allows_all = [&at](auto change) {
    site_records what{.latest = good_record(at, "User-agent: *\nAllow: /\n")};
    change(what);
    return encode(what);
  };
  const std::string whole = allows_all([](site_records&) {});
  at.store.publish(site_key, whole, 24h);
  CHECK(at.worker()->allowed(secret));  // such a one would be believed
  CHECK(at.web.count() == 0);

  refuses("");
  refuses("PING");
  refuses(std::string(100'000, '\xFF'));
  refuses(whole.substr(0, whole.size() / 2));
  refuses(whole + '\0');
  std::string other_version = whole;
  ++other_version.front();
  refuses(other_version);
  refuses(encode(good_record(at)));  // not that of a site
  refuses(allows_all([](site_records& what) {
    what.latest.url = what.latest.final_url = "https://evil.example/robots.txt";
  }));
  refuses(allows_all([](site_records& what) { what.latest.final_url = "no URL"; }));
  refuses(allows_all([](site_records& what) { what.latest.fetched_at += 61s; }));
  refuses(allows_all([](site_records& what) { what.latest.not_modified = true; }));
  refuses(allows_all([](site_records& what) {
    what.last_good = what.latest;
    what.last_good->url = "https://evil.example/robots.txt";
    what.latest.outcome = outcome::server_error;
  }));
  for (const outcome own : {outcome::unreachable, outcome::too_many_redirects, outcome::refused,
                            outcome::cancelled, outcome::circuit_open, outcome::quarantined}) {
    refuses(allows_all([own](site_records& what) { what.latest.outcome = own; }));
  }
  refuses(allows_all([](site_records& what) {
    what.latest.outcome = outcome::server_error;
    what.latest.status = 301;
  }));
}

TEST_CASE("an older file than the one that a worker has had is no answer for it") {
  fleet at;
  at.web.on(robots_url, ok("User-agent: *\nDisallow: /\n", {{"Cache-Control", "max-age=3600"}}));
  at.store.publish(site_key, encode(site_records{.latest = good_record(at)}), 24h);
  at.clock.advance(1min);
  const auto cache = at.worker();
  at.store.fail("it is down");
  CHECK_FALSE(cache->allowed(home));
  at.store.recover();
  SUBCASE("and asked again") { at.clock.advance(2h); }
  SUBCASE("which then failed") {
    at.web.on(robots_url, ScriptedFetcher::status(503));
    at.clock.advance(2h);
    CHECK_FALSE(cache->allowed(home));
    at.clock.advance(2h);
  }
  CHECK_FALSE(cache->allowed(home));
  CHECK(cache->stats().far_hits == 0);
  CHECK_FALSE(at.worker()->allowed(home));
}

TEST_CASE("what came of a site is not held up by others that are slow to answer") {
  fleet at;
  gate door;
  at.web.on(robots_url, ok()).on_call("https://slow.example/robots.txt", [&](const fetch_request&) {
    door.pass();
    return ok();
  });
  cache_options options = foo_bot();
  options.background_threads = 1;
  options.longest_call = 15s;
  const auto cache = at.worker(options);
  auto slow =
      std::async(std::launch::async, [&] { return cache->allowed("https://slow.example"); });
  door.wait_for_arrivals();
  auto call =
      std::async(std::launch::async, [&] { return cache->allowed(home, {.timeout = 0ms}); });
  CHECK(call.wait_for(60s) == std::future_status::ready);
  door.open();
  CHECK(call.get());
  CHECK(slow.get());
}

TEST_CASE("the clock of another machine may be ahead a little") {
  fleet at;
  record made = good_record(at);
  made.fetched_at += 60s;
  at.store.publish(site_key, encode(site_records{.latest = made}), 24h);
  const auto cache = at.worker();
  CHECK_FALSE(cache->allowed(secret));
  CHECK(cache->check(secret).age == 0s);
  CHECK(at.web.count() == 0);
}

TEST_CASE("a record is no answer for longer than this crawler uses one") {
  fleet at;
  at.web.on(robots_url, ok());
  record made = good_record(at);
  made.lifetime = std::chrono::years{1};
  at.clock.advance(25h);
  at.store.publish(site_key, encode(site_records{.latest = made}), std::chrono::days{300});
  CHECK(at.worker()->allowed(home));
  CHECK(at.web.count() == 1);
}

TEST_CASE("a store that is wiped is filled again, and whoever has the rules goes on") {
  fleet at;
  at.web.on(robots_url, ok());
  const auto cache = at.worker();
  CHECK(cache->allowed(home));
  at.store.clear();
  CHECK(cache->allowed(home));
  CHECK(at.web.count() == 1);
  CHECK(at.worker()->allowed(home));
  CHECK(at.web.count() == 2);
  CHECK(at.worker()->allowed(home));
  CHECK(at.web.count() == 2);
}

TEST_CASE("a failure is shared together with the last good copy, by which a cold worker goes") {
  fleet at;
  at.web.on(robots_url, ok(), ScriptedFetcher::status(503));
  CHECK(at.worker(foo_bot_that_asks_once())->allowed(home));
  at.clock.advance(24h);
  for (int worker = 0; worker < 3; ++worker) {
    const auto cache = at.worker(foo_bot_that_asks_once());
    const decision made = cache->check(secret);
    CHECK_FALSE(made.allowed);
    CHECK(made.policy->basis() == robots::policy_basis::last_good);
    CHECK(made.age == 24h);
    CHECK(cache->allowed(home));
    CHECK(made.policy->source().failures == 1);
  }
  CHECK(at.web.count() == 2);
  at.clock.advance(5min);
  CHECK(at.worker(foo_bot_that_asks_once())->check(home).policy->source().failures == 2);
  CHECK(at.stored()->last_good);
  CHECK(at.web.count() == 3);
}

TEST_CASE("what a worker asks after a failure, it asks by the last good copy of another") {
  fleet at;
  at.web.on(robots_url, ok(robots::test::rules, {{"ETag", "\"1\""}}), ScriptedFetcher::status(503),
            ScriptedFetcher::status(304));
  CHECK(at.worker(foo_bot_that_asks_once())->allowed(home));
  at.clock.advance(24h);
  CHECK(at.worker(foo_bot_that_asks_once())->allowed(home));
  at.clock.advance(5min);
  const decision made = at.worker(foo_bot_that_asks_once())->check(secret);
  CHECK_FALSE(made.allowed);
  CHECK(made.policy->source().not_modified);
  CHECK(made.policy->basis() == robots::policy_basis::rules);
  CHECK(at.web.count() == 3);
  REQUIRE(at.stored());
  CHECK(at.stored()->latest.body == robots::test::rules);
  CHECK_FALSE(at.stored()->last_good);
}

TEST_CASE("a 304 renews the whole record for all") {
  fleet at;
  at.web.on(robots_url, ok(robots::test::rules, {{"ETag", "\"1\""}}),
            ScriptedFetcher::status(304, {{"Cache-Control", "max-age=7200"}}));
  CHECK(at.worker()->allowed(home));
  at.clock.advance(24h);
  CHECK_FALSE(at.worker()->allowed(secret));
  CHECK(find_header(at.web.requests().back().headers, "If-None-Match") == "\"1\"");
  at.clock.advance(1h);
  const auto cold = at.worker();
  const decision made = cold->check(secret);
  CHECK_FALSE(made.allowed);
  CHECK(made.age == 1h);
  CHECK(at.web.count() == 2);
  CHECK(at.stored()->latest.validators.etag == "\"1\"");
  CHECK(at.stored()->latest.lifetime == 2h);
}

TEST_CASE("a worker whose file the store has lost asks for it whole, for the others' sake") {
  fleet at;
  at.web.on(robots_url, ok(robots::test::rules, {{"ETag", "\"1\""}}));
  const auto cache = at.worker();
  CHECK(cache->allowed(home));
  at.store.clear();
  at.clock.advance(24h);
  CHECK(cache->allowed(home));
  CHECK_FALSE(find_header(at.web.requests().back().headers, "If-None-Match"));
  CHECK(at.stored());
}

TEST_CASE("while the store is down, a worker asks by its own copy") {
  fleet at;
  at.web.on(robots_url, ok(robots::test::rules, {{"ETag", "\"1\""}}), ScriptedFetcher::status(304));
  const auto cache = at.worker();
  CHECK(cache->allowed(home));
  at.store.fail("it is down");
  at.clock.advance(24h);
  CHECK_FALSE(cache->allowed(secret));
  CHECK(find_header(at.web.requests().back().headers, "If-None-Match") == "\"1\"");
}

TEST_CASE("a failure is not told to a store whose last good copy could not be read") {
  fleet at;
  bool is_first = true;
  at.web.on_call(robots_url, [&](const fetch_request&) {
    if (std::exchange(is_first, false)) {
      return ok();
    }
    at.store.recover();
    return ScriptedFetcher::status(503);
  });
  CHECK(at.worker()->allowed(home));
  at.clock.advance(24h);
  at.store.fail("it is down");
  CHECK_FALSE(at.worker()->allowed(home));
  REQUIRE(at.stored());
  CHECK(at.stored()->latest.outcome == outcome::success);
}

TEST_CASE("A breaker that opens in one worker is not shared, and the lease is free again") {
  fleet at;
  at.web.on(robots_url, ScriptedFetcher::status(503));
  cache_options options = foo_bot();
  options.breaker.failures = 1;
  options.failure_ttl = 0s;
  const auto cache = at.worker(options);
  CHECK_FALSE(cache->allowed(home));
  REQUIRE(at.stored());
  CHECK(at.stored()->latest.outcome == outcome::server_error);
  at.clock.advance(1s);
  CHECK(cache->check(home).policy->source().outcome == outcome::circuit_open);
  CHECK(at.stored()->latest.outcome == outcome::server_error);
  CHECK(at.store.try_lease(lease_key, 1s));
}

TEST_CASE("A worker that gets no response of a site keeps that from the other workers") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  using enum robots::fetch_error;
  for (const robots::fetch_error error :
       {resolve, connect, tls, timeout, refused_address, protocol, other, connection_refused}) {
    CAPTURE(to_string(error));
    fleet asked;
    asked.web.on(robots_url, ScriptedFetcher::failure(error), ok());
    CHECK_FALSE(asked.worker(foo_bot_that_asks_once())->allowed(home));
    CHECK_FALSE(asked.stored());
    CHECK(asked.worker(foo_bot_that_asks_once())->allowed(home));

    fleet redirected;
    redirected.web.on(robots_url, ScriptedFetcher::redirect(301, www))
        .on(www, ScriptedFetcher::failure(error), ok());
    CHECK_FALSE(redirected.worker(foo_bot_that_asks_once())->allowed(home));
    REQUIRE(redirected.stored());
    CHECK(redirected.stored()->latest.outcome == outcome::redirected);
    CHECK_FALSE(redirected.stored("https://www.example.com"));
    CHECK(redirected.worker(foo_bot_that_asks_once())->allowed(home));
  }
}

TEST_CASE("A worker that may not follow a redirect keeps that from the other workers") {
  fleet at;
  cache_options options = foo_bot();
  std::string target = "https://example.com/of/robots.txt";
  SUBCASE("since it excludes the host") {
    target = "https://ads.example/robots.txt";
    options.excluded = {"ads.example"};
  }
  SUBCASE("since it follows none") { options.max_redirects = 0; }
  at.web.on(robots_url, ScriptedFetcher::redirect(301, target)).on(target, ok());
  CHECK_FALSE(at.worker(options)->allowed(home));
  CHECK_FALSE(at.stored());
  CHECK(at.worker()->allowed(home));
  CHECK(at.stored());
}

TEST_CASE("A worker that follows fewer redirects than another keeps its limit to itself") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  constexpr const char* cdn = "https://cdn.example/robots.txt";
  fleet at;
  at.web.on(robots_url, ScriptedFetcher::redirect(301, www))
      .on(www, ScriptedFetcher::redirect(301, cdn))
      .on(cdn, ok());
  cache_options options = foo_bot();
  options.max_redirects = 1;
  CHECK_FALSE(at.worker(options)->allowed(home));
  REQUIRE(at.stored());
  CHECK(at.stored()->latest.outcome == outcome::redirected);
  CHECK(at.worker()->allowed(home));
  CHECK_FALSE(at.worker()->allowed(secret));
}

TEST_CASE("A worker does not go by a shared file that was cut below its own limit") {
  fleet at;
  const std::string file = std::string{robots::test::rules} + "# " + std::string(3'000, 'x') +
                           "\nUser-agent: *\nDisallow: /late\n";
  const char* const late = "https://example.com/late";
  at.web.on(robots_url, ok(file, {{"ETag", "\"1\""}}));
  cache_options options = foo_bot();
  options.parse.max_bytes = 2'000;
  CHECK(at.worker(options)->allowed(late));
  REQUIRE(at.stored());
  CHECK(at.stored()->latest.truncated);
  SUBCASE("while that is fresh") {}
  SUBCASE("nor asks whether that has changed") { at.clock.advance(24h); }
  const auto reads_all = at.worker();
  CHECK_FALSE(reads_all->allowed(late));
  CHECK(reads_all->stats().far_rejected > 0);
  CHECK(at.web.count() == 2);
  CHECK_FALSE(find_header(at.web.requests().back().headers, "If-None-Match"));
  CHECK_FALSE(at.worker()->allowed(late));
  CHECK(at.worker(options)->allowed(late));  // it reads the beginning of the whole file
  CHECK(at.web.count() == 2);
}

TEST_CASE("A worker does not fall back on a last good copy that was cut below its own limit") {
  fleet at;
  const std::string file = std::string{robots::test::rules} + "# " + std::string(3'000, 'x') +
                           "\nUser-agent: *\nDisallow: /late\n";
  const char* const late = "https://example.com/late";
  at.web.on(robots_url, ok(file), ScriptedFetcher::status(503));
  cache_options options = foo_bot();
  options.parse.max_bytes = 2'000;
  CHECK(at.worker(options)->allowed(late));
  at.clock.advance(24h);
  CHECK(at.worker(options)->allowed(late));
  REQUIRE(at.stored());
  CHECK(at.stored()->last_good);
  CHECK_FALSE(at.worker()->allowed(late));
}

TEST_CASE("a site that is invalidated while it is fetched is not shared") {
  fleet at;
  const auto cache = at.worker();
  at.web.on_call(robots_url, [&cache](const fetch_request&) {
    cache->invalidate(home);
    settle(*cache);
    return ok();
  });
  CHECK(cache->allowed(home));
  CHECK_FALSE(at.stored());
  CHECK(cache->stats().size == 0);
}

TEST_CASE("what one worker invalidates, all have forgotten") {
  fleet at;
  at.web.on(robots_url, ok(), ok("User-agent: *\nDisallow: /\n"));
  const auto first = at.worker();
  const auto second = at.worker();
  CHECK(first->allowed(home));
  CHECK(second->allowed(home));
  for (const char* const name : {"example.com", home}) {
    first->invalidate(name);
    settle(*first);
    CHECK(first->stats().size == 0);
    CHECK_FALSE(at.stored());
    CHECK_FALSE(second->allowed(home));
    CHECK_FALSE(first->allowed(home));
  }
  CHECK(at.web.count() == 3);
}

TEST_CASE("a site that is invalidated while the store is down is not taken from it later") {
  fleet at;
  at.web.on(robots_url, ok(), ok("User-agent: *\nDisallow: /\n"));
  const auto cache = at.worker();
  CHECK(cache->allowed(home));
  at.store.fail("it is down");
  cache->invalidate(home);
  at.store.recover();
  at.clock.advance(5s);
  CHECK_FALSE(cache->allowed(home));
  CHECK(at.web.count() == 2);
  CHECK_FALSE(at.worker()->allowed(home));
  CHECK(at.web.count() == 2);
}

TEST_CASE("a refresh asks the site whatever the store has, and the others take over the answer") {
  fleet at;
  at.web.on(robots_url, ok(robots::test::rules, {{"ETag", "\"1\""}}),
            ok("User-agent: *\nDisallow: /\n", {{"ETag", "\"2\""}}));
  const auto first = at.worker();
  const auto second = at.worker();
  CHECK(first->allowed(home));
  CHECK(second->allowed(home));
  const auto cold = at.worker();
  CHECK_FALSE(cold->refresh(home)->allows("/"));
  CHECK(find_header(at.web.requests().back().headers, "If-None-Match") == "\"1\"");
  CHECK_FALSE(first->allowed(home));
  CHECK_FALSE(second->allowed(home));
  CHECK(at.web.count() == 2);
}

TEST_CASE("where news may have been missed, the store is asked again") {
  fleet at;
  at.web.on(robots_url, ok());
  const auto cache = at.worker();
  CHECK(cache->allowed(home));
  record changed = good_record(at, "User-agent: *\nDisallow: /\n");
  at.store.publish(site_key, encode(site_records{.latest = changed}), 24h);
  CHECK(cache->allowed(home));
  at.store.lose_changes();
  CHECK_FALSE(cache->allowed(home));
  CHECK(at.web.count() == 1);
}

TEST_CASE("a store that cannot be watched when a cache begins is watched once it is up") {
  fleet at;
  at.web.on(robots_url, ok());
  LateStore late{at.store};
  robots::basic_robots_cache<ScriptedFetcher, ManualClock, TieredStorage<LruStorage<4>, LateStore>>
      cache{foo_bot(), at.web, at.clock, TieredStorage{LruStorage<4>{}, late}};
  CHECK(cache.stats().far_failures == 1);
  *late.is_up = true;
  CHECK(cache.allowed(home));
  CHECK(at.web.count() == 1);
  at.worker()->invalidate(home);
  CHECK(cache.allowed(home));
  CHECK(at.web.count() == 2);
}

TEST_CASE("A store that is wiped again and again sends no worker back to the web") {
  fleet at;
  const std::vector<std::string> sites{"https://a.example/", "https://b.example/",
                                       "https://c.example/"};
  for (const std::string& site : sites) {
    at.web.on(site + "robots.txt", ok());
  }
  cache_options options = foo_bot();
  SUBCASE("where callers wait for the store") {}
  SUBCASE("where the store is asked behind them") { options.stale_while_revalidate = 1h; }
  const std::vector<std::unique_ptr<tiered_cache>> workers = [&] {
    std::vector<std::unique_ptr<tiered_cache>> made;
    for (int worker = 0; worker < 3; ++worker) {
      made.push_back(at.worker(options));
    }
    return made;
  }();
  for (int restart = 0; restart < 20; ++restart) {
    for (const auto& worker : workers) {
      for (const std::string& site : sites) {
        const decision home_page = worker->check(site);
        CHECK(home_page.allowed);
        CHECK_FALSE(home_page.stale);
        CHECK_FALSE(worker->allowed(site + "private/x"));
      }
    }
    at.store.clear();
    at.store.lose_changes();
    at.clock.advance(1min);
  }
  CHECK(at.web.count() == sites.size());
}

TEST_CASE("A flood of messages leads to no request to a site, and to few questions to the store") {
  fleet at;
  at.web.on(robots_url, ok());
  const auto cache = at.worker();
  CHECK(cache->allowed(home));
  memory_store stranger{at.store};
  std::function<void()> shout;
  SUBCASE("about a change") {
    shout = [&] { stranger.announce(site_key); };
  }
  SUBCASE("about changes that may have been missed") {
    shout = [&] { stranger.lose_changes(); };
  }
  for (int message = 0; message < 1'000; ++message) {
    shout();
    CHECK_FALSE(cache->allowed(secret));
    CHECK(cache->check(home).allowed);
  }
  CHECK(at.web.count() == 1);
  CHECK(cache->stats().far_hits == 4);
  at.clock.advance(10s);
  CHECK_FALSE(cache->allowed(secret));
  CHECK(cache->allowed(home));
  CHECK(cache->stats().far_hits == 5);
  CHECK(at.web.count() == 1);
}

TEST_CASE("A flood of erasures leads to few requests to a site") {
  fleet at;
  at.web.on(robots_url, ok());
  const auto cache = at.worker();
  memory_store stranger{at.store};
  for (int second = 0; second < 100; ++second) {
    for (int message = 0; message < 10; ++message) {
      stranger.erase(site_key);
      CHECK_FALSE(cache->allowed(secret));
    }
    at.clock.advance(1s);
  }
  CHECK(at.web.count() <= 1 + 4 + 10);
  // The last of them is obeyed, too.
  at.clock.advance(10s);
  const std::size_t before = at.web.count();
  CHECK(cache->allowed(home));
  CHECK(at.web.count() == before + 1);
}

TEST_CASE("What another worker has invalidated is no last good copy") {
  fleet at;
  at.web.on(robots_url, ok(), ScriptedFetcher::status(503));
  const auto first = at.worker(foo_bot_that_asks_once());
  const auto second = at.worker(foo_bot_that_asks_once());
  CHECK(first->allowed(home));
  CHECK(second->allowed(home));
  first->invalidate(home);
  settle(*first);
  CHECK_FALSE(second->allowed(home));
  CHECK(at.web.count() == 2);
}

TEST_CASE("What another worker has invalidated is not served while it is renewed") {
  fleet at;
  at.web.on(robots_url, ok(), ok("User-agent: *\nDisallow: /\n"));
  cache_options options = foo_bot();
  options.stale_while_revalidate = 1h;
  const auto cache = at.worker(options);
  CHECK(cache->allowed(home));
  SUBCASE("while it is fresh") {}
  SUBCASE("while it is stale") { at.clock.advance(24h); }
  at.worker()->invalidate(home);
  CHECK_FALSE(cache->allowed(home));
  CHECK(at.web.count() == 2);
}

TEST_CASE("A worker that hears of a change while the store is down goes on until it is up") {
  fleet at;
  at.web.on(robots_url, ok(), ok("User-agent: *\nDisallow: /\n"));
  const auto cache = at.worker();
  CHECK(cache->allowed(home));
  at.store.erase(site_key);
  at.store.fail("it is down");
  for (int i = 0; i < 10; ++i) {
    CHECK(cache->allowed(home));
  }
  CHECK(at.web.count() == 1);
  at.store.recover();
  at.clock.advance(10s);
  CHECK_FALSE(cache->allowed(home));
  CHECK(at.web.count() == 2);
}

TEST_CASE("A refresh by a worker whose clock is behind reaches the others") {
  fleet at;
  at.web.on(robots_url, ok());
  const auto cache = at.worker();
  CHECK(cache->allowed(home));
  record changed = good_record(at, "User-agent: *\nDisallow: /\n");
  changed.fetched_at -= 30s;
  at.store.publish(site_key, encode(site_records{.latest = changed}), 24h);
  SUBCASE("which is told") {
    at.store.announce(site_key);
    CHECK_FALSE(cache->allowed(home));
  }
  SUBCASE("but an older answer of which nobody told does not") {
    at.store.lose_changes();
    CHECK(cache->allowed(home));
  }
  CHECK(at.web.count() == 1);
}

TEST_CASE("A newer answer in the store that is over makes a worker ask the site") {
  fleet at;
  at.web.on(robots_url, ok(), ok("User-agent: *\nDisallow: /\n"));
  const auto cache = at.worker();
  CHECK(cache->allowed(home));
  at.clock.advance(1min);
  record changed = good_record(at);
  changed.lifetime = 5min;
  at.store.publish(site_key, encode(site_records{.latest = changed}), 24h);
  at.clock.advance(10min);
  at.store.lose_changes();
  CHECK_FALSE(cache->allowed(home));
  CHECK(at.web.count() == 2);
}

TEST_CASE("A change that is told while a site is fetched is looked for once that has ended") {
  fleet at;
  const auto cache = at.worker();
  at.web.on_call(robots_url, [&at](const fetch_request&) {
    at.store.announce(site_key);
    return ok();
  });
  CHECK(cache->allowed(home));
  const record changed = good_record(at, "User-agent: *\nDisallow: /\n");
  at.store.publish(site_key, encode(site_records{.latest = changed}), 24h);
  CHECK_FALSE(cache->allowed(home));
  CHECK(at.web.count() == 1);
}

TEST_CASE("A worker that invalidates a site while it hears of changes forgets it") {
  fleet at;
  at.web.on(robots_url, ok());
  const auto cache = at.worker();
  CHECK(cache->allowed(home));
  at.store.announce(site_key);
  cache->invalidate(home);
  settle(*cache);
  CHECK(cache->stats().size == 0);
  CHECK(cache->allowed(home));
  CHECK(at.web.count() == 2);
}

TEST_CASE(
    "A site that nobody knows costs two calls of the store, and one that is known costs one") {
  fleet at;
  at.web.on(robots_url, ok());
  int calls = 0;
  at.store.on_call([&calls](std::string_view /*key*/) { ++calls; });
  const auto first = at.worker();
  CHECK_FALSE(first->allowed(secret));
  CHECK(calls == 2);
  const auto second = at.worker();
  CHECK_FALSE(second->allowed(secret));
  CHECK(calls == 3);
  at.clock.advance(24h);  // the record is over: the lease is asked for in a separate call
  CHECK_FALSE(second->allowed(secret));
  CHECK(calls == 6);
  CHECK(at.web.count() == 2);
}

TEST_CASE("a site that redirects to another one does so in every process") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  fleet at;
  at.web.on(robots_url, ScriptedFetcher::redirect(301, www)).on(www, ok());
  for (int worker = 0; worker < 3; ++worker) {
    const auto cache = at.worker();
    const decision made = cache->check(secret);
    CHECK_FALSE(made.allowed);
    CHECK(made.policy->source().final_url == www);
    CHECK(made.policy->source().redirects == 1);
    CHECK(cache->allowed(home));
    CHECK_FALSE(cache->allowed("https://www.example.com/private/x"));
    CHECK(cache->stats().far_hits == (worker == 0 ? 0 : 2));
    CHECK(cache->stats().retrievals == (worker == 0 ? 2 : 0));
  }
  CHECK(at.web.count() == 2);
  REQUIRE(at.stored());
  CHECK(at.stored()->latest.outcome == outcome::redirected);
  at.clock.advance(24h);
  const auto cache = at.worker();
  CHECK_FALSE(cache->allowed(secret));
  CHECK(at.web.count(robots_url) == 2);
  CHECK(at.web.count(www) == 2);
}

TEST_CASE("a cold worker goes by the last good copy of the site that another redirects to") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  fleet at;
  at.web.on(robots_url, ScriptedFetcher::redirect(301, www))
      .on(www, ok(), ScriptedFetcher::status(503));
  CHECK(at.worker(foo_bot_that_asks_once())->allowed(home));
  at.clock.advance(24h);
  const auto warm = at.worker(foo_bot_that_asks_once());
  CHECK(warm->allowed("https://www.example.com/"));
  CHECK(at.web.count(www) == 2);
  at.store.publish(
      site_key,
      [&at] {
        record redirect = good_record(at, "");
        redirect.outcome = outcome::redirected;
        redirect.status = 301;
        redirect.final_url = www;
        redirect.redirects = 1;
        return encode(site_records{.latest = redirect});
      }(),
      24h);
  const auto cold = at.worker(foo_bot_that_asks_once());
  const decision made = cold->check(secret);
  CHECK_FALSE(made.allowed);
  CHECK(made.policy->basis() == robots::policy_basis::last_good);
  CHECK(cold->allowed(home));
  CHECK(at.web.count() == 3);
}

TEST_CASE("a redirect in the store to a host that is excluded is not followed") {
  fleet at;
  at.web.on(robots_url, ok());
  record redirect = good_record(at, "");
  redirect.outcome = outcome::redirected;
  redirect.status = 301;
  redirect.final_url = "https://ads.example/robots.txt";
  at.store.publish(site_key, encode(site_records{.latest = redirect}), 24h);
  cache_options options = foo_bot();
  options.excluded = {"ads.example"};
  const auto cache = at.worker(options);
  CHECK(cache->allowed(home));
  CHECK(cache->stats().far_rejected > 0);
  CHECK(at.web.count() == 1);
}

TEST_CASE("where redirects go round by what the store has, the sites are asked") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  fleet at;
  at.web.on(robots_url, ScriptedFetcher::redirect(301, www)).on(www, ok());
  CHECK(at.worker()->allowed(home));
  at.store.erase("https://www.example.com");
  const auto cache = at.worker();
  bool goes_round = false;
  SUBCASE("since a site has turned its redirect round") { at.web.on(robots_url, ok()); }
  SUBCASE("and they do") { goes_round = true; }
  at.web.on(www, ScriptedFetcher::redirect(301, robots_url));
  at.clock.advance(5min);  // a redirect that leads nowhere is asked for again after `failure_ttl`
  const decision made = cache->check("https://www.example.com/private/x");
  CHECK(made.allowed == goes_round);
  CHECK(made.policy->source().outcome ==
        (goes_round ? outcome::too_many_redirects : outcome::success));
  CHECK(at.web.count(robots_url) == 2);
}

TEST_CASE("redirects in the store of which none was counted lead nowhere") {
  fleet at;
  at.web.on(robots_url, ok());
  record redirect = good_record(at, "");
  redirect.outcome = outcome::redirected;
  redirect.status = 301;
  redirect.final_url = "https://other.example/robots.txt";
  SUBCASE("none") { redirect.redirects = 0; }
  SUBCASE("more than can be added up") { redirect.redirects = std::numeric_limits<int>::max(); }
  at.store.publish(site_key, encode(site_records{.latest = redirect}), 24h);
  const auto cache = at.worker();
  CHECK(cache->allowed(home));
  CHECK(cache->stats().far_rejected > 0);
}

TEST_CASE("a bare host and its origin share what the store has of either") {
  fleet at;
  at.web.on(robots_url, ok());
  CHECK(at.worker()->allowed("example.com/"));
  CHECK_FALSE(at.worker()->allowed(secret));
  CHECK(at.web.count() == 1);
  at.clock.advance(24h);
  CHECK_FALSE(at.worker()->allowed(secret));
  CHECK_FALSE(at.worker()->allowed("example.com/private/x"));
  CHECK(at.web.count() == 2);
}

TEST_CASE("an answer of a bare host's http origin does not hold for its https one") {
  fleet at;
  at.web.on("http://example.com/robots.txt", ok());
  CHECK_FALSE(at.worker(foo_bot_that_asks_once())->allowed("example.com/private/x"));
  CHECK(at.web.count() == 2);
  CHECK_FALSE(at.worker(foo_bot_that_asks_once())->allowed("http://example.com/private/x"));
  CHECK(at.web.count() == 2);
  CHECK_FALSE(at.worker(foo_bot_that_asks_once())->allowed(home));
  CHECK(at.web.count() == 3);
}

TEST_CASE("who waits for another worker takes what it publishes") {
  fleet at;
  const auto lease = at.store.try_lease(lease_key, 1min);
  REQUIRE(lease);
  const auto cache = at.worker(foo_bot(), patient());
  auto call = std::async(std::launch::async, [&cache] { return cache->allowed(secret); });
  at.clock.advance(100ms);
  CHECK(call.wait_for(0s) != std::future_status::ready);
  at.store.publish(site_key, encode(site_records{.latest = good_record(at)}), 24h);
  CHECK_FALSE(at.wait_for(call));
  CHECK(at.web.count() == 0);
  CHECK(cache->stats().far_hits == 1);
}

TEST_CASE("when the holder of a lease dies, another worker asks the site") {
  fleet at;
  at.web.on(robots_url, ok());
  REQUIRE(at.store.try_lease(lease_key, 10s));
  const auto cache = at.worker(foo_bot(), patient());
  auto call = std::async(std::launch::async, [&cache] { return cache->allowed(secret); });
  CHECK_FALSE(at.wait_for(call));
  CHECK(at.web.count() == 1);
  while (!at.stored()) {
    std::this_thread::yield();  // the call had no time left, so that a thread of the cache
                                // publishes
  }
}

TEST_CASE("when the thread that looks again fails, whoever waits for it begins anew") {
  fleet at;
  at.web.on(robots_url, ok());
  REQUIRE(at.store.try_lease(lease_key, 10s));
  const FailingClock clock{at.clock};
  FailingClock::is_test = true;
  robots::basic_robots_cache cache{foo_bot(), at.web, clock,
                                   tiered{LruStorage<64>{}, at.store, patient()}};
  std::promise<void> asked;
  at.store.on_call([&, is_first = true](std::string_view /*key*/) mutable {
    if (std::exchange(is_first, false)) {
      asked.set_value();
    }
  });
  auto call = std::async(std::launch::async, [&cache] {
    FailingClock::is_test = true;
    return cache.allowed(secret);
  });
  asked.get_future().wait();
  CHECK_FALSE(at.wait_for(call));
  CHECK_FALSE(*clock.fails);
  CHECK(cache.stats().failures == 1);
  CHECK(at.web.count() == 1);
}

TEST_CASE("who has waited for long enough asks the site itself") {
  fleet at;
  at.web.on(robots_url, ok());
  REQUIRE(at.store.try_lease(lease_key, 24h));
  const auto began = at.clock.now();
  const auto cache = at.worker();
  auto call = std::async(std::launch::async, [&cache] { return cache->allowed(secret); });
  CHECK_FALSE(at.wait_for(call));
  CHECK(at.clock.now() - began >= 5s);
  CHECK(at.web.count() == 1);
  CHECK_FALSE(at.stored());  // the process that has the lease publishes
}

TEST_CASE("who has waited for long enough goes by what is stale, where that is allowed") {
  fleet at;
  at.web.on(robots_url, ok());
  CHECK(at.worker()->allowed(home));
  at.clock.advance(24h);
  REQUIRE(at.store.try_lease(lease_key, 24h));
  cache_options options = foo_bot();
  bool is_stale = false;
  SUBCASE("by stale_while_revalidate") {
    options.stale_while_revalidate = 1h;
    options.fallback = fallback_policy::permissive();
    is_stale = true;
  }
  SUBCASE("by the fallback's last good copy") {}
  const auto cache = at.worker(options);
  auto call = std::async(std::launch::async, [&cache] { return cache->check(secret); });
  const decision made = at.wait_for(call);
  CHECK_FALSE(made.allowed);
  CHECK(made.stale == is_stale);
  CHECK((made.policy->basis() == robots::policy_basis::last_good) == !is_stale);
  CHECK(at.web.count() == 1);
}

TEST_CASE("a lease is free again once its holder has published") {
  fleet at;
  at.web.on(robots_url, ok());
  CHECK(at.worker()->allowed(home));
  CHECK(at.store.try_lease(lease_key, 1s));
}

TEST_CASE("a job that is dropped gives its lease back") {
  fleet at;
  at.web.on(robots_url, ok());
  const auto cache = at.worker();
  {
    look_up dropped = cache->begin(home);
    while (!std::holds_alternative<fetch_request>(dropped.next())) {
      std::promise<void> news;
      dropped.call_on_news([&news] { news.set_value(); });
      news.get_future().wait();
      dropped.resume();
    }
  }
  CHECK_FALSE(at.store.try_lease(lease_key, 1s));  // not before the store is called next
  CHECK(cache->allowed(home));
  CHECK(at.web.count() == 1);
}

TEST_CASE("a stale policy is served at once, and renewed from the store or the web behind it") {
  fleet at;
  at.web.on(robots_url, ok(), ok("User-agent: *\nDisallow: /\n"));
  cache_options options = foo_bot();
  options.stale_while_revalidate = 1h;
  const auto first = at.worker(options);
  const auto second = at.worker(options);
  CHECK(first->allowed(home));
  CHECK(second->allowed(home));
  at.clock.advance(24h);
  CHECK(first->check(home).stale);
  while (first->check(home).allowed) {
    std::this_thread::yield();
  }
  CHECK(second->check(home).stale);
  while (second->check(home).allowed) {
    std::this_thread::yield();
  }
  CHECK(at.web.count() == 2);
}

TEST_CASE("look-ups in steps never call the store in the thread of who drives them") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  fleet at;
  at.web.on(robots_url, ScriptedFetcher::redirect(301, www)).on(www, ok());
  std::mutex mutex;
  std::set<std::thread::id> callers;
  const auto first = at.worker();
  const auto second = at.worker();
  at.store.on_call([&](std::string_view) {
    const std::scoped_lock lock{mutex};
    callers.insert(std::this_thread::get_id());
  });
  for (const auto& cache : {first.get(), second.get()}) {
    look_up looking = cache->begin(secret);
    CHECK_FALSE(looking.policy());
    drive(looking, at);
    CHECK_FALSE(cache->check(secret, looking).allowed);
    CHECK(looking.led() == (cache == first.get()));
    // The look-up ends first, then the store gets the result.
    std::async(std::launch::async, [&at] {
      while (!at.stored("https://www.example.com")) {
        std::this_thread::yield();
      }
    }).wait();
  }
  CHECK(at.web.count() == 2);
  const std::scoped_lock lock{mutex};
  CHECK_FALSE(callers.empty());
  CHECK_FALSE(callers.contains(std::this_thread::get_id()));
}

TEST_CASE("a store that hangs holds up no look-up in steps, and no call for longer than it has") {
  gate door;  // outlives the cache, whose threads pass it
  fleet at;
  at.web.on(robots_url, ok()).on("https://other.example/robots.txt", ok());
  const auto cache = at.worker();
  CHECK(cache->allowed("https://other.example/"));
  at.store.on_call([&door](std::string_view) { door.pass(); });
  look_up looking = cache->begin(home);
  door.wait_for_arrivals();
  CHECK_FALSE(looking.policy());
  CHECK(cache->allowed("https://other.example/"));
  const robots::call_options hasty{.deadline = at.clock.now() + 500ms};
  auto call =
      std::async(std::launch::async, [&] { return cache->check("https://third.example/", hasty); });
  const decision made = at.wait_for(call);
  CHECK_FALSE(made.allowed);
  CHECK(made.policy->source().outcome == outcome::cancelled);
  door.open();
  drive(looking, at);
  CHECK(cache->check(home, looking).allowed);
}

TEST_CASE("many look-ups in steps ask the store in few round trips") {
  constexpr int sites = 100;
  fleet at;
  const auto url = [](int i) { return "https://site" + std::to_string(i) + ".example/robots.txt"; };
  for (int i = 0; i < sites; ++i) {
    at.web.on(url(i), ok());
    CHECK(at.worker()->allowed(url(i)));
  }
  gate door;  // outlives the cache, whose threads pass it
  std::atomic<int> calls = 0;
  const auto cache = at.worker();
  at.store.on_call([&](std::string_view) {
    ++calls;
    door.pass();
  });
  std::vector<look_up> all;
  all.push_back(cache->begin(url(0)));
  door.wait_for_arrivals();
  for (int i = 1; i < sites; ++i) {
    all.push_back(cache->begin(url(i)));
  }
  door.open();
  for (look_up& each : all) {
    drive(each, at);
  }
  CHECK(calls == 2);
  CHECK(cache->stats().far_hits == sites);
  CHECK(at.web.count() == sites);
}

TEST_CASE("a cold fleet of many threads fetches each site once, and after expiry once more") {
  constexpr std::size_t workers = 4;
  constexpr std::size_t threads = 4;
  constexpr int sites = 25;
  fleet at;
  std::vector<std::string> urls;
  for (int i = 0; i < sites; ++i) {
    urls.push_back("https://site" + std::to_string(i) + ".example/robots.txt");
    at.web.on(urls.back(), ok());
  }
  std::vector<std::unique_ptr<tiered_cache>> caches;
  for (std::size_t i = 0; i < workers; ++i) {
    caches.push_back(at.worker(foo_bot(), patient()));
  }
  for (std::size_t round = 1; round <= 2; ++round) {
    std::vector<std::future<int>> calls;
    for (std::size_t i = 0; i < workers * threads; ++i) {
      calls.push_back(std::async(std::launch::async, [&, i] {
        int wrong = 0;
        for (std::size_t j = 0; j < urls.size(); ++j) {
          const std::string& url = urls[(j + i) % urls.size()];
          const std::string page = url.substr(0, url.size() - 10) + "private/x";
          if (i % 2 == 0) {
            wrong += caches[i % workers]->allowed(page) ? 1 : 0;
          } else {
            look_up looking = caches[i % workers]->begin(page);
            drive(looking, at);
            wrong += caches[i % workers]->check(page, looking).allowed ? 1 : 0;
          }
        }
        return wrong;
      }));
    }
    for (auto& each : calls) {
      CHECK(at.wait_for(each) == 0);
    }
    for (const std::string& url : urls) {
      CHECK(at.web.count(url) == round);
    }
    at.clock.advance(24h);
  }
}

TEST_CASE("An invalidation does not erase what is published after it") {
  fleet at;
  at.web.otherwise(ok());
  for (int i = 0; i < 500; ++i) {
    const auto cache = at.worker();
    cache->invalidate(home);  // a thread of the cache tells the store, while this one goes on
    CHECK_FALSE(cache->allowed(secret));
    settle(*cache);
    REQUIRE(at.stored());
  }
}

TEST_CASE("whatever becomes of the store meanwhile, no thread of a fleet decides wrongly") {
  constexpr std::size_t workers = 3;
  constexpr std::size_t threads = 6;
  constexpr int sites = 8;
  fleet at;
  at.web.otherwise(ok(robots::test::rules, {{"ETag", "\"1\""}, {"Cache-Control", "max-age=600"}}));
  std::vector<std::unique_ptr<tiered_cache>> caches;
  for (std::size_t i = 0; i < workers; ++i) {
    cache_options options = foo_bot();
    options.longest_call = 0ms;  // the time leaps
    caches.push_back(at.worker(options));
  }
  const auto site = [](std::size_t i) {
    return "https://site" + std::to_string(i % sites) + ".example/";
  };
  std::vector<std::future<int>> calls;
  for (std::size_t i = 0; i < threads; ++i) {
    calls.push_back(std::async(std::launch::async, [&, i] {
      tiered_cache& cache = *caches[i % workers];
      int wrong = 0;
      for (std::size_t j = 0; j < 150; ++j) {
        const std::string page = site(i + j);
        wrong += cache.allowed(page + "private/x") || !cache.check(page).allowed ? 1 : 0;
        look_up looking = cache.begin(page);
        drive(looking, at);
        wrong += cache.check(page, looking).allowed ? 0 : 1;
        if (j % 10 == 0) {
          cache.invalidate(page);
        } else if (j % 25 == 0) {
          wrong += cache.refresh(page)->allows("/private/x") ? 1 : 0;
        }
      }
      return wrong;
    }));
  }
  for (std::size_t event = 0; calls.back().wait_for(0s) != std::future_status::ready; ++event) {
    switch (event % 6) {
      case 0:
        at.store.fail("it is down");
        break;
      case 1:
        at.store.recover();
        break;
      case 2:
        at.store.clear();
        break;
      case 3:
        at.store.publish(site(event).substr(0, site(event).size() - 1), "no record", 1h);
        break;
      case 4:
        at.store.lose_changes();
        break;
      default:
        at.clock.advance(event % 4 == 1 ? 10min : 100ms);
    }
    std::this_thread::yield();
  }
  at.store.recover();
  for (auto& each : calls) {
    CHECK(at.wait_for(each) == 0);
  }
}
