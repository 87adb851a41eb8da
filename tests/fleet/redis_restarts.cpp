// After Redis restarts empty, processes do not fetch rules again that they still have.
#include "support/redis_server.hpp"
#include <robots/adapters/redis/redis_ruling_ledger.hpp>
#include <robots/adapters/redis/redis_store.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/tiered_storage.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace {

using robots::test::redis_server;

constexpr int site_count = 30;

/// Counts the reports of missed changes.
class HeardStore : public robots::RedisStore {
 public:
  HeardStore(const redis_server& server, std::shared_ptr<std::atomic<int>> missed)
      : RedisStore{robots::redis_options{.url = server.url()}}, missed_{std::move(missed)} {}

  void watch(std::function<void(std::string_view)> on_change) override {
    if (!on_change) {
      return RedisStore::watch({});
    }
    RedisStore::watch([on_change = std::move(on_change), missed = missed_](std::string_view key) {
      on_change(key);
      *missed += key.empty() ? 1 : 0;
    });
  }

 private:
  std::shared_ptr<std::atomic<int>> missed_;
};

using storage = robots::TieredStorage<robots::LruStorage<100>, HeardStore>;
using shared_cache = robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock,
                                                storage, robots::NullObserver, robots::SiteRulings>;

/// Asks each process for each site.
void visit(const std::array<std::unique_ptr<shared_cache>, 2>& processes) {
  for (int site = 0; site < site_count; ++site) {
    const std::string origin = "https://site-" + std::to_string(site) + ".example";
    for (const auto& process : processes) {
      CHECK(process->allowed(origin + "/"));
      CHECK_FALSE(process->allowed(origin + "/private"));
    }
  }
}

}  // namespace

TEST_CASE("Processes fetch each robots.txt once, even if Redis restarts empty five times") {
  redis_server redis;
  robots::ScriptedFetcher web;
  robots::ManualClock clock;
  web.otherwise(robots::ScriptedFetcher::ok("User-agent: *\nDisallow: /private\n"));
  std::array<std::shared_ptr<std::atomic<int>>, 2> missed;
  std::array<std::unique_ptr<shared_cache>, 2> processes;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    missed[i] = std::make_shared<std::atomic<int>>(0);
    processes[i] = std::make_unique<shared_cache>(
        robots::cache_options{.user_agent = "FooBot/1.0",
                              .fallback = robots::fallback_policy::rfc9309()},
        web, clock, storage{robots::LruStorage<100>{}, HeardStore{redis, missed[i]}});
  }
  visit(processes);
  CHECK(web.count() == site_count);
  for (int restart = 0; restart < 5; ++restart) {
    const std::array<int, 2> before{*missed[0], *missed[1]};
    redis.stop();
    visit(processes);
    redis.start();
    while (*missed[0] == before[0] || *missed[1] == before[1]) {
      std::this_thread::yield();
    }
    clock.advance(std::chrono::minutes{1});  // until every process uses the store again
    visit(processes);
  }
  CHECK(web.count() == site_count);
}

TEST_CASE("A halt applies in every process, even in one that starts after Redis restarted empty") {
  constexpr const char* halted = "https://site-0.example/";
  redis_server redis;
  robots::ScriptedFetcher web;
  robots::ManualClock clock;
  web.otherwise(robots::ScriptedFetcher::ok(""));
  const robots::redis_options server{.url = redis.url()};
  const auto start = [&] {
    const auto missed = std::make_shared<std::atomic<int>>(0);
    return std::make_unique<shared_cache>(
        robots::cache_options{.user_agent = "FooBot/1.0",
                              .fallback = robots::fallback_policy::rfc9309()},
        web, clock, storage{robots::LruStorage<100>{}, HeardStore{redis, missed}},
        robots::NullObserver{},
        robots::SiteRulings{{.ledger = std::make_shared<robots::RedisRulingLedger>(server)}});
  };
  const auto first = start();
  const auto second = start();
  CHECK(second->allowed(halted));
  CHECK(first->rulings().halt(halted).size() == 1);
  while (!second->is_denied(halted)) {
    std::this_thread::yield();
  }
  redis.stop();
  redis.start();
  robots::RedisRulingLedger outside{server};
  while (outside.read({}).orders.empty()) {
    std::this_thread::yield();
  }
  CHECK(to_string(start()->check(halted).reason) == "halted");
  CHECK(web.count(std::string{halted} + "robots.txt") == 1);

  CHECK(second->rulings().resume(halted).size() == 1);
  while (first->is_denied(halted)) {
    std::this_thread::yield();
  }
  CHECK(first->allowed(halted));
}
