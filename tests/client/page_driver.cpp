#include <robots/client/page_driver.hpp>

#include "cache/cache_fixture.hpp"
#include "ruled_crawl.hpp"
#include <robots/client/client_options.hpp>
#include <robots/client/page_result.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/rulings/rulings_options.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/memory_ruling_ledger.hpp>
#include <robots/usage/page_statements.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::test::driven {

namespace {

using namespace std::chrono_literals;

constexpr const char* page_url = "https://example.com/page";

/// Drives pages over a cache whose own fetcher must stay unused, since it would block the loop.
struct driven_client {
  explicit driven_client(cache_options options = foo_bot(), client_options pages = {},
                         std::size_t room = whole_web.room, rulings_options rulings = {})
      : cache{std::move(options),     blocking, clock,
              LruStorage<4096>{room}, {},       SiteRulings{std::move(rulings)}},
        driver{std::in_place, cache, gate, net, [] {}, std::move(pages)} {
    net.web.on(robots_url, ok());
    net.web.on(page_url, ScriptedFetcher::ok("a page"));
  }

  void start(const std::string& url, const page_options& call = {}) {
    last = driver->start(url, call,
                         [this](page_result result) { results.push_back(std::move(result)); });
  }

  /// Runs the loop until nothing can happen without an answer of the web, or until `end`.
  void run(std::optional<time_point> end = {}) {
    for (int rounds = 0; rounds < 1'000; ++rounds) {
      driver->run();
      CHECK(blocking.count() == 0);
      const auto due = driver->next_run();
      if (!due || (end && *due > *end)) {
        return;
      }
      clock.sleep_until(*due, {});
    }
    FAIL("the driver does not come to rest");
  }

  slow_web net;
  ScriptedFetcher blocking;
  ManualClock clock;
  ruled_cache cache;
  basic_host_gate<ManualClock> gate{{.delay = {.fixed_delay = 1s}, .seed = 1}, clock};
  std::vector<page_result> results;
  std::uint64_t last = 0;
  std::optional<page_driver<ruled_cache, basic_host_gate<ManualClock>, slow_web>> driver;
};

/// A place where a page can wait, and a driver whose only page waits there.
struct waiting_page {
  explicit waiting_page(std::string_view place, const page_options& call = {}) {
    if (place == "rules") {
      bot.net.held = robots_url;
    } else if (place == "line") {
      bot.net.held = "https://example.com/first";
      bot.start(bot.net.held);
      bot.run();
      REQUIRE(bot.net.answer);
    } else if (place == "delay") {
      bot.net.web.on(robots_url, ok("User-agent: *\nCrawl-delay: 100\n"));
    } else if (place == "rules again") {
      bot.net.web.on(robots_url, ok("User-agent: *\nCrawl-delay: 100\n"));
      bot.start(page_url, call);
      bot.net.held = robots_url;
      bot.cache.invalidate(robots_url);
      bot.run(bot.clock.now() + 101s);
      REQUIRE(bot.net.answer);
      return;
    } else {
      bot.net.held = page_url;
    }
    bot.start(page_url, call);
    bot.run(bot.clock.now() + 2s);
  }

  driven_client bot;
};

constexpr std::array<const char*, 5> places{"rules", "line", "delay", "rules again", "page"};

}  // namespace

TEST_CASE("A driver fetches a page after its turn, and follows redirects by new admissions") {
  driven_client bot;
  bot.net.web.on("https://other.example/robots.txt", ok());
  bot.net.web.on("https://example.com/old",
                 ScriptedFetcher::redirect(301, "https://other.example/private/x"));
  bot.start(page_url);
  bot.run();
  bot.start("https://example.com/old");
  bot.run();
  REQUIRE(bot.results.size() == 2);
  CHECK(bot.results[0]);
  CHECK(bot.results[0].response->body == "a page");
  CHECK(bot.results[0].hops.at(0).waited >= 500ms);
  CHECK(bot.results[1].end == page_end::refused);
  CHECK(bot.results[1].hops.size() == 2);
  CHECK(bot.results[1].hops[1].waited == 0s);
  CHECK(bot.net.web.count("https://other.example/private/x") == 0);
  CHECK(bot.driver->size() == 0);
}

TEST_CASE("Pages of one host wait in line, and each starts after the one before") {
  driven_client bot;
  std::vector<time_point> starts;
  bot.net.web.on_call(page_url, [&](const fetch_request&) {
    starts.push_back(bot.clock.now());
    return ScriptedFetcher::status(200);
  });
  for (int i = 0; i < 5; ++i) {
    bot.start(page_url);
  }
  bot.run();
  CHECK(bot.results.size() == 5);
  REQUIRE(starts.size() == 5);
  for (std::size_t i = 1; i < starts.size(); ++i) {
    CHECK(starts[i] - starts[i - 1] >= 500ms);
    CHECK(starts[i] - starts[i - 1] <= 1500ms);
  }
}

TEST_CASE("A driver asks the rules again when the turn comes") {
  cache_options options = foo_bot();
  options.max_ttl = 10min;
  driven_client bot{options};
  bot.net.web.on(robots_url, ok("User-agent: *\nCrawl-delay: 900\n"),
                 ok("User-agent: *\nDisallow: /\n"));
  bot.start(page_url);
  bot.run();
  REQUIRE(bot.results.size() == 1);
  CHECK(bot.results[0].end == page_end::refused);
  CHECK(bot.results[0].hops.at(0).reason == admission_reason::disallowed);
  CHECK(bot.results[0].hops.at(0).decision.reason == decision_reason::rule);
  CHECK(bot.net.web.count(page_url) == 0);
}

TEST_CASE("Rules that were renewed twice while a page waited can still forbid it") {
  cache_options options = foo_bot();
  options.max_ttl = 10min;
  driven_client bot{options};
  bot.net.web.on(robots_url, ok("User-agent: *\nCrawl-delay: 900\n"),
                 ok("User-agent: *\nCrawl-delay: 901\n"), ok("User-agent: *\nDisallow: /\n"));
  bot.start(page_url);
  bot.run();
  REQUIRE(bot.results.size() == 1);
  CHECK(bot.results[0].end == page_end::refused);
  CHECK(bot.results[0].hops.at(0).reason == admission_reason::disallowed);
  CHECK(bot.net.web.count(robots_url) == 3);
  CHECK(bot.net.web.count(page_url) == 0);
}

TEST_CASE("If the reader throws, its page is dropped, and the next page of the host starts") {
  client_options pages;
  bool is_broken = true;
  pages.reader = [&is_broken](page_statements&, std::string_view, const std::vector<http_header>&,
                              bool) {
    if (std::exchange(is_broken, false)) {
      throw std::runtime_error{"a broken reader"};
    }
  };
  driven_client bot{foo_bot(), pages};
  bot.net.web.on(page_url, ScriptedFetcher::ok("a page", {{"Content-Type", "text/html"}}));
  bot.start(page_url);
  bot.start(page_url);
  CHECK_THROWS_WITH_AS(bot.run(), "a broken reader", std::runtime_error);
  CHECK(bot.driver->size() == 1);
  bot.run();
  CHECK(bot.driver->size() == 0);
  CHECK(bot.results.size() == 1);
}

TEST_CASE("After 429, a driver waits as the site asks, and asks again") {
  driven_client bot;
  bot.net.web.on(page_url, ScriptedFetcher::status(429, {{"Retry-After", "20"}}),
                 ScriptedFetcher::ok("at last"));
  bot.start(page_url);
  bot.run();
  REQUIRE(bot.results.size() == 1);
  CHECK(bot.results[0].response->body == "at last");
  CHECK(bot.results[0].hops.at(1).waited >= 20s);
}

TEST_CASE("A deadline ends a page of a driver before its robots.txt, its turn or its response") {
  driven_client bot;
  bot.net.held = robots_url;
  page_options call;
  call.deadline = bot.clock.now() + 5s;
  bot.start(page_url, call);
  bot.run();
  REQUIRE(bot.results.size() == 1);
  CHECK(bot.results[0].end == page_end::too_late);
  CHECK(bot.results[0].hops.size() == 1);
  CHECK(explain(bot.results[0]).starts_with("too_late; "));

  driven_client waiting;
  waiting.net.web.on(robots_url, ok("User-agent: *\nCrawl-delay: 60\n"));
  call.deadline = waiting.clock.now() + 5s;
  waiting.start(page_url, call);
  waiting.run();
  CHECK(waiting.results.at(0).end == page_end::too_late);
  CHECK(waiting.net.web.count(page_url) == 0);
}

TEST_CASE("A stop ends a page of a driver at once, also during its exchange") {
  driven_client bot;
  bot.net.held = page_url;
  stop_source source;
  page_options call;
  call.stop = source.get_token();
  bot.start(page_url, call);
  bot.run();
  REQUIRE(bot.net.answer);
  CHECK_FALSE(bot.net.stop.stop_requested());
  source.request_stop();
  CHECK(bot.net.stop.stop_requested());
  bot.net.answer(ScriptedFetcher::failure(fetch_error::cancelled));
  bot.run();
  REQUIRE(bot.results.size() == 1);
  CHECK(bot.results[0].end == page_end::stopped);

  bot.start(page_url, call);
  bot.run();
  CHECK(bot.results.at(1).end == page_end::stopped);
  CHECK(bot.net.web.count(page_url) == 1);
}

TEST_CASE("leave drops a page, ends its exchange, and lets the next page of the host start") {
  driven_client bot;
  bot.net.held = page_url;
  bot.start(page_url);
  bot.run();
  const std::uint64_t left = bot.last;
  bot.start("https://example.com/next");
  bot.start("https://example.com/last");
  bot.driver->leave(left);
  CHECK(bot.net.stop.stop_requested());
  bot.driver->leave(left);
  bot.run();
  REQUIRE(bot.results.size() == 2);
  CHECK(bot.results[0].url == "https://example.com/next");
  CHECK(bot.results[1].url == "https://example.com/last");
  bot.net.answer(ScriptedFetcher::status(200));
  bot.run();
  CHECK(bot.results.size() == 2);
  CHECK(bot.driver->size() == 0);
}

TEST_CASE("A driver never waits for itself, even if its cache loses all rules at once") {
  constexpr std::size_t no_room = 1;
  driven_client bot{foo_bot(), {}, no_room};
  bot.net.held = "https://held.example/robots.txt";
  bot.start("https://held.example/");
  bot.start(page_url);
  bot.start("https://held.example/other");
  bot.run(bot.clock.now() + 10s);
  REQUIRE(bot.results.size() == 1);
  CHECK(bot.results[0].url == page_url);
  bot.net.held.clear();
  bot.net.answer(ok());
  bot.run();
  CHECK(bot.results.size() == 3);
}

TEST_CASE("If rules expire while a page waits in line, a driver looks them up without blocking") {
  cache_options options = foo_bot();
  options.max_ttl = 10min;
  driven_client bot{options};
  bot.net.web.on(robots_url, ok(), ok("User-agent: *\nDisallow: /page\n"));
  bot.net.held = "https://example.com/first";
  bot.start(bot.net.held);
  bot.start(page_url);
  bot.run(bot.clock.now() + 2s);
  bot.clock.advance(11min);
  bot.net.answer(ScriptedFetcher::status(200));
  bot.net.held.clear();
  bot.run();
  REQUIRE(bot.results.size() == 2);
  CHECK(bot.results[1].hops.at(0).reason == admission_reason::disallowed);
  CHECK(bot.net.web.count(robots_url) == 2);
  CHECK(bot.net.web.count(page_url) == 0);
}

TEST_CASE("Pages wait for the ledger of the rulings without blocking their loop") {
  const auto ledger = std::make_shared<MemoryRulingLedger>();
  driven_client bot{foo_bot(), {}, whole_web.room, {.ledger = ledger, .poll = 0ms}};
  bot.start(page_url);
  bot.run(bot.clock.now() + 5s);
  CHECK_FALSE(bot.cache.rulings().is_read());
  CHECK(bot.results.empty());
  CHECK(bot.net.web.count() == 0);
  CHECK(bot.cache.rulings().catch_up());
  bot.run();
  REQUIRE(bot.results.size() == 1);
  CHECK(bot.results[0]);
}

TEST_CASE("If the ledger of the rulings is not read in time, a page is refused as unread") {
  const auto ledger = std::make_shared<MemoryRulingLedger>();
  driven_client bot{foo_bot(), {}, whole_web.room, {.ledger = ledger, .poll = 0ms}};
  const time_point begin = bot.clock.now();
  bot.start(page_url);
  bot.run();
  REQUIRE(bot.results.size() == 1);
  CHECK(bot.results[0].end == page_end::refused);
  CHECK(bot.results[0].hops.at(0).reason == admission_reason::unread);
  CHECK(bot.clock.now() - begin == bot.cache.options().longest_call);
  CHECK(bot.net.web.count() == 0);
}

TEST_CASE("A look-up of a driver ends after the longest time of a call, as a blocking call does") {
  driven_client bot;
  bot.net.held = robots_url;
  const time_point begin = bot.clock.now();
  page_options call;
  call.timeout = 2s;
  bot.start(page_url, call);
  bot.start(page_url);
  bot.run(begin + 5s);
  REQUIRE(bot.results.size() == 1);
  CHECK(bot.results[0].end == page_end::too_late);
  CHECK(bot.results[0].hops.at(0).waited == 2s);
  bot.run();
  REQUIRE(bot.results.size() == 2);
  CHECK(bot.results[1].hops.at(0).waited == 15s);
  call.timeout = 0s;
  bot.start(page_url, call);
  CHECK(bot.driver->next_run() == std::nullopt);
  bot.net.answer(ok());
  bot.run();
  REQUIRE(bot.results.size() == 3);
  CHECK(bot.results[2]);
}

TEST_CASE("A permissive driver goes on without a robots.txt that takes too long") {
  driven_client bot{foo_bot(fallback_policy::permissive())};
  bot.net.held = robots_url;
  bot.start(page_url);
  bot.run();
  REQUIRE(bot.results.size() == 1);
  CHECK(bot.results[0]);
  CHECK(bot.results[0].hops.at(0).decision.reason == decision_reason::fallback);
}

TEST_CASE("A stop ends a page of a driver wherever it waits") {
  for (const char* const place : places) {
    CAPTURE(place);
    stop_source source;
    page_options call;
    call.stop = source.get_token();
    waiting_page page{place, call};
    driven_client& bot = page.bot;
    REQUIRE(bot.results.empty());
    const std::size_t sent = bot.net.web.count(page_url);
    source.request_stop();
    if (bot.net.stop.stop_requested()) {  // the exchange of the page
      bot.net.answer(ScriptedFetcher::failure(fetch_error::cancelled));
    }
    bot.driver->run();
    REQUIRE(bot.results.size() == 1);
    CHECK(bot.results[0].end == page_end::stopped);
    CHECK(bot.net.web.count(page_url) == sent);
  }
}

TEST_CASE("A deadline ends a page of a driver wherever it waits") {
  for (const char* const place : places) {
    CAPTURE(place);
    page_options call;
    // Before the timeout of the exchange, which is 30 s, or in the second look-up.
    call.deadline = ManualClock{}.now() + (place == std::string_view{"page"} ? 10s : 105s);
    if (place == std::string_view{"delay"}) {
      call.deadline = ManualClock{}.now() + 50s;  // before the turn, which comes after 100 s
    }
    waiting_page page{place, call};
    driven_client& bot = page.bot;
    const std::size_t sent = bot.net.web.count(page_url);
    if (place == std::string_view{"delay"}) {
      bot.driver->run();
      REQUIRE(bot.results.size() == 1);
      CHECK(bot.results[0].end == page_end::too_late);
      CHECK(bot.net.web.count(page_url) == sent);
      continue;
    }
    REQUIRE(bot.results.empty());
    bot.clock.sleep_until(*call.deadline, {});
    if (place == std::string_view{"page"}) {
      bot.net.answer(ScriptedFetcher::failure(fetch_error::timeout));
    }
    bot.driver->run();
    REQUIRE(bot.results.size() == 1);
    CHECK(bot.results[0].end == page_end::too_late);
    CHECK(bot.net.web.count(page_url) == sent);
  }
}

TEST_CASE("A driver can end wherever its page waits, and later answers have no effect") {
  for (const char* const place : places) {
    CAPTURE(place);
    stop_source source;
    page_options call;
    call.stop = source.get_token();
    waiting_page page{place, call};
    driven_client& bot = page.bot;
    bot.driver.reset();
    CHECK(bot.gate.stats().hosts <= 1);
    if (bot.net.answer) {
      bot.net.answer(ScriptedFetcher::status(200));
    }
    source.request_stop();
    CHECK(bot.results.empty());
    auto next = bot.gate.try_reserve(page_url);
    CHECK(to_string(next.reason) == "go");
  }
}

TEST_CASE("A second answer to one request is never taken for the answer to another") {
  driven_client bot;
  bot.net.held = page_url;
  bot.net.web.on("https://example.com/next", ScriptedFetcher::ok("the page"));
  bot.start(page_url);
  bot.run();
  const auto again = bot.net.answer;
  bot.net.answer(ScriptedFetcher::redirect(302, "/next"));
  bot.net.held = "https://example.com/next";
  bot.run();
  again(ScriptedFetcher::ok("another page"));
  bot.run();
  CHECK(bot.results.empty());
  bot.net.answer(ScriptedFetcher::ok("the page"));
  bot.run();
  REQUIRE(bot.results.size() == 1);
  CHECK(bot.results[0].response->body == "the page");
}

TEST_CASE("A site that is halted while its page waits gets no request from a driver") {
  for (const char* const place : places) {
    if (place == std::string_view{"page"}) {
      continue;  // its request has left
    }
    CAPTURE(place);
    waiting_page page{place};
    driven_client& bot = page.bot;
    static_cast<void>(bot.cache.rulings().halt("example.com"));
    if (bot.net.answer) {
      bot.net.held.clear();
      bot.net.answer(ok());
    }
    bot.run();
    REQUIRE_FALSE(bot.results.empty());
    const page_result& last = bot.results.back();
    CHECK(last.end == page_end::refused);
    CHECK(last.hops.at(0).reason == admission_reason::halted);
    CHECK(last.hops.at(0).decision.reason == decision_reason::halted);
    CHECK(bot.net.web.count(page_url) == 0);
  }
}

}  // namespace robots::test::driven
