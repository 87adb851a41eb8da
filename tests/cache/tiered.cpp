// Several caches over one shared store: each robots.txt is fetched once, and no decision depends on
// the store.
#include "cache_fixture.hpp"
#include "support/gate.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/policy.hpp>
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
using robots::ScriptedFetcher;
using robots::store_error;
using robots::store_part_error;
using robots::tiered_options;
using robots::TieredStorage;
using robots::detail::retry_wait;
using robots::detail::site_records;
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

static_assert(robots::detail::SharingStorage<tiered>);
static_assert(!robots::detail::SharingStorage<LruStorage<64>>);

constexpr const char* site_key = "https://example.com";
constexpr const char* lease_key = "example.com";  // shared by both schemes

/// The events of a fleet about its store, in order, and about hits in it.
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

/// A store that cannot be watched before it is up.
struct LateStore : memory_store {
  explicit LateStore(const memory_store& store) : memory_store(store) {}

  void watch(std::function<void(std::string_view)> on_change) override {
    if (!*is_up) {
      throw store_error{"not up yet"};
    }
    memory_store::watch(std::move(on_change));
  }

  std::shared_ptr<std::atomic<bool>> is_up = std::make_shared<std::atomic<bool>>(false);
};

/// A store that never reports the changes of others.
struct DeafStore : memory_store {
  explicit DeafStore(const memory_store& store) : memory_store(store) {}

  void watch(std::function<void(std::string_view)> /*on_change*/) override {}
};

/// A store in several parts. The part with the keys of example.com can be down.
struct PartStore : memory_store {
  explicit PartStore(const memory_store& store) : memory_store(store) {}

  [[nodiscard]] std::vector<robots::store_reply> load_or_lease(
      std::span<const robots::store_question> questions,
      std::chrono::milliseconds duration) override {
    return SharedStore::load_or_lease(questions, duration);
  }
  [[nodiscard]] std::vector<std::optional<std::string>> load_all(
      std::span<const std::string> keys) override {
    if (*is_down &&
        std::ranges::any_of(keys, [](const auto& key) { return key.ends_with("example.com"); })) {
      throw store_part_error{"a part is down"};
    }
    return memory_store::load_all(keys);
  }

  std::shared_ptr<std::atomic<bool>> is_down = std::make_shared<std::atomic<bool>>(false);
};

/// A store that opens a gate when its watch ends.
struct ClosingStore : memory_store {
  ClosingStore(const memory_store& store, gate& opened) : memory_store(store), door(&opened) {}

  void watch(std::function<void(std::string_view)> on_change) override {
    if (!on_change) {
      door->open();
    }
    memory_store::watch(std::move(on_change));
  }

  gate* door;
};

/// A clock that throws once, in a thread of the cache.
struct FailingClock : ManualClock {
  explicit FailingClock(const ManualClock& same) : ManualClock(same) {}

  [[nodiscard]] robots::time_point now() const {
    if (!is_test && fails->exchange(false)) {
      throw std::bad_alloc{};
    }
    return ManualClock::now();
  }

  inline static thread_local bool is_test = false;  // true in the thread of the test
  std::shared_ptr<std::atomic<bool>> fails = std::make_shared<std::atomic<bool>>(true);
};

/// Options with which one worker fetches a site, however long the fetch takes.
tiered_options patient() {
  tiered_options options;
  options.wait = 1h;
  options.lease = 2h;
  return options;
}

/// A shared store, a web and a clock, for any number of workers.
struct fleet {
  [[nodiscard]] std::unique_ptr<tiered_cache> worker(cache_options options = foo_bot(),
                                                     tiered_options sharing = {}) {
    return std::make_unique<tiered_cache>(std::move(options), web, clock,
                                          tiered{LruStorage<64>{}, store, sharing}, observer);
  }

  /// Moves the time until `call` is done.
  template <class T>
  T wait_for(std::future<T>& call) {
    // The clock must not run so fast that a slow thread misses its time.
    while (call.wait_for(50us) != std::future_status::ready) {
      clock.advance(10ms);
    }
    return call.get();
  }

  [[nodiscard]] std::optional<site_records> stored(std::string_view key = site_key) {
    const auto value = store.load(key);
    return value ? robots::detail::decode_site(*value).value : std::nullopt;
  }

  ScriptedFetcher web;
  ManualClock clock;
  memory_store store{clock};
  StoreObserver observer;
};

/// Waits until the store has received all invalidations of a cache.
template <class Cache>
void settle(Cache& cache) {
  while (cache.stats().pending_invalidations > 0) {
    std::this_thread::yield();
  }
}

/// Runs a look-up to its end, like an event loop that waits only for news.
void drive(look_up& work, fleet& in) {
  while (!work.policy()) {
    const look_up::step step = work.next();
    if (const auto* const request = std::get_if<fetch_request>(&step)) {
      work.on_response(in.web.fetch(*request));
    } else if (const auto* const pause = std::get_if<retry_wait>(&step)) {
      in.clock.sleep_until(pause->until, pause->stop);
      work.on_wait_over();
    } else {
      std::promise<void> news;
      std::future<void> come = news.get_future();
      work.call_on_news([&news] { news.set_value(); });
      come.wait();
      work.resume();
    }
  }
}

/// Waits for news until a look-up has a request to send.
void drive_to_request(look_up& work) {
  while (!std::holds_alternative<fetch_request>(work.next())) {
    std::promise<void> news;
    work.call_on_news([&news] { news.set_value(); });
    news.get_future().wait();
    work.resume();
  }
}

/// A record of the site, fetched now.
record good_record(const fleet& crawlers, std::string_view body = robots::test::rules) {
  record sample;
  sample.outcome = outcome::success;
  sample.status = 200;
  sample.url = sample.final_url = robots_url;
  sample.attempts = 1;
  sample.exchanges = {{robots_url, 200, robots::fetch_error::none}};
  sample.fetched_at = std::chrono::floor<std::chrono::seconds>(crawlers.clock.wall_now());
  sample.lifetime = 24h;
  sample.body = body;
  return sample;
}

}  // namespace

TEST_CASE("A tiered storage can be made from both parts or from the shared one alone") {
  fleet crawlers;
  tiered both{LruStorage<64>{}, crawlers.store};
  tiered far_alone{crawlers.store, {.wait = 1s}};
  CHECK(far_alone.options().wait == 1s);
  TieredStorage deduced{LruStorage<4>{}, crawlers.store};
  CHECK(deduced.size() == 0);
  CHECK(deduced.evictions() == 0);
  CHECK(deduced.memory_bytes() == 0);
  both.shared().publish("a", "1", 1s);
  CHECK(far_alone.shared().load("a") == "1");
}

TEST_CASE("Options of a tiered storage that make no sense are refused") {
  fleet crawlers;
  CHECK_THROWS_AS((tiered{crawlers.store, {.lease = 0ms}}), std::invalid_argument);
  CHECK_THROWS_AS((tiered{crawlers.store, {.poll = 0ms}}), std::invalid_argument);
  CHECK_THROWS_AS((tiered{crawlers.store, {.wait = -1ms}}), std::invalid_argument);
  CHECK_THROWS_AS((tiered{crawlers.store, {.patience = -1ms}}), std::invalid_argument);
  CHECK_THROWS_AS((tiered{crawlers.store, {.clock_skew = -1s}}), std::invalid_argument);
  CHECK_THROWS_AS((tiered{crawlers.store, {.clock_skew = std::chrono::seconds::max()}}),
                  std::invalid_argument);
  CHECK_THROWS_AS((tiered{crawlers.store, {.breaker = {.failures = -1}}}), std::invalid_argument);
  cache_options options = foo_bot();
  options.background_threads = 0;
  CHECK_THROWS_WITH_AS(
      static_cast<void>(crawlers.worker(options)),
      "background_threads is 0: set it to 1 or more for a cache with a shared store",
      std::invalid_argument);
}

TEST_CASE("All workers use the file that one worker has fetched") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  for (int worker = 0; worker < 4; ++worker) {
    const auto cache = crawlers.worker();
    CHECK_FALSE(cache->allowed(secret));
    const decision answer = cache->check(home);
    CHECK(answer.allowed);
    CHECK(answer.from_cache);
    CHECK(answer.policy->version() == 1);
    const cache_stats stats = cache->stats();
    CHECK(stats.far_hits == (worker == 0 ? 0 : 1));
    CHECK(stats.far_misses == (worker == 0 ? 1 : 0));
    CHECK(stats.retrievals == (worker == 0 ? 1 : 0));
    CHECK(stats.far_failures == 0);
    CHECK(stats.far_rejected == 0);
  }
  CHECK(crawlers.web.count() == 1);
  const std::string hit = std::string{site_key} + " " + std::string{robots::test::rules};
  CHECK(crawlers.observer.events->hits == std::vector{hit, hit, hit});
}

TEST_CASE("After its expiry, a site is fetched once more, by one worker") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok(), ok("User-agent: *\nDisallow: /\n"));
  const auto first = crawlers.worker();
  const auto second = crawlers.worker();
  CHECK(first->allowed(home));
  CHECK(second->allowed(home));
  crawlers.clock.advance(24h);
  CHECK_FALSE(second->allowed(home));
  CHECK_FALSE(first->allowed(home));
  CHECK_FALSE(crawlers.worker()->allowed(home));
  CHECK(crawlers.web.count() == 2);
}

TEST_CASE("A policy from the store is as old as its file") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  CHECK(crawlers.worker()->allowed(home));
  crawlers.clock.advance(10h);
  const auto late = crawlers.worker();
  CHECK(late->check(home).age == 10h);
  crawlers.clock.advance(14h);
  CHECK_FALSE(late->check(home).from_cache);
  CHECK(crawlers.web.count() == 2);
}

TEST_CASE("A hit in the process makes no call of the store") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  const auto cache = crawlers.worker();
  CHECK(cache->allowed(home));
  std::atomic<int> calls = 0;
  crawlers.store.on_call([&calls](std::string_view) { ++calls; });
  for (int i = 0; i < 10; ++i) {
    CHECK(cache->allowed(home));
    CHECK_FALSE(cache->check(secret).allowed);
    CHECK(cache->begin(home).policy());
  }
  CHECK(calls == 0);
}

TEST_CASE("A file that was requested before another process's invalidation is not kept") {
  fleet crawlers;
  robots::basic_robots_cache<ScriptedFetcher, ManualClock, TieredStorage<LruStorage<4>, DeafStore>>
      fetching{
          foo_bot(), crawlers.web, crawlers.clock, {LruStorage<4>{}, DeafStore{crawlers.store}}};
  const auto invalidating = crawlers.worker();
  for (const char* name : {site_key, lease_key}) {
    CAPTURE(name);
    bool is_first = true;
    crawlers.web.on_call(robots_url, [&](const fetch_request&) {
      if (std::exchange(is_first, false)) {
        invalidating->invalidate(name);
        settle(*invalidating);
        return ok("User-agent: *\nDisallow:\n");
      }
      return ok();
    });
    CHECK(fetching.allowed(secret));  // the request began before the invalidation
    CHECK_FALSE(crawlers.stored());
    CHECK_FALSE(crawlers.worker()->allowed(secret));
    CHECK_FALSE(fetching.allowed(secret));
    fetching.invalidate(home);
    settle(fetching);
  }
}

using deaf_cache = robots::basic_robots_cache<ScriptedFetcher, ManualClock,
                                              TieredStorage<LruStorage<4>, DeafStore>>;

TEST_CASE("A file that was requested without a lease before an invalidation is not kept") {
  for (const std::string reason : {"another process has it", "a refresh takes it", "it failed"}) {
    CAPTURE(reason);
    fleet crawlers;
    if (reason != "it failed") {
      REQUIRE(crawlers.store.try_lease(lease_key, 1h));
    }
    deaf_cache fetching{foo_bot(),
                        crawlers.web,
                        crawlers.clock,
                        {LruStorage<4>{}, DeafStore{crawlers.store}, {.wait = 0ms}}};
    const auto invalidating = crawlers.worker();
    if (reason == "it failed") {
      crawlers.store.fail("it is down");
    }
    bool is_first = true;
    crawlers.web.on_call(robots_url, [&](const fetch_request&) {
      if (std::exchange(is_first, false)) {
        crawlers.store.recover();
        crawlers.clock.advance(1min);  // the cooldown of the breaker
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
    CHECK_FALSE(crawlers.stored());
    CHECK_FALSE(crawlers.worker()->allowed(secret));
  }
}

TEST_CASE("A refresh replaces the record that an earlier request is about to publish") {
  fleet crawlers;
  const auto slow = crawlers.worker();
  const auto refreshing = crawlers.worker();
  bool is_first = true;
  crawlers.web.on_call(robots_url, [&](const fetch_request&) {
    if (std::exchange(is_first, false)) {
      static_cast<void>(refreshing->refresh(home));
      return ok("User-agent: *\nDisallow:\n");
    }
    return ok();
  });
  CHECK(slow->allowed(secret));  // the request began before the refresh
  CHECK(crawlers.stored()->latest.body == robots::test::rules);
  CHECK_FALSE(slow->allowed(secret));
  CHECK_FALSE(crawlers.worker()->allowed(secret));
  CHECK(crawlers.web.count() == 2);
}

TEST_CASE("A refresh under one name of a site reaches its other names in other processes") {
  constexpr const char* http_url = "http://example.com/robots.txt";
  for (const bool by_http : {true, false}) {
    const std::string origin = by_http ? "http://example.com/" : "https://example.com/";
    for (const std::string& asked : {origin, std::string{"example.com/"}}) {
      for (const std::string& refreshed : {origin, std::string{"example.com/"}}) {
        CAPTURE(asked);
        CAPTURE(refreshed);
        fleet crawlers;
        std::string body = "User-agent: *\nDisallow:\n";
        const auto answer = [&body](const fetch_request&) { return ok(body); };
        if (by_http) {
          crawlers.web.on(robots_url, ScriptedFetcher::failure(robots::fetch_error::connect));
          crawlers.web.on_call(http_url, answer);
        } else {
          crawlers.web.on_call(robots_url, answer);
        }
        const auto asking = crawlers.worker();
        const auto refreshing = crawlers.worker();
        CHECK(asking->allowed(asked + "private/x"));
        CHECK(refreshing->allowed(asked + "private/x"));
        crawlers.clock.advance(1s);
        body = robots::test::rules;
        static_cast<void>(refreshing->refresh(refreshed));
        CHECK_FALSE(refreshing->allowed(asked + "private/x"));
        CHECK_FALSE(asking->allowed(asked + "private/x"));
        CHECK_FALSE(crawlers.worker()->allowed(asked + "private/x"));
      }
    }
  }
}

TEST_CASE("A refresh that the store misses leaves no old rules to other processes") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok("User-agent: *\nDisallow:\n"), ok());
  crawlers.web.on("https://other.example/robots.txt", ok());
  const auto cache = crawlers.worker();
  CHECK(cache->allowed(secret));
  crawlers.store.fail("it is down");
  static_cast<void>(cache->refresh(home));
  crawlers.store.recover();
  do {                             // a call that began before `recover` can still fail
    crawlers.clock.advance(1min);  // the cooldown of the breaker
    static_cast<void>(cache->refresh("https://other.example/"));  // any other call of the store
  } while (cache->stats().pending_invalidations > 0);
  CHECK_FALSE(crawlers.worker()->allowed(secret));
}

TEST_CASE("An invalidation does not wait for a store that hangs") {
  gate door;  // outlives the cache, whose threads pass it
  fleet crawlers;
  crawlers.web.on(robots_url, ok("User-agent: *\nDisallow:\n"), ok());
  const auto cache = crawlers.worker();
  CHECK(cache->allowed(secret));
  crawlers.store.on_call([&door](std::string_view) { door.pass(); });
  cache->invalidate(home);
  door.wait_for_arrivals();
  CHECK(cache->stats().pending_invalidations > 0);
  door.open();
  settle(*cache);
  CHECK_FALSE(crawlers.stored());
  CHECK_FALSE(cache->allowed(secret));
}

TEST_CASE("After a surprising answer to a page, one process fetches the rules for all") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok("User-agent: *\nDisallow:\n"), ok());
  const auto first = crawlers.worker();
  const auto second = crawlers.worker();
  CHECK(first->allowed(secret));
  CHECK(second->allowed(secret));
  crawlers.clock.advance(1h);
  CHECK_FALSE(first->report_response(secret, 404));
  CHECK_FALSE(first->allowed(secret));
  CHECK_FALSE(second->allowed(secret));
  CHECK(crawlers.web.count() == 2);
}

TEST_CASE("When many processes get surprising answers to pages, one of them fetches the rules") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok("User-agent: *\nDisallow:\n"), ok());
  std::vector<std::unique_ptr<tiered_cache>> processes;
  for (int i = 0; i < 5; ++i) {
    processes.push_back(crawlers.worker());
    CHECK(processes.back()->allowed(secret));
  }
  crawlers.clock.advance(1h);
  for (const auto& one : processes) {
    CHECK_FALSE(one->report_response(secret, 503));
  }
  for (const auto& one : processes) {
    CHECK_FALSE(one->allowed(secret));
  }
  CHECK(crawlers.web.count() == 2);
}

TEST_CASE("A cache that ignores older records asks each site again, and shares the answer") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok("User-agent: *\nDisallow:\n"), ok());
  CHECK(crawlers.worker()->allowed(secret));
  crawlers.clock.advance(1min);
  CHECK(crawlers.worker()->allowed(secret));
  tiered_options sharing;
  sharing.ignore_older = true;
  const auto first = crawlers.worker(foo_bot(), sharing);
  const auto second = crawlers.worker(foo_bot(), sharing);
  CHECK_FALSE(first->allowed(secret));
  CHECK_FALSE(second->allowed(secret));
  CHECK(crawlers.web.count() == 2);
}

TEST_CASE("A fetch that takes longer than its lease is kept in its process") {
  fleet crawlers;
  tiered_options sharing;
  sharing.lease = 2s;
  const auto cache = crawlers.worker(foo_bot(), sharing);
  crawlers.web.on_call(robots_url, [&](const fetch_request&) {
    crawlers.clock.advance(3s);
    return ok();
  });
  for (int look_up = 0; look_up < 5; ++look_up) {
    CHECK(cache->allowed(home));
    CHECK_FALSE(cache->allowed(secret));
  }
  CHECK(crawlers.web.count() == 1);
  CHECK_FALSE(crawlers.stored());  // the process that has the lease now publishes
}

TEST_CASE("An invalidation that the store missed reaches the other processes once it answers") {
  for (const bool asks_again : {true, false}) {
    CAPTURE(asks_again);
    fleet crawlers;
    crawlers.web.on(robots_url, ok("User-agent: *\nDisallow:\n"), ok());
    crawlers.web.on("https://other.example/robots.txt", ok());
    const auto other = crawlers.worker();
    auto invalidating = crawlers.worker();
    CHECK(other->allowed(secret));
    CHECK(invalidating->allowed(secret));
    crawlers.store.fail("it is down");
    invalidating->invalidate(home);
    CHECK(invalidating->stats().pending_invalidations > 0);
    crawlers.store.recover();
    if (asks_again) {
      CHECK(invalidating->allowed("https://other.example/"));  // any other call of the store
    } else {
      invalidating.reset();
    }
    CHECK_FALSE(crawlers.stored());
    CHECK_FALSE(other->allowed(secret));
    CHECK(crawlers.observer.events->lost.empty());
  }
}

TEST_CASE("An observer gets invalidations that are lost with their process") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  auto cache = crawlers.worker();
  CHECK(cache->allowed(home));
  crawlers.store.fail("it is down");
  cache->invalidate(home);
  cache.reset();
  std::vector<std::string> lost = crawlers.observer.events->lost;
  std::sort(lost.begin(), lost.end());
  CHECK(lost == std::vector<std::string>{lease_key, site_key});
}

TEST_CASE("Forgetting a site in one process does not change the store") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  const auto cache = crawlers.worker();
  CHECK(cache->allowed(home));
  cache->clear();
  CHECK(cache->stats().size == 0);
  CHECK(cache->allowed(home));
  CHECK(cache->stats().far_hits == 1);
  CHECK(crawlers.web.count() == 1);
}

TEST_CASE("A store that fails changes no decision, and is not used until it answers again") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  crawlers.store.fail("it is down");
  const auto cache = crawlers.worker();
  for (int i = 0; i < 10; ++i) {
    CHECK_FALSE(cache->allowed("https://example.com/private/" + std::to_string(i)));
    CHECK(cache->allowed(home));
    cache->clear();
  }
  CHECK(cache->stats().far_failures == 3);
  CHECK(cache->stats().far_misses == 0);
  CHECK(crawlers.web.count() == 10);
  CHECK(crawlers.observer.events->heard == std::vector<std::string>{"down: it is down"});

  crawlers.store.recover();
  crawlers.clock.advance(5s);
  CHECK(cache->allowed(home));
  CHECK(crawlers.observer.events->heard == std::vector<std::string>{"down: it is down", "up"});
  CHECK(crawlers.worker()->allowed(home));
  CHECK(crawlers.web.count() == 11);
}

TEST_CASE("If a part of a store is down, the store is used for sites in its other parts") {
  fleet crawlers;
  const std::string other = "https://other.example/";
  crawlers.web.on(robots_url, ok()).on(other + "robots.txt", ok());
  crawlers.store.on_call([](std::string_view key) {
    if (key.find("example.com") != std::string_view::npos) {
      throw store_part_error{"a part is down"};
    }
  });
  const auto cache = crawlers.worker();
  const auto reader = crawlers.worker();
  for (int i = 0; i < 10; ++i) {
    CHECK_FALSE(cache->allowed(secret));
    cache->clear();
  }
  CHECK(crawlers.web.count() == 10);
  CHECK(cache->allowed(other));
  CHECK(reader->allowed(other));
  CHECK(crawlers.web.count() == 11);
  CHECK(cache->stats().far_failures > 3);
  CHECK(crawlers.observer.events->heard.empty());
}

TEST_CASE("Invalidations that a part of a store misses do not delay others") {
  fleet crawlers;
  const std::string other = "https://other.example/";
  crawlers.web.on(other + "robots.txt", ok());
  const auto cache = crawlers.worker();
  const auto reader = crawlers.worker();
  CHECK(reader->allowed(other));
  crawlers.store.on_call(
      [](std::string_view /*key*/) { throw store_part_error{"a part is down"}; });
  for (int i = 0; i < 200; ++i) {
    cache->invalidate("https://www" + std::to_string(i) + ".example.com/");
  }
  cache->invalidate(other);
  std::atomic<int> calls = 0;
  crawlers.store.on_call([&calls](std::string_view key) {
    ++calls;
    if (key.find("example.com") != std::string_view::npos) {
      throw store_part_error{"a part is down"};
    }
  });
  for (int i = 0; i < 10; ++i) {
    static_cast<void>(cache->allowed(other));
    cache->clear();
  }
  CHECK(crawlers.store.load("https://other.example") != std::nullopt);
  const std::size_t asked = crawlers.web.count();
  CHECK(asked <= 3);  // an invalidation ended the lease, so nothing is published
  CHECK(reader->allowed(other));
  CHECK(crawlers.web.count() == asked);
  const int before = calls;
  CHECK(cache->allowed(other));
  CHECK(calls - before < 5);  // the part gets no calls for a second
  crawlers.clock.advance(1s);
  cache->clear();
  CHECK(cache->allowed(other));
  CHECK(calls - before > 50);
  crawlers.store.recover();
}

TEST_CASE("A site in a part of the store that is down does not count as erased") {
  fleet crawlers;
  const std::string first = "https://first.example/";
  const std::string other = "https://other.example/";
  crawlers.web.on(robots_url, ok()).on(first + "robots.txt", ok()).on(other + "robots.txt", ok());
  gate door;
  PartStore store{crawlers.store};
  const auto is_down = store.is_down;
  robots::basic_robots_cache<ScriptedFetcher, ManualClock, TieredStorage<LruStorage<64>, PartStore>>
      cache{foo_bot(), crawlers.web, crawlers.clock, {LruStorage<64>{}, std::move(store)}};
  for (const std::string& url : {std::string{home}, first, other}) {
    CHECK(cache.allowed(url));
  }
  for (const std::string key : {site_key, "https://first.example", "https://other.example"}) {
    crawlers.store.announce(key);
  }
  *is_down = true;
  crawlers.store.on_call([&door](std::string_view) { door.pass(); });
  std::vector<look_up> looking;
  looking.push_back(cache.begin(first));
  door.wait_for_arrivals();
  looking.push_back(cache.begin(home));
  looking.push_back(cache.begin(other));
  door.open();
  for (look_up& one : looking) {
    drive(one, crawlers);
  }
  CHECK(crawlers.web.count() == 3);
}

TEST_CASE("No caller waits for a store that fails and grants no leases") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  crawlers.store.fail("out of memory");
  const auto cache = crawlers.worker();
  CHECK_FALSE(cache->allowed(secret));
  CHECK(cache->stats().far_failures > 0);
  CHECK_FALSE(crawlers.worker()->allowed(secret));
  CHECK(crawlers.web.count() == 2);  // nothing is published without a lease
}

TEST_CASE("Hits in the process and new sites are answered while the store is down") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok()).on("https://other.example/robots.txt", ok());
  const auto cache = crawlers.worker();
  CHECK(cache->allowed(home));
  crawlers.store.fail("it is down");
  CHECK(cache->allowed(home));
  CHECK_FALSE(cache->allowed("https://other.example/private"));
  CHECK(crawlers.web.count() == 2);
  crawlers.store.recover();
  CHECK_FALSE(cache->allowed("https://other.example/private"));
  CHECK(crawlers.web.count() == 2);
}

TEST_CASE("An exception of a store that is not a std::exception is handled, too") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  crawlers.store.on_call([](std::string_view) { throw 7; });
  const auto cache = crawlers.worker();
  CHECK(cache->allowed(home));
  CHECK(cache->stats().far_failures > 0);
}

TEST_CASE("A file that is published while the store fails is fetched again by the next worker") {
  fleet crawlers;
  crawlers.web.on_call(robots_url, [&crawlers](const fetch_request&) {
    crawlers.store.fail("it went down meanwhile");
    return ok();
  });
  CHECK(crawlers.worker()->allowed(home));
  crawlers.store.recover();
  crawlers.clock.advance(2min);  // after which the lease is lost
  CHECK(crawlers.worker()->allowed(home));
  CHECK(crawlers.web.count() == 2);
}

TEST_CASE("An invalid record in the store is ignored") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  const auto refuses = [&crawlers](std::string_view value) {
    crawlers.store.publish(site_key, value, 24h);
    const auto cache = crawlers.worker();
    CHECK_FALSE(cache->allowed(secret));
    CHECK(cache->allowed(home));
    CHECK(cache->stats().far_rejected > 0);
    CHECK(cache->stats().far_hits == 0);
    CHECK(cache->stats().retrievals == 1);
  };
  const auto allows_all = [&crawlers](auto change) {
    site_records records{.latest = good_record(crawlers, "User-agent: *\nAllow: /\n")};
    change(records);
    return encode(records);
  };
  const std::string whole = allows_all([](site_records&) {});
  crawlers.store.publish(site_key, whole, 24h);
  CHECK(crawlers.worker()->allowed(secret));  // a whole record is used
  CHECK(crawlers.web.count() == 0);

  refuses("");
  refuses("PING");
  refuses(std::string(100'000, '\xFF'));
  refuses(whole.substr(0, whole.size() / 2));
  refuses(whole + '\0');
  std::string other_version = whole;
  ++other_version.front();
  refuses(other_version);
  refuses(robots::detail::encode(good_record(crawlers)));  // not the record of a site
  refuses(allows_all([](site_records& records) {
    records.latest.url = records.latest.final_url = "https://evil.example/robots.txt";
  }));
  refuses(allows_all([](site_records& records) { records.latest.final_url = "no URL"; }));
  refuses(allows_all([](site_records& records) { records.latest.fetched_at += 61s; }));
  refuses(allows_all([](site_records& records) { records.latest.not_modified = true; }));
  refuses(allows_all([](site_records& records) {
    records.last_good = records.latest;
    records.last_good->url = "https://evil.example/robots.txt";
    records.latest.outcome = outcome::server_error;
  }));
  for (const outcome own :
       {outcome::unreachable, outcome::too_many_redirects, outcome::refused, outcome::cancelled,
        outcome::circuit_open, outcome::quarantined, outcome::challenged}) {
    refuses(allows_all([own](site_records& records) { records.latest.outcome = own; }));
  }
  refuses(allows_all([](site_records& records) {
    records.latest.outcome = outcome::server_error;
    records.latest.status = 301;
  }));
}

TEST_CASE("A worker does not use a shared file that is older than its own file") {
  fleet crawlers;
  crawlers.web.on(robots_url,
                  ok("User-agent: *\nDisallow: /\n", {{"Cache-Control", "max-age=3600"}}));
  crawlers.store.publish(site_key, encode(site_records{.latest = good_record(crawlers)}), 24h);
  crawlers.clock.advance(1min);
  const auto cache = crawlers.worker();
  crawlers.store.fail("it is down");
  CHECK_FALSE(cache->allowed(home));
  crawlers.store.recover();
  SUBCASE("and asks the site again") { crawlers.clock.advance(2h); }
  SUBCASE("even if the site then fails") {
    crawlers.web.on(robots_url, ScriptedFetcher::status(503));
    crawlers.clock.advance(2h);
    CHECK_FALSE(cache->allowed(home));
    crawlers.clock.advance(2h);
  }
  CHECK_FALSE(cache->allowed(home));
  CHECK(cache->stats().far_hits == 0);
  CHECK_FALSE(crawlers.worker()->allowed(home));
}

TEST_CASE("A result for one site does not wait for sites that are slow to answer") {
  fleet crawlers;
  gate door;
  crawlers.web.on(robots_url, ok())
      .on_call("https://slow.example/robots.txt", [&](const fetch_request&) {
        door.pass();
        return ok();
      });
  cache_options options = foo_bot();
  options.background_threads = 1;
  options.longest_call = 15s;
  const auto cache = crawlers.worker(options);
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

TEST_CASE("A record from a machine whose clock is a little ahead is used") {
  fleet crawlers;
  record sample = good_record(crawlers);
  sample.fetched_at += 60s;
  crawlers.store.publish(site_key, encode(site_records{.latest = sample}), 24h);
  const auto cache = crawlers.worker();
  CHECK_FALSE(cache->allowed(secret));
  CHECK(cache->check(secret).age == 0s);
  CHECK(crawlers.web.count() == 0);
}

TEST_CASE("A worker uses a shared record no longer than its own options allow") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  record sample = good_record(crawlers);
  sample.lifetime = std::chrono::years{1};
  crawlers.clock.advance(25h);
  crawlers.store.publish(site_key, encode(site_records{.latest = sample}), std::chrono::days{300});
  CHECK(crawlers.worker()->allowed(home));
  CHECK(crawlers.web.count() == 1);
}

TEST_CASE("A wiped store is filled again, and workers that have rules continue with them") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  const auto cache = crawlers.worker();
  CHECK(cache->allowed(home));
  crawlers.store.clear();
  CHECK(cache->allowed(home));
  CHECK(crawlers.web.count() == 1);
  CHECK(crawlers.worker()->allowed(home));
  CHECK(crawlers.web.count() == 2);
  CHECK(crawlers.worker()->allowed(home));
  CHECK(crawlers.web.count() == 2);
}

TEST_CASE("A failure is shared together with the last good copy, which other workers then use") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok(), ScriptedFetcher::status(503));
  CHECK(crawlers.worker(foo_bot_that_asks_once())->allowed(home));
  crawlers.clock.advance(24h);
  for (int worker = 0; worker < 3; ++worker) {
    const auto cache = crawlers.worker(foo_bot_that_asks_once());
    const decision answer = cache->check(secret);
    CHECK_FALSE(answer.allowed);
    CHECK(answer.policy->basis() == robots::policy_basis::last_good);
    CHECK(answer.age == 24h);
    CHECK(cache->allowed(home));
    CHECK(answer.policy->source().failures == 1);
  }
  CHECK(crawlers.web.count() == 2);
  crawlers.clock.advance(5min);
  CHECK(crawlers.worker(foo_bot_that_asks_once())->check(home).policy->source().failures == 2);
  CHECK(crawlers.stored()->last_good);
  CHECK(crawlers.web.count() == 3);
}

TEST_CASE("Workers share the time for which a site has answered with 5xx") {
  fleet crawlers;
  crawlers.web.on(robots_url, ScriptedFetcher::status(503));
  robots::cache_options options = foo_bot_that_asks_once();
  options.no_file_after = 48h;
  for (int day = 0; day < 2; ++day) {
    CHECK_FALSE(crawlers.worker(options)->allowed(home));
    crawlers.clock.advance(24h);
  }
  CHECK(crawlers.worker(options)->allowed(home));
  CHECK_FALSE(crawlers.worker(foo_bot_that_asks_once())->allowed(home));  // the option is its own
  CHECK(crawlers.stored()->latest.failing_for == 48h);
  CHECK(crawlers.web.count() == 3);
}

TEST_CASE("After a failure, a worker sends the validators of another worker's last good copy") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok(robots::test::rules, {{"ETag", "\"1\""}}),
                  ScriptedFetcher::status(503), ScriptedFetcher::status(304));
  CHECK(crawlers.worker(foo_bot_that_asks_once())->allowed(home));
  crawlers.clock.advance(24h);
  CHECK(crawlers.worker(foo_bot_that_asks_once())->allowed(home));
  crawlers.clock.advance(5min);
  const decision answer = crawlers.worker(foo_bot_that_asks_once())->check(secret);
  CHECK_FALSE(answer.allowed);
  CHECK(answer.policy->source().not_modified);
  CHECK(answer.policy->basis() == robots::policy_basis::rules);
  CHECK(crawlers.web.count() == 3);
  REQUIRE(crawlers.stored());
  CHECK(crawlers.stored()->latest.body == robots::test::rules);
  CHECK_FALSE(crawlers.stored()->last_good);
}

TEST_CASE("A 304 renews the whole record for all") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok(robots::test::rules, {{"ETag", "\"1\""}}),
                  ScriptedFetcher::status(304, {{"Cache-Control", "max-age=7200"}}));
  CHECK(crawlers.worker()->allowed(home));
  crawlers.clock.advance(24h);
  CHECK_FALSE(crawlers.worker()->allowed(secret));
  CHECK(robots::detail::find_header(crawlers.web.requests().back().headers, "If-None-Match") ==
        "\"1\"");
  crawlers.clock.advance(1h);
  const auto cold = crawlers.worker();
  const decision answer = cold->check(secret);
  CHECK_FALSE(answer.allowed);
  CHECK(answer.age == 1h);
  CHECK(crawlers.web.count() == 2);
  CHECK(crawlers.stored()->latest.validators.etag == "\"1\"");
  CHECK(crawlers.stored()->latest.lifetime == 2h);
}

TEST_CASE("A worker whose file the store has lost requests the whole file, to share it") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok(robots::test::rules, {{"ETag", "\"1\""}}));
  const auto cache = crawlers.worker();
  CHECK(cache->allowed(home));
  crawlers.store.clear();
  crawlers.clock.advance(24h);
  CHECK(cache->allowed(home));
  CHECK_FALSE(robots::detail::find_header(crawlers.web.requests().back().headers, "If-None-Match"));
  CHECK(crawlers.stored());
}

TEST_CASE("While the store is down, a worker sends the validators of the copy that it has") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok(robots::test::rules, {{"ETag", "\"1\""}}),
                  ScriptedFetcher::status(304));
  const auto cache = crawlers.worker();
  CHECK(cache->allowed(home));
  crawlers.store.fail("it is down");
  crawlers.clock.advance(24h);
  CHECK_FALSE(cache->allowed(secret));
  CHECK(robots::detail::find_header(crawlers.web.requests().back().headers, "If-None-Match") ==
        "\"1\"");
}

TEST_CASE("A failure is not stored if the last good copy in the store could not be read") {
  fleet crawlers;
  bool is_first = true;
  crawlers.web.on_call(robots_url, [&](const fetch_request&) {
    if (std::exchange(is_first, false)) {
      return ok();
    }
    crawlers.store.recover();
    return ScriptedFetcher::status(503);
  });
  CHECK(crawlers.worker()->allowed(home));
  crawlers.clock.advance(24h);
  crawlers.store.fail("it is down");
  CHECK_FALSE(crawlers.worker()->allowed(home));
  REQUIRE(crawlers.stored());
  CHECK(crawlers.stored()->latest.outcome == outcome::success);
}

TEST_CASE("A breaker that opens in one worker is not shared, and the lease is released") {
  fleet crawlers;
  crawlers.web.on(robots_url, ScriptedFetcher::status(503));
  cache_options options = foo_bot();
  options.breaker.failures = 1;
  options.failure_ttl = 0s;
  const auto cache = crawlers.worker(options);
  CHECK_FALSE(cache->allowed(home));
  REQUIRE(crawlers.stored());
  CHECK(crawlers.stored()->latest.outcome == outcome::server_error);
  crawlers.clock.advance(1s);
  CHECK(cache->check(home).policy->source().outcome == outcome::circuit_open);
  CHECK(crawlers.stored()->latest.outcome == outcome::server_error);
  CHECK(crawlers.store.try_lease(lease_key, 1s));
}

TEST_CASE("A worker that gets no response from a site does not share that failure") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  using enum robots::fetch_error;
  for (const robots::fetch_error error : {resolve, connect, tls, timeout, refused_address, protocol,
                                          other, connection_refused, proxy, local}) {
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

TEST_CASE("A bot wall's page is not shared, and the store's last good copy stays in force") {
  robots::fetch_response wall = ok("<html><title>Just a moment...</title></html>\n");
  SUBCASE("if the status shows the wall") { wall.status = 202; }
  SUBCASE("if only the file that was there shows the wall") {}
  fleet crawlers;
  crawlers.web.on(robots_url, ok(), wall, wall, ok());
  CHECK_FALSE(crawlers.worker(foo_bot_that_asks_once())->allowed(secret));
  crawlers.clock.advance(24h);
  for (int worker = 0; worker < 2; ++worker) {
    const decision answer = crawlers.worker(foo_bot_that_asks_once())->check(secret);
    CHECK_FALSE(answer.allowed);
    CHECK(answer.policy->basis() == robots::policy_basis::last_good);
    CHECK(to_string(answer.policy->outcome()) == "challenged");
    REQUIRE(crawlers.stored());
    CHECK(crawlers.stored()->latest.outcome == outcome::success);
    CHECK(crawlers.stored()->latest.body == robots::test::rules);
  }
  CHECK(to_string(crawlers.worker(foo_bot_that_asks_once())->check(secret).policy->outcome()) ==
        "success");
}

TEST_CASE("A worker that must not follow a redirect does not share that refusal") {
  fleet crawlers;
  cache_options options = foo_bot();
  std::string target = "https://example.com/of/robots.txt";
  SUBCASE("because it excludes the host") {
    target = "https://ads.example/robots.txt";
    options.excluded = {"ads.example"};
  }
  SUBCASE("because it follows none") { options.max_redirects = 0; }
  SUBCASE("because it refuses other hosts") {
    target = "https://www.example.com/of/robots.txt";
    options.redirects.refuse_other_hosts = true;
  }
  crawlers.web.on(robots_url, ScriptedFetcher::redirect(301, target)).on(target, ok());
  CHECK_FALSE(crawlers.worker(options)->allowed(home));
  CHECK_FALSE(crawlers.stored());
  CHECK(crawlers.worker()->allowed(home));
  CHECK(crawlers.stored());
}

TEST_CASE("A worker that follows fewer redirects than another one does not share its limit") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  constexpr const char* cdn = "https://cdn.example/robots.txt";
  fleet crawlers;
  crawlers.web.on(robots_url, ScriptedFetcher::redirect(301, www))
      .on(www, ScriptedFetcher::redirect(301, cdn))
      .on(cdn, ok());
  cache_options options = foo_bot();
  options.max_redirects = 1;
  CHECK_FALSE(crawlers.worker(options)->allowed(home));
  REQUIRE(crawlers.stored());
  CHECK(crawlers.stored()->latest.outcome == outcome::redirected);
  CHECK(crawlers.worker()->allowed(home));
  CHECK_FALSE(crawlers.worker()->allowed(secret));
}

TEST_CASE("A worker that refuses other hosts does not follow the redirect of another worker") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  fleet crawlers;
  crawlers.web.on(robots_url, ScriptedFetcher::redirect(301, www)).on(www, ok());
  CHECK(crawlers.worker()->allowed(home));
  cache_options options = foo_bot();
  options.redirects.refuse_other_hosts = true;
  const decision refused = crawlers.worker(options)->check(home);
  CHECK_FALSE(refused.allowed);
  CHECK(
      explain(refused) ==
      "not allowed: fallback: refused (HTTP 301) (redirect to another host, which redirect_options "
      "refuse: https://www.example.com)");
  CHECK(crawlers.worker()->allowed(home));
}

TEST_CASE("A worker does not use a shared file that was cut below its own limit") {
  fleet crawlers;
  const std::string file = std::string{robots::test::rules} + "# " + std::string(3'000, 'x') +
                           "\nUser-agent: *\nDisallow: /late\n";
  const char* const late = "https://example.com/late";
  crawlers.web.on(robots_url, ok(file, {{"ETag", "\"1\""}}));
  cache_options options = foo_bot();
  options.parse.max_bytes = 2'000;
  CHECK(crawlers.worker(options)->allowed(late));
  REQUIRE(crawlers.stored());
  CHECK(crawlers.stored()->latest.truncated);
  SUBCASE("while the file is fresh") {}
  SUBCASE("or to ask whether it has changed") { crawlers.clock.advance(24h); }
  const auto reads_all = crawlers.worker();
  CHECK_FALSE(reads_all->allowed(late));
  CHECK(reads_all->stats().far_rejected > 0);
  CHECK(crawlers.web.count() == 2);
  CHECK_FALSE(robots::detail::find_header(crawlers.web.requests().back().headers, "If-None-Match"));
  CHECK_FALSE(crawlers.worker()->allowed(late));
  CHECK(crawlers.worker(options)->allowed(late));  // it reads only the start of the file
  CHECK(crawlers.web.count() == 2);
}

TEST_CASE("A worker does not use a last good copy that was cut below its own limit") {
  fleet crawlers;
  const std::string file = std::string{robots::test::rules} + "# " + std::string(3'000, 'x') +
                           "\nUser-agent: *\nDisallow: /late\n";
  const char* const late = "https://example.com/late";
  crawlers.web.on(robots_url, ok(file), ScriptedFetcher::status(503));
  cache_options options = foo_bot();
  options.parse.max_bytes = 2'000;
  CHECK(crawlers.worker(options)->allowed(late));
  crawlers.clock.advance(24h);
  CHECK(crawlers.worker(options)->allowed(late));
  REQUIRE(crawlers.stored());
  CHECK(crawlers.stored()->last_good);
  CHECK_FALSE(crawlers.worker()->allowed(late));
}

TEST_CASE("The answer of a site that is invalidated during its fetch is not shared") {
  fleet crawlers;
  const auto cache = crawlers.worker();
  crawlers.web.on_call(robots_url, [&cache](const fetch_request&) {
    cache->invalidate(home);
    settle(*cache);
    return ok();
  });
  CHECK(cache->allowed(home));
  CHECK_FALSE(crawlers.stored());
  CHECK(cache->stats().size == 0);
}

TEST_CASE("If one worker invalidates a site, all workers forget it") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok(), ok("User-agent: *\nDisallow: /\n"));
  const auto first = crawlers.worker();
  const auto second = crawlers.worker();
  CHECK(first->allowed(home));
  CHECK(second->allowed(home));
  for (const char* const name : {"example.com", home}) {
    first->invalidate(name);
    settle(*first);
    CHECK(first->stats().size == 0);
    CHECK_FALSE(crawlers.stored());
    CHECK_FALSE(second->allowed(home));
    CHECK_FALSE(first->allowed(home));
  }
  CHECK(crawlers.web.count() == 3);
}

TEST_CASE("A site that is invalidated while the store is down is not loaded from it later") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok(), ok("User-agent: *\nDisallow: /\n"));
  const auto cache = crawlers.worker();
  CHECK(cache->allowed(home));
  crawlers.store.fail("it is down");
  cache->invalidate(home);
  crawlers.store.recover();
  crawlers.clock.advance(5s);
  CHECK_FALSE(cache->allowed(home));
  CHECK(crawlers.web.count() == 2);
  CHECK_FALSE(crawlers.worker()->allowed(home));
  CHECK(crawlers.web.count() == 2);
}

TEST_CASE("A refresh always asks the site, and the other workers use the answer") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok(robots::test::rules, {{"ETag", "\"1\""}}),
                  ok("User-agent: *\nDisallow: /\n", {{"ETag", "\"2\""}}));
  const auto first = crawlers.worker();
  const auto second = crawlers.worker();
  CHECK(first->allowed(home));
  CHECK(second->allowed(home));
  const auto cold = crawlers.worker();
  CHECK_FALSE(cold->refresh(home)->allows("/"));
  CHECK(robots::detail::find_header(crawlers.web.requests().back().headers, "If-None-Match") ==
        "\"1\"");
  CHECK_FALSE(first->allowed(home));
  CHECK_FALSE(second->allowed(home));
  CHECK(crawlers.web.count() == 2);
}

TEST_CASE("The store is asked again if messages may be missing") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  const auto cache = crawlers.worker();
  CHECK(cache->allowed(home));
  record changed = good_record(crawlers, "User-agent: *\nDisallow: /\n");
  crawlers.store.publish(site_key, encode(site_records{.latest = changed}), 24h);
  CHECK(cache->allowed(home));
  crawlers.store.lose_changes();
  CHECK_FALSE(cache->allowed(home));
  CHECK(crawlers.web.count() == 1);
}

TEST_CASE("A store that cannot be watched at first is watched once it is up") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  LateStore late{crawlers.store};
  robots::basic_robots_cache<ScriptedFetcher, ManualClock, TieredStorage<LruStorage<4>, LateStore>>
      cache{foo_bot(), crawlers.web, crawlers.clock, TieredStorage{LruStorage<4>{}, late}};
  CHECK(cache.stats().far_failures == 1);
  *late.is_up = true;
  CHECK(cache.allowed(home));
  CHECK(crawlers.web.count() == 1);
  crawlers.worker()->invalidate(home);
  CHECK(cache.allowed(home));
  CHECK(crawlers.web.count() == 2);
}

TEST_CASE("A store that is wiped repeatedly causes no request to the web") {
  fleet crawlers;
  const std::vector<std::string> sites{"https://a.example/", "https://b.example/",
                                       "https://c.example/"};
  for (const std::string& site : sites) {
    crawlers.web.on(site + "robots.txt", ok());
  }
  cache_options options = foo_bot();
  SUBCASE("if callers wait for the store") {}
  SUBCASE("if the store is asked in the background") { options.stale_while_revalidate = 1h; }
  const std::vector<std::unique_ptr<tiered_cache>> workers = [&] {
    std::vector<std::unique_ptr<tiered_cache>> result;
    for (int worker = 0; worker < 3; ++worker) {
      result.push_back(crawlers.worker(options));
    }
    return result;
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
    crawlers.store.clear();
    crawlers.store.lose_changes();
    crawlers.clock.advance(1min);
  }
  CHECK(crawlers.web.count() == sites.size());
}

TEST_CASE("A flood of messages leads to no request to a site, and to few questions to the store") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  const auto cache = crawlers.worker();
  CHECK(cache->allowed(home));
  memory_store stranger{crawlers.store};
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
  CHECK(crawlers.web.count() == 1);
  CHECK(cache->stats().far_hits == 4);
  crawlers.clock.advance(10s);
  CHECK_FALSE(cache->allowed(secret));
  CHECK(cache->allowed(home));
  CHECK(cache->stats().far_hits == 5);
  CHECK(crawlers.web.count() == 1);
}

TEST_CASE("A flood of erasures leads to few requests to a site") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  const auto cache = crawlers.worker();
  memory_store stranger{crawlers.store};
  for (int second = 0; second < 100; ++second) {
    for (int message = 0; message < 10; ++message) {
      stranger.erase(site_key);
      CHECK_FALSE(cache->allowed(secret));
    }
    crawlers.clock.advance(1s);
  }
  CHECK(crawlers.web.count() <= 1 + 4 + 10);
  // The last erasure is obeyed, too.
  crawlers.clock.advance(10s);
  const std::size_t before = crawlers.web.count();
  CHECK(cache->allowed(home));
  CHECK(crawlers.web.count() == before + 1);
}

TEST_CASE("A site that another worker has invalidated has no last good copy") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok(), ScriptedFetcher::status(503));
  const auto first = crawlers.worker(foo_bot_that_asks_once());
  const auto second = crawlers.worker(foo_bot_that_asks_once());
  CHECK(first->allowed(home));
  CHECK(second->allowed(home));
  first->invalidate(home);
  settle(*first);
  CHECK_FALSE(second->allowed(home));
  CHECK(crawlers.web.count() == 2);
}

TEST_CASE("A site that another worker has invalidated is forgotten under its other name, too") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok(), ScriptedFetcher::failure(robots::fetch_error::timeout));
  const auto cache = crawlers.worker(foo_bot_that_asks_once());
  CHECK(cache->allowed("example.com/"));
  crawlers.worker()->invalidate(home);
  CHECK_FALSE(cache->allowed(home));
  crawlers.store.fail("it is down");
  CHECK_FALSE(cache->allowed("example.com/"));
}

TEST_CASE("An entry that another worker has invalidated is not used during its renewal") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok(), ok("User-agent: *\nDisallow: /\n"));
  cache_options options = foo_bot();
  options.stale_while_revalidate = 1h;
  const auto cache = crawlers.worker(options);
  CHECK(cache->allowed(home));
  SUBCASE("while it is fresh") {}
  SUBCASE("while it is stale") { crawlers.clock.advance(24h); }
  crawlers.worker()->invalidate(home);
  CHECK_FALSE(cache->allowed(home));
  CHECK(crawlers.web.count() == 2);
}

TEST_CASE(
    "A worker that gets a change while the store is down keeps its rules until the store is up") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok(), ok("User-agent: *\nDisallow: /\n"));
  const auto cache = crawlers.worker();
  CHECK(cache->allowed(home));
  crawlers.store.erase(site_key);
  crawlers.store.fail("it is down");
  for (int i = 0; i < 10; ++i) {
    CHECK(cache->allowed(home));
  }
  CHECK(crawlers.web.count() == 1);
  crawlers.store.recover();
  crawlers.clock.advance(10s);
  CHECK_FALSE(cache->allowed(home));
  CHECK(crawlers.web.count() == 2);
}

TEST_CASE("A refresh by a worker with a slow clock reaches the others") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  const auto cache = crawlers.worker();
  CHECK(cache->allowed(home));
  record changed = good_record(crawlers, "User-agent: *\nDisallow: /\n");
  changed.fetched_at -= 1s;
  crawlers.store.publish(site_key, encode(site_records{.latest = changed}), 24h);
  SUBCASE("which gets a message") {
    crawlers.store.announce(site_key);
    CHECK_FALSE(cache->allowed(home));
  }
  SUBCASE("but not an older answer without a message") {
    crawlers.store.lose_changes();
    CHECK(cache->allowed(home));
  }
  CHECK(crawlers.web.count() == 1);
}

TEST_CASE("A newer but expired record in the store makes a worker ask the site") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok(), ok("User-agent: *\nDisallow: /\n"));
  const auto cache = crawlers.worker();
  CHECK(cache->allowed(home));
  crawlers.clock.advance(1min);
  record changed = good_record(crawlers);
  changed.lifetime = 5min;
  crawlers.store.publish(site_key, encode(site_records{.latest = changed}), 24h);
  crawlers.clock.advance(10min);
  crawlers.store.lose_changes();
  CHECK_FALSE(cache->allowed(home));
  CHECK(crawlers.web.count() == 2);
}

TEST_CASE("A change that is announced during a fetch is loaded after the fetch") {
  fleet crawlers;
  const auto cache = crawlers.worker();
  crawlers.web.on_call(robots_url, [&crawlers](const fetch_request&) {
    crawlers.store.announce(site_key);
    return ok();
  });
  CHECK(cache->allowed(home));
  const record changed = good_record(crawlers, "User-agent: *\nDisallow: /\n");
  crawlers.store.publish(site_key, encode(site_records{.latest = changed}), 24h);
  CHECK_FALSE(cache->allowed(home));
  CHECK(crawlers.web.count() == 1);
}

TEST_CASE("A worker that invalidates a site while it receives changes forgets the site") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  const auto cache = crawlers.worker();
  CHECK(cache->allowed(home));
  crawlers.store.announce(site_key);
  cache->invalidate(home);
  settle(*cache);
  CHECK(cache->stats().size == 0);
  CHECK(cache->allowed(home));
  CHECK(crawlers.web.count() == 2);
}

TEST_CASE("An unknown site costs two calls of the store, and a known site costs one") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  int calls = 0;
  crawlers.store.on_call([&calls](std::string_view /*key*/) { ++calls; });
  const auto first = crawlers.worker();
  CHECK_FALSE(first->allowed(secret));
  CHECK(calls == 2);
  const auto second = crawlers.worker();
  CHECK_FALSE(second->allowed(secret));
  CHECK(calls == 3);
  crawlers.clock.advance(24h);  // the record has expired: a separate call asks for the lease
  CHECK_FALSE(second->allowed(secret));
  CHECK(calls == 6);
  CHECK(crawlers.web.count() == 2);
  static_cast<void>(second->check("https://other.example/"));
  CHECK(calls == 8);  // publishing has ended the lease of the first site
}

TEST_CASE("A redirect from one site to another has the same effect in every process") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  fleet crawlers;
  crawlers.web.on(robots_url, ScriptedFetcher::redirect(301, www)).on(www, ok());
  for (int worker = 0; worker < 3; ++worker) {
    const auto cache = crawlers.worker();
    const decision answer = cache->check(secret);
    CHECK_FALSE(answer.allowed);
    CHECK(answer.policy->source().final_url == www);
    CHECK(answer.policy->source().redirects == 1);
    CHECK(cache->allowed(home));
    CHECK_FALSE(cache->allowed("https://www.example.com/private/x"));
    CHECK(cache->stats().far_hits == (worker == 0 ? 0 : 2));
    CHECK(cache->stats().retrievals == (worker == 0 ? 2 : 0));
  }
  CHECK(crawlers.web.count() == 2);
  REQUIRE(crawlers.stored());
  CHECK(crawlers.stored()->latest.outcome == outcome::redirected);
  crawlers.clock.advance(24h);
  const auto cache = crawlers.worker();
  CHECK_FALSE(cache->allowed(secret));
  CHECK(crawlers.web.count(robots_url) == 2);
  CHECK(crawlers.web.count(www) == 2);
}

TEST_CASE("A new worker uses the last good copy of the target of a redirect") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  fleet crawlers;
  crawlers.web.on(robots_url, ScriptedFetcher::redirect(301, www))
      .on(www, ok(), ScriptedFetcher::status(503));
  CHECK(crawlers.worker(foo_bot_that_asks_once())->allowed(home));
  crawlers.clock.advance(24h);
  const auto warm = crawlers.worker(foo_bot_that_asks_once());
  CHECK(warm->allowed("https://www.example.com/"));
  CHECK(crawlers.web.count(www) == 2);
  crawlers.store.publish(
      site_key,
      [&crawlers] {
        record redirect = good_record(crawlers, "");
        redirect.outcome = outcome::redirected;
        redirect.status = 301;
        redirect.final_url = www;
        redirect.redirects = 1;
        return encode(site_records{.latest = redirect});
      }(),
      24h);
  const auto cold = crawlers.worker(foo_bot_that_asks_once());
  const decision answer = cold->check(secret);
  CHECK_FALSE(answer.allowed);
  CHECK(answer.policy->basis() == robots::policy_basis::last_good);
  CHECK(cold->allowed(home));
  CHECK(crawlers.web.count() == 3);
}

TEST_CASE("A redirect in the store to an excluded host is not followed") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  record redirect = good_record(crawlers, "");
  redirect.outcome = outcome::redirected;
  redirect.status = 301;
  redirect.final_url = "https://ads.example/robots.txt";
  crawlers.store.publish(site_key, encode(site_records{.latest = redirect}), 24h);
  cache_options options = foo_bot();
  options.excluded = {"ads.example"};
  const auto cache = crawlers.worker(options);
  CHECK(cache->allowed(home));
  CHECK(cache->stats().far_rejected > 0);
  CHECK(crawlers.web.count() == 1);
}

TEST_CASE("If the redirects in the store form a loop, the sites are asked") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  fleet crawlers;
  crawlers.web.on(robots_url, ScriptedFetcher::redirect(301, www)).on(www, ok());
  CHECK(crawlers.worker()->allowed(home));
  crawlers.store.erase("https://www.example.com");
  const auto cache = crawlers.worker();
  bool goes_round = false;
  SUBCASE("of which one redirects no longer") { crawlers.web.on(robots_url, ok()); }
  SUBCASE("even if all of them still redirect") { goes_round = true; }
  crawlers.web.on(www, ScriptedFetcher::redirect(301, robots_url));
  crawlers.clock.advance(5min);  // a failed redirect is asked for again after `failure_ttl`
  const decision answer = cache->check("https://www.example.com/private/x");
  CHECK(answer.allowed == goes_round);
  CHECK(answer.policy->source().outcome ==
        (goes_round ? outcome::too_many_redirects : outcome::success));
  CHECK(crawlers.web.count(robots_url) == 2);
}

TEST_CASE("Redirects in the store with a wrong count are not followed") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  record redirect = good_record(crawlers, "");
  redirect.outcome = outcome::redirected;
  redirect.status = 301;
  redirect.final_url = "https://other.example/robots.txt";
  SUBCASE("with a count of 0") { redirect.redirects = 0; }
  SUBCASE("with a count that would overflow") {
    redirect.redirects = std::numeric_limits<int>::max();
  }
  crawlers.store.publish(site_key, encode(site_records{.latest = redirect}), 24h);
  const auto cache = crawlers.worker();
  CHECK(cache->allowed(home));
  CHECK(cache->stats().far_rejected > 0);
}

TEST_CASE("A host and its origin share the records in the store") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  CHECK(crawlers.worker()->allowed("example.com/"));
  CHECK_FALSE(crawlers.worker()->allowed(secret));
  CHECK(crawlers.web.count() == 1);
  crawlers.clock.advance(24h);
  CHECK_FALSE(crawlers.worker()->allowed(secret));
  CHECK_FALSE(crawlers.worker()->allowed("example.com/private/x"));
  CHECK(crawlers.web.count() == 2);
}

TEST_CASE("An answer of a host's http origin does not apply to its https origin") {
  fleet crawlers;
  crawlers.web.on("http://example.com/robots.txt", ok());
  CHECK_FALSE(crawlers.worker(foo_bot_that_asks_once())->allowed("example.com/private/x"));
  CHECK(crawlers.web.count() == 2);
  CHECK_FALSE(crawlers.worker(foo_bot_that_asks_once())->allowed("http://example.com/private/x"));
  CHECK(crawlers.web.count() == 2);
  CHECK_FALSE(crawlers.worker(foo_bot_that_asks_once())->allowed(home));
  CHECK(crawlers.web.count() == 3);
}

TEST_CASE("A waiting worker uses the record that another worker publishes") {
  fleet crawlers;
  const auto lease = crawlers.store.try_lease(lease_key, 1min);
  REQUIRE(lease);
  const auto cache = crawlers.worker(foo_bot(), patient());
  auto call = std::async(std::launch::async, [&cache] { return cache->allowed(secret); });
  crawlers.clock.advance(100ms);
  CHECK(call.wait_for(0s) != std::future_status::ready);
  crawlers.store.publish(site_key, encode(site_records{.latest = good_record(crawlers)}), 24h);
  CHECK_FALSE(crawlers.wait_for(call));
  CHECK(crawlers.web.count() == 0);
  CHECK(cache->stats().far_hits == 1);
}

TEST_CASE("When the holder of a lease dies, another worker asks the site") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  REQUIRE(crawlers.store.try_lease(lease_key, 10s));
  const auto cache = crawlers.worker(foo_bot(), patient());
  auto call = std::async(std::launch::async, [&cache] { return cache->allowed(secret); });
  CHECK_FALSE(crawlers.wait_for(call));
  CHECK(crawlers.web.count() == 1);
  while (!crawlers.stored()) {
    std::this_thread::yield();  // the call had no time left, so that a thread of the cache
                                // publishes
  }
}

TEST_CASE("If the thread that reads the store again fails, its waiters start again") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  REQUIRE(crawlers.store.try_lease(lease_key, 10s));
  const FailingClock clock{crawlers.clock};
  FailingClock::is_test = true;
  robots::basic_robots_cache cache{foo_bot(), crawlers.web, clock,
                                   tiered{LruStorage<64>{}, crawlers.store, patient()}};
  std::promise<void> asked;
  crawlers.store.on_call([&, is_first = true](std::string_view /*key*/) mutable {
    if (std::exchange(is_first, false)) {
      asked.set_value();
    }
  });
  auto call = std::async(std::launch::async, [&cache] {
    FailingClock::is_test = true;
    return cache.allowed(secret);
  });
  asked.get_future().wait();
  CHECK_FALSE(crawlers.wait_for(call));
  CHECK_FALSE(*clock.fails);
  CHECK(cache.stats().failures == 1);
  CHECK(crawlers.web.count() == 1);
}

TEST_CASE("A worker that has waited long enough asks the site itself") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  REQUIRE(crawlers.store.try_lease(lease_key, 24h));
  std::atomic<int> looks = 0;
  crawlers.store.on_call([&looks](std::string_view /*key*/) { ++looks; });
  const auto began = crawlers.clock.now();
  const auto cache = crawlers.worker();
  auto call = std::async(std::launch::async, [&cache] { return cache->allowed(secret); });
  CHECK_FALSE(crawlers.wait_for(call));
  CHECK(crawlers.clock.now() - began >= 5s);
  CHECK(looks < 15);
  CHECK(crawlers.web.count() == 1);
  CHECK_FALSE(crawlers.stored());  // the process that has the lease publishes
}

TEST_CASE("A worker that has waited long enough uses a stale entry if the options allow it") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  CHECK(crawlers.worker()->allowed(home));
  crawlers.clock.advance(24h);
  REQUIRE(crawlers.store.try_lease(lease_key, 24h));
  cache_options options = foo_bot();
  bool is_stale = false;
  SUBCASE("by stale_while_revalidate") {
    options.stale_while_revalidate = 1h;
    options.fallback = fallback_policy::permissive();
    is_stale = true;
  }
  SUBCASE("by the last good copy of the fallback policy") {}
  const auto cache = crawlers.worker(options);
  auto call = std::async(std::launch::async, [&cache] { return cache->check(secret); });
  const decision answer = crawlers.wait_for(call);
  CHECK_FALSE(answer.allowed);
  CHECK(answer.stale == is_stale);
  CHECK((answer.policy->basis() == robots::policy_basis::last_good) == !is_stale);
  CHECK(crawlers.web.count() == 1);
}

TEST_CASE("A lease ends when its holder publishes") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  CHECK(crawlers.worker()->allowed(home));
  CHECK(crawlers.store.try_lease(lease_key, 1s));
}

TEST_CASE("Work that is dropped releases its lease") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  const auto cache = crawlers.worker();
  {
    look_up dropped = cache->begin(home);
    drive_to_request(dropped);
  }
  CHECK_FALSE(crawlers.store.try_lease(lease_key, 1s));  // the next call of the store releases it
  CHECK(cache->allowed(home));
  CHECK(crawlers.web.count() == 1);
}

TEST_CASE(
    "A stale policy is used at once, and renewed from the store or the web in the background") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok(), ok("User-agent: *\nDisallow: /\n"));
  cache_options options = foo_bot();
  options.stale_while_revalidate = 1h;
  const auto first = crawlers.worker(options);
  const auto second = crawlers.worker(options);
  CHECK(first->allowed(home));
  CHECK(second->allowed(home));
  crawlers.clock.advance(24h);
  CHECK(first->check(home).stale);
  while (first->check(home).allowed) {
    std::this_thread::yield();
  }
  // The clock stands still, so the second worker must not have to wait for the lease of the first.
  while (crawlers.stored()->latest.body == robots::test::rules) {
    std::this_thread::yield();
  }
  CHECK(second->check(home).stale);
  while (second->check(home).allowed) {
    std::this_thread::yield();
  }
  CHECK(crawlers.web.count() == 2);
}

TEST_CASE("Look-ups in steps never call the store in the thread that drives them") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  fleet crawlers;
  crawlers.web.on(robots_url, ScriptedFetcher::redirect(301, www)).on(www, ok());
  std::mutex mutex;
  std::set<std::thread::id> callers;
  const auto first = crawlers.worker();
  const auto second = crawlers.worker();
  crawlers.store.on_call([&](std::string_view) {
    const std::scoped_lock lock{mutex};
    callers.insert(std::this_thread::get_id());
  });
  for (const auto& cache : {first.get(), second.get()}) {
    look_up looking = cache->begin(secret);
    CHECK_FALSE(looking.policy());
    drive(looking, crawlers);
    CHECK_FALSE(cache->check(secret, looking).allowed);
    CHECK(looking.led() == (cache == first.get()));
    // The look-up ends first, then the store gets the result.
    std::async(std::launch::async, [&crawlers] {
      while (!crawlers.stored("https://www.example.com")) {
        std::this_thread::yield();
      }
    }).wait();
  }
  CHECK(crawlers.web.count() == 2);
  const std::scoped_lock lock{mutex};
  CHECK_FALSE(callers.empty());
  CHECK_FALSE(callers.contains(std::this_thread::get_id()));
}

TEST_CASE("A store that hangs blocks no look-up in steps, and no call beyond its limit") {
  gate door;  // outlives the cache, whose threads pass it
  fleet crawlers;
  crawlers.web.on(robots_url, ok()).on("https://other.example/robots.txt", ok());
  const auto cache = crawlers.worker();
  CHECK(cache->allowed("https://other.example/"));
  crawlers.store.on_call([&door](std::string_view) { door.pass(); });
  look_up looking = cache->begin(home);
  door.wait_for_arrivals();
  CHECK_FALSE(looking.policy());
  CHECK(cache->allowed("https://other.example/"));
  const robots::call_options hasty{.deadline = crawlers.clock.now() + 500ms};
  auto call =
      std::async(std::launch::async, [&] { return cache->check("https://third.example/", hasty); });
  const decision answer = crawlers.wait_for(call);
  CHECK_FALSE(answer.allowed);
  CHECK(answer.policy->source().outcome == outcome::cancelled);
  door.open();
  drive(looking, crawlers);
  CHECK(cache->check(home, looking).allowed);
}

TEST_CASE("A cache that is destroyed publishes the answers that wait for the store") {
  gate door;  // outlives the cache, whose threads pass it
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  {
    robots::basic_robots_cache<ScriptedFetcher, ManualClock,
                               TieredStorage<LruStorage<64>, ClosingStore>>
        cache{foo_bot(), crawlers.web, crawlers.clock, {LruStorage<64>{}, {crawlers.store, door}}};
    look_up looking = cache.begin(home);
    drive_to_request(looking);
    crawlers.store.on_call([&door](std::string_view) { door.pass(); });
    const look_up other = cache.begin("https://other.example/");  // takes the store's thread
    door.wait_for_arrivals();
    looking.on_response(ok());
    CHECK(looking.policy());
    CHECK_FALSE(other.policy());
  }
  CHECK(crawlers.stored());
}

TEST_CASE("The first answer of a site is not announced, and a later one is") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  memory_store listener{crawlers.store};
  std::atomic<int> messages = 0;
  listener.watch([&messages](std::string_view) { ++messages; });
  const auto cache = crawlers.worker();
  CHECK(cache->allowed(home));
  CHECK(crawlers.stored());
  CHECK(messages == 0);
  cache->refresh(home);
  CHECK(messages > 0);
}

TEST_CASE("Many look-ups in steps ask the store in few round trips") {
  constexpr int sites = 100;
  fleet crawlers;
  const auto url = [](int i) { return "https://site" + std::to_string(i) + ".example/robots.txt"; };
  for (int i = 0; i < sites; ++i) {
    crawlers.web.on(url(i), ok());
    CHECK(crawlers.worker()->allowed(url(i)));
  }
  gate door;  // outlives the cache, whose threads pass it
  std::atomic<int> calls = 0;
  const auto cache = crawlers.worker();
  crawlers.store.on_call([&](std::string_view) {
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
  for (look_up& one : all) {
    drive(one, crawlers);
  }
  CHECK(calls == 2);
  CHECK(cache->stats().far_hits == sites);
  CHECK(crawlers.web.count() == sites);
}

TEST_CASE("A new fleet of many threads fetches each site once, and once more after expiry") {
  constexpr std::size_t workers = 4;
  constexpr std::size_t threads = 4;
  constexpr int sites = 25;
  fleet crawlers;
  std::vector<std::string> urls;
  for (int i = 0; i < sites; ++i) {
    urls.push_back("https://site" + std::to_string(i) + ".example/robots.txt");
    crawlers.web.on(urls.back(), ok());
  }
  std::vector<std::unique_ptr<tiered_cache>> caches;
  for (std::size_t i = 0; i < workers; ++i) {
    caches.push_back(crawlers.worker(foo_bot(), patient()));
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
            drive(looking, crawlers);
            wrong += caches[i % workers]->check(page, looking).allowed ? 1 : 0;
          }
        }
        return wrong;
      }));
    }
    for (auto& one : calls) {
      CHECK(crawlers.wait_for(one) == 0);
    }
    for (const std::string& url : urls) {
      CHECK(crawlers.web.count(url) == round);
    }
    crawlers.clock.advance(24h);
  }
}

TEST_CASE("An invalidation does not erase a record that is published later") {
  fleet crawlers;
  crawlers.web.otherwise(ok());
  for (int i = 0; i < 500; ++i) {
    const auto cache = crawlers.worker();
    cache->invalidate(home);  // a thread of the cache notifies the store while this one goes on
    CHECK_FALSE(cache->allowed(secret));
    settle(*cache);
    REQUIRE(crawlers.stored());
  }
}

TEST_CASE("No thread of a fleet makes a wrong decision, whatever happens to the store") {
  constexpr std::size_t workers = 3;
  constexpr std::size_t threads = 6;
  constexpr int sites = 8;
  fleet crawlers;
  crawlers.web.otherwise(
      ok(robots::test::rules, {{"ETag", "\"1\""}, {"Cache-Control", "max-age=600"}}));
  std::vector<std::unique_ptr<tiered_cache>> caches;
  for (std::size_t i = 0; i < workers; ++i) {
    cache_options options = foo_bot();
    options.longest_call = 0ms;  // the time of the test jumps
    caches.push_back(crawlers.worker(options));
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
        drive(looking, crawlers);
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
        crawlers.store.fail("it is down");
        break;
      case 1:
        crawlers.store.recover();
        break;
      case 2:
        crawlers.store.clear();
        break;
      case 3:
        crawlers.store.publish(site(event).substr(0, site(event).size() - 1), "no record", 1h);
        break;
      case 4:
        crawlers.store.lose_changes();
        break;
      default:
        crawlers.clock.advance(event % 4 == 1 ? 10min : 100ms);
    }
    std::this_thread::yield();
  }
  crawlers.store.recover();
  for (auto& one : calls) {
    CHECK(crawlers.wait_for(one) == 0);
  }
}
