// The leases by which one process fetches a site and the others wait.
#include "cache/tiered_fleet.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/tiered_storage.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/site_records.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <memory>
#include <new>
#include <string_view>
#include <thread>
#include <utility>

using namespace std::chrono_literals;
using namespace robots::test::tiering;
using robots::cache_options;
using robots::decision;
using robots::fallback_policy;
using robots::fetch_request;
using robots::look_up;
using robots::LruStorage;
using robots::ManualClock;
using robots::record;
using robots::tiered_options;
using robots::detail::site_records;
using robots::test::foo_bot;
using robots::test::home;
using robots::test::ok;
using robots::test::robots_url;
using robots::test::secret;

namespace {

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

}  // namespace

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
