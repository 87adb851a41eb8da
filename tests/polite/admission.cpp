#include <robots/polite/admission.hpp>

#include "cache/cache_fixture.hpp"
#include "gate_fixture.hpp"
#include "rulings/ruled_cache.hpp"
#include "support/memory_pace_ledger.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/observe/metrics.hpp>
#include <robots/policy/fwd.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using robots::admission_reason;
using robots::explain;
using robots::gate_options;
using robots::ManualClock;
using robots::ScriptedFetcher;
using robots::start_limit;
using robots::time_point;
using robots::test::fine;
using robots::test::gate_with;

using cache_type = robots::test::scripted_cache;
using robots::test::ruled_cache;
using timed_cache =
    robots::basic_robots_cache<ScriptedFetcher, robots::SteadyClock, robots::LruStorage<4096>,
                               robots::NullObserver, robots::SiteRulings>;

gate_options two_seconds() {
  gate_options options = gate_with(0s);
  options.delay.floor = 2s;
  return options;
}

/// Collects the URLs that a person must review.
struct review_list {
  std::shared_ptr<std::vector<std::string>> urls = std::make_shared<std::vector<std::string>>();
  std::shared_ptr<std::mutex> mutex = std::make_shared<std::mutex>();

  void on(const robots::admission_event& event) const {
    if (event.needs_review) {
      const std::scoped_lock lock{*mutex};
      urls->emplace_back(event.url);
    }
  }
};

/// A crawler's parts over a scripted web.
struct crawler {
  explicit crawler(gate_options options = two_seconds())
      : cache({.user_agent = "FooBot/1.0",
               .fallback = robots::fallback_policy::rfc9309(),
               .excluded = {"gov"}},
              web, clock),
        gate(std::move(options), clock),
        front(cache, gate) {
    web.on("https://example.com/robots.txt",
           ScriptedFetcher::ok("User-agent: *\nDisallow: /private\nCrawl-delay: 10\n"));
  }

  ScriptedFetcher web;
  ManualClock clock;
  cache_type cache;
  robots::basic_host_gate<ManualClock> gate;
  robots::basic_admission<cache_type> front;
};

/// A crawler that counts its decisions, in a web whose sites all have the same robots.txt.
struct measured_crawler {
  using cache_type = robots::basic_robots_cache<ScriptedFetcher, ManualClock,
                                                robots::LruStorage<64>, robots::Metrics>;

  explicit measured_crawler(const char* robots_txt)
      : cache{{.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::rfc9309()},
              web,
              clock,
              {},
              metrics},
        gate{two_seconds(), clock},
        front{cache, gate} {
    web.otherwise(ScriptedFetcher::ok(robots_txt));
  }

  ManualClock clock;
  ScriptedFetcher web;
  robots::Metrics metrics;
  cache_type cache;
  robots::basic_host_gate<ManualClock> gate;
  robots::basic_admission<cache_type> front;
};

}  // namespace

TEST_CASE("If one site denies a page, a page of another site with the same pace is not refused") {
  struct HaltingLedger : robots::test::MemoryPaceLedger {
    using MemoryPaceLedger::MemoryPaceLedger;

    [[nodiscard]] std::chrono::nanoseconds take_turn(std::string_view host,
                                                     const claim& asked) override {
      if (on_turn) {
        std::exchange(on_turn, {})();
      }
      return MemoryPaceLedger::take_turn(host, asked);
    }

    std::function<void()> on_turn{};
  };
  for (const bool may_wait : {true, false}) {
    ManualClock clock;
    const auto ledger = std::make_shared<HaltingLedger>(
        std::make_shared<robots::test::MemoryPaceLedger::table>(clock));
    ScriptedFetcher web;
    web.otherwise(ScriptedFetcher::ok("User-agent: *\nDisallow: /private\n"));
    ruled_cache cache{
        {.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::rfc9309()}, web, clock};
    gate_options options = gate_with(0s);
    options.key = [](std::string_view /*url*/) { return std::string{"one pace"}; };
    options.ledger = ledger;
    robots::basic_host_gate<ManualClock> gate{options, clock};
    robots::basic_admission<ruled_cache> front{cache, gate};
    CHECK_FALSE(cache.allowed("https://b.test/private"));
    CHECK(cache.allowed("https://a.test/"));
    clock.advance(1h);

    ledger->on_turn = [&] {
      cache.rulings().override_with("https://b.test/", robots::site_override::deny);
    };
    const auto answer =
        may_wait ? front.admit("https://a.test/") : front.try_admit("https://a.test/");
    CHECK_FALSE(ledger->on_turn);
    CHECK(to_string(answer.reason) == "go");
    CHECK_FALSE(cache.allowed("https://b.test/"));
  }
}

TEST_CASE("A URL starts at its reserved time, and the answer has the reason and the time") {
  crawler of;
  const time_point begin = of.clock.now();
  auto first = of.front.admit("https://example.com/a");
  REQUIRE(first);
  CHECK(first.reason == admission_reason::go);
  // The fetch of robots.txt counts as a request.
  CHECK(first.reservation.at() == begin + 10s);
  CHECK(explain(first) ==
        "go in 10.000 s: delay of 10.000 s (crawl_delay); allowed: no rule matches");
  first.reservation.complete(fine);
  auto second = of.front.admit("https://example.com/b");
  CHECK(second.reservation.at() == begin + 20s);
  CHECK(second.decision.from_cache);
  CHECK(of.web.count() == 1);
}

TEST_CASE("A URL is counted and reported once, with or without a wait") {
  measured_crawler of{"User-agent: *\nDisallow: /private\nCrawl-delay: 10\n"};
  const std::string page = "https://example.com/";
  for (int i = 0; i < 10; ++i) {
    auto got = of.front.admit(page + std::to_string(i));
    REQUIRE(got);
    got.reservation.complete(fine);
    CHECK_FALSE(of.front.admit(page + "private"));
  }
  auto reserved = of.front.try_reserve(page);
  REQUIRE(reserved);
  of.clock.advance(10s);
  CHECK(reserved.reservation.start());
  CHECK(of.cache.stats().allowed == 11);
  CHECK(of.cache.stats().denied == 10);
  CHECK(of.metrics.snapshot().allowed == 11);
  CHECK(of.metrics.snapshot().denied == 10);
  CHECK(of.gate.stats().answers[admission_reason::go] == 11);
}

TEST_CASE("A refused page counts once, whether complete, report_response or both report it") {
  measured_crawler of{"User-agent: *\nDisallow: /private\n"};
  for (std::uint64_t way = 0; way < 3; ++way) {
    const std::string page = "https://example.com/" + std::to_string(way);
    auto got = of.front.admit(page);
    REQUIRE(got);
    if (way == 1) {
      CHECK(of.cache.report_response(page, 403));
    }
    got.reservation.complete({.status = 403});
    got.reservation.complete({.status = 403});
    if (way == 2) {
      CHECK(of.cache.report_response(page, 403));
    }
    CHECK(of.metrics.snapshot().revocations == way + 1);
  }
}

TEST_CASE("A reservation that is completed with a demand for a licence revokes no access") {
  measured_crawler of{"User-agent: *\nDisallow: /private\n"};
  const std::vector<robots::http_header> demand{{"WWW-Authenticate", "License"}};
  auto got = of.front.admit("https://example.com/paid");
  REQUIRE(got);
  got.reservation.complete({.status = 401}, demand);
  CHECK(of.metrics.snapshot().licence_demands == 1);
  CHECK(of.metrics.snapshot().revocations == 0);
}

TEST_CASE("A disallowed URL gets no reservation") {
  crawler of;
  const auto got = of.front.admit("https://example.com/private/x");
  CHECK_FALSE(got);
  CHECK(got.reason == admission_reason::disallowed);
  CHECK(explain(got) == "refused: not allowed: disallow \"/private\", line 2, for *");
  CHECK(of.front.try_reserve("https://example.com/a"));
}

TEST_CASE("An excluded host gets no request, not even for robots.txt") {
  crawler of;
  const auto got = of.front.admit("https://agency.gov/");
  CHECK(got.reason == admission_reason::excluded);
  CHECK(explain(got) == "refused: not allowed: the host is excluded");
  CHECK(of.web.count() == 0);
  CHECK(of.cache.stats().excluded == 1);
}

TEST_CASE("A text that is not a URL is refused") {
  crawler of;
  for (const char* text : {"", "mailto:a@b", "https://"}) {
    CHECK(of.front.admit(text).reason == admission_reason::invalid_url);
    CHECK(explain(of.front.admit(text))
              .starts_with("refused: not allowed: not an http or https URL: "));
  }
  // A host without a scheme has rules, but no page can be requested from it.
  CHECK(of.front.admit("example.com/").reason == admission_reason::invalid_url);
}

TEST_CASE("If a robots.txt is unavailable, the fallback policy decides") {
  crawler of;
  const auto got = of.front.admit("https://unreachable.example/");
  CHECK(got.reason == admission_reason::disallowed);
  CHECK(explain(got) == "refused: not allowed: fallback: unreachable (scripted: connect)");
}

TEST_CASE("If a call ends before robots.txt comes, the reason says so") {
  crawler of;
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = of.front.admit("https://new.example/", {.stop = stop.get_token()});
  CHECK(stopped.reason == admission_reason::stopped);
  CHECK_FALSE(stopped.decision.allowed);
  CHECK(of.front.try_admit("https://new.example/", {.deadline = of.clock.now()}).reason ==
        admission_reason::too_late);
}

TEST_CASE("Every refusal by the gate has its reason") {
  crawler of;
  auto held = of.front.try_reserve("https://example.com/a");
  CHECK(of.front.try_reserve("https://example.com/b").reason == admission_reason::busy);
  held.reservation.cancel();
  const auto early = of.front.try_admit("https://example.com/b");
  CHECK(early.reason == admission_reason::not_yet);
  CHECK(explain(early) ==
        "not now: not_yet; next start in 10.000 s: delay of 10.000 s (crawl_delay); robots.txt: "
        "allowed: no rule matches");
  const auto late = of.front.admit("https://example.com/b", {.deadline = of.clock.now() + 1s});
  CHECK(late.reason == admission_reason::too_late);
  std::stop_source stop;
  stop.request_stop();
  CHECK(of.front.admit("https://example.com/b", {.stop = stop.get_token()}).reason ==
        admission_reason::stopped);

  gate_options strict = two_seconds();
  strict.delay.cap = 5s;
  strict.delay.skip_above_cap = true;
  crawler impatient{strict};
  const auto skipped = impatient.front.admit("https://example.com/b");
  CHECK(skipped.reason == admission_reason::skip_host);
  CHECK(explain(skipped) ==
        "refused: skip_host; next start never: crawl_delay asks for 10.000 s, more than the cap; "
        "robots.txt: "
        "allowed: no rule matches");

  gate_options small = two_seconds();
  small.max_hosts = 1;
  crawler forgetful{small};
  forgetful.gate.note_request("https://other.example/", {});
  CHECK(forgetful.front.admit("https://example.com/b").reason == admission_reason::no_room);
}

TEST_CASE("Threads that crawl one site are admitted one after another, each URL once") {
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
          starts.insert(got.reservation.at());
          got.reservation.complete(fine);
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

TEST_CASE("A reserved request does not start if the site has changed to allow nothing") {
  crawler of;
  auto reserved = of.front.try_reserve("https://example.com/a");
  REQUIRE(reserved);
  of.web.on("https://example.com/robots.txt", ScriptedFetcher::ok("User-agent: *\nDisallow: /\n"));
  of.cache.invalidate("https://example.com/");
  CHECK(reserved.reservation.start().ask_again == reserved.plan.at);
  CHECK(of.web.count() == 1);
  of.clock.advance(10s);
  CHECK(reserved.reservation.start().reason == admission_reason::disallowed);
  CHECK_FALSE(reserved.reservation);
  CHECK(of.gate.stats().cancelled == 1);
  // Another request can be reserved.
  CHECK(of.gate.try_reserve("https://example.com/"));
}

TEST_CASE("A waiter whose URL is not allowed any more gets the reason") {
  crawler of;
  auto first = of.front.try_reserve("https://example.com/a");
  std::thread waiter{[&] {
    const auto got = of.front.admit("https://example.com/b");
    CHECK(got.reason == admission_reason::disallowed);
    CHECK_FALSE(got.reservation);
    CHECK(explain(got) == "refused: not allowed: disallow \"/\", line 2, for *");
  }};
  while (of.gate.waiting("https://example.com/") == 0) {
    std::this_thread::yield();
  }
  of.web.on("https://example.com/robots.txt", ScriptedFetcher::ok("User-agent: *\nDisallow: /\n"));
  of.cache.invalidate("https://example.com/");
  of.clock.advance(10s);
  first.reservation.complete(fine);
  waiter.join();
}

TEST_CASE("A robots.txt that must be fetched again delays a reserved request once") {
  crawler of;
  of.web.on("https://example.com/robots.txt",
            ScriptedFetcher::ok("User-agent: *\nCrawl-delay: 172800\n"));
  auto reserved = of.front.try_reserve("https://example.com/a");
  REQUIRE(reserved);
  of.clock.advance(48h);
  CHECK(reserved.reservation.start().ask_again == of.clock.now() + 48h);
  CHECK(of.web.count() == 2);
  of.clock.advance(48h);
  CHECK(reserved.reservation.start());
}

TEST_CASE("A robots.txt that is fetched for each call does not keep a crawler away") {
  crawler of;
  robots::LruStorage<64> too_small{1};
  cache_type forgetful{{.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::rfc9309()},
                       of.web,
                       of.clock,
                       std::move(too_small)};
  robots::basic_admission front{forgetful, of.gate};
  int pages = 0;
  for (int i = 0; i < 200; ++i) {
    of.clock.advance(500ms);
    if (auto got = front.try_admit("https://example.com/" + std::to_string(i))) {
      got.reservation.complete(fine);
      ++pages;
    }
  }
  // Each page waits 10 s after the first robots.txt that follows the previous page.
  CHECK(pages >= 9);
  CHECK(pages <= 10);
  CHECK(of.web.count() == 200);
}

TEST_CASE("Redirects of other sites do not keep a crawler from their target") {
  crawler of;
  constexpr int strangers = 200;
  for (int i = 0; i < strangers; ++i) {
    of.web.on("https://stranger" + std::to_string(i) + ".example/robots.txt",
              ScriptedFetcher::redirect(302, "https://example.com/robots.txt"));
  }
  of.front.admit("https://example.com/first").reservation.complete(fine);
  const time_point begin = of.clock.now();
  int pages = 0;
  for (int i = 0; i < strangers; ++i) {
    of.clock.advance(500ms);
    static_cast<void>(of.front.try_admit("https://stranger" + std::to_string(i) + ".example/page"));
    if (auto got = of.front.try_admit("https://example.com/" + std::to_string(i))) {
      got.reservation.complete(fine);
      ++pages;
    }
  }
  // Without the redirects, a page starts every 10 s. With them, it starts at least every 20 s.
  CHECK(of.clock.now() - begin == 100s);
  CHECK(pages >= 5);
}

namespace {

/// A crawler whose site turns hostile when its robots.txt is fetched again.
struct halting_crawler {
  halting_crawler()
      : cache({.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::rfc9309()}, web,
              clock, {}, {}, robots::SiteRulings{{.halt_hostile = true}}),
        gate(two_seconds(), clock, review),
        front(cache, gate) {
    web.on("https://example.com/robots.txt", ScriptedFetcher::ok("User-agent: *\nDisallow: /a\n"),
           ScriptedFetcher::ok("User-agent: *\nDisallow: /\n"), ScriptedFetcher::ok(""));
    web.otherwise(ScriptedFetcher::ok(""));
  }

  void turn_hostile() { static_cast<void>(cache.refresh("https://example.com/")); }

  ScriptedFetcher web;
  ManualClock clock;
  ruled_cache cache;
  review_list review;
  robots::basic_host_gate<ManualClock, review_list> gate;
  robots::basic_admission<decltype(cache)> front;
};

}  // namespace

TEST_CASE("The status of a page is reported once, to the gate and the cache") {
  crawler of;
  for (const auto& ask : {0, 1, 2}) {
    auto got = ask == 0   ? of.front.admit("https://example.com/a")
               : ask == 1 ? of.front.try_reserve("https://example.com/a")
                          : of.front.admit("https://example.com/a");
    REQUIRE(got);
    of.clock.advance(1h);
    CHECK(got.reservation.start());
    got.reservation.complete({.status = ask == 2 ? 200 : 403});
    of.clock.advance(1h);
    const std::size_t before = of.web.count();
    CHECK(of.cache.allowed("https://example.com/a"));
    CHECK(of.web.count() == before + (ask == 2 ? 0 : 1));  // the rules were fetched again
  }
}

TEST_CASE("A site that turns hostile gets no planned request, and its pages go to review") {
  halting_crawler of;
  auto planned = of.front.try_reserve("https://example.com/x");
  auto elsewhere = of.front.try_reserve("https://other.example/x");
  REQUIRE(planned);
  of.turn_hostile();
  CHECK(planned.reservation.start().reason == admission_reason::halted);  // before its time
  const auto refused = of.front.admit("https://example.com/y");
  CHECK(refused.reason == admission_reason::halted);
  CHECK(explain(refused) ==
        "refused: not allowed: the site is halted until somebody resumes it, order 1-1 by an alarm "
        "of robots-cpp");
  CHECK(of.front.try_reserve("http://example.com/z").reason == admission_reason::halted);
  CHECK(*of.review.urls == std::vector<std::string>{"https://example.com/x",
                                                    "https://example.com/y",
                                                    "http://example.com/z"});
  of.clock.advance(10s);
  CHECK(elsewhere.reservation.start());
  CHECK(of.cache.rulings().resume("example.com").size() == 1);
  of.cache.invalidate("https://example.com/");
  CHECK(of.front.admit("https://example.com/y"));
  CHECK(of.review.urls->size() == 3);
}

TEST_CASE("A site that is not signed off gets no request") {
  ScriptedFetcher web;
  const ManualClock clock;
  ruled_cache cache{{.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::rfc9309()},
                    web,
                    clock,
                    {},
                    {},
                    robots::SiteRulings{{.needs_sign_off = {"gov"}}}};
  const review_list review;
  robots::basic_host_gate gate{two_seconds(), clock, review};
  robots::basic_admission front{cache, gate};
  const auto refused = front.admit("https://nasa.gov/");
  CHECK(refused.reason == admission_reason::needs_sign_off);
  CHECK(*review.urls == std::vector<std::string>{"https://nasa.gov/"});
  CHECK(explain(refused) == "refused: not allowed: the site needs a sign-off");
  CHECK(cache.rulings().awaiting_sign_off() == std::vector<std::string>{"nasa.gov"});
  CHECK(web.count() == 0);
}

TEST_CASE("Every thread that waits for a site wakes when the site is halted") {
  ScriptedFetcher web;
  web.otherwise(ScriptedFetcher::ok("User-agent: *\nCrawl-delay: 3600\n"));
  timed_cache cache{{.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::rfc9309()},
                    web};
  const review_list review;
  robots::basic_host_gate gate{two_seconds(), robots::SteadyClock{}, review};
  robots::basic_admission front{cache, gate};
  constexpr int threads = 8;
  std::atomic<int> halted = 0;
  {
    // One thread sleeps for an hour until its start. The others wait for a reservation.
    std::vector<std::jthread> waiters;
    for (int i = 0; i < threads; ++i) {
      waiters.emplace_back([&, i] {
        const auto got = front.admit("https://example.com/" + std::to_string(i));
        CHECK(got.decision.reason == robots::decision_reason::halted);
        halted += got.reason == admission_reason::halted ? 1 : 0;
      });
    }
    while (gate.waiting("https://example.com/") < threads - 1) {
      std::this_thread::yield();
    }
    cache.rulings().halt("example.com");
  }
  CHECK(halted == threads);
  CHECK(review.urls->size() == threads);
}

TEST_CASE("Sites are halted and resumed while threads wait for them and others crawl") {
  ScriptedFetcher web;
  web.otherwise(ScriptedFetcher::ok(""));
  timed_cache cache{{.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::rfc9309()},
                    web};
  gate_options options = gate_with(0s);
  options.concurrency = 2;
  // Both sites share a pace, so that their threads wait in one queue.
  options.key = [](std::string_view) { return std::string{"example.com"}; };
  robots::host_gate gate{std::move(options)};
  robots::basic_admission<decltype(cache)> front{cache, gate};
  std::atomic<bool> over = false;
  std::atomic<int> wrong = 0;
  std::atomic<int> gone = 0;
  std::vector<std::jthread> crawlers;
  for (int i = 0; i < 6; ++i) {
    crawlers.emplace_back([&, i] {
      const std::string url = i % 2 == 0 ? "https://example.com/" : "https://example.com:8443/";
      while (!over) {
        auto got = front.admit(url);
        gone += got ? 1 : 0;
        // The site with the port is never halted.
        wrong += !got && (i % 2 != 0 || got.reason != admission_reason::halted) ? 1 : 0;
        got.reservation.complete(fine);
      }
    });
  }
  for (int i = 0; i < 200; ++i) {
    cache.rulings().halt("https://example.com");
    std::this_thread::yield();
    CHECK(cache.rulings().resume("https://example.com").size() == 1);
  }
  while (gone < 100) {
    std::this_thread::yield();
  }
  over = true;
  crawlers.clear();
  CHECK(wrong == 0);
}

TEST_CASE("The URLs of a site in quarantine go to review") {
  ScriptedFetcher web;
  web.otherwise(ScriptedFetcher::ok("<!DOCTYPE html><p>Hello</p>\n"));
  ManualClock clock;
  ruled_cache cache{
      {.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::strict()}, web, clock};
  const review_list review;
  robots::basic_host_gate gate{two_seconds(), clock, review};
  robots::basic_admission front{cache, gate};
  for (int file = 0; file < 3; ++file) {
    static_cast<void>(cache.refresh("https://example.com/"));
  }
  REQUIRE(cache.stats().quarantined == 1);
  CHECK(front.admit("https://example.com/x").reason == admission_reason::disallowed);
  CHECK(*review.urls == std::vector<std::string>{"https://example.com/x"});
}
