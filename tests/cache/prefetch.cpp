// `prefetch` with fetchers that answer in threads or at once. See adapters/curl/prefetch.cpp, too.
#include <robots/cache/prefetch.hpp>

#include "cache_fixture.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/fetch/async_fetcher.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using robots::fetch_request;
using robots::fetch_response;
using robots::prefetch;
using robots::ScriptedFetcher;
using robots::test::foo_bot;
using robots::test::scripted;

namespace {

/// Answers each exchange in a thread. The destructor waits for all threads.
struct Threads {
  void async_fetch(fetch_request request, std::function<void(fetch_response)> done) {
    running.emplace_back(
        [this, request = std::move(request), done = std::move(done)] { done(answer(request)); });
  }
  std::function<fetch_response(const fetch_request&)> answer;
  std::vector<std::jthread> running{};
};

/// Answers at once.
struct Prompt {
  void async_fetch(const fetch_request& request, const std::function<void(fetch_response)>& done) {
    done(web.fetch(request));
  }
  ScriptedFetcher web;
};

/// Makes the oldest answer each time `prefetch` waits.
struct Polled {
  void async_fetch(fetch_request request, std::function<void(fetch_response)> done) {
    answers.emplace_back(
        [this, request = std::move(request), done = std::move(done)] { done(web.fetch(request)); });
  }
  void run_once(std::chrono::milliseconds /*longest*/) {
    const auto oldest = std::move(answers.front());
    answers.pop_front();
    oldest();
  }
  void wake() {}
  ScriptedFetcher web;
  std::deque<std::function<void()>> answers{};
};

std::vector<std::string> sites(int count) {
  std::vector<std::string> result;
  for (int i = 0; i < count; ++i) {
    result.push_back("https://host-" + std::to_string(i) + ".example/");
  }
  return result;
}

}  // namespace

TEST_CASE("A fetcher with its own threads wakes the thread that prefetches") {
  scripted bot;
  Threads web{[](const fetch_request&) { return robots::test::ok(); }};
  std::size_t calls = 0;
  const auto summary = prefetch(bot.cache, sites(40), web, {.max_in_flight = 4},
                                [&](const robots::prefetch_progress& now) {
                                  CHECK(now.total == 40);
                                  CHECK(now.done == ++calls);
                                });
  CHECK(summary.fetched == 40);
  CHECK(summary.complete);
  CHECK(calls == 40);
  CHECK(bot.web.count() == 0);  // the fetcher of the cache is not used
}

TEST_CASE("A fetcher can answer at once, and retries move a manual clock") {
  auto options = foo_bot();
  options.retry.attempts = 2;
  scripted bot{options};
  Prompt web{bot.web};
  bot.web.on("https://host-1.example/robots.txt", ScriptedFetcher::status(503), robots::test::ok());
  bot.web.otherwise(robots::test::ok());
  const auto began = bot.clock.now();
  CHECK(prefetch(bot.cache, sites(3), web).fetched == 3);
  CHECK(bot.clock.now() > began);
  CHECK(bot.web.count() == 4);
  CHECK(prefetch(bot.cache, sites(3), web).kept == 3);
}

TEST_CASE("A manual clock does not move to a retry while another request is under way") {
  auto options = foo_bot();
  options.retry.attempts = 2;
  scripted bot{options};
  Polled web{bot.web};
  const auto began = bot.clock.now();
  bot.web.on("https://host-0.example/robots.txt", ScriptedFetcher::status(503), robots::test::ok());
  bot.web.on_call("https://host-1.example/robots.txt", [&](const fetch_request&) {
    CHECK(bot.clock.now() == began);
    return robots::test::ok();
  });
  CHECK(prefetch(bot.cache, sites(2), web).fetched == 2);
  CHECK(bot.clock.now() > began);
}

TEST_CASE("A manual clock does not move to the deadline while another caller fetches") {
  scripted bot;
  bot.web.otherwise(robots::test::ok());
  Polled web{bot.web};
  robots::look_up other = bot.cache.begin(sites(1).front());
  web.answers.emplace_back([&] { bot.answer(other); });
  const auto deadline = bot.clock.now() + std::chrono::hours{1};
  CHECK(prefetch(bot.cache, sites(1), web, {.deadline = deadline}).joined == 1);
}

TEST_CASE("A stop ends the wait for a fetcher that does not answer") {
  scripted bot;
  std::stop_source stop;
  Threads web{[&](const fetch_request& request) {
    stop.request_stop();
    return ScriptedFetcher::failure(request.stop.stop_requested() ? robots::fetch_error::cancelled
                                                                  : robots::fetch_error::timeout);
  }};
  struct Silent {
    Threads& inner;
    void async_fetch(fetch_request request, std::function<void(fetch_response)> done) {
      callbacks.push_back(std::move(done));
      inner.async_fetch(std::move(request), [](const fetch_response&) {});
    }
    std::vector<std::function<void(fetch_response)>> callbacks{};
  } silent{web};
  const auto summary = prefetch(bot.cache, sites(3), silent, {.stop = stop.get_token()});
  CHECK(summary.done() == 0);
  CHECK(summary.abandoned >= 1);
  CHECK_FALSE(summary.complete);
}

TEST_CASE("A host that is given twice is asked once, and counts as fetched and as joined") {
  scripted bot;
  Prompt web{bot.web};
  bot.web.otherwise(robots::test::ok());
  const std::string host = sites(1).front();
  const auto summary = prefetch(bot.cache, std::vector{host, host}, web);
  CHECK(summary.fetched == 1);
  CHECK(summary.joined == 1);
  CHECK(summary.done() == 2);
  CHECK(bot.web.count() == 1);
}

TEST_CASE("A limit of 0 requests at once is refused") {
  scripted bot;
  Prompt web{bot.web};
  CHECK_THROWS_AS(static_cast<void>(prefetch(bot.cache, sites(1), web, {.max_in_flight = 0})),
                  std::invalid_argument);
}
