// Every duration option at its extremes: the constructor refuses the value, or the value works.
// UndefinedBehaviorSanitizer finds overflows.
#include "cache_fixture.hpp"
#include "rulings/ruled_cache.hpp"
#include "support/extremes.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/tiered_storage.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/memory_store.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using robots::basic_host_gate;
using robots::cache_options;
using robots::fallback_policy;
using robots::gate_options;
using robots::ManualClock;
using robots::request_report;
using robots::rulings_options;
using robots::ScriptedFetcher;
using robots::tiered_options;
using robots::time_point;
using robots::test::extremes;
using robots::test::home;
using robots::test::ok;
using robots::test::robots_url;
using robots::test::secret;

namespace {

/// Sets an option, by name, to one of its extremes.
template <class Options>
struct setting {
  std::string_view name;
  std::function<void(Options&, std::size_t extreme)> set;
};

/// Sets a duration to one of its extremes.
template <class Rep, class Period>
void set_extreme(std::chrono::duration<Rep, Period>& option, std::size_t extreme) {
  option = extremes<std::chrono::duration<Rep, Period>>[extreme];
}

template <class Duration>
void set_extreme(std::optional<Duration>& option, std::size_t extreme) {
  option = extremes<Duration>[extreme];
}

constexpr std::size_t extreme_count = extremes<std::chrono::seconds>.size();

/// Visits a site that changes, fails, sends Retry-After and recovers. Checks that no disallowed
/// page is allowed, whatever the durations are.
void visit_with_rulings(const rulings_options& rulings, const cache_options& options) {
  robots::test::ruled_process process{rulings, options};
  auto& web = process.web;
  auto& clock = process.clock;
  auto& cache = process.cache;
  web.on(robots_url, ok("User-agent: *\nDisallow: /private\nCrawl-delay: 5\n"),
         ok("User-agent: *\nDisallow: /private\nDisallow: /a\nDisallow: /b\n",
            {{"Cache-Control", "max-age=9223372036854775807"}}),
         ScriptedFetcher::status(503), ScriptedFetcher::status(429, {{"Retry-After", "20"}}),
         ScriptedFetcher::failure(robots::fetch_error::timeout),
         ok("User-agent: *\nDisallow: /\n"));
  for (const auto pause : {0s, 1s, 301s, 3'601s, 90'000s, 2'678'401s, 0s, 90'000s}) {
    clock.advance(pause);
    CHECK_FALSE(cache.allowed(secret));
    static_cast<void>(cache.refresh(home));
    CHECK_FALSE(cache.allowed(secret));
  }
  for (const auto longest : extremes<std::chrono::milliseconds>) {
    CHECK_FALSE(cache.check(secret, {.timeout = longest}).allowed);
    static_cast<void>(cache.refresh(home, {.timeout = longest}));
  }
  for (const time_point deadline : {time_point::min(), time_point{}, time_point::max()}) {
    CHECK_FALSE(cache.check(secret, {.deadline = deadline}).allowed);
    static_cast<void>(cache.refresh(home, {.deadline = deadline}));
  }
}

void visit(const cache_options& options) { visit_with_rulings({}, options); }

/// Visits a site from two processes with a shared store. One of them invalidates the site.
void share(const tiered_options& options) {
  using storage = robots::TieredStorage<robots::LruStorage<4>, robots::MemoryStore<ManualClock>>;
  ScriptedFetcher web;
  const ManualClock clock;
  robots::MemoryStore<ManualClock> store{clock};
  web.on(robots_url, ok());
  // A call can return before it has published. Then others would wait on a clock that stands still.
  const auto wait_for_record = [&store] {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (!store.load("https://example.com") && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
    CHECK(store.load("https://example.com"));
  };
  const cache_options crawler{.user_agent = "FooBot/1.0", .fallback = fallback_policy::rfc9309()};
  robots::basic_robots_cache<ScriptedFetcher, ManualClock, storage> first{
      crawler, web, clock, storage{robots::LruStorage<4>{}, store, options}};
  robots::basic_robots_cache<ScriptedFetcher, ManualClock, storage> second{
      crawler, web, clock, storage{robots::LruStorage<4>{}, store, options}};
  CHECK_FALSE(first.allowed(secret));
  wait_for_record();
  CHECK_FALSE(second.allowed(secret));
  first.invalidate(home);
  CHECK_FALSE(first.allowed(secret));
  wait_for_record();
  CHECK_FALSE(second.allowed(secret));
}

/// Visits a site whose lease belongs to a process that never publishes.
void wait_for_lease(const tiered_options& options) {
  using storage = robots::TieredStorage<robots::LruStorage<4>, robots::MemoryStore<ManualClock>>;
  ScriptedFetcher web;
  const ManualClock clock;
  robots::MemoryStore<ManualClock> store{clock};
  web.on(robots_url, ok());
  CHECK(store.try_lease("example.com", 10s));
  robots::basic_robots_cache<ScriptedFetcher, ManualClock, storage> cache{
      {.user_agent = "FooBot/1.0", .fallback = fallback_policy::rfc9309()},
      web,
      clock,
      storage{robots::LruStorage<4>{}, store, options}};
  auto call = std::async(std::launch::async, [&cache] { return cache.allowed(secret); });
  while (call.wait_for(0s) != std::future_status::ready) {
    clock.advance(10ms);
    std::this_thread::yield();
  }
  CHECK_FALSE(call.get());
}

/// Sends three requests to a host that is slow, overloaded and normal again.
void pace(const gate_options& options) {
  ManualClock clock;
  basic_host_gate<ManualClock> gate{options, clock};
  for (const int status : {200, 503, 200}) {
    auto got = gate.try_reserve(home, {});
    if (!got) {
      return;  // some options close a host forever
    }
    static_cast<void>(gate.next_allowed_at(home, {}));
    clock.advance(1h);
    auto more = gate.try_acquire(home, {});
    request_report report{.response_time = 2s, .status = status};
    report.retry_after = std::chrono::seconds::max();
    got.reservation.complete(report);
    clock.advance(1h);
  }
}

/// Tries `use` with options that have one duration at one extreme. Returns how many combinations
/// were accepted, rather than refused by `std::invalid_argument`.
template <class Options>
std::size_t accepted(const Options& good, const std::vector<setting<Options>>& table,
                     const std::function<void(const Options&)>& use) {
  std::size_t count = 0;
  for (const setting<Options>& row : table) {
    for (std::size_t extreme = 0; extreme < extreme_count; ++extreme) {
      CAPTURE(row.name);
      CAPTURE(extreme);
      Options options = good;
      row.set(options, extreme);
      try {
        use(options);
        ++count;
      } catch (const std::invalid_argument&) {
        continue;
      }
    }
  }
  return count;
}

}  // namespace

TEST_CASE("Every duration of cache_options works at its extremes or is refused") {
  const std::vector<setting<cache_options>> table{
      {"timeout", [](cache_options& o, std::size_t extreme) { set_extreme(o.timeout, extreme); }},
      {"longest_call",
       [](cache_options& o, std::size_t extreme) { set_extreme(o.longest_call, extreme); }},
      {"default_ttl",
       [](cache_options& o, std::size_t extreme) { set_extreme(o.default_ttl, extreme); }},
      {"min_ttl", [](cache_options& o, std::size_t extreme) { set_extreme(o.min_ttl, extreme); }},
      {"max_ttl", [](cache_options& o, std::size_t extreme) { set_extreme(o.max_ttl, extreme); }},
      {"failure_ttl",
       [](cache_options& o, std::size_t extreme) { set_extreme(o.failure_ttl, extreme); }},
      {"unreachable_ttl",
       [](cache_options& o, std::size_t extreme) { set_extreme(o.unreachable_ttl, extreme); }},
      {"max_failure_ttl",
       [](cache_options& o, std::size_t extreme) { set_extreme(o.max_failure_ttl, extreme); }},
      {"last_good_for",
       [](cache_options& o, std::size_t extreme) { set_extreme(o.last_good_for, extreme); }},
      {"no_file_after",
       [](cache_options& o, std::size_t extreme) { set_extreme(o.no_file_after, extreme); }},
      {"stale_while_revalidate",
       [](cache_options& o, std::size_t extreme) {
         set_extreme(o.stale_while_revalidate, extreme);
       }},
      {"retry.base",
       [](cache_options& o, std::size_t extreme) { set_extreme(o.retry.base, extreme); }},
      {"retry.cap",
       [](cache_options& o, std::size_t extreme) { set_extreme(o.retry.cap, extreme); }},
      {"retry.max_retry_after",
       [](cache_options& o, std::size_t extreme) {
         set_extreme(o.retry.max_retry_after, extreme);
       }},
      {"breaker.cooldown",
       [](cache_options& o, std::size_t extreme) { set_extreme(o.breaker.cooldown, extreme); }},
  };
  const cache_options good{.user_agent = "FooBot/1.0", .fallback = fallback_policy::rfc9309()};
  CHECK(accepted<cache_options>(good, table, visit) >= 3 * table.size());
}

TEST_CASE("Every duration of rulings_options works at its extremes or is refused") {
  const std::vector<setting<rulings_options>> table{
      {"poll", [](rulings_options& o, std::size_t extreme) { set_extreme(o.poll, extreme); }},
      {"fast_change_within",
       [](rulings_options& o, std::size_t extreme) { set_extreme(o.fast_change_within, extreme); }},
      {"halt_unreachable_after",
       [](rulings_options& o, std::size_t extreme) {
         set_extreme(o.halt_unreachable_after, extreme);
       }},
  };
  const cache_options crawler{.user_agent = "FooBot/1.0", .fallback = fallback_policy::rfc9309()};
  const auto visit_site = [&](const rulings_options& rulings) {
    visit_with_rulings(rulings, crawler);
  };
  CHECK(accepted<rulings_options>({}, table, visit_site) >= 2 * table.size());
}

TEST_CASE("Every duration of tiered_options works at its extremes or is refused") {
  const std::vector<setting<tiered_options>> table{
      {"lease", [](tiered_options& o, std::size_t extreme) { set_extreme(o.lease, extreme); }},
      {"wait", [](tiered_options& o, std::size_t extreme) { set_extreme(o.wait, extreme); }},
      {"poll", [](tiered_options& o, std::size_t extreme) { set_extreme(o.poll, extreme); }},
      {"patience",
       [](tiered_options& o, std::size_t extreme) { set_extreme(o.patience, extreme); }},
      {"clock_skew",
       [](tiered_options& o, std::size_t extreme) { set_extreme(o.clock_skew, extreme); }},
      {"breaker.cooldown",
       [](tiered_options& o, std::size_t extreme) { set_extreme(o.breaker.cooldown, extreme); }},
  };
  CHECK(accepted<tiered_options>({}, table, share) >= 2 * table.size());
  CHECK(accepted<tiered_options>({}, table, wait_for_lease) >= 2 * table.size());
}

TEST_CASE("Every duration of gate_options works at its extremes or is refused") {
  const std::vector<setting<gate_options>> table{
      {"delay.fixed_delay",
       [](gate_options& o, std::size_t extreme) { set_extreme(o.delay.fixed_delay, extreme); }},
      {"delay.floor",
       [](gate_options& o, std::size_t extreme) { set_extreme(o.delay.floor, extreme); }},
      {"delay.cap",
       [](gate_options& o, std::size_t extreme) { set_extreme(o.delay.cap, extreme); }},
      {"delay.response_cap",
       [](gate_options& o, std::size_t extreme) { set_extreme(o.delay.response_cap, extreme); }},
      {"slow_down.first",
       [](gate_options& o, std::size_t extreme) { set_extreme(o.slow_down.first, extreme); }},
      {"slow_down.most",
       [](gate_options& o, std::size_t extreme) { set_extreme(o.slow_down.most, extreme); }},
      {"slow_down.lasts",
       [](gate_options& o, std::size_t extreme) { set_extreme(o.slow_down.lasts, extreme); }},
      {"most_retry_after",
       [](gate_options& o, std::size_t extreme) { set_extreme(o.most_retry_after, extreme); }},
      {"memory", [](gate_options& o, std::size_t extreme) { set_extreme(o.memory, extreme); }},
      {"longest_memory",
       [](gate_options& o, std::size_t extreme) { set_extreme(o.longest_memory, extreme); }},
      {"ledger_patience",
       [](gate_options& o, std::size_t extreme) { set_extreme(o.ledger_patience, extreme); }},
  };
  CHECK(accepted<gate_options>({}, table, pace) >= 2 * table.size());
}
