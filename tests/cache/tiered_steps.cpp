// Look-ups in steps and many look-ups at once over a shared store.
#include "cache/tiered_fleet.hpp"
#include "support/gate.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/tiered_storage.hpp>
#include <robots/policy/policy.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <future>
#include <mutex>
#include <set>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using namespace robots::test::tiering;
using robots::cache_options;
using robots::decision;
using robots::fetch_request;
using robots::look_up;
using robots::LruStorage;
using robots::ManualClock;
using robots::outcome;
using robots::ScriptedFetcher;
using robots::TieredStorage;
using robots::test::foo_bot;
using robots::test::gate;
using robots::test::home;
using robots::test::ok;
using robots::test::robots_url;
using robots::test::secret;

namespace {

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

}  // namespace

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
    CHECK(looking.has_fetched() == (cache == first.get()));
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
  CHECK(answer.policy->last_retrieval().outcome == outcome::cancelled);
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
