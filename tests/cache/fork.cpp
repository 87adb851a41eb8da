// A cache, a JsonLog and a queue in a process that forks.
#include "support/forked_child.hpp"
#include <robots/base/process.hpp>
#include <robots/base/work_queue.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/tiered_storage.hpp>
#include <robots/observe/json_log.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/memory_store.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

using namespace robots::test;
using namespace std::chrono_literals;

namespace {

using cache_alone = robots::basic_robots_cache<robots::ScriptedFetcher>;

[[nodiscard]] robots::cache_options options() {
  return {.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::rfc9309()};
}

[[nodiscard]] robots::ScriptedFetcher web() {
  robots::ScriptedFetcher script;
  for (const char* url : {"https://a.example/robots.txt", "https://b.example/robots.txt"}) {
    script.on(url, robots::ScriptedFetcher::ok("User-agent: *\nDisallow: /x\n"));
  }
  return script;
}

}  // namespace

TEST_CASE("A cache of the parent fetches nothing in a child, and says why") {
  cache_alone cache{options(), web()};
  CHECK(cache.allowed("https://a.example/"));
  CHECK(in_forked_child([&] {
          expect(!cache.allowed("https://a.example/x"));  // rules that it has are still rules
          std::string said = refusal_of([&] { (void)cache.allowed("https://b.example/"); });
          expect(refusal_of([&] { (void)cache.check("https://b.example/"); }) == said);
          expect(refusal_of([&] { (void)cache.get("b.example"); }) == said);
          expect(refusal_of([&] { (void)cache.refresh("a.example"); }) == said);
          expect(refusal_of([&] { (void)cache.begin("https://b.example/"); }) == said);
          return said;
        }) == made_before_fork("basic_robots_cache"));
  CHECK(cache.allowed("https://b.example/"));
}

TEST_CASE("A cache with threads is destroyed in a child without a wait for threads of the parent") {
  auto cache = std::make_unique<cache_alone>(options(), web());
  const robots::stop_source end;
  // A call with a stop token leaves the fetch to a thread of the cache.
  CHECK(cache->allowed("https://a.example/", {.stop = end.get_token()}));
  CHECK(in_forked_child([&] {
          cache.reset();
          cache_alone own{options(), web()};
          expect(own.allowed("https://b.example/", {.stop = end.get_token()}));
          return std::string{"done"};
        }) == "done");
}

TEST_CASE("A cache with a shared store is destroyed in a child without a call of the store") {
  using storage =
      robots::TieredStorage<robots::LruStorage<64>, robots::MemoryStore<robots::ManualClock>>;
  using cache_in_fleet =
      robots::basic_robots_cache<robots::ScriptedFetcher, robots::SteadyClock, storage>;
  robots::MemoryStore store{robots::ManualClock{}};
  auto cache =
      std::make_unique<cache_in_fleet>(options(), web(), robots::SteadyClock{}, storage{{}, store});
  CHECK(cache->allowed("https://a.example/"));
  CHECK(in_forked_child([&] {
          std::string called = "no call";
          store.on_call([&called](std::string_view key) { called = key; });
          cache.reset();
          return called;
        }) == "no call");
}

TEST_CASE("A JsonLog is destroyed in a child without a wait for the thread of the parent") {
  auto log = std::make_unique<robots::JsonLog>([](std::string_view /*line*/) {});
  log->flush();
  CHECK(in_forked_child([&] {
          log->flush();
          log.reset();
          return std::string{"done"};
        }) == "done");
}

TEST_CASE("A queue of the parent refuses items in a child") {
  using queue = robots::base::work_queue<int>;
  auto numbers = std::make_unique<queue>(1'000, [](queue::work& /*now*/) { return std::nullopt; });
  CHECK(numbers->push(1, 4));
  CHECK(numbers->flush(20s));
  CHECK(in_forked_child([&] {
          expect(!numbers->push(2, 4));
          expect(!numbers->push(2, 4, {}, 20s));
          expect(!numbers->flush(20s));
          numbers.reset();
          return std::string{"done"};
        }) == "done");
  CHECK(numbers->push(3, 4));
}

TEST_CASE("An object belongs to the process that made it, and not to a child of it") {
  const robots::base::home_process of_parent;
  CHECK(of_parent.is_here());
  CHECK(in_forked_child([&] {
          const robots::base::home_process of_child;
          expect(!of_parent.is_here());
          expect(of_child.is_here());
          return in_forked_child(
              [&] { return refusal_of([&] { of_child.require("ClassName"); }); });
        }) == made_before_fork("ClassName"));
  of_parent.require("ClassName");
}

TEST_CASE("An object that the parent owns is not destroyed in a child") {
  struct noted {
    explicit noted(std::string& to) : text{to} {}
    noted(const noted&) = delete;
    noted& operator=(const noted&) = delete;
    ~noted() { text = "destroyed"; }
    std::string& text;
  };
  std::string text = "alive";
  auto owned = robots::base::make_home<noted>(text);
  CHECK(in_forked_child([&] {
          owned.reset();
          return text;
        }) == "alive");
  owned.reset();
  CHECK(text == "destroyed");
}
