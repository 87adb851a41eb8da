#include "cache/cache_fixture.hpp"
#include "gate_fixture.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/fetch/scripted_fetcher.hpp>
#include <robots/polite/admission.hpp>
#include <robots/polite/policy_source.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/time/manual_clock.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using robots::admission_options;
using robots::admission_reason;
using robots::explain;
using robots::gate_options;
using robots::ManualClock;
using robots::request_report;
using robots::ScriptedFetcher;
using robots::start_limit;
using robots::time_point;
using robots::test::gate_with;

static_assert(to_string(admission_reason::go) == "go");
static_assert(to_string(admission_reason::excluded) == "excluded");
static_assert(to_string(admission_reason::invalid_url) == "invalid_url");
static_assert(to_string(admission_reason::disallowed) == "disallowed");
static_assert(to_string(admission_reason::skip_host) == "skip_host");
static_assert(to_string(admission_reason::busy) == "busy");
static_assert(to_string(admission_reason::not_yet) == "not_yet");
static_assert(to_string(admission_reason::no_room) == "no_room");
static_assert(to_string(admission_reason::stopped) == "stopped");
static_assert(to_string(admission_reason::too_late) == "too_late");

using cache_type = robots::test::scripted_cache;

constexpr request_report fine{.response_time = 10ms, .status = 200};

gate_options two_seconds() {
  gate_options made = gate_with(0s);
  made.delay.floor = 2s;
  return made;
}

/// A crawler's parts over a scripted web.
struct crawler {
  explicit crawler(gate_options options = two_seconds(), admission_options more = {})
      : cache({.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::rfc9309()}, web,
              clock),
        gate(std::move(options), clock),
        front(cache, gate, std::move(more)) {
    web.on("https://example.com/robots.txt",
           ScriptedFetcher::ok("User-agent: *\nDisallow: /private\nCrawl-delay: 10\n"));
  }

  ScriptedFetcher web;
  ManualClock clock;
  cache_type cache;
  robots::basic_host_gate<ManualClock> gate;
  robots::basic_admission<cache_type, ManualClock> front;
};

}  // namespace

TEST_CASE("an admitted URL goes at its time, and says why and when") {
  crawler of;
  const time_point begin = of.clock.now();
  auto first = of.front.admit("https://example.com/a");
  REQUIRE(first);
  CHECK(first.reason == admission_reason::go);
  // robots.txt was a request, too.
  CHECK(first.slot.at() == begin + 10s);
  CHECK(explain(first) ==
        "go in 10.000 s: delay of 10.000 s (crawl_delay); allowed: no rule matches");
  first.slot.complete(fine);
  auto second = of.front.admit("https://example.com/b");
  CHECK(second.slot.at() == begin + 20s);
  CHECK(second.decision.from_cache);
  CHECK(of.web.count() == 1);
}

TEST_CASE("what robots.txt disallows takes no place in the line") {
  crawler of;
  const auto got = of.front.admit("https://example.com/private/x");
  CHECK_FALSE(got);
  CHECK(got.reason == admission_reason::disallowed);
  CHECK(explain(got) == "refused: not allowed: disallow \"/private\", line 2, for *");
  CHECK(of.front.try_reserve("https://example.com/a"));
}

TEST_CASE("an excluded host is asked for nothing, not even robots.txt") {
  crawler of{two_seconds(), {.excluded = {"gov"}}};
  const auto got = of.front.admit("https://agency.gov/");
  CHECK(got.reason == admission_reason::excluded);
  CHECK(explain(got) == "refused: not allowed: the host is excluded");
  CHECK(of.web.count() == 0);
  CHECK_THROWS_AS((crawler{two_seconds(), {.excluded = {"a b"}}}), std::invalid_argument);
}

TEST_CASE("a text that is no URL is refused") {
  crawler of{two_seconds(), {.excluded = {"gov"}}};
  for (const char* text : {"", "mailto:a@b", "https://"}) {
    CHECK(of.front.admit(text).reason == admission_reason::invalid_url);
    CHECK(explain(of.front.admit(text)) == "refused: not allowed: not an http or https URL");
  }
  // A host without a scheme has rules, but it is no URL that could be fetched.
  CHECK(of.front.admit("example.com/").reason == admission_reason::invalid_url);
}

TEST_CASE("where a robots.txt cannot be had, the fallback policy decides") {
  crawler of;
  const auto got = of.front.admit("https://unreachable.example/");
  CHECK(got.reason == admission_reason::disallowed);
  CHECK(explain(got) == "refused: not allowed: fallback: unreachable (scripted: connect)");
}

TEST_CASE("every refusal of the gate is told with the time") {
  crawler of;
  auto held = of.front.try_reserve("https://example.com/a");
  CHECK(of.front.try_reserve("https://example.com/b").reason == admission_reason::busy);
  held.slot.cancel();
  const auto early = of.front.try_admit("https://example.com/b");
  CHECK(early.reason == admission_reason::not_yet);
  CHECK(explain(early) ==
        "refused: not_yet, in 10.000 s: delay of 10.000 s (crawl_delay); "
        "allowed: no rule matches");
  const auto late = of.front.admit("https://example.com/b", {.deadline = of.clock.now() + 1s});
  CHECK(late.reason == admission_reason::too_late);
  std::stop_source stop;
  stop.request_stop();
  CHECK(of.front.admit("https://example.com/b", {.stop = stop.get_token()}).reason ==
        admission_reason::stopped);

  gate_options strict = two_seconds();
  strict.delay.cap = 5s;
  strict.delay.above_cap = robots::above_cap::skip_host;
  crawler impatient{strict};
  const auto skipped = impatient.front.admit("https://example.com/b");
  CHECK(skipped.reason == admission_reason::skip_host);
  CHECK(explain(skipped) ==
        "refused: skip_host, never: crawl_delay asks for 10.000 s, more than the cap; "
        "allowed: no rule matches");

  gate_options small = two_seconds();
  small.max_hosts = 1;
  crawler forgetful{small};
  forgetful.gate.note_request("https://other.example/", forgetful.clock.now());
  CHECK(forgetful.front.admit("https://example.com/b").reason == admission_reason::no_room);
}

TEST_CASE("an open breaker holds requests back") {
  time_point until{};
  crawler of{two_seconds(), {.breaker = [&](std::string_view url) -> std::optional<time_point> {
               CHECK(url == "https://example.com/a");
               return until;
             }}};
  until = of.clock.now() + 1min;
  CHECK(of.front.next_allowed_at("https://example.com/a").decided_by == start_limit::breaker);
  const auto got = of.front.try_admit("https://example.com/a");
  CHECK(got.reason == admission_reason::not_yet);
  CHECK(got.plan.at == until);
}

TEST_CASE("threads that crawl one site are admitted one by one, each URL once") {
  crawler of;
  constexpr std::size_t threads = 8;
  constexpr std::size_t pages = 10;
  std::mutex mutex;
  std::set<time_point> starts;
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < threads; ++i) {
      workers.emplace_back([&, i] {
        for (std::size_t k = 0; k < pages; ++k) {
          auto got = of.front.admit("https://example.com/" + std::to_string(i * pages + k));
          const std::lock_guard lock{mutex};
          starts.insert(got.slot.at());
          got.slot.complete(fine);
        }
      });
    }
  }
  REQUIRE(starts.size() == threads * pages);
  for (auto next = std::next(starts.begin()); next != starts.end(); ++next) {
    CHECK(*next - *std::prev(next) >= 10s);
  }
  CHECK(of.web.count() == 1);
}
