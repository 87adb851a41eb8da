#include <robots/cache/look_up_driver.hpp>

#include "cache_fixture.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/look_up.hpp>
#include <robots/fetch/async_fetcher.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>

using robots::fetch_request;
using robots::fetch_response;
using robots::look_up;
using robots::ScriptedFetcher;
using robots::test::foo_bot;
using robots::test::home;
using robots::test::ok;
using robots::test::outcome_of;
using robots::test::robots_url;
using robots::test::scripted;
using robots::test::secret;

namespace {

/// Answers when the test says so.
struct Held {
  struct exchange {
    fetch_request request;
    std::function<void(fetch_response)> done;
  };
  void async_fetch(fetch_request request, std::function<void(fetch_response)> done) {
    open.push_back({std::move(request), std::move(done)});
  }
  /// Ends the oldest exchange.
  exchange answer(const fetch_response& response) {
    exchange oldest = std::move(open.front());
    open.pop_front();
    oldest.done(response);
    return oldest;
  }
  std::deque<exchange> open;
};

static_assert(robots::AsyncFetcher<Held>);
static_assert(!robots::PolledFetcher<Held>);

/// A driver, and what it tells.
struct driven : scripted {
  explicit driven(robots::cache_options options = foo_bot(), std::size_t max_fetches = 64)
      : scripted(std::move(options)) {
    driver.emplace(clock, web, [this] { ++wakes; }, max_fetches);
  }
  auto ask(const std::string& url) {
    return driver->start(cache.begin(url), [this, url](const look_up& at) {
      last = outcome_of(cache.check(url, at));
      ++answered;
    });
  }
  Held web;
  int wakes = 0;
  int answered = 0;
  std::string last;
  std::optional<robots::look_up_driver<robots::ManualClock, Held>> driver;
};

}  // namespace

TEST_CASE("look-ups for one site share one request, and a response wakes the loop once") {
  driven at;
  at.ask(home);
  at.ask(secret);
  REQUIRE(at.web.open.size() == 1);
  CHECK(at.driver->size() == 2);
  CHECK(at.driver->fetching() == 1);
  CHECK(at.driver->next_run() == std::nullopt);
  std::thread network{[&] { at.web.answer(ok()); }};
  network.join();
  CHECK(at.wakes == 1);
  CHECK(at.answered == 0);
  CHECK(at.driver->next_run() == robots::time_point::min());
  at.driver->run();
  CHECK(at.answered == 2);
  CHECK(at.last == "success");
  CHECK(at.driver->size() == 0);
  CHECK(at.driver->fetching() == 0);
}

TEST_CASE("a kept policy is the answer at once") {
  driven at;
  at.ask(home);
  at.web.answer(ok());
  at.driver->run();
  at.ask(secret);
  CHECK(at.answered == 2);
  CHECK(at.web.open.empty());
}

TEST_CASE("requests above the limit wait in order") {
  driven at{foo_bot(), 2};
  for (const char* const host :
       {"https://a.example/", "https://b.example/", "https://c.example/"}) {
    at.ask(host);
  }
  CHECK(at.web.open.size() == 2);
  CHECK_FALSE(at.driver->has_room());
  at.web.answer(ok());
  at.driver->run();
  REQUIRE(at.web.open.size() == 2);
  CHECK(at.web.open.back().request.url == "https://c.example/robots.txt");
}

TEST_CASE("the driver names the time of the next try") {
  auto options = foo_bot();
  options.retry.attempts = 2;
  driven at{options};
  at.ask(home);
  at.web.answer(ScriptedFetcher::status(503));
  at.driver->run();
  const auto next = at.driver->next_run();
  REQUIRE(next);
  CHECK(*next > at.clock.now());
  SUBCASE("and sends it then") {
    at.driver->run();
    CHECK(at.web.open.empty());
    at.clock.sleep_until(*next, {});
    at.driver->run();
    at.web.answer(ok());
    at.driver->run();
    CHECK(at.last == "success");
  }
  SUBCASE("and the failure holds if the wait is cut short") {
    at.driver->cut_short(*next + std::chrono::seconds{1});
    CHECK(at.answered == 0);
    at.driver->cut_short(*next);
    CHECK(at.last == "server_error");
  }
  CHECK(at.answered == 1);
  CHECK(at.driver->next_run() == std::nullopt);
}

TEST_CASE("a look-up that was left is driven on while the cache wants it") {
  auto options = foo_bot();
  options.finish_abandoned = true;
  SUBCASE("as finish_abandoned says") {}
  SUBCASE("and ends if finish_abandoned is off") { options.finish_abandoned = false; }
  driven at{options};
  const auto number = at.ask(home);
  at.driver->leave(number);
  at.driver->leave(number);
  CHECK(at.driver->size() == 1);
  const bool is_stopped = at.web.open.front().request.stop.stop_requested();
  CHECK(is_stopped == !options.finish_abandoned);
  at.web.answer(is_stopped ? ScriptedFetcher::failure(robots::fetch_error::cancelled) : ok());
  at.driver->run();
  CHECK(at.answered == 0);
  CHECK(at.driver->size() == 0);
  CHECK(at.cache.stats().size == (options.finish_abandoned ? 1 : 0));
}

TEST_CASE("a wait that everyone has left ends, and a look-up that only waits is dropped at once") {
  auto options = foo_bot();
  options.retry.attempts = 2;
  options.finish_abandoned = false;
  driven at{options};
  const auto leader = at.ask(home);
  const auto waiter = at.ask(secret);
  at.driver->leave(waiter);
  CHECK(at.driver->size() == 1);
  at.web.answer(ScriptedFetcher::status(503));
  at.driver->run();
  const int before = at.wakes;
  at.driver->leave(leader);
  CHECK(at.wakes == before + 1);
  at.driver->run();
  CHECK(at.driver->size() == 0);
  CHECK(at.driver->next_run() == std::nullopt);
}

TEST_CASE("a driver that ends gives up what is under way, and others begin anew") {
  driven at;
  at.ask(home);
  const auto open = at.web.open.front();
  at.driver.reset();
  CHECK(open.request.stop.stop_requested());
  open.done(ok());
  CHECK(at.wakes == 0);
  CHECK(at.answered == 0);
  CHECK(std::holds_alternative<fetch_request>(at.cache.begin(home).next()));
}

TEST_CASE("what a callback throws comes out, and the rest is for the next run") {
  driven at;
  at.driver->start(at.cache.begin("https://first.example/"),
                   [](const look_up&) { throw std::runtime_error{"enough"}; });
  at.ask(home);
  at.web.answer(ok());
  at.web.answer(ok());
  CHECK_THROWS_WITH_AS(at.driver->run(), "enough", std::runtime_error);
  CHECK(at.driver->next_run() == robots::time_point::min());
  at.driver->run();
  CHECK(at.answered == 1);
}
