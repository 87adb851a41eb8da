// A storage, a flight, a look-up, a quarantine, rulings and a gate after an allocation has failed.
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/detail/single_flight.hpp>
#include <robots/cache/look_up_driver.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/policy/policy.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/rep/rules/crawler_directives.hpp>
#include <robots/rulings/detail/ruling_table.hpp>
#include <robots/rulings/order_news.hpp>
#include <robots/rulings/ruling_order.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/memory_ruling_ledger.hpp>
#include <robots/testing/scripted_fetcher.hpp>
#include <robots/time/clock.hpp>

#include <doctest/doctest.h>
#include <support/replaced_new.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr int never = -1;
int allocations_left = never;
std::function<void()> before_failure;  // called once, before an allocation fails

/// Keeps each exchange open until a test answers it.
struct Held {
  void async_fetch(const robots::fetch_request& /*request*/,
                   std::function<void(robots::fetch_response)> done) {
    open.push_back(std::move(done));
  }
  std::vector<std::function<void(robots::fetch_response)>> open{};
};

}  // namespace

void robots::test::before_allocation(std::size_t /*size*/) {
  if (allocations_left == 0) {
    if (before_failure) {
      allocations_left = never;
      std::exchange(before_failure, nullptr)();
      allocations_left = 0;
    }
    throw std::bad_alloc{};
  }
  allocations_left -= allocations_left > 0 ? 1 : 0;
}

TEST_CASE("If store() fails, it stores nothing and keeps the order of the other entries") {
  using robots::policy;
  constexpr std::size_t capacity = 16;
  const robots::cache_entry entry{
      .policy = std::make_shared<const policy>(robots::fallback_action::allow_all, "FooBot",
                                               robots::record_head{}),
      .fresh_until = robots::time_point::max(),
      .keep_until = robots::time_point::max()};
  std::vector<std::string> keys;
  for (int i = 0; i < 40; ++i) {
    keys.push_back(std::string(i % 3 == 0 ? 80 : 10, 'x') + std::to_string(i));
  }

  std::mt19937 random{64};
  robots::LruStorage<capacity> storage;
  std::vector<std::string> order;  // the stored keys, the least recently used one first
  const auto forget = [&order](const std::string& key) { std::erase(order, key); };
  std::uint64_t evicted = 0;
  std::size_t all_evicted = 0;
  std::size_t failures = 0;
  std::size_t differences = 0;
  robots::time_point now{std::chrono::hours{1}};

  for (int step = 0; step < 100'000; ++step) {
    now += std::chrono::milliseconds{17};
    const std::string& key = keys[random() % keys.size()];
    const auto kind = random() % 1'000;
    if (kind < 400) {
      const bool found = storage.find(key, now).has_value();
      differences += found == (std::ranges::count(order, key) == 1) ? 0U : 1U;
      if (found) {
        forget(key);
        order.push_back(key);
      }
    } else if (kind < 940) {
      bool stored = true;
      allocations_left = static_cast<int>(random() % 8) - 1;
      try {
        storage.store(key, entry, now);
      } catch (const std::bad_alloc&) {
        stored = false;
        ++failures;
      }
      allocations_left = never;
      forget(key);
      if (storage.evictions() > evicted) {
        ++evicted;
        ++all_evicted;
        order.erase(order.begin());
      }
      if (stored) {
        order.push_back(key);
      }
    } else if (kind < 990) {
      storage.erase(key);
      forget(key);
    } else {
      storage = robots::LruStorage<capacity>{};  // so that no memory is reserved
      order.clear();
      evicted = 0;
    }
    differences += storage.size() == order.size() ? 0U : 1U;
    differences += static_cast<std::size_t>(entry.policy.use_count()) == 1 + order.size() ? 0U : 1U;
  }
  CHECK(differences == 0);
  CHECK(storage.evictions() == evicted);
  CHECK(all_evicted > 1'000);
  CHECK(failures > 500);
}

TEST_CASE("Drops are reported in order, and no entry is dropped if memory runs out") {
  const auto entry_of = [](std::size_t octets) {
    return robots::cache_entry{
        .policy = std::make_shared<const robots::policy>(
            robots::crawler_directives{}, robots::record_head{}, robots::time_point{},
            std::make_shared<const std::string>(octets, 'x')),
        .fresh_until = robots::time_point::max(),
        .keep_until = robots::time_point::max()};
  };
  constexpr std::size_t held = 12;
  const robots::cache_entry small = entry_of(4'000);
  const robots::cache_entry large = entry_of(38'000);
  const std::string key(100, 'x');
  bool stored = false;
  for (int allowance = 0; !stored; ++allowance) {
    REQUIRE(allowance < 100);
    robots::LruStorage<32> storage{60'000};
    std::size_t events = 0;
    bool in_order = true;
    storage.on_drop([&](std::string_view gone, bool) {
      allocations_left = never;
      in_order = in_order && gone == key + static_cast<char>('a' + events);
      ++events;
    });
    for (std::size_t i = 0; i < held; ++i) {
      storage.store(key + static_cast<char>('a' + i), small, {});
    }
    allocations_left = allowance;
    try {
      storage.store(key, large, {});
      stored = true;
    } catch (const std::bad_alloc&) {
      CHECK(events == 0);
    }
    allocations_left = never;
    CHECK(events == storage.evictions());
    CHECK(storage.size() == held - events + (stored ? 1 : 0));
    CHECK(static_cast<std::size_t>(small.policy.use_count()) == 1 + held - events);
    CHECK(large.policy.use_count() == (stored ? 2 : 1));
    storage.store(key, large, {});  // the remaining entries are still dropped in order
    CHECK(events > 5);
    CHECK(in_order);
    CHECK(storage.find(key, {}).has_value());
  }
}

TEST_CASE("A flight that could not begin does not prevent a later one") {
  const std::string key(100, 'x');
  bool begun = false;
  for (int allowance = 0; !begun; ++allowance) {
    REQUIRE(allowance < 100);
    robots::cache_detail::single_flight flights;
    allocations_left = allowance;
    try {
      begun = static_cast<bool>(flights.join(key).lead);
    } catch (const std::bad_alloc&) {
      begun = false;
    }
    allocations_left = never;
    CHECK(flights.join(key).lead);
  }
}

TEST_CASE("A driver keeps nothing of a look-up that it could not start") {
  for (const bool waits : {false, true}) {
    int failures = 0;
    bool is_started = false;
    for (int allowance = 0; !is_started; ++allowance) {
      REQUIRE(allowance < 100);
      robots::ManualClock clock;
      robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock> cache{
          {.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::rfc9309()}, {}, clock};
      Held web;
      robots::look_up_driver<robots::ManualClock, Held> driver{clock, web, [] {}, 1};
      robots::look_up begun = cache.begin("https://example.com/");
      if (waits) {
        begun.on_response({.status = 503});
      }
      allocations_left = allowance;
      try {
        driver.start(std::move(begun), {});
      } catch (const std::bad_alloc&) {
        allocations_left = never;
        ++failures;
        CHECK(driver.size() == 0);
        CHECK(driver.fetching() == 0);
        CHECK(driver.has_room());
        CHECK(driver.next_run() == std::nullopt);
      }
      allocations_left = never;
      is_started = waits ? driver.size() == 1 : !web.open.empty();
    }
    CHECK(failures > 3);
  }
}

TEST_CASE("A look-up ends if its fetcher throws while there is no memory") {
  struct Exhausted {
    void async_fetch(const robots::fetch_request& /*request*/,
                     const std::function<void(robots::fetch_response)>& /*done*/) {
      allocations_left = 0;
      throw std::bad_alloc{};
    }
  };
  robots::ManualClock clock;
  robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock> cache{
      {.user_agent = "FooBot/1.0",
       .fallback = robots::fallback_policy::rfc9309(),
       .retry = {.attempts = 1}},
      {},
      clock};
  Exhausted web;
  robots::look_up_driver<robots::ManualClock, Exhausted> driver{clock, web, [] {}, 1};
  std::shared_ptr<const robots::policy> got;
  driver.start(cache.begin("https://example.com/"),
               [&got](const robots::look_up& ended) { got = ended.policy(); });
  for (int steps = 0; !got && steps < 10; ++steps) {
    allocations_left = never;
    driver.run();
  }
  allocations_left = never;
  REQUIRE(got);
  CHECK(got->outcome() == robots::outcome::unreachable);
  CHECK(driver.size() == 0);
  CHECK(driver.fetching() == 0);
}

TEST_CASE("A driver continues a look-up during which memory ran out") {
  const auto answer = [](Held& web, int status) {
    for (const auto& done : std::exchange(web.open, {})) {
      done({.status = status, .body = "User-agent: *\nDisallow: /private\n"});
    }
  };
  for (const int status : {200, 503}) {
    int failures = 0;
    for (bool has_failed = true; has_failed;) {
      REQUIRE(failures < 1'000);
      robots::ManualClock clock;
      robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock> cache{
          {.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::rfc9309()}, {}, clock};
      Held web;
      robots::look_up_driver<robots::ManualClock, Held> driver{clock, web, [] {}, 1};
      std::shared_ptr<const robots::policy> got;
      driver.start(cache.begin("https://example.com/"),
                   [&got](const robots::look_up& ended) { got = ended.policy(); });
      answer(web, status);
      allocations_left = failures;
      try {
        driver.run();
        has_failed = allocations_left == 0;  // `send` waits for memory without an exception
      } catch (const std::bad_alloc&) {
        has_failed = true;
      }
      allocations_left = never;
      failures += has_failed ? 1 : 0;
      for (int steps = 0; !got && steps < 10; ++steps) {
        const auto next = driver.next_run();
        if (next) {
          clock.sleep_until(*next, {});
        }
        driver.run();
        answer(web, 200);
      }
      REQUIRE(got);
      CHECK_FALSE(got->allows("/private"));
      CHECK(driver.size() == 0);
      CHECK(driver.fetching() == 0);
    }
    CHECK(failures > 3);
  }
}

TEST_CASE("A site in quarantine gets no requests, even if memory ran out when it began") {
  bool has_failed = true;
  for (int allowance = 0; has_failed; ++allowance) {
    REQUIRE(allowance < 1'000);
    robots::ScriptedFetcher web;
    web.otherwise(robots::ScriptedFetcher::ok("<html></html>"));
    robots::ManualClock clock;
    robots::SiteRulings rulings{{.quarantine_after = 1}};
    robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock,
                               robots::LruStorage<4096>, robots::NullObserver, robots::SiteRulings>
        cache{{.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::strict()},
              web,
              clock,
              {},
              {},
              rulings};
    const auto is_quarantined = [&] {
      return rulings.find("https://example.com").effect == robots::ruling_effect::quarantined;
    };
    allocations_left = allowance;
    try {
      static_cast<void>(cache.check("https://example.com/"));
      has_failed = allocations_left == 0;
    } catch (const std::bad_alloc&) {
      has_failed = true;
    }
    allocations_left = never;
    for (int retry = 0; retry < 3 && !is_quarantined(); ++retry) {
      clock.advance(std::chrono::days{8});
      static_cast<void>(cache.check("https://example.com/"));
    }
    CHECK(is_quarantined());
    const std::size_t requests = web.count();
    clock.advance(std::chrono::days{8});
    CHECK_FALSE(cache.allowed("https://example.com/"));
    CHECK(web.count() == requests);
  }
}

TEST_CASE("A process whose memory ran out knows each halt of its ledger after the next reading") {
  using namespace std::chrono_literals;
  const std::string host = std::string(60, 'h') + ".example";
  const std::string maker(100, 'm');
  const robots::MemoryRulingLedger shared;
  const auto begin = [&] {
    return robots::SiteRulings{
        {.ledger = std::make_shared<robots::MemoryRulingLedger>(shared), .poll = 0ms}};
  };
  robots::SiteRulings first = begin();
  REQUIRE(first.halt(host, maker).size() == 1);
  int failures = 0;
  for (bool has_failed = true; has_failed;) {
    REQUIRE(failures < 1'000);
    CAPTURE(failures);
    robots::SiteRulings late = begin();
    allocations_left = failures;
    try {
      has_failed = !late.catch_up();
    } catch (const std::bad_alloc&) {
      has_failed = true;
    }
    allocations_left = never;
    failures += has_failed ? 1 : 0;
    CHECK(late.catch_up());
    CHECK(late.find(host).effect == robots::ruling_effect::halted);
  }
  CHECK(failures > 3);
}

TEST_CASE("An own halt for which memory ran out holds and is sent if it is made again") {
  using namespace std::chrono_literals;
  const std::string host = std::string(60, 'h') + ".example";
  const std::string maker(100, 'm');
  for (const bool is_shared : {true, false}) {
    int failures = 0;
    for (bool has_failed = true; has_failed;) {
      REQUIRE(failures < 1'000);
      CAPTURE(failures);
      const robots::MemoryRulingLedger shared;
      robots::SiteRulings own{
          {.ledger = is_shared ? std::make_shared<robots::MemoryRulingLedger>(shared) : nullptr,
           .poll = 0ms}};
      REQUIRE(own.halt(host, maker).size() == 1);
      REQUIRE(own.resume(host, maker).size() == 1);
      allocations_left = failures;
      try {
        static_cast<void>(own.halt(host, maker));
        has_failed = !own.failure().empty();
      } catch (const std::bad_alloc&) {
        has_failed = true;
      }
      allocations_left = never;
      failures += has_failed ? 1 : 0;
      static_cast<void>(own.halt(host, maker));
      CHECK(own.catch_up());
      CHECK(own.unsent() == 0);
      CHECK(own.find(host).effect == robots::ruling_effect::halted);
    }
    CHECK(failures > 3);
  }
}

TEST_CASE("A listener to orders for which memory runs out is never called, in no thread") {
  int failures = 0;
  for (bool has_failed = true; has_failed;) {
    REQUIRE(failures < 1'000);
    CAPTURE(failures);
    robots::SiteRulings rulings;
    REQUIRE(rulings.halt("in-force.example").size() == 1);
    // The first listener holds the thread that reports orders, until memory runs out.
    std::promise<void> is_held;
    std::promise<void> may_go_on;
    const auto first = rulings.on_order([&](const robots::ruling_order& /*order*/) {
      is_held.set_value();
      may_go_on.get_future().wait();
    });
    std::promise<void> has_reported;
    std::thread reporter{[&] {
      static_cast<void>(rulings.raise_halt("new.example", robots::halt_reason::hostile, "rules 1"));
      has_reported.set_value();
    }};
    is_held.get_future().wait();
    before_failure = [&] {
      may_go_on.set_value();
      has_reported.get_future().wait();
    };
    int calls = 0;
    std::shared_ptr<const void> second;
    std::function<void(const robots::ruling_order&, robots::order_news)> count_calls =
        [&calls](const auto& /*order*/, robots::order_news /*why*/) { ++calls; };
    allocations_left = failures;
    try {
      second = rulings.on_news(std::move(count_calls));
      has_failed = false;
    } catch (const std::bad_alloc&) {
      has_failed = true;
    }
    allocations_left = never;
    failures += has_failed ? 1 : 0;
    if (!has_failed) {
      std::exchange(before_failure, nullptr);
      may_go_on.set_value();
    }
    reporter.join();
    CHECK((calls > 0) == !has_failed);
  }
  CHECK(failures > 3);
}

TEST_CASE("A cache and its listeners are made whole, or the call throws std::bad_alloc") {
  const robots::ManualClock clock;
  const robots::cache_options options{.user_agent = "FooBot/1.0 (+https://foo.example/bot)",
                                      .fallback = robots::fallback_policy::rfc9309()};
  using cache = robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock>;
  bool is_made = false;
  int failures = 0;
  for (int allocations = 0; !is_made && allocations < 1'000; ++allocations) {
    robots::ScriptedFetcher web;
    auto copied = options;
    allocations_left = allocations;
    try {
      cache whole{std::move(copied), std::move(web), clock};
      const auto denials = whole.on_denial([](std::string_view) {});
      const auto moves = clock.on_move([] {});
      is_made = true;
    } catch (const std::bad_alloc&) {
      ++failures;
    }
    allocations_left = never;
  }
  CHECK(is_made);
  CHECK(failures > 20);
}

TEST_CASE("A gate whose memory ran out grants later reservations") {
  const std::string url = "https://a-host-with-a-long-name.example/";
  robots::gate_options options;
  options.key = [](std::string_view) { return std::string(100, 'k'); };
  bool is_done = false;
  int failures = 0;
  for (int allowance = 0; !is_done; ++allowance) {
    REQUIRE(allowance < 1'000);
    robots::basic_host_gate<robots::ManualClock> gate{options};
    allocations_left = allowance;
    try {
      auto first = gate.try_reserve(url);
      static_cast<void>(first.reservation.start());
      first.reservation.complete({.status = 200});
      auto second = gate.try_reserve(url);
      static_cast<void>(second.reservation.start());  // it is too early
      second.reservation.cancel();
      gate.acquire(url).reservation.complete({.status = 200});
      gate.note_request(url, {.status = 200});
      gate.withdraw(url);
      is_done = true;
    } catch (const std::bad_alloc&) {
      ++failures;
    }
    allocations_left = never;
    CHECK(gate.waiting(url) == 0);
    CHECK(gate.try_reserve(url));
  }
  CHECK(failures > 5);
}

TEST_CASE("A reservation whose clock fails can still be completed") {
  struct FailingClock : robots::ManualClock {
    explicit FailingClock(bool& its_failure) : fails{&its_failure} {}
    [[nodiscard]] robots::time_point now() const {
      if (*fails) {
        throw std::bad_alloc{};
      }
      return ManualClock::now();
    }
    bool* fails;
  };
  bool fails = false;
  robots::basic_host_gate<FailingClock> gate{{}, FailingClock{fails}};
  auto got = gate.acquire("https://example.com/");
  REQUIRE(got);
  fails = true;
  CHECK_THROWS_AS(got.reservation.complete({.status = 200}), std::bad_alloc);
  fails = false;
  CHECK(got.reservation);
  got.reservation.complete({.status = 200});
  CHECK(gate.try_reserve("https://example.com/"));
}

TEST_CASE("A waiter that throws does not keep the news from the other waiters") {
  robots::cache_detail::single_flight flights;
  const auto first = flights.join("example.com");
  const auto second = flights.join("example.com");
  const auto third = flights.join("example.com");
  int called = 0;
  for (const auto* place : {&first.place, &second.place, &third.place}) {
    place->on_news([&called] {
      ++called;
      throw std::bad_alloc{};
    });
  }
  CHECK_THROWS_AS(flights.end(*first.lead, {}), std::bad_alloc);
  CHECK(called == 3);
}

TEST_CASE("If memory runs out for a ruling, its host takes no memory either") {
  constexpr int plenty = 1'000;
  robots::rulings_detail::ruling_table table;
  // Makes or ends the halt of a host, and returns how many allocations this took.
  const auto put = [&table](std::string site, std::string value) {
    robots::ruling_order order{.site = std::move(site),
                               .kind = robots::ruling_kind::halt,
                               .value = std::move(value),
                               .maker = "ann"};
    allocations_left = plenty;
    table.put(std::move(order));
    return plenty - std::exchange(allocations_left, never);
  };
  put("first.example", "by_hand");  // makes room for more hosts
  const int needed = put("second.example", "by_hand");
  CHECK(needed > 1);
  for (int allowed = 0; allowed < needed; ++allowed) {
    put("second.example", "");
    robots::ruling_order order{
        .site = "second.example", .kind = robots::ruling_kind::halt, .value = "by_hand"};
    bool has_failed = false;
    allocations_left = allowed;
    try {
      table.put(std::move(order));
    } catch (const std::bad_alloc&) {
      has_failed = true;
    }
    allocations_left = never;
    CHECK(has_failed);
    CHECK(table.size() == 1);
    CHECK(put("second.example", "by_hand") == needed);  // as if nobody had tried
  }
}
