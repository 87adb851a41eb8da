// The messages by which a store announces the changes of other processes.
#include "cache/tiered_fleet.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/tiered_storage.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/site_records.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using namespace robots::test::tiering;
using robots::cache_options;
using robots::decision;
using robots::fetch_request;
using robots::LruStorage;
using robots::ManualClock;
using robots::record;
using robots::ScriptedFetcher;
using robots::store_error;
using robots::TieredStorage;
using robots::detail::site_records;
using robots::test::foo_bot;
using robots::test::home;
using robots::test::ok;
using robots::test::robots_url;
using robots::test::secret;

namespace {

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

}  // namespace

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
