#include <robots/cache/look_up_driver.hpp>

#include "cache_fixture.hpp"
#include <robots/cache/basic_robots_cache.hpp>
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

/// Holds each request until the test answers it.
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
static_assert(!robots::detail::PolledFetcher<Held>);

/// A driver, and the calls that it makes.
struct driven : scripted {
  explicit driven(robots::cache_options options = foo_bot(), std::size_t max_fetches = 64)
      : scripted(std::move(options)) {
    driver.emplace(clock, web, [this] { ++wakes; }, max_fetches);
  }
  auto ask(const std::string& url) {
    return driver->start(cache.begin(url), [this, url](const look_up& work) {
      last = outcome_of(cache.check(url, work));
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

TEST_CASE("A second answer to a request is never taken for the answer to the next request") {
  driven bot;
  bot.ask(secret);
  const auto again = bot.web.open.front().done;
  bot.web.answer(ScriptedFetcher::redirect(302, "/other.txt"));
  bot.driver->run();
  REQUIRE(bot.web.open.size() == 1);
  again(ok(""));
  bot.driver->run();
  CHECK(bot.answered == 0);
  bot.web.answer(ok());
  bot.driver->run();
  CHECK(bot.answered == 1);
  CHECK_FALSE(bot.cache.allowed(secret));
}

TEST_CASE("Look-ups for one site share one request, and a response wakes the loop once") {
  driven bot;
  bot.ask(home);
  bot.ask(secret);
  REQUIRE(bot.web.open.size() == 1);
  CHECK(bot.driver->size() == 2);
  CHECK(bot.driver->fetching() == 1);
  CHECK(bot.driver->next_run() == std::nullopt);
  std::thread network{[&] { bot.web.answer(ok()); }};
  network.join();
  CHECK(bot.wakes == 1);
  CHECK(bot.answered == 0);
  CHECK(bot.driver->next_run() == robots::time_point::min());
  bot.driver->run();
  CHECK(bot.answered == 2);
  CHECK(bot.last == "success");
  CHECK(bot.driver->size() == 0);
  CHECK(bot.driver->fetching() == 0);
}

TEST_CASE("A stored policy completes a look-up at once") {
  driven bot;
  bot.ask(home);
  bot.web.answer(ok());
  bot.driver->run();
  bot.ask(secret);
  CHECK(bot.answered == 2);
  CHECK(bot.web.open.empty());
}

TEST_CASE("Requests above the limit wait in order") {
  driven bot{foo_bot(), 2};
  bot.ask("https://a.example/");
  CHECK(bot.driver->has_room());
  bot.ask("https://b.example/");
  CHECK_FALSE(bot.driver->has_room());
  bot.ask("https://c.example/");
  CHECK(bot.web.open.size() == 2);
  CHECK_FALSE(bot.driver->has_room());
  bot.web.answer(ok());
  bot.driver->run();
  REQUIRE(bot.web.open.size() == 2);
  CHECK(bot.web.open.back().request.url == "https://c.example/robots.txt");
}

TEST_CASE("The driver returns the time of the next try") {
  auto options = foo_bot();
  options.retry.attempts = 2;
  driven bot{options};
  bot.ask(home);
  bot.web.answer(ScriptedFetcher::status(503));
  bot.driver->run();
  const auto next = bot.driver->next_run();
  REQUIRE(next);
  CHECK(*next > bot.clock.now());
  SUBCASE("and sends it then") {
    bot.driver->run();
    CHECK(bot.web.open.empty());
    bot.clock.sleep_until(*next, {});
    bot.driver->run();
    bot.web.answer(ok());
    bot.driver->run();
    CHECK(bot.last == "success");
  }
  SUBCASE("and if the wait is cut short, the failure is the result") {
    bot.driver->cut_short(*next + std::chrono::seconds{1});
    CHECK(bot.answered == 0);
    bot.driver->cut_short(*next);
    CHECK(bot.last == "server_error");
  }
  CHECK(bot.answered == 1);
  CHECK(bot.driver->next_run() == std::nullopt);
}

TEST_CASE("An abandoned look-up continues if finish_abandoned is true") {
  auto options = foo_bot();
  options.finish_abandoned = true;
  SUBCASE("to its end") {}
  SUBCASE("and is stopped if finish_abandoned is false") { options.finish_abandoned = false; }
  driven bot{options};
  const auto number = bot.ask(home);
  bot.driver->leave(number);
  bot.driver->leave(number);
  CHECK(bot.driver->size() == 1);
  const bool is_stopped = bot.web.open.front().request.stop.stop_requested();
  CHECK(is_stopped == !options.finish_abandoned);
  bot.web.answer(is_stopped ? ScriptedFetcher::failure(robots::fetch_error::cancelled) : ok());
  bot.driver->run();
  CHECK(bot.answered == 0);
  CHECK(bot.driver->size() == 0);
  CHECK(bot.cache.stats().size == (options.finish_abandoned ? 1 : 0));
}

TEST_CASE("An abandoned wait ends, and an abandoned look-up without work is dropped at once") {
  auto options = foo_bot();
  options.retry.attempts = 2;
  options.finish_abandoned = false;
  driven bot{options};
  const auto leader = bot.ask(home);
  const auto waiter = bot.ask(secret);
  bot.driver->leave(waiter);
  CHECK(bot.driver->size() == 1);
  bot.web.answer(ScriptedFetcher::status(503));
  bot.driver->run();
  const int before = bot.wakes;
  bot.driver->leave(leader);
  CHECK(bot.wakes == before + 1);
  bot.driver->run();
  CHECK(bot.driver->size() == 0);
  CHECK(bot.driver->next_run() == std::nullopt);
}

TEST_CASE(
    "A look-up that is left during the fetch after a retry's wait wakes the loop once, when it "
    "ends") {
  auto options = foo_bot();
  options.retry.attempts = 2;
  options.finish_abandoned = false;
  driven bot{options};
  const auto number = bot.ask(home);
  bot.web.answer(ScriptedFetcher::status(503));
  bot.driver->run();
  bot.clock.sleep_until(*bot.driver->next_run(), {});
  bot.driver->run();
  const int before = bot.wakes;
  bot.driver->leave(number);
  CHECK(bot.wakes == before);
  bot.web.answer(ScriptedFetcher::failure(robots::fetch_error::cancelled));
  CHECK(bot.wakes == before + 1);
  bot.driver->run();
  CHECK(bot.driver->size() == 0);
}

TEST_CASE("A destroyed driver cancels its requests, and other callers start their own") {
  driven bot;
  bot.ask(home);
  const auto open = bot.web.open.front();
  bot.driver.reset();
  CHECK(open.request.stop.stop_requested());
  open.done(ok());
  CHECK(bot.wakes == 0);
  CHECK(bot.answered == 0);
  CHECK(std::holds_alternative<fetch_request>(bot.cache.begin(home).next()));
}

TEST_CASE("run throws the exception of a callback, and the next run continues") {
  driven bot;
  bot.driver->start(bot.cache.begin("https://first.example/"),
                    [](const look_up&) { throw std::runtime_error{"enough"}; });
  bot.ask(home);
  bot.web.answer(ok());
  bot.web.answer(ok());
  CHECK_THROWS_WITH_AS(bot.driver->run(), "enough", std::runtime_error);
  CHECK(bot.driver->next_run() == robots::time_point::min());
  bot.driver->run();
  CHECK(bot.answered == 1);
}

TEST_CASE("A callback that throws does not delay the requests that wait for room") {
  driven bot{foo_bot(), 1};
  bot.driver->start(bot.cache.begin("https://first.example/"),
                    [](const look_up&) { throw std::runtime_error{"enough"}; });
  bot.ask(home);
  bot.web.answer(ok());
  CHECK_THROWS_WITH_AS(bot.driver->run(), "enough", std::runtime_error);
  REQUIRE(bot.web.open.size() == 1);
  bot.web.answer(ok());
  bot.driver->run();
  CHECK(bot.answered == 1);
}
