// Several caches over one shared store: each robots.txt is fetched once, and no decision depends on
// the store.
#include "cache/tiered_fleet.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/tiered_storage.hpp>
#include <robots/policy/policy.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using namespace robots::test::tiering;
using robots::cache_options;
using robots::cache_stats;
using robots::decision;
using robots::LruStorage;
using robots::record;
using robots::tiered_options;
using robots::TieredStorage;
using robots::test::foo_bot;
using robots::test::foo_bot_that_asks_once;
using robots::test::home;
using robots::test::ok;
using robots::test::robots_url;
using robots::test::secret;

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
