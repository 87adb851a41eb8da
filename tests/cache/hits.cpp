// Look-ups that find fresh rules in the cache.
#include "cache_fixture.hpp"
#include <robots/cache/basic_robots_cache.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using robots::basic_robots_cache;
using robots::cache_options;
using robots::LruStorage;
using robots::ManualClock;
using robots::ScriptedFetcher;
using robots::test::foo_bot;
using robots::test::home;
using robots::test::robots_url;
using robots::test::scripted;
using robots::test::secret;

namespace {

/// Counts its look-ups. Copies share the count.
class CountingStorage {
 public:
  [[nodiscard]] std::optional<robots::cache_entry> find(std::string_view key,
                                                        robots::time_point now) {
    ++shared_->finds;
    return shared_->storage.find(key, now);
  }
  void store(std::string_view key, const robots::cache_entry& entry, robots::time_point now) {
    shared_->storage.store(key, entry, now);
  }
  void erase(std::string_view key) { shared_->storage.erase(key); }
  void clear() { shared_->storage.clear(); }
  [[nodiscard]] std::size_t size() const { return shared_->storage.size(); }

  /// Look-ups since the last call.
  [[nodiscard]] std::size_t finds() const { return shared_->finds.exchange(0); }

 private:
  struct state {
    LruStorage<64> storage;
    std::atomic<std::size_t> finds = 0;
  };
  std::shared_ptr<state> shared_ = std::make_shared<state>();
};

/// Has `visit`, as `LruStorage`, and counts the calls. Copies share the counts.
class VisitableStorage : public CountingStorage {
 public:
  template <class Look>
  bool visit(std::string_view key, robots::time_point now, Look look) {
    ++counts_->visits;
    return counts_->storage.visit(key, now, [&](const robots::cache_entry& entry) {
      look(entry);
      counts_->most_owners = std::max(counts_->most_owners, entry.policy.use_count());
    });
  }
  void store(std::string_view key, const robots::cache_entry& entry, robots::time_point now) {
    counts_->storage.store(key, entry, now);
  }

  /// Visits since the last call.
  [[nodiscard]] std::size_t visits() const { return std::exchange(counts_->visits, 0); }
  /// The largest number of owners that a policy had after a visit.
  [[nodiscard]] long most_owners() const { return std::exchange(counts_->most_owners, 0); }

 private:
  struct counts {
    LruStorage<64> storage;
    std::size_t visits = 0;
    long most_owners = 0;
  };
  std::shared_ptr<counts> counts_ = std::make_shared<counts>();
};

/// Reads a clock and counts how often.
class CountingClock {
 public:
  [[nodiscard]] robots::time_point now() const {
    ++*reads_;
    return clock_.now();
  }
  void sleep_until(robots::time_point when, std::stop_token stop) const {
    clock_.sleep_until(when, std::move(stop));
  }
  [[nodiscard]] int reads() const { return reads_->exchange(0); }

 private:
  ManualClock clock_;
  std::shared_ptr<std::atomic<int>> reads_ = std::make_shared<std::atomic<int>>(0);
};

constexpr std::string_view urls[] = {
    "https://example.com/",
    "https://example.com/private/x",
    "https://example.com",
    "https://example.com?q",
    "HTTPS://u@EXAMPLE.com.:443/private",
    "https://example.com/robots.txt",
    "http://example.com:8080/private",
    "http://[::1]/private",
    "http://[::1]/",
    "example.com/private",
    "example.com",
    "https://dead.example/",
    "https://none.example/private",
    "https://nasa.gov/",
    "HTTPS://NASA.GOV/",
    "nasa.gov",
    "https://bad host.gov/",
    "https://user@bad.gov:99999/",
    "what is this",
    "",
};

cache_options excluding_gov() {
  cache_options options = foo_bot();
  options.excluded = {"gov"};
  return options;
}

void script(ScriptedFetcher& web) {
  web.otherwise(robots::test::ok());
  web.on("https://dead.example/robots.txt", ScriptedFetcher::status(503));
  web.on("https://none.example/robots.txt", ScriptedFetcher::status(404));
}

}  // namespace

TEST_CASE(
    "The member allowed answers and counts like check: without an entry, or with a fresh or stale "
    "one") {
  scripted checked{excluding_gov()};
  scripted asked{excluding_gov()};
  script(checked.web);
  script(asked.web);
  for (const auto later : {0h, 1h, 25h}) {
    checked.clock.advance(later);
    asked.clock.advance(later);
    for (const std::string_view url : urls) {
      CAPTURE(url);
      CHECK(asked.cache.allowed(url) == checked.cache.check(url).allowed);
    }
  }
  const robots::cache_stats a = asked.cache.stats();
  const robots::cache_stats c = checked.cache.stats();
  CHECK(a.hits == c.hits);
  CHECK(a.hits > 20);
  CHECK(a.misses == c.misses);
  CHECK(a.retrievals == c.retrievals);
  CHECK(a.allowed == c.allowed);
  CHECK(a.denied == c.denied);
  CHECK(a.excluded == c.excluded);
  CHECK(a.allowed + a.denied == 3 * std::size(urls));
}

TEST_CASE("In every member, a hit asks the storage once and the clock once") {
  CountingClock clock;
  CountingStorage storage;
  ScriptedFetcher web;
  web.otherwise(robots::test::ok());
  basic_robots_cache<ScriptedFetcher, CountingClock, CountingStorage> cache{foo_bot(), web, clock,
                                                                            storage};
  for (const char* url : {"https://example.com/x", "http://[::1]:8080/x", "bare.example/x"}) {
    static_cast<void>(cache.get(url));
    static_cast<void>(storage.finds());
    static_cast<void>(clock.reads());
    CHECK(cache.allowed(url));
    CHECK(storage.finds() == 1);
    CHECK(clock.reads() == 1);
    CHECK(cache.check(url).from_cache);
    CHECK(storage.finds() == 1);
    CHECK(clock.reads() == 1);
    CHECK(cache.get(url) != nullptr);
    CHECK(storage.finds() == 1);
    CHECK(clock.reads() == 1);
  }
}

TEST_CASE("A hit by the member allowed copies no entry, so it counts no owner of a policy") {
  VisitableStorage storage;
  ScriptedFetcher web;
  web.otherwise(robots::test::ok());
  basic_robots_cache<ScriptedFetcher, ManualClock, VisitableStorage> cache{
      foo_bot(), web, {}, storage};
  CHECK(cache.allowed(home));
  static_cast<void>(storage.finds());
  static_cast<void>(storage.visits());
  static_cast<void>(storage.most_owners());
  CHECK(cache.allowed(home));
  CHECK_FALSE(cache.allowed(secret));
  CHECK(storage.visits() == 2);
  CHECK(storage.finds() == 0);
  CHECK(storage.most_owners() == 1);

  // A decision that may take long is made after the visit, so that other threads can store.
  static_cast<void>(cache.allowed(std::string{home} + std::string(100'000, 'x')));
  CHECK(storage.visits() == 2);
  CHECK(cache.stats().hits == 3);
}

TEST_CASE("A miss asks the storage once, and once more before it fetches") {
  CountingStorage storage;
  ScriptedFetcher web;
  web.on(robots_url, robots::test::ok(), ScriptedFetcher::status(503));
  ManualClock clock;
  basic_robots_cache<ScriptedFetcher, ManualClock, CountingStorage> cache{foo_bot(), web, clock,
                                                                          storage};
  CHECK(cache.allowed(home));
  CHECK(storage.finds() == 3);  // once more under each of the two names of the site
  clock.advance(25h);
  const robots::decision answer = cache.check(secret);
  CHECK(to_string(answer.policy->basis()) == "last_good");
  CHECK(storage.finds() == 3);
}

TEST_CASE("An excluded host is not looked up") {
  CountingStorage storage;
  basic_robots_cache<ScriptedFetcher, ManualClock, CountingStorage> cache{
      excluding_gov(), {}, {}, storage};
  CHECK_FALSE(cache.allowed("https://nasa.gov/"));
  CHECK_FALSE(cache.allowed("https://nasa.gov"));
  CHECK_FALSE(cache.allowed("nasa.gov/x"));
  CHECK(storage.finds() == 0);
  CHECK(cache.stats().excluded == 3);
}

TEST_CASE("An exclusion also applies to entries that another cache has stored") {
  const CountingStorage storage;
  ScriptedFetcher web;
  web.otherwise(robots::test::ok(""));
  basic_robots_cache<ScriptedFetcher, ManualClock, CountingStorage> open{
      foo_bot(), web, {}, storage};
  CHECK(open.allowed("https://nasa.gov/"));
  basic_robots_cache<ScriptedFetcher, ManualClock, CountingStorage> strict{
      excluding_gov(), web, {}, storage};
  CHECK_FALSE(strict.allowed("https://nasa.gov/"));
  CHECK_FALSE(strict.check("https://nasa.gov/").allowed);
}

TEST_CASE("Statistics of concurrent threads add up") {
  constexpr std::size_t threads = 8;
  constexpr std::size_t one = 2'000;
  scripted bot;
  bot.web.otherwise(robots::test::ok());
  {
    std::vector<std::jthread> workers;
    for (std::size_t worker = 0; worker < threads; ++worker) {
      workers.emplace_back([&] {
        for (std::size_t i = 0; i < one; ++i) {
          const std::string site = "https://" + std::to_string(i % 16) + ".example";
          static_cast<void>(bot.cache.allowed(site + (i % 2 == 0 ? "/" : "/private")));
        }
      });
    }
  }
  const robots::cache_stats stats = bot.cache.stats();
  CHECK(stats.allowed == threads * one / 2);
  CHECK(stats.denied == threads * one / 2);
  CHECK(stats.hits + stats.joined + stats.misses == threads * one);
  CHECK(stats.misses == 16);
}
