#include <robots/client/page_driver.hpp>

#include "cache/cache_fixture.hpp"
#include <robots/client/client_options.hpp>
#include <robots/client/page_result.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/usage/page_statements.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <functional>
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

/// An `AsyncFetcher` that answers at once, except the URL that it holds back.
struct slow_web {
  void async_fetch(const fetch_request& request, std::function<void(fetch_response)> done) {
    if (request.url == held) {
      stop = request.stop;
      answer = std::move(done);
      static_cast<void>(web.fetch(request));
    } else {
      done(web.fetch(request));
    }
  }

  ScriptedFetcher web;
  std::string held;
  stop_token stop;
  std::function<void(fetch_response)> answer;
};

struct driven_client {
  explicit driven_client(cache_options options = foo_bot(), client_options pages = {})
      : cache{std::move(options), net.web, clock},
        driver{cache, gate, net, [] {}, std::move(pages)} {
    net.web.on(robots_url, ok());
    net.web.on(page_url, ScriptedFetcher::ok("a page"));
  }

  void start(const std::string& url, const page_options& call = {}) {
    last = driver.start(url, call,
                        [this](page_result result) { results.push_back(std::move(result)); });
  }

  /// Runs the loop until nothing can happen without an answer of the web.
  void run() {
    for (int rounds = 0; rounds < 100; ++rounds) {
      driver.run();
      const auto due = driver.next_run();
      if (!due) {
        return;
      }
      clock.sleep_until(*due, {});
    }
    FAIL("the driver does not come to rest");
  }

  slow_web net;
  ManualClock clock;
  scripted_cache cache;
  basic_host_gate<ManualClock> gate{{.delay = {.fixed_delay = 1s}, .seed = 1}, clock};
  page_driver<scripted_cache, basic_host_gate<ManualClock>, slow_web> driver;
  std::vector<page_result> results;
  std::uint64_t last = 0;
};

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
  CHECK(bot.driver.size() == 0);
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
  CHECK(bot.driver.size() == 1);
  bot.run();
  CHECK(bot.driver.size() == 0);
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
  bot.driver.leave(left);
  CHECK(bot.net.stop.stop_requested());
  bot.driver.leave(left);
  bot.run();
  REQUIRE(bot.results.size() == 2);
  CHECK(bot.results[0].url == "https://example.com/next");
  CHECK(bot.results[1].url == "https://example.com/last");
  bot.net.answer(ScriptedFetcher::status(200));
  bot.run();
  CHECK(bot.results.size() == 2);
  CHECK(bot.driver.size() == 0);
}

}  // namespace robots::test::driven
