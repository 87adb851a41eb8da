// Look-ups in steps, as an event loop takes them.
#include <robots/cache/look_up.hpp>

#include "cache_fixture.hpp"
#include <robots/cache/basic_robots_cache.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>

using robots::cache_options;
using robots::decision;
using robots::fetch_request;
using robots::look_up;
using robots::retrieval_job;
using robots::retrieval_result;
using robots::retry_wait;
using robots::ScriptedFetcher;
using robots::test::foo_bot;
using robots::test::home;
using robots::test::robots_url;
using robots::test::scripted;
using robots::test::secret;

namespace {

/// Brings a job to its end with the scripted web, as an event loop would.
void drive(scripted& at, retrieval_job& job) {
  for (;;) {
    if (const auto* request = std::get_if<fetch_request>(&job.work().next())) {
      job.work().on_response(at.web.fetch(*request), at.clock.now());
    } else if (const auto* wait = std::get_if<retry_wait>(&job.work().next())) {
      at.clock.sleep_until(wait->until, job.stop());
      job.work().on_wait_over(at.clock.now());
    } else {
      return;
    }
  }
}

}  // namespace

TEST_CASE("a look-up in steps comes to what a call that blocks comes to") {
  cache_options options = foo_bot();
  options.retry.attempts = 3;
  scripted at{options};
  at.web.on(robots_url, ScriptedFetcher::status(503), robots::test::ok());
  look_up looking = at.cache.begin(secret);
  CHECK(looking.policy() == nullptr);
  const auto job = looking.take_job();
  REQUIRE(job);
  CHECK(looking.take_job() == nullptr);
  at.cache.resume(looking);
  CHECK(looking.policy() == nullptr);
  drive(at, *job);
  at.cache.complete(*job);
  at.cache.resume(looking);
  REQUIRE(looking.policy());
  const decision made = at.cache.check(secret, looking);
  CHECK(to_string(made.reason) == "rule");
  CHECK(made.policy->source().attempts == 2);
  CHECK_FALSE(made.from_cache);
  CHECK(at.cache.check(home).from_cache);
  CHECK(at.cache.check(home, at.cache.begin(home)).from_cache);
  CHECK(at.cache.stats().misses == 1);
  CHECK(at.cache.stats().retrievals == 1);
}

TEST_CASE("what needs no fetch is there at once") {
  cache_options options = foo_bot();
  options.excluded = {"gov"};
  scripted at{options};
  CHECK(to_string(at.cache.check("https://a.gov/", at.cache.begin("https://a.gov/")).reason) ==
        "excluded");
  CHECK(to_string(at.cache.check("no URL", at.cache.begin("no URL")).reason) == "invalid_url");
  CHECK(at.web.count() == 0);
}

TEST_CASE("look-ups for one site share one job, and all are called when it is done") {
  scripted at;
  at.web.on(robots_url, robots::test::ok());
  look_up first = at.cache.begin(home);
  look_up second = at.cache.begin("HTTPS://EXAMPLE.com:443/x");
  int called = 0;
  const auto job = first.take_job();
  REQUIRE(job);
  CHECK(second.take_job() == nullptr);
  first.on_landed([&called] { ++called; });
  second.on_landed([&called] { ++called; });
  drive(at, *job);
  CHECK(called == 0);
  at.cache.complete(*job);
  CHECK(called == 2);
  at.cache.resume(first);
  at.cache.resume(second);
  CHECK(first.policy() == second.policy());
  CHECK(at.cache.stats().joined == 1);
  CHECK(at.web.count() == 1);
}

TEST_CASE("a job that is dropped is given up, and the next to resume gets a new one") {
  scripted at;
  at.web.on(robots_url, robots::test::ok());
  look_up first = at.cache.begin(home);
  look_up second = at.cache.begin(home);
  bool called = false;
  second.on_landed([&called] { called = true; });
  {
    const auto dropped = first.take_job();
  }
  CHECK(called);
  at.cache.resume(second);
  CHECK(second.policy() == nullptr);
  const auto job = second.take_job();
  REQUIRE(job);
  drive(at, *job);
  at.cache.complete(*job);
  at.cache.resume(first);
  CHECK(first.policy() != nullptr);
}

TEST_CASE("a look-up is called once however often it asks for that, and not once it is dropped") {
  scripted at;
  at.web.on(robots_url, robots::test::ok());
  look_up first = at.cache.begin(home);
  int called = 0;
  int called_after_the_end = 0;
  for (int i = 0; i < 3; ++i) {
    first.on_landed([&called] { ++called; });
  }
  {
    look_up dropped = at.cache.begin(home);
    dropped.on_landed([&called_after_the_end] { ++called_after_the_end; });
    const look_up moved = std::move(dropped);
  }
  const auto job = first.take_job();
  REQUIRE(job);
  drive(at, *job);
  at.cache.complete(*job);
  CHECK(called == 1);
  CHECK(called_after_the_end == 0);
}

TEST_CASE("a look-up that is dropped with its job gives it up, too") {
  scripted at;
  {
    const look_up dropped = at.cache.begin(home);
  }
  at.web.on(robots_url, robots::test::ok());
  CHECK(at.cache.allowed(home));
}

TEST_CASE("a job that is dropped leaves the probe of a breaker to the next one") {
  cache_options options = foo_bot();
  options.breaker.failures = 1;
  scripted at{options};
  at.web.on(robots_url, ScriptedFetcher::status(500), robots::test::ok());
  CHECK_FALSE(at.cache.allowed(home));
  at.clock.advance(std::chrono::hours{1});
  CHECK(at.cache.begin(home).policy() == nullptr);
  CHECK(at.cache.allowed(home));
}

TEST_CASE("a job is told to stop when nobody waits for it any more") {
  scripted at;
  auto first = std::make_unique<look_up>(at.cache.begin(home));
  auto second = std::make_unique<look_up>(at.cache.begin(home));
  const auto job = first->take_job();
  first.reset();
  CHECK_FALSE(job->stop().stop_requested());
  second.reset();
  CHECK(job->stop().stop_requested());
  job->work().cancel("nobody waits", at.clock.now());
  at.cache.complete(*job);
  CHECK(at.cache.stats().size == 0);
}

TEST_CASE("a thread that blocks takes what an event loop brings") {
  scripted at;
  at.web.on(robots_url, robots::test::ok());
  look_up looking = at.cache.begin(home);
  const auto job = looking.take_job();
  decision made;
  {
    const std::jthread blocked{[&] { made = at.cache.check(secret); }};
    drive(at, *job);
    at.cache.complete(*job);
  }
  CHECK(to_string(made.reason) == "rule");
  CHECK(at.web.count() == 1);
}

TEST_CASE("a look-up answers for its own site only") {
  scripted at;
  at.web.otherwise(robots::test::ok());
  static_cast<void>(at.cache.get(home));
  for (const char* begun : {home, "HTTPS://EXAMPLE.com:443/x"}) {
    const look_up looking = at.cache.begin(begun);
    REQUIRE(looking.policy());
    for (const char* own : {home, secret, "https://example.com", "HTTPS://user@example.com./y"}) {
      CHECK_NOTHROW(static_cast<void>(at.cache.check(own, looking)));
    }
    for (const char* other : {"http://example.com/", "https://example.com:8443/", "example.com",
                              "https://www.example.com/", "no URL", ""}) {
      CHECK_THROWS_AS(static_cast<void>(at.cache.check(other, looking)), std::invalid_argument);
    }
  }
  const look_up invalid = at.cache.begin("no URL");
  CHECK_NOTHROW(static_cast<void>(at.cache.check("mailto:nobody", invalid)));
  CHECK_THROWS_AS(static_cast<void>(at.cache.check(home, invalid)), std::invalid_argument);
}

TEST_CASE("misuse is told, not obeyed") {
  scripted at;
  look_up looking = at.cache.begin(home);
  CHECK_THROWS_AS(static_cast<void>(at.cache.check(home, looking)), std::logic_error);
  const auto job = looking.take_job();
  CHECK_THROWS_AS(at.cache.complete(*job), std::logic_error);
  drive(at, *job);
  at.cache.complete(*job);
  CHECK_THROWS_AS(at.cache.complete(*job), std::logic_error);
}

TEST_CASE("one loop may look thousands of sites up at once") {
  scripted at;
  at.web.otherwise(robots::test::ok());
  std::deque<std::pair<std::string, look_up>> waiting;
  for (int i = 0; i < 2'000; ++i) {
    std::string url = "https://s" + std::to_string(i % 500) + ".example/private";
    look_up looking = at.cache.begin(url);
    waiting.emplace_back(std::move(url), std::move(looking));
  }
  std::size_t denied = 0;
  while (!waiting.empty()) {
    auto [url, looking] = std::move(waiting.front());
    waiting.pop_front();
    if (const auto job = looking.take_job()) {
      drive(at, *job);
      at.cache.complete(*job);
    }
    at.cache.resume(looking);
    if (looking.policy()) {
      denied += at.cache.check(url, looking).allowed ? 0 : 1;
    } else {
      waiting.emplace_back(std::move(url), std::move(looking));
    }
  }
  CHECK(denied == 2'000);
  CHECK(at.web.count() == 500);
}
