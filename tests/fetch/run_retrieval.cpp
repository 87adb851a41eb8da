#include <robots/fetch/run_retrieval.hpp>

#include "fetch/retrieval_state.hpp"
#include <robots/fetch/origin_breakers.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <new>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>

using namespace std::chrono_literals;
using robots::call_options;
using robots::fetch_error;
using robots::fetch_request;
using robots::ManualClock;
using robots::outcome;
using robots::ScriptedFetcher;
using robots::detail::retrieval_result;
using robots::detail::run_retrieval;
using robots::test::http_url;
using robots::test::https_url;

namespace {

robots::detail::retrieval one_try(std::chrono::milliseconds timeout = 5s) {
  robots::detail::retrieval_options options;
  options.user_agent = "FooBot";
  options.timeout = timeout;
  options.retry.attempts = 1;
  return robots::detail::retrieval{robots::parse_site("example.com").value(), options, {}};
}

}  // namespace

TEST_CASE("A fetcher makes the exchanges of a retrieval to its end") {
  ScriptedFetcher fetcher;
  ManualClock clock;
  fetcher.on(std::string{http_url}, ScriptedFetcher::redirect(301, "/r"));
  fetcher.on("http://example.com/r", ScriptedFetcher::ok("x"));
  const retrieval_result result = run_retrieval(one_try(), fetcher, clock);
  CHECK(result.outcome == outcome::success);
  CHECK(result.body == "x");
  CHECK(fetcher.count(https_url) == 1);
  CHECK(fetcher.count() == 3);
  CHECK(fetcher.requests().front().timeout == 5s);
}

TEST_CASE("An exception of the fetcher becomes an error with its text") {
  ScriptedFetcher fetcher;
  ManualClock clock;
  fetcher.otherwise_call([](const fetch_request&) -> robots::fetch_response {
    throw std::runtime_error{"out of handles"};
  });
  retrieval_result result = run_retrieval(one_try(), fetcher, clock);
  CHECK(result.outcome == outcome::unreachable);
  CHECK(result.error == fetch_error::other);
  CHECK(result.error_text == "out of handles");
  CHECK(result.exchanges.size() == 2);
  fetcher.otherwise_call([](const fetch_request&) -> robots::fetch_response { throw 42; });
  result = run_retrieval(one_try(), fetcher, clock);
  CHECK(result.error == fetch_error::other);
  CHECK(result.error_text == "the fetcher failed without a reason");
  fetcher.otherwise_call(
      [](const fetch_request&) -> robots::fetch_response { throw std::bad_alloc{}; });
  CHECK(run_retrieval(one_try(), fetcher, clock).error == fetch_error::local);
}

TEST_CASE("A call that is stopped before its first request sends no request") {
  ScriptedFetcher fetcher;
  ManualClock clock;
  std::stop_source stop;
  stop.request_stop();
  const retrieval_result result =
      run_retrieval(one_try(), fetcher, clock, {.deadline = {}, .stop = stop.get_token()});
  CHECK(result.outcome == outcome::cancelled);
  CHECK(fetcher.count() == 0);
}

TEST_CASE("A call that is stopped midway sends no further request") {
  ScriptedFetcher fetcher;
  ManualClock clock;
  std::stop_source stop;
  fetcher.on_call(std::string{https_url}, [&](const fetch_request& request) {
    CHECK(request.stop.stop_possible());
    stop.request_stop();
    return ScriptedFetcher::failure(fetch_error::connect);
  });
  const retrieval_result result =
      run_retrieval(one_try(), fetcher, clock, {.deadline = {}, .stop = stop.get_token()});
  CHECK(result.outcome == outcome::cancelled);
  CHECK(fetcher.count() == 1);
}

TEST_CASE("An exchange gets at most the time until the deadline") {
  ScriptedFetcher fetcher;
  ManualClock clock;
  fetcher.otherwise_call([&](const fetch_request&) {
    clock.advance(2s);
    return ScriptedFetcher::failure(fetch_error::connect);
  });
  const call_options limits{.deadline = clock.now() + 6s};
  CHECK(run_retrieval(one_try(), fetcher, clock, limits).outcome == outcome::unreachable);
  REQUIRE(fetcher.count() == 2);
  CHECK(fetcher.requests()[0].timeout == 5s);
  CHECK(fetcher.requests()[1].timeout == 4s);
}

TEST_CASE("Without its own timeout, an exchange has until the deadline") {
  ScriptedFetcher fetcher;
  ManualClock clock;
  fetcher.otherwise(ScriptedFetcher::status(404));
  static_cast<void>(
      run_retrieval(one_try(0ms), fetcher, clock, {.deadline = clock.now() + 1500us}));
  CHECK(fetcher.requests().front().timeout == 2ms);
}

TEST_CASE("After its deadline, a call sends no request, and is not a failure of the origin") {
  ScriptedFetcher fetcher;
  ManualClock clock;
  const retrieval_result result =
      run_retrieval(one_try(), fetcher, clock, {.deadline = clock.now()});
  CHECK(result.outcome == outcome::cancelled);
  CHECK(result.error_text == "the deadline of the call passed");
  CHECK(fetcher.count() == 0);
}

TEST_CASE("A timeout is a failure of the origin only if the deadline did not cause it") {
  ScriptedFetcher fetcher;
  ManualClock clock;
  fetcher.otherwise(ScriptedFetcher::failure(fetch_error::timeout));
  CHECK(run_retrieval(one_try(), fetcher, clock, {.deadline = clock.now() + 1s}).outcome ==
        outcome::cancelled);
  CHECK(fetcher.count() == 1);
  CHECK(run_retrieval(one_try(), fetcher, clock, {.deadline = clock.now() + 5s}).outcome ==
        outcome::unreachable);
  CHECK(run_retrieval(one_try(), fetcher, clock).outcome == outcome::unreachable);
}

TEST_CASE("A cancellation without a stop request is a failure") {
  ScriptedFetcher fetcher;
  ManualClock clock;
  fetcher.otherwise(ScriptedFetcher::failure(fetch_error::cancelled));
  const std::stop_source stop;
  for (const call_options& limits :
       {call_options{}, call_options{.deadline = clock.now() + 1s, .stop = stop.get_token()}}) {
    const retrieval_result result = run_retrieval(one_try(), fetcher, clock, limits);
    CHECK(result.outcome == outcome::unreachable);
    CHECK(result.error == fetch_error::other);
  }
  fetcher.otherwise_call([&](const fetch_request&) {
    clock.advance(1s);
    return ScriptedFetcher::failure(fetch_error::cancelled);
  });
  CHECK(run_retrieval(one_try(), fetcher, clock, {.deadline = clock.now() + 1s}).outcome ==
        outcome::cancelled);
}

TEST_CASE("If an exception ends a retrieval, the next retrieval can send the probe") {
  struct ClockWithoutMemory {
    robots::time_point time;
    int calls_left;
    robots::time_point now() {
      if (calls_left-- == 0) {
        throw std::bad_alloc{};
      }
      return time;
    }
    void sleep_until(robots::time_point, const std::stop_token&) {}
  };
  robots::detail::retrieval_options options;
  options.user_agent = "FooBot";
  options.retry.attempts = 1;
  options.breakers = std::make_shared<robots::detail::origin_breakers>(
      robots::breaker_options{.failures = 1, .cooldown = 1h});
  const auto begin = [&options](robots::time_point from) {
    return robots::detail::retrieval{robots::parse_site("https://example.com").value(), options,
                                     from};
  };
  ScriptedFetcher fetcher;
  ManualClock clock;
  fetcher.otherwise(ScriptedFetcher::status(500));
  CHECK(run_retrieval(begin(clock.now()), fetcher, clock).outcome == outcome::server_error);
  clock.advance(1h);
  for (int calls = 0; calls < 2; ++calls) {
    ClockWithoutMemory broken{clock.now(), calls};
    robots::detail::retrieval probe = begin(clock.now());
    CHECK(std::holds_alternative<robots::fetch_request>(probe.next()));
    CHECK_THROWS_AS(static_cast<void>(run_retrieval(std::move(probe), fetcher, broken)),
                    std::bad_alloc);
  }
  CHECK(std::holds_alternative<robots::fetch_request>(begin(clock.now()).next()));
}

TEST_CASE("The wait for a date in Retry-After is computed from the date of the clock") {
  ScriptedFetcher fetcher;
  ManualClock clock{std::chrono::sys_days{std::chrono::year{1994} / 11 / 6} + 12h};
  fetcher.otherwise(
      ScriptedFetcher::status(503, {{"Retry-After", "Sun, 06 Nov 1994 12:00:20 GMT"}}));
  robots::detail::retrieval_options options;
  options.user_agent = "FooBot";
  options.retry.attempts = 2;
  const robots::time_point begin = clock.now();
  static_cast<void>(run_retrieval(
      robots::detail::retrieval{robots::parse_site("https://example.com").value(), options, begin},
      fetcher, clock));
  CHECK(fetcher.count() == 2);
  CHECK(clock.now() == begin + 20s);
}
