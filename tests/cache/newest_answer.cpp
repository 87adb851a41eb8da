// After an operator's `invalidate`, `refresh` or `report_response`, no process goes back to an
// older answer of a site, whatever the store holds or misses.
#include "cache_fixture.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/tiered_storage.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/site_records.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/memory_store.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace {

namespace test = robots::test;

constexpr const char* open_file = "User-agent: *\nDisallow:\n";
constexpr const char* guarded_file = "User-agent: *\nDisallow: /private\n";
constexpr const char* plain_robots_url = "http://example.com/robots.txt";

using shared_memory_store = robots::MemoryStore<robots::ManualClock>;

/// The processes of a crawl over one store.
struct process_group {
  using process_storage = robots::TieredStorage<robots::LruStorage<64>, shared_memory_store>;
  using process =
      robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock, process_storage>;

  [[nodiscard]] std::unique_ptr<process> start() {
    return std::make_unique<process>(test::foo_bot_that_asks_once(), web, clock,
                                     process_storage{robots::LruStorage<64>{}, store});
  }

  /// Lets the store answer again, and waits until it has received all calls that it missed.
  void recover(process& waiting) {
    store.recover();
    store.lose_changes();  // as a store does after a lost connection
    do {                   // a call that began before `recover` can still fail
      clock.advance(10s);  // the cooldown of the breaker
      static_cast<void>(waiting.refresh("https://other.example/"));
    } while (waiting.stats().pending_invalidations > 0);
  }

  robots::ScriptedFetcher web;
  robots::ManualClock clock;
  shared_memory_store store{clock};
};

/// A store whose messages are lost. It only reports that messages may have been missed.
struct MissingStore : shared_memory_store {
  explicit MissingStore(const shared_memory_store& store) : shared_memory_store(store) {}

  void watch(std::function<void(std::string_view)> on_change) override {
    if (!on_change) {
      return shared_memory_store::watch({});
    }
    shared_memory_store::watch([call = std::move(on_change)](std::string_view key) {
      if (key.empty()) {
        call(key);
      }
    });
  }
};

/// Waits until the store has received all invalidations of a cache.
void await_erasures(const process_group::process& cache) {
  while (cache.stats().pending_invalidations > 0) {
    std::this_thread::yield();
  }
}

/// Lets both processes learn a file that allows everything. Then the first one invalidates it.
void invalidate_known_file(process_group::process& first, process_group::process& second) {
  CHECK(first.allowed(test::secret));
  CHECK(second.allowed(test::secret));
  first.invalidate(test::home);
  await_erasures(first);
}

}  // namespace

TEST_CASE("A file that one process has invalidated is a last good copy in no process") {
  process_group fleet;
  fleet.web.on(test::robots_url, test::ok(open_file), robots::ScriptedFetcher::status(503));
  const auto first = fleet.start();
  const auto second = fleet.start();
  CHECK(first->allowed(test::secret));
  CHECK(second->allowed(test::secret));
  SUBCASE("after it was fresh") {}
  SUBCASE("after it was the last good copy already") {
    fleet.clock.advance(25h);
    CHECK(first->allowed(test::secret));
    CHECK(second->allowed(test::secret));
  }
  SUBCASE("after a surprising answer to a page made it suspect in the other process") {
    fleet.clock.advance(1h);
    static_cast<void>(second->report_response(test::secret, 404));
  }
  first->invalidate(test::home);
  await_erasures(*first);
  SUBCASE("when the process that invalidated it asks first") {
    CHECK_FALSE(first->allowed(test::secret));
  }
  SUBCASE("when the other process asks first") {}
  CHECK_FALSE(second->allowed(test::secret));
  CHECK_FALSE(first->allowed(test::secret));
  fleet.clock.advance(10min);
  CHECK_FALSE(second->allowed(test::secret));
  CHECK_FALSE(fleet.start()->allowed(test::secret));
}

TEST_CASE("A process that missed an invalidation does not use the file as its last good copy") {
  process_group fleet;
  fleet.web.on(test::robots_url, test::ok(open_file), robots::ScriptedFetcher::status(503));
  const auto first = fleet.start();
  using storage = robots::TieredStorage<robots::LruStorage<64>, MissingStore>;
  robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock, storage> second{
      test::foo_bot_that_asks_once(), fleet.web, fleet.clock,
      storage{robots::LruStorage<64>{}, MissingStore{fleet.store}}};
  CHECK(first->allowed(test::secret));
  CHECK(second.allowed(test::secret));
  first->invalidate(test::home);
  await_erasures(*first);
  CHECK_FALSE(first->allowed(test::secret));
  CHECK(second.allowed(test::secret));
  fleet.store.lose_changes();
  CHECK_FALSE(second.allowed(test::secret));
}

TEST_CASE("An invalidated file is no last good copy when the site redirects to a failing site") {
  process_group fleet;
  fleet.web.on(test::robots_url, test::ok(open_file),
               robots::ScriptedFetcher::redirect(301, "https://www.example.com/robots.txt"));
  fleet.web.on("https://www.example.com/robots.txt", robots::ScriptedFetcher::status(503));
  const auto first = fleet.start();
  const auto second = fleet.start();
  invalidate_known_file(*first, *second);
  CHECK_FALSE(first->allowed(test::secret));
  CHECK_FALSE(second->allowed(test::secret));
}

TEST_CASE("A refresh that fails does not use what another process has invalidated") {
  process_group fleet;
  fleet.web.on(test::robots_url, test::ok(open_file), robots::ScriptedFetcher::status(503));
  const auto first = fleet.start();
  const auto second = fleet.start();
  invalidate_known_file(*first, *second);
  CHECK_FALSE(second->refresh(test::home)->allows("/private"));
  CHECK_FALSE(second->allowed(test::secret));
}

TEST_CASE(
    "An invalidated file does not come back behind a redirect of which another process knows") {
  constexpr const char* www_url = "https://www.example.com/robots.txt";
  process_group fleet;
  fleet.web.on(test::robots_url, test::ok(open_file),
               robots::ScriptedFetcher::redirect(301, www_url),
               robots::ScriptedFetcher::status(503));
  fleet.web.on(www_url, robots::ScriptedFetcher::status(503));
  const auto first = fleet.start();
  const auto second = fleet.start();
  invalidate_known_file(*first, *second);
  CHECK_FALSE(first->allowed(test::secret));  // the redirect
  fleet.clock.advance(25h);
  CHECK_FALSE(first->allowed(test::secret));  // a failure, after which the redirect stays known
  CHECK_FALSE(second->allowed(test::secret));
}

TEST_CASE("A redirect to another site stays the last good answer of a site in all processes") {
  process_group fleet;
  fleet.web.on(test::robots_url,
               robots::ScriptedFetcher::redirect(301, "https://www.example.com/robots.txt"),
               robots::ScriptedFetcher::status(503));
  fleet.web.on("https://www.example.com/robots.txt", test::ok(guarded_file));
  const auto first = fleet.start();
  const auto second = fleet.start();
  CHECK(first->allowed(test::home));
  CHECK(second->allowed(test::home));
  fleet.clock.advance(25h);
  CHECK(first->allowed(test::home));
  fleet.store.lose_changes();
  CHECK(second->allowed(test::home));
  CHECK_FALSE(second->allowed(test::secret));
  CHECK(fleet.start()->allowed(test::home));
}

TEST_CASE("An older record of a site does not revive what another process has invalidated") {
  process_group fleet;
  // Only the http origin of the host answers at first. Its https origin has an older file.
  fleet.web.on(test::robots_url, test::ok(guarded_file),
               robots::ScriptedFetcher::failure(robots::fetch_error::connect));
  fleet.web.on(plain_robots_url, test::ok(open_file), test::ok(guarded_file));
  const auto first = fleet.start();
  const auto second = fleet.start();
  CHECK(fleet.start()->allowed(test::home));  // the store has the https file from now on
  fleet.clock.advance(10min);
  const auto bare = [](const auto& cache) {
    return cache->get("example.com")->allows("/private/x");
  };
  static_cast<void>(second->refresh("example.com"));
  CHECK(bare(second));
  CHECK(bare(first));
  const auto record = fleet.store.load("example.com");
  REQUIRE(record);
  first->invalidate("http://example.com/");
  await_erasures(*first);
  SUBCASE("under another name") {
    robots::record older;
    older.outcome = robots::outcome::success;
    older.status = 200;
    older.url = older.final_url = test::robots_url;
    older.attempts = 1;
    older.exchanges = {{test::robots_url, 200, robots::fetch_error::none}};
    older.fetched_at = std::chrono::floor<std::chrono::seconds>(fleet.clock.wall_now() - 10min);
    older.lifetime = 24h;
    older.body = guarded_file;
    fleet.store.publish(
        "https://example.com",
        robots::detail::encode(robots::detail::site_records{.latest = std::move(older)}), 24h);
  }
  SUBCASE("no record at all") {}
  CHECK_FALSE(bare(second));
}

TEST_CASE("An invalidation also holds after a process has asked the site without the store") {
  process_group fleet;
  fleet.web.on(test::robots_url, test::ok(open_file), robots::ScriptedFetcher::status(503));
  fleet.web.on("https://other.example/robots.txt", test::ok(open_file));
  const auto first = fleet.start();
  const auto second = fleet.start();
  invalidate_known_file(*first, *second);
  fleet.store.fail("it is down");
  fleet.clock.advance(25h);
  CHECK(second->allowed(test::secret));  // it cannot know that the file was invalidated
  fleet.recover(*second);
  CHECK_FALSE(second->allowed(test::secret));
  CHECK_FALSE(second->allowed(test::secret));
}

TEST_CASE("A record erases the older record of the same origin under another name") {
  process_group fleet;
  fleet.web.on(test::robots_url, test::ok(open_file), test::ok(guarded_file));
  fleet.web.on(plain_robots_url, test::ok(open_file), test::ok(guarded_file));
  std::string older = "example.com";
  std::string newer = "https://example.com";
  const auto one = fleet.start();
  SUBCASE("the host first") {}
  SUBCASE("the https origin first") { std::swap(older, newer); }
  SUBCASE("the http origin first") {
    fleet.web.on(test::robots_url, robots::ScriptedFetcher::failure(robots::fetch_error::connect));
    older = "http://example.com";
    newer = "example.com";
  }
  CHECK(one->get(older)->allows("/private"));
  CHECK(fleet.store.load(older));
  fleet.clock.advance(25h);
  CHECK_FALSE(one->get(newer)->allows("/private"));
  await_erasures(*one);
  CHECK(fleet.store.load(newer));
  CHECK_FALSE(fleet.store.load(older));
}

TEST_CASE("A host whose origins fail has the newest answer of its http origin") {
  process_group fleet;
  const auto failure = robots::ScriptedFetcher::status(503);
  fleet.web.on(test::robots_url, robots::ScriptedFetcher::failure(robots::fetch_error::connect),
               failure);
  fleet.web.on(plain_robots_url, test::ok(open_file), test::ok(guarded_file), failure);
  fleet.web.on("https://other.example/robots.txt", test::ok(open_file));
  const auto first = fleet.start();
  const auto second = fleet.start();
  CHECK(first->get("example.com")->allows("/private"));  // by the http origin
  fleet.clock.advance(25h);
  SUBCASE("in the process that has both answers") {
    CHECK_FALSE(first->get("http://example.com")->allows("/private"));
    const auto last_good = first->refresh("example.com");
    CHECK(last_good->allows("/"));
    CHECK_FALSE(last_good->allows("/private"));
  }
  SUBCASE("in another process") {
    CHECK_FALSE(first->get("http://example.com")->allows("/private"));
    await_erasures(*first);
    CHECK_FALSE(second->refresh("example.com")->allows("/private"));
  }
  SUBCASE("while the store has only the older answer") {
    fleet.store.fail("it is down");
    CHECK_FALSE(second->get("http://example.com")->allows("/private"));
    fleet.recover(*second);
    const auto last_good = second->refresh("example.com");
    CHECK(last_good->allows("/"));
    CHECK_FALSE(last_good->allows("/private"));
  }
  CHECK(fleet.web.count(plain_robots_url) == 2);
}

TEST_CASE("A fresh entry of a host does not outlive a newer answer of its https origin") {
  process_group fleet;
  fleet.web.on(test::robots_url, test::ok(open_file), test::ok(guarded_file),
               robots::ScriptedFetcher::failure(robots::fetch_error::connect));
  using storage = robots::TieredStorage<robots::LruStorage<64>, MissingStore>;
  robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock, storage> first{
      test::foo_bot_that_asks_once(), fleet.web, fleet.clock,
      storage{robots::LruStorage<64>{}, MissingStore{fleet.store}}};
  CHECK(first.get("example.com")->allows("/private"));
  fleet.clock.advance(1h);
  const auto second = fleet.start();
  CHECK_FALSE(second->refresh("https://example.com")->allows("/private"));
  await_erasures(*second);
  CHECK_FALSE(first.refresh("https://example.com")->allows("/private"));  // by the store's record
  CHECK_FALSE(first.get("example.com")->allows("/private"));
}

TEST_CASE("A newer answer of a process does not give way to an older last good copy of the store") {
  process_group fleet;
  fleet.web.on(test::robots_url, test::ok(open_file), test::ok(guarded_file),
               robots::ScriptedFetcher::status(503));
  fleet.web.on("https://other.example/robots.txt", test::ok(open_file));
  const auto first = fleet.start();
  const auto second = fleet.start();
  CHECK(first->allowed(test::secret));
  fleet.clock.advance(25h);
  fleet.store.fail("it is down");
  CHECK_FALSE(first->allowed(test::secret));  // not shared
  fleet.recover(*first);
  CHECK(second->refresh(test::home)->allows("/private"));  // the older file, since the site fails
  CHECK_FALSE(first->allowed(test::secret));
  fleet.clock.advance(10min);
  CHECK_FALSE(first->allowed(test::secret));
}

TEST_CASE("A file that a refusal has replaced does not come back behind a redirect") {
  process_group fleet;
  fleet.web.on(test::robots_url, test::ok(open_file), robots::ScriptedFetcher::status(403),
               robots::ScriptedFetcher::redirect(301, "https://www.example.com/robots.txt"));
  fleet.web.on("https://www.example.com/robots.txt", robots::ScriptedFetcher::status(503));
  const auto one = fleet.start();
  CHECK(one->allowed(test::secret));
  fleet.clock.advance(25h);
  CHECK(one->get(test::home)->last_retrieval().outcome == robots::outcome::client_error);
  fleet.clock.advance(25h);
  CHECK_FALSE(one->allowed(test::secret));
}

TEST_CASE("A refresh answered by 304 while the store is down reaches all processes later") {
  process_group fleet;
  const std::vector<robots::http_header> tag{{"ETag", "\"2\""}};
  fleet.web.on(test::robots_url, test::ok(open_file), test::ok(guarded_file, tag),
               robots::ScriptedFetcher::status(304));
  fleet.web.on("https://other.example/robots.txt", test::ok(open_file));
  const auto first = fleet.start();
  const auto second = fleet.start();
  CHECK(second->allowed(test::secret));
  CHECK(second->allowed("https://other.example/"));
  fleet.store.fail("it is down");
  CHECK_FALSE(first->allowed(test::secret));  // fetches the newer file without the store
  static_cast<void>(first->refresh(test::home));
  CHECK(fleet.web.count(test::robots_url) == 3);
  fleet.recover(*first);
  fleet.web.on(test::robots_url, test::ok(guarded_file, tag));
  SUBCASE("a new process") { CHECK_FALSE(fleet.start()->allowed(test::secret)); }
  SUBCASE("an old process") { CHECK_FALSE(second->allowed(test::secret)); }
  SUBCASE("the same process, after it has forgotten all entries") {
    first->clear();
    CHECK_FALSE(first->allowed(test::secret));
  }
}

TEST_CASE("A store that has nothing new does not end the pause after a failure") {
  process_group fleet;
  fleet.web.on(test::robots_url, test::ok(guarded_file),
               robots::ScriptedFetcher::failure(robots::fetch_error::connect));
  const auto one = fleet.start();
  CHECK(one->allowed(test::home));
  fleet.clock.advance(25h);
  CHECK(one->allowed(test::home));
  CHECK(fleet.web.count(test::robots_url) == 2);
  fleet.store.lose_changes();
  CHECK(one->allowed(test::home));
  CHECK_FALSE(one->allowed(test::secret));
  CHECK(fleet.web.count(test::robots_url) == 2);
}

TEST_CASE("A process that could not read the store asks it at its next look-up") {
  process_group fleet;
  fleet.web.on(test::robots_url, test::ok(open_file), test::ok(guarded_file));
  const auto first = fleet.start();
  const auto second = fleet.start();
  bool fails = true;
  fleet.store.on_call([&fails](std::string_view) {
    if (std::exchange(fails, false)) {
      throw robots::store_error{"it was slow once"};
    }
  });
  CHECK(first->allowed(test::secret));
  CHECK_FALSE(fails);
  fleet.clock.advance(1s);
  CHECK_FALSE(second->allowed(test::secret));
  CHECK_FALSE(first->allowed(test::secret));
  CHECK(fleet.web.count() == 2);
  // From now on, the entry counts as checked, so a hit makes no call of the store.
  int calls = 0;
  fleet.store.on_call([&calls](std::string_view) { ++calls; });
  CHECK_FALSE(first->allowed(test::secret));
  CHECK(calls == 0);
}
