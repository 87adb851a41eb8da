// After an `invalidate`, a `refresh` or a surprising answer in one process, all processes forget
// what they have of the site.
#include "cache/tiered_fleet.hpp"
#include "support/gate.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/tiered_storage.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/site_records.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using namespace robots::test::tiering;
using robots::cache_options;
using robots::fetch_request;
using robots::LruStorage;
using robots::ManualClock;
using robots::record;
using robots::ScriptedFetcher;
using robots::TieredStorage;
using robots::detail::site_records;
using robots::test::foo_bot;
using robots::test::foo_bot_that_asks_once;
using robots::test::gate;
using robots::test::home;
using robots::test::ok;
using robots::test::robots_url;
using robots::test::secret;

namespace {

/// A store that never reports the changes of others.
struct DeafStore : memory_store {
  explicit DeafStore(const memory_store& store) : memory_store(store) {}

  void watch(std::function<void(std::string_view)> /*on_change*/) override {}
};

}  // namespace

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
