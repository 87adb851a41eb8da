// Several processes over one shared store: the fixture of the tests of tiered storages.
#pragma once

#include "cache/cache_fixture.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/tiered_storage.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/site_records.hpp>
#include <robots/testing/memory_store.hpp>

#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace robots::test::tiering {

using memory_store = MemoryStore<ManualClock>;
using tiered = TieredStorage<LruStorage<64>, memory_store>;

static_assert(cache_detail::SharingStorage<tiered>);
static_assert(!cache_detail::SharingStorage<LruStorage<64>>);

inline constexpr const char* site_key = "https://example.com";
inline constexpr const char* lease_key = "example.com";  // shared by both schemes

/// The events of a fleet about its store, in order, and about hits in it.
struct store_events {
  std::mutex mutex;
  std::vector<std::string> heard;
  std::vector<std::string> hits;
  std::vector<std::string> lost;
};

struct StoreObserver {
  std::shared_ptr<store_events> events = std::make_shared<store_events>();

  void on(const far_hit_event& event) {
    const std::scoped_lock lock{events->mutex};
    events->hits.push_back(std::string{event.site} + " " + event.record.body);
  }
  void on(const lost_invalidation_event& event) {
    const std::scoped_lock lock{events->mutex};
    events->lost.emplace_back(event.site);
  }
  void on(const far_store_event& event) {
    const std::scoped_lock lock{events->mutex};
    events->heard.push_back(event.up ? "up" : "down: " + std::string{event.message});
  }
};

using tiered_cache = basic_robots_cache<ScriptedFetcher, ManualClock, tiered, StoreObserver>;

/// Options with which one worker fetches a site, however long the fetch takes.
[[nodiscard]] inline tiered_options patient() {
  tiered_options options;
  options.wait = std::chrono::hours{1};
  options.lease = std::chrono::hours{2};
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
    while (call.wait_for(std::chrono::microseconds{50}) != std::future_status::ready) {
      clock.advance(std::chrono::milliseconds{10});
    }
    return call.get();
  }

  [[nodiscard]] std::optional<detail::site_records> stored(std::string_view key = site_key) {
    const auto value = store.load(key);
    return value ? detail::decode_site(*value).value : std::nullopt;
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
inline void drive(look_up& work, fleet& in) {
  while (!work.policy()) {
    const look_up::step step = work.next();
    if (const auto* const request = std::get_if<fetch_request>(&step)) {
      work.on_response(in.web.fetch(*request));
    } else if (const auto* const pause = std::get_if<detail::retry_wait>(&step)) {
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
inline void drive_to_request(look_up& work) {
  while (!std::holds_alternative<fetch_request>(work.next())) {
    std::promise<void> news;
    work.call_on_news([&news] { news.set_value(); });
    news.get_future().wait();
    work.resume();
  }
}

/// A record of the site, fetched now.
[[nodiscard]] inline record good_record(const fleet& crawlers, std::string_view body = rules) {
  record sample;
  sample.outcome = outcome::success;
  sample.status = 200;
  sample.url = sample.final_url = robots_url;
  sample.attempts = 1;
  sample.exchanges = {{robots_url, 200, fetch_error::none}};
  sample.fetched_at = std::chrono::floor<std::chrono::seconds>(crawlers.clock.wall_now());
  sample.lifetime = std::chrono::hours{24};
  sample.body = body;
  return sample;
}

}  // namespace robots::test::tiering
