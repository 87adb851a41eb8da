// A site has at most one fetch at a time, however many threads ask.
#include <robots/cache/detail/single_flight.hpp>

#include "cache_fixture.hpp"
#include "support/gate.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

using namespace std::chrono_literals;
using robots::cache_options;
using robots::decision;
using robots::fetch_error;
using robots::fetch_request;
using robots::fetch_response;
using robots::ManualClock;
using robots::policy;
using robots::ScriptedFetcher;
using robots::cache_detail::flight;
using robots::cache_detail::single_flight;
using robots::test::behind;
using robots::test::foo_bot;
using robots::test::foo_bot_that_asks_once;
using robots::test::gate;
using robots::test::home;
using robots::test::outcome_of;
using robots::test::robots_url;
using robots::test::secret;
using robots::test::watched;
using robots::test::WatchedStorage;

namespace {

std::shared_ptr<const policy> some_policy() {
  return std::make_shared<const policy>(robots::fallback_action::allow_all, "FooBot",
                                        robots::record_head{});
}

/// Opens a gate at the end of a scope, so that no thread waits forever.
class opening {
 public:
  explicit opening(gate& opened) : gate_(opened) {}
  opening(const opening&) = delete;
  opening& operator=(const opening&) = delete;
  ~opening() { gate_.open(); }

 private:
  gate& gate_;
};

/// A cache whose first fetch waits at a gate and then returns a given file. Later fetches return a
/// file without rules at once.
struct held : watched {
  explicit held(fetch_response first = robots::test::ok(),
                robots::cache_options options = foo_bot())
      : watched(std::move(options)) {
    web.otherwise_call([this, first](const fetch_request&) {
      if (fetches++ > 0) {
        return robots::test::ok("");
      }
      door.pass();
      return first;
    });
  }

  std::atomic<int> fetches = 0;
};

/// A thread that leads a fetch, which waits at the gate until the end of a scope.
class leading {
 public:
  leading(held& pending, decision& answer, const char* url = home)
      : thread_([&pending, &answer, url] { answer = pending.cache.check(url); }),
        last_(pending.door) {
    pending.door.wait_for_arrivals();
  }

 private:
  std::jthread thread_;
  opening last_;
};

robots::cache_options with_threads(std::size_t count) {
  robots::cache_options options = foo_bot();
  options.background_threads = count;
  return options;
}

/// A cache whose only thread fetches the rules of another site, until `busy` is opened.
struct all_busy : watched {
  all_busy() : watched(with_threads(1)) {
    web.on_call("https://busy.example/robots.txt", behind(busy));
    caller = std::jthread{[this] {
      CHECK(cache.check("https://busy.example/", {.stop = unused.get_token()}).allowed);
    }};
    busy.wait_for_arrivals();
  }

  gate busy;
  std::stop_source unused;  // a caller that can be stopped leaves the exchange to another thread
  std::jthread caller;
  opening last{busy};
};

/// Fails after a stop request, and reports when it runs and when it was stopped.
auto until_stopped(gate& under_way, gate& stopped) {
  return [&under_way, &stopped](const fetch_request& request) {
    gate stop;
    const std::stop_callback end{request.stop, [&stop] { stop.open(); }};
    under_way.open();
    stop.pass();
    stopped.open();
    return ScriptedFetcher::failure(fetch_error::cancelled);
  };
}

/// Waits for the flight that a look-up has joined.
template <class Cache>
decision wait_for(Cache& cache, robots::look_up& pending, const char* url) {
  gate news;
  pending.call_on_news([&news] { news.open(); });
  news.pass();
  pending.resume();
  return cache.check(url, pending);
}

}  // namespace

TEST_CASE("The first caller of a flight leads it, and the others wait for its end") {
  single_flight flights;
  auto first = flights.join("a");
  const auto second = flights.join("a");
  const auto other = flights.join("b");
  CHECK(first.lead);
  CHECK_FALSE(second.lead);
  CHECK(other.lead);

  const auto result = some_policy();
  flights.end(*first.lead, {result});
  CHECK(first.lead->ended());
  robots::cache_detail::own_parts<ScriptedFetcher, ManualClock, robots::LruStorage<1>,
                                  robots::NullObserver>
      waiting{{}, {}, {}, {}};
  CHECK(second.place->wait(waiting, {}));
  CHECK(second.place->ended()->result == result);
  CHECK(flights.join("a").lead);
}

TEST_CASE("A leader that is destroyed abandons the flight") {
  single_flight flights;
  auto first = flights.join("a");
  const auto second = flights.join("a");
  CHECK_FALSE(second.lead);
  first.lead = {};
  robots::cache_detail::own_parts<ScriptedFetcher, ManualClock, robots::LruStorage<1>,
                                  robots::NullObserver>
      waiting{{}, {}, {}, {}};
  CHECK(second.place->wait(waiting, {}));
  CHECK(second.place->ended()->result == nullptr);
  CHECK(flights.join("a").lead);
}

TEST_CASE("The waiters of a detached flight get its result, and a new flight can begin meanwhile") {
  single_flight flights;
  for (const bool all : {false, true}) {
    auto old = flights.join("a");
    const auto waits = flights.join("a");
    if (all) {
      flights.detach_all();
    } else {
      flights.detach("a");
      flights.detach("never there");
    }
    CHECK(old.lead->detached.load());

    auto anew = flights.join("a");
    CHECK(anew.lead);
    CHECK_FALSE(anew.lead->detached.load());

    const auto late = some_policy();
    flights.end(*old.lead, {late});
    robots::cache_detail::own_parts<ScriptedFetcher, ManualClock, robots::LruStorage<1>,
                                    robots::NullObserver>
        waiting{{}, {}, {}, {}};
    CHECK(waits.place->wait(waiting, {}));
    CHECK(waits.place->ended()->result == late);
    CHECK_FALSE(flights.join("a").lead);  // the end of the old flight does not end the new one
    flights.end(*anew.lead, {nullptr});
  }
}

TEST_CASE("A waiter leaves a flight when it is stopped or its deadline passes") {
  single_flight flights;
  const auto first = flights.join("a");
  robots::cache_detail::own_parts<ScriptedFetcher, ManualClock, robots::LruStorage<1>,
                                  robots::NullObserver>
      waiting{{}, {}, {}, {}};
  std::stop_source stop;
  stop.request_stop();
  CHECK_FALSE(first.place->wait(waiting, {.stop = stop.get_token()}));
  CHECK_FALSE(first.place->wait(waiting, {.deadline = waiting.clock.now()}));
  CHECK_FALSE(first.place->wait(waiting, {.deadline = waiting.clock.now() - 1h}));
  CHECK(first.lead);
}

TEST_CASE("A late caller gets the result of a flight that has ended") {
  single_flight flights;
  auto first = flights.join("a");
  const auto second = flights.join("a");
  const auto result = some_policy();
  flights.end(*first.lead, {result});
  robots::cache_detail::own_parts<ScriptedFetcher, ManualClock, robots::LruStorage<1>,
                                  robots::NullObserver>
      waiting{{}, {}, {}, {}};
  std::stop_source stop;
  stop.request_stop();
  CHECK(second.place->wait(waiting,
                           {.deadline = waiting.clock.now() - 1h, .stop = stop.get_token()}));
  CHECK(second.place->ended()->result == result);
}

TEST_CASE("A flight is stopped when the last waiter leaves, unless it may finish without waiters") {
  single_flight flights;
  for (const bool alone : {false, true}) {
    auto first = flights.join("a", {}, alone);
    auto second = flights.join("a");
    CHECK_FALSE(second.lead);
    first.place = {};
    CHECK_FALSE(first.lead->stop.stop_requested());
    second.place = {};
    CHECK(first.lead->stop.stop_requested() == !alone);
  }
}

TEST_CASE("A caller that cannot wait gets a callback when the flight ends") {
  single_flight flights;
  auto first = flights.join("a");
  const auto second = flights.join("a");
  int called = 0;
  first.place.on_news([&called] { ++called; });
  second.place.on_news([&called] { ++called; });
  CHECK(called == 0);
  flights.end(*first.lead, {some_policy()});
  CHECK(called == 2);
  first.place.on_news([&called] { ++called; });
  CHECK(called == 3);
}

TEST_CASE("A site is fetched once, however many threads ask for it") {
  constexpr std::size_t threads = 32;
  constexpr std::array<const char*, 4> spellings{
      "https://example.com/private/x", "HTTPS://EXAMPLE.com:443/private/y",
      "https://user@example.com/private", "https://example.com./private?q"};
  held bot;
  std::vector<decision> result(threads);
  {
    std::vector<std::jthread> callers;
    const opening last{bot.door};
    for (std::size_t i = 0; i < threads; ++i) {
      callers.emplace_back(
          [&, i] { result[i] = bot.cache.check(spellings[i % spellings.size()]); });
    }
    bot.storage.wait_for_misses(threads);
    bot.door.wait_for_arrivals();
  }
  CHECK(bot.web.count() == 1);
  for (const decision& answer : result) {
    CHECK(to_string(answer.reason) == "rule");
    CHECK(answer.policy == result.front().policy);
  }
  const robots::cache_stats stats = bot.cache.stats();
  CHECK(stats.misses == 1);
  CHECK(stats.retrievals == 1);
  CHECK(stats.hits + stats.joined == threads - 1);
  CHECK(stats.denied == threads);
}

TEST_CASE("A host and its https origin share one fetch if asked at the same time") {
  for (int round = 0; round < 20; ++round) {
    held bot;
    bot.web.otherwise_call(behind(bot.door));
    std::array<std::shared_ptr<const policy>, 4> found;
    {
      std::vector<std::jthread> callers;
      const opening last{bot.door};
      constexpr std::array<const char*, 4> names{"https://example.com/", "example.com",
                                                 "https://example.com/x", "example.com/x"};
      const std::size_t first = round % 2 == 0 ? 0 : 1;
      callers.emplace_back([&, first] { found[first] = bot.cache.get(names[first]); });
      bot.door.wait_for_arrivals();
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (i != first) {
          callers.emplace_back([&, i] { found[i] = bot.cache.get(names[i]); });
        }
      }
      bot.storage.wait_for_misses(names.size());
    }
    CHECK(bot.web.count() == 1);
    for (const auto& one : found) {
      CHECK(one == found.front());
    }
  }
}

TEST_CASE("The http origin of a host does not use the file of its https origin") {
  held bot;  // the first fetch has rules, the second has none
  std::shared_ptr<const policy> https;
  std::shared_ptr<const policy> http;
  {
    std::vector<std::jthread> callers;
    const opening last{bot.door};
    callers.emplace_back([&] { https = bot.cache.get("https://example.com/"); });
    bot.door.wait_for_arrivals();
    callers.emplace_back([&] { http = bot.cache.get("http://example.com/"); });
    bot.storage.wait_for_misses(2);
  }
  CHECK(bot.web.count("https://example.com/robots.txt") == 1);
  CHECK(bot.web.count("http://example.com/robots.txt") == 1);
  CHECK(https->last_retrieval().url == "https://example.com/robots.txt");
  CHECK(http->last_retrieval().url == "http://example.com/robots.txt");
  CHECK(https->rules().size() == 1);
  CHECK(http->rules().empty());
}

TEST_CASE("Different hosts do not wait for each other") {
  held bot;
  decision led;
  const leading caller{bot, led};
  CHECK(bot.cache.allowed("https://other.example/"));
  CHECK(bot.cache.allowed("https://example.com:8443/"));
  CHECK(bot.web.count() == 3);
}

TEST_CASE("A failure is shared like a success") {
  held bot{ScriptedFetcher::status(503), foo_bot_that_asks_once()};
  decision first;
  decision second;
  {
    std::vector<std::jthread> callers;
    const opening last{bot.door};
    callers.emplace_back([&] { first = bot.cache.check(home); });
    callers.emplace_back([&] { second = bot.cache.check(home); });
    bot.storage.wait_for_misses(2);
  }
  CHECK(bot.web.count() == 1);
  CHECK(first.policy == second.policy);
  CHECK(outcome_of(first) == "server_error");
}

TEST_CASE("A waiter whose call has ended leaves at once, and the flight continues") {
  held bot;
  decision led;
  {
    const leading leader{bot, led, secret};
    std::stop_source stop;
    stop.request_stop();
    const decision stopped = bot.cache.check(home, {.stop = stop.get_token()});
    CHECK(outcome_of(stopped) == "cancelled");
    CHECK(to_string(stopped.reason) == "fallback");
    CHECK_FALSE(stopped.allowed);
    CHECK_FALSE(stopped.from_cache);
    const decision late = bot.cache.check(home, {.deadline = bot.clock.now()});
    CHECK(outcome_of(late) == "cancelled");
    CHECK(bot.cache.stats().size == 0);
  }
  CHECK(bot.web.count() == 1);
  CHECK(outcome_of(led) == "success");
  CHECK(bot.cache.check(home).from_cache);
  CHECK(bot.cache.stats().joined == 0);
}

TEST_CASE("A waiter that leaves gets the last good copy if there is one") {
  held bot;
  bot.web.on(robots_url, robots::test::ok());
  CHECK(bot.cache.allowed(home));
  bot.clock.advance(24h);
  bot.web.on_call(robots_url, behind(bot.door, ScriptedFetcher::status(404)));
  decision led;
  {
    const leading leader{bot, led};
    const decision late = bot.cache.check(secret, {.deadline = bot.clock.now()});
    CHECK(to_string(late.policy->basis()) == "last_good");
    CHECK_FALSE(late.allowed);
    CHECK(late.age == 24h);
  }
  CHECK(bot.cache.allowed(secret));
}

TEST_CASE("A waiter leaves when it is stopped, and at its deadline") {
  for (int round = 0; round < 50; ++round) {
    held bot;
    decision led;
    decision left;
    const leading leader{bot, led};
    std::stop_source stop;
    const bool by_deadline = round % 2 == 0;
    robots::call_options limits;
    if (by_deadline) {
      limits.deadline = bot.clock.now() + 1ms;
    } else {
      limits.stop = stop.get_token();
    }
    {
      const std::jthread follower{[&] { left = bot.cache.check(home, limits); }};
      bot.storage.wait_for_misses(2);
      by_deadline ? bot.clock.advance(1ms) : static_cast<void>(stop.request_stop());
    }
    CHECK(outcome_of(left) == "cancelled");
    CHECK(bot.web.count() == 1);
  }
}

TEST_CASE("A waiter without a deadline waits for the end") {
  gate door;
  ScriptedFetcher web;
  web.on_call(robots_url, behind(door));
  WatchedStorage storage;
  robots::basic_robots_cache<ScriptedFetcher, robots::SteadyClock, WatchedStorage> cache{
      foo_bot(), web, {}, storage};
  decision answer;
  {
    std::vector<std::jthread> callers;
    const opening last{door};
    callers.emplace_back([&] { static_cast<void>(cache.check(home)); });
    door.wait_for_arrivals();
    callers.emplace_back(
        [&] { answer = cache.check(home, {.deadline = robots::time_point::max()}); });
    storage.wait_for_misses(2);
  }
  CHECK(outcome_of(answer) == "success");
  CHECK(web.count() == 1);
}

TEST_CASE("The leader of a flight can leave it, and the flight continues for the others") {
  for (int round = 0; round < 50; ++round) {
    held bot;
    std::stop_source stop;
    decision began;
    std::array<decision, 3> followed;
    {
      std::vector<std::jthread> callers;
      const opening last{bot.door};
      {
        const std::jthread first{
            [&] { began = bot.cache.check(home, {.stop = stop.get_token()}); }};
        bot.door.wait_for_arrivals();
        for (decision& answer : followed) {
          callers.emplace_back([&] { answer = bot.cache.check(home); });
        }
        bot.storage.wait_for_misses(4);
        stop.request_stop();
      }
      CHECK(outcome_of(began) == "cancelled");
    }
    // If a look-up had not joined when the leader left, it may have sent a second request.
    CHECK(bot.web.count() <= 2);
    for (const decision& answer : followed) {
      CHECK(outcome_of(answer) == "success");
    }
    CHECK(bot.cache.check(home).from_cache);
  }
}

TEST_CASE("The leader of a flight leaves it at its deadline, during the fetch") {
  held bot;
  decision began;
  {
    const opening last{bot.door};
    const std::jthread caller{
        [&] { began = bot.cache.check(home, {.deadline = bot.clock.now() + 1s}); }};
    bot.door.wait_for_arrivals();
    bot.clock.advance(1s);
  }
  CHECK(outcome_of(began) == "cancelled");
  CHECK(bot.web.count() == 1);
}

TEST_CASE("Without finish_abandoned, the fetch that the last caller leaves is stopped") {
  cache_options options = foo_bot();
  options.finish_abandoned = false;
  ScriptedFetcher web;
  gate under_way;
  gate stopped;
  web.on_call(robots_url, until_stopped(under_way, stopped));
  std::stop_source stop;
  robots::basic_robots_cache<ScriptedFetcher, ManualClock> cache{options, web};
  decision answer;
  {
    const std::jthread caller{[&] { answer = cache.check(home, {.stop = stop.get_token()}); }};
    under_way.pass();
    stop.request_stop();
  }
  stopped.pass();
  CHECK(outcome_of(answer) == "cancelled");
  web.on(robots_url, robots::test::ok());
  CHECK(cache.allowed(home));
}

TEST_CASE("Callers with too little time for a slow site send it one request, and get its answer") {
  gate door;
  ScriptedFetcher web;
  web.on_call(robots_url, behind(door));
  ManualClock clock;
  robots::basic_robots_cache<ScriptedFetcher, ManualClock> cache{
      {.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::rfc9309()}, web, clock};
  for (int call = 0; call < 20; ++call) {
    const robots::time_point deadline = clock.now() + 50ms;
    decision answer;
    {
      const std::jthread caller{[&] { answer = cache.check(home, {.deadline = deadline}); }};
      door.wait_for_arrivals();
      clock.advance(50ms);
    }
    CHECK(outcome_of(answer) == "cancelled");
  }
  CHECK(web.count() == 1);
  door.open();
  CHECK(outcome_of(cache.check(home)) == "success");
  CHECK(web.count() == 1);
}

TEST_CASE("A fetch that every caller has left is continued to its end") {
  gate door;
  gate landed;
  ScriptedFetcher web;
  web.on_call(robots_url, behind(door));
  struct Telling {
    gate* landed;
    void on(const robots::retrieval_event&) const { landed->open(); }
  };
  robots::cache_options options = foo_bot();
  options.finish_abandoned = true;
  ManualClock clock;
  robots::basic_robots_cache<ScriptedFetcher, ManualClock, robots::LruStorage<8>, Telling> cache{
      options, web, clock, {}, Telling{&landed}};
  decision answer;
  {
    const opening last{door};
    const std::jthread caller{[&] { answer = cache.check(home, {.deadline = clock.now() + 1s}); }};
    door.wait_for_arrivals();
    clock.advance(1s);
  }
  CHECK(outcome_of(answer) == "cancelled");
  landed.pass();
  CHECK(outcome_of(cache.check(home)) ==
        "success");  // from the cache, or from the flight as it ends
  CHECK(cache.check(home).from_cache);
  CHECK(web.count() == 1);
}

TEST_CASE("An observer gets a retrieval before any decision depends on it, even if it throws") {
  struct Log {
    void on(const robots::retrieval_event&) const {
      const std::scoped_lock lock{*mutex};
      heard->push_back('r');
      throw std::runtime_error{"no"};
    }
    void on(const robots::decision_event&) const {
      const std::scoped_lock lock{*mutex};
      heard->push_back('d');
      throw std::runtime_error{"no"};
    }
    std::shared_ptr<std::mutex> mutex = std::make_shared<std::mutex>();
    std::shared_ptr<std::string> heard = std::make_shared<std::string>();
  };
  for (int round = 0; round < 100; ++round) {
    gate door;
    ScriptedFetcher web;
    web.on_call(robots_url, behind(door));
    const Log log;
    WatchedStorage storage;
    robots::basic_robots_cache<ScriptedFetcher, ManualClock, WatchedStorage, Log> cache{
        foo_bot(), web, {}, storage, log};
    {
      std::vector<std::jthread> callers;
      const opening last{door};
      for (int i = 0; i < 3; ++i) {
        callers.emplace_back([&] { CHECK(cache.check(home).allowed); });
      }
      storage.wait_for_misses(3);
    }
    CHECK(*log.heard == "rddd");
  }
}

TEST_CASE("With all threads busy, a leader without time leaves its fetch to the next free thread") {
  all_busy setup;
  setup.web.on(robots_url, robots::test::ok());
  decision hurried;
  std::jthread leader{
      [&] { hurried = setup.cache.check(home, {.deadline = setup.clock.now() + 1s}); }};
  setup.storage.wait_for_misses(2);
  while (setup.cache.stats().misses < 2) {
    std::this_thread::yield();
  }
  robots::look_up follower = setup.cache.begin(home);
  setup.clock.advance(1s);
  leader.join();
  CHECK(setup.web.count(robots_url) == 0);
  setup.busy.open();
  CHECK(outcome_of(wait_for(setup.cache, follower, home)) == "success");
  CHECK(outcome_of(hurried) == "cancelled");
  CHECK(setup.web.count(robots_url) == 1);
}

TEST_CASE("With all threads busy, a stopped leader leaves its fetch to the next free thread") {
  all_busy setup;
  std::atomic<int> asked = 0;
  setup.web.on_call(robots_url, [&](const fetch_request&) {
    if (asked++ == 0) {
      setup.door.pass();
    }
    return robots::test::ok();
  });
  std::stop_source stop;
  decision led;
  std::jthread leader{[&] { led = setup.cache.check(home, {.stop = stop.get_token()}); }};
  setup.door.wait_for_arrivals();
  robots::look_up follower = setup.cache.begin(home);
  stop.request_stop();
  setup.door.open();
  leader.join();
  setup.busy.open();
  CHECK(outcome_of(wait_for(setup.cache, follower, home)) == "success");
  CHECK(outcome_of(led) == "cancelled");
  CHECK(setup.web.count(robots_url) == 2);
}

namespace {

/// A counting semaphore. `std::counting_semaphore` of libstdc++ 12 can sleep forever if several
/// threads acquire it at once (GCC bug 104928).
class permits {
 public:
  void acquire() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return free_ > 0; });
    --free_;
  }
  void release(int more = 1) {
    const std::scoped_lock lock{mutex_};
    free_ += more;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int free_ = 0;
};

}  // namespace

TEST_CASE("A thousand hosts that hang do not keep a good host from its answer") {
  permits timeouts;  // the threads of the cache use it until they end
  std::atomic<int> began = 0;
  watched crawl{foo_bot_that_asks_once()};
  crawl.web.otherwise_call([&](const fetch_request&) {
    ++began;
    timeouts.acquire();
    return ScriptedFetcher::failure(fetch_error::timeout);
  });
  crawl.web.on(robots_url, robots::test::ok());
  std::atomic<bool> is_done = false;
  std::jthread hurried{[&] {
    for (int host = 0; host < 1'000; ++host) {
      const std::string url = "https://hanging-" + std::to_string(host) + ".example/";
      CHECK_FALSE(crawl.cache.check(url, {.deadline = crawl.clock.now() + 100ms}).allowed);
    }
    is_done = true;
  }};
  while (!is_done) {
    crawl.clock.advance(10ms);
    std::this_thread::yield();
  }
  decision good;
  std::jthread patient{
      [&] { good = crawl.cache.check(home, {.deadline = crawl.clock.now() + 1s}); }};
  // Each of the hanging requests that have begun ends with its timeout. The thread that becomes
  // free must take the work that a caller waits for.
  const int most = began + static_cast<int>(crawl.cache.options().background_threads);
  while (crawl.web.count(robots_url) == 0 && began < most) {
    const int before = began;
    timeouts.release();
    while (crawl.web.count(robots_url) == 0 && began == before) {
      std::this_thread::yield();
    }
  }
  if (crawl.web.count(robots_url) == 0) {
    crawl.clock.advance(1s);
  }
  patient.join();
  CHECK(good.allowed);
  timeouts.release(1'000);
}

TEST_CASE("With all threads busy, a call that can be stopped fetches once, in its own thread") {
  all_busy setup;
  setup.web.on_call(robots_url, [&setup](const fetch_request&) {
    setup.busy.open();
    return robots::test::ok();
  });
  const std::stop_source stop;
  CHECK(setup.cache.check(home, {.stop = stop.get_token()}).allowed);
  CHECK(setup.web.count(robots_url) == 1);
}

TEST_CASE("With the default options, a call makes the exchanges itself if it has time for them") {
  ScriptedFetcher web;
  ManualClock clock;
  std::vector<bool> by_caller;
  const auto caller = std::this_thread::get_id();
  web.on_call(robots_url, [&](const fetch_request&) {
    by_caller.push_back(std::this_thread::get_id() == caller);
    clock.advance(3'600ms);  // of the 5 s of the timeout
    return by_caller.size() < 3 ? ScriptedFetcher::status(503) : robots::test::ok();
  });
  robots::cache_options options{.user_agent = "FooBot/1.0",
                                .fallback = robots::fallback_policy::rfc9309()};
  options.retry.jitter = 0;  // waits of 1 s and 2 s
  robots::basic_robots_cache<ScriptedFetcher, ManualClock> cache{options, web, clock};
  CHECK(cache.check(secret).reason == robots::decision_reason::rule);
  // After two exchanges and two waits, less than 5 s of the 15 s of a call are left.
  CHECK(by_caller == std::vector{true, true, false});
}

TEST_CASE("A call that a silent host outlasts says how many tries have timed out") {
  ScriptedFetcher web;
  ManualClock clock;
  gate door;
  std::atomic<int> tries = 0;
  web.on_call(robots_url, [&](const fetch_request& request) {
    const auto silence = ScriptedFetcher::failure(fetch_error::timeout);
    if (++tries == 3) {
      return behind(door, silence)(request);  // in a thread of the cache, after the call
    }
    clock.advance(request.timeout);
    return silence;
  });
  robots::cache_options options{.user_agent = "FooBot/1.0",
                                .fallback = robots::fallback_policy::rfc9309()};
  options.retry.jitter = 0;  // waits of 1 s and 2 s
  robots::basic_robots_cache<ScriptedFetcher, ManualClock> cache{options, web, clock};
  const opening last{door};
  CHECK(
      explain(cache.check(secret, {.timeout = 13s})) ==
      "not allowed: fallback: cancelled (the host is silent: timed out after 2 tries, and then the "
      "call ended)");
}

TEST_CASE("No call takes longer than longest_call, and its fetch continues for others") {
  for (const bool by_option : {false, true}) {
    robots::cache_options options = foo_bot(robots::fallback_policy::permissive());
    options.longest_call = by_option ? 15s : 0s;
    options.timeout = 0ms;  // the exchange can take longer than the call
    held bot{robots::test::ok(), options};
    decision early;
    decision late;
    {
      const opening last{bot.door};
      std::jthread first{[&] {
        early = by_option ? bot.cache.check(secret) : bot.cache.check(secret, {.timeout = 15s});
      }};
      bot.door.wait_for_arrivals();
      bot.clock.advance(14s);
      robots::look_up follower = bot.cache.begin(secret);
      bot.clock.advance(1s);
      first.join();
      bot.door.open();
      late = wait_for(bot.cache, follower, secret);
    }
    CHECK(early.allowed);
    CHECK(explain(early).ends_with("cancelled (the call ended before the robots.txt came)"));
    CHECK(outcome_of(early) == "cancelled");
    CHECK(to_string(late.reason) == "rule");
    CHECK(bot.web.count() == 1);
  }
}

TEST_CASE("Without finish_abandoned, a failure that nobody waited for is forgotten") {
  ScriptedFetcher web;
  gate waits;
  web.on(robots_url, ScriptedFetcher::status(503));
  /// Reports when somebody sleeps, and sleeps until it is stopped.
  struct Sleepless {
    [[nodiscard]] robots::time_point now() const { return clock.now(); }
    void sleep_until(robots::time_point, std::stop_token stop) const {
      gate stopped;
      const std::stop_callback end{stop, [&stopped] { stopped.open(); }};
      waits->open();
      stopped.pass();
    }
    ManualClock clock;
    gate* waits;
  };
  robots::cache_options options = foo_bot(robots::fallback_policy::permissive());
  options.retry.attempts = 3;
  options.finish_abandoned = false;
  std::stop_source stop;
  robots::basic_robots_cache<ScriptedFetcher, Sleepless> cache{options, web, Sleepless{{}, &waits}};
  {
    const std::jthread caller{[&] { CHECK(cache.allowed(home, {.stop = stop.get_token()})); }};
    waits.pass();
    stop.request_stop();
  }
  while (cache.stats().retrievals == 0) {
    std::this_thread::yield();
  }
  CHECK(cache.stats().size == 0);
  web.on(robots_url, robots::test::ok());
  CHECK(outcome_of(cache.check(home)) == "success");
}

TEST_CASE("An entry that is invalidated during its renewal is not used when the renewal fails") {
  robots::test::scripted bot{foo_bot_that_asks_once()};
  bot.web.on(robots_url, robots::test::ok(), ScriptedFetcher::status(503));
  CHECK(bot.cache.allowed(home));
  bot.clock.advance(25h);
  robots::look_up renewing = bot.cache.begin(home);
  bot.cache.invalidate(home);
  bot.answer(renewing);
  REQUIRE(renewing.policy());
  CHECK(to_string(renewing.policy()->basis()) == "deny_all");
  CHECK_FALSE(bot.cache.check(home, renewing).allowed);
}

TEST_CASE("Without a free thread, a caller can leave its fetch, and a waiter takes it over") {
  held bot{robots::test::ok(), with_threads(0)};
  std::stop_source stop;
  decision began;
  decision followed;
  {
    std::vector<std::jthread> callers;
    const opening last{bot.door};
    callers.emplace_back([&] { began = bot.cache.check(home, {.stop = stop.get_token()}); });
    bot.door.wait_for_arrivals();
    callers.emplace_back([&] { followed = bot.cache.check(home); });
    bot.storage.wait_for_misses(2);
    stop.request_stop();
  }
  // The second caller may fetch the rules before the first caller leaves.
  CHECK((outcome_of(began) == "cancelled" || outcome_of(began) == "success"));
  CHECK(outcome_of(followed) == "success");
  CHECK(bot.web.count() == 2);
}

TEST_CASE("A destroyed cache stops the fetches that nobody waits for") {
  ScriptedFetcher web;
  gate under_way;
  gate stopped;
  web.on_call(robots_url, until_stopped(under_way, stopped));
  robots::cache_options options = foo_bot();
  options.finish_abandoned = true;
  ManualClock clock;
  {
    robots::basic_robots_cache<ScriptedFetcher, ManualClock> cache{options, web, clock};
    const std::jthread caller{
        [&] { CHECK_FALSE(cache.allowed(home, {.deadline = clock.now() + 1s})); }};
    under_way.pass();
    clock.advance(1s);
  }
  CHECK(web.count() == 1);
}

TEST_CASE("No caller waits forever for a fetcher that throws") {
  watched bot{foo_bot_that_asks_once()};
  bot.web.otherwise_call([&bot](const fetch_request&) -> fetch_response {
    bot.door.pass();
    throw std::runtime_error{"no"};
  });
  std::array<decision, 4> result;
  {
    std::vector<std::jthread> callers;
    const opening last{bot.door};
    for (decision& answer : result) {
      callers.emplace_back([&] { answer = bot.cache.check(home); });
    }
    bot.storage.wait_for_misses(result.size());
  }
  CHECK(bot.web.count() == 1);
  for (const decision& answer : result) {
    CHECK(outcome_of(answer) == "unreachable");
  }
}

TEST_CASE(
    "A site that is forgotten during a flight is fetched again, and the late result is dropped") {
  const std::array<void (*)(held&), 4> ways{
      [](held& bot) { bot.cache.invalidate(home); },
      [](held& bot) { bot.cache.invalidate("HTTPS://EXAMPLE.com:443/x"); },
      [](held& bot) { bot.cache.invalidate("example.com"); }, [](held& bot) { bot.cache.clear(); }};
  for (const auto& forget : ways) {
    for (const char* led : {home, "example.com/"}) {
      held bot;  // the first fetch has rules, the second has none
      decision old;
      {
        const leading caller{bot, old, led};
        forget(bot);
        const decision anew = bot.cache.check(led);
        CHECK(anew.policy->rules().empty());
        CHECK(bot.cache.check(led).from_cache);
      }
      CHECK(old.policy->rules().size() == 1);
      CHECK(bot.web.count() == 2);
      const decision now = bot.cache.check(led);
      CHECK(now.from_cache);
      CHECK(now.policy->rules().empty());
    }
  }
}

TEST_CASE("A forgotten flight leaves no state behind") {
  held bot;
  decision old;
  {
    const leading leader{bot, old};
    bot.cache.clear();
  }
  CHECK(outcome_of(old) == "success");
  CHECK(bot.cache.stats().size == 0);
  CHECK_FALSE(bot.cache.check(home).from_cache);
}

TEST_CASE("Threads share a fetch even with a storage that forgets everything") {
  struct Forgetful : WatchedStorage {
    void store(std::string_view, const robots::cache_entry&, robots::time_point) {}
  };
  gate door;
  ScriptedFetcher web;
  web.on_call(robots_url, behind(door));
  Forgetful storage;
  robots::basic_robots_cache<ScriptedFetcher, ManualClock, Forgetful> cache{
      foo_bot(), web, {}, storage};
  std::array<decision, 8> result;
  {
    std::vector<std::jthread> callers;
    const opening last{door};
    for (decision& answer : result) {
      callers.emplace_back([&] { answer = cache.check(secret); });
    }
    storage.wait_for_misses(result.size());
  }
  // A caller that comes after the end of the flight sends a request itself.
  CHECK(cache.stats().misses + cache.stats().joined == result.size());
  CHECK(web.count() == cache.stats().misses);
  for (const decision& answer : result) {
    CHECK(to_string(answer.reason) == "rule");
  }
}

TEST_CASE("Eight threads can call any member of one cache at once") {
  constexpr unsigned threads = 8;
  ScriptedFetcher web;
  web.otherwise_call([](const fetch_request& request) {
    return request.url.size() % 5 == 0 ? ScriptedFetcher::status(503) : robots::test::ok();
  });
  ManualClock clock;
  robots::cache_options options = foo_bot();
  options.excluded = {"gov"};
  robots::basic_robots_cache<ScriptedFetcher, ManualClock, robots::LruStorage<8>> cache{options,
                                                                                        web, clock};
  std::atomic<std::size_t> wrong = 0;
  std::atomic<std::size_t> decisions = 0;
  {
    std::barrier together{threads};
    std::vector<std::jthread> workers;
    for (unsigned worker = 0; worker < threads; ++worker) {
      workers.emplace_back([&, worker] {
        std::mt19937 random{worker};
        std::stop_source stopped;
        stopped.request_stop();
        together.arrive_and_wait();
        for (int step = 0; step < 2'000; ++step) {
          const auto scheme = random() % 3;
          std::string url = scheme == 0 ? "" : scheme == 1 ? "http://" : "https://";
          url += std::string(1 + random() % 6, 'a') + (random() % 8 == 0 ? ".gov" : ".example");
          url += random() % 2 == 0 ? "/private" : "/x";
          switch (random() % 32) {
            case 0:
              cache.invalidate(url);
              break;
            case 1:
              clock.advance(1h);
              break;
            case 2:
              wrong += cache.stats().size > 8 ? 1U : 0U;
              break;
            case 3:
              if (step % 100 == 0) {
                cache.clear();
              }
              break;
            case 4:
              decisions += url.find(".gov/") != std::string::npos ? 1U : 0U;  // an exclusion counts
              wrong += cache.get(url) == nullptr ? 1U : 0U;
              break;
            case 5:
              ++decisions;
              static_cast<void>(cache.check(url, {.stop = stopped.get_token()}));
              break;
            case 6:
              ++decisions;
              static_cast<void>(cache.check(url, {.deadline = clock.now() + 1us}));
              break;
            case 7:
            case 8:
            case 9:
            case 10:
            case 11:
              ++decisions;
              wrong += cache.allowed(url) && url.ends_with("/private") ? 1U : 0U;
              break;
            default: {
              ++decisions;
              const decision answer = cache.check(url);
              const bool secret_page = url.ends_with("/private");
              wrong += answer.policy == nullptr || (answer.allowed && secret_page) ? 1U : 0U;
              break;
            }
          }
        }
      });
    }
  }
  CHECK(wrong == 0);
  const robots::cache_stats stats = cache.stats();
  CHECK(stats.allowed + stats.denied == decisions);
  CHECK(stats.retrievals <= stats.misses);  // some can still be under way without a caller
  CHECK(stats.size <= 8);
}
