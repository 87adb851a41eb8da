// A shared store that fails, as a whole or in part, or that loses its content.
#include "cache/tiered_fleet.hpp"
#include "support/gate.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/tiered_storage.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using namespace robots::test::tiering;
using robots::decision;
using robots::fetch_request;
using robots::look_up;
using robots::LruStorage;
using robots::ManualClock;
using robots::outcome;
using robots::ScriptedFetcher;
using robots::store_part_error;
using robots::TieredStorage;
using robots::test::foo_bot;
using robots::test::gate;
using robots::test::home;
using robots::test::ok;
using robots::test::robots_url;
using robots::test::secret;

namespace {

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

}  // namespace

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
