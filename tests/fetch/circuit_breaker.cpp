#include <robots/fetch/circuit_breaker.hpp>

#include <doctest/doctest.h>

#include <chrono>

using namespace std::chrono_literals;
using robots::breaker_state;
using robots::time_point;
using robots::detail::circuit_breaker;

namespace {

constexpr time_point failed_at{1h};

constexpr circuit_breaker after_failures(int count, robots::breaker_options options = {}) {
  circuit_breaker breaker{options};
  for (int i = 0; i < count; ++i) {
    breaker.on_failure(failed_at);
  }
  return breaker;
}

static_assert(after_failures(4).state() == breaker_state::closed);
static_assert(after_failures(4).admits(failed_at));
static_assert(after_failures(5).state() == breaker_state::open);
static_assert(after_failures(5).open_until() == failed_at + 60s);
static_assert(!after_failures(5).admits(failed_at));
static_assert(!after_failures(5).admits(failed_at + 60s - 1ns));
static_assert(after_failures(5).admits(failed_at + 60s));
static_assert(after_failures(1'000, {.failures = 0}).state() == breaker_state::closed);
static_assert(after_failures(1, {.failures = 1, .cooldown = 0s}).admits(failed_at));
static_assert(to_string(breaker_state::half_open) == "half_open");

}  // namespace

TEST_CASE("A success resets the count of failures") {
  circuit_breaker breaker = after_failures(4);
  breaker.on_success();
  for (int i = 0; i < 4; ++i) {
    breaker.on_failure(failed_at);
  }
  CHECK(breaker.admits(failed_at));
}

TEST_CASE("A half-open breaker permits one probe, whose result decides") {
  circuit_breaker breaker = after_failures(5);
  CHECK(breaker.admits(failed_at + 60s));
  CHECK(breaker.state() == breaker_state::half_open);
  CHECK_FALSE(breaker.admits(failed_at + 60s));

  SUBCASE("a success closes it") {
    breaker.on_success();
    CHECK(breaker.state() == breaker_state::closed);
    CHECK(breaker.admits(failed_at + 60s));
    CHECK(breaker.admits(failed_at + 60s));
  }
  SUBCASE("a failure opens it for another cooldown") {
    breaker.on_failure(failed_at + 61s);
    CHECK(breaker.state() == breaker_state::open);
    CHECK_FALSE(breaker.admits(failed_at + 121s - 1ns));
    CHECK(breaker.admits(failed_at + 121s));
  }
  SUBCASE("after a cancelled probe, the next request is the probe") {
    breaker.on_abandoned(failed_at + 61s);
    CHECK(breaker.admits(failed_at + 61s));
    CHECK_FALSE(breaker.admits(failed_at + 61s));
  }
  SUBCASE("a probe without a result expires after a cooldown") {
    CHECK_FALSE(breaker.admits(failed_at + 120s - 1ns));
    CHECK(breaker.admits(failed_at + 120s));
  }
}

TEST_CASE("An abandoned request has no effect while the breaker is closed") {
  circuit_breaker breaker = after_failures(4);
  breaker.on_abandoned(failed_at);
  breaker.on_failure(failed_at);
  CHECK_FALSE(breaker.admits(failed_at));
}

TEST_CASE("At the end of time an open breaker stays open") {
  circuit_breaker breaker{{.failures = 1, .cooldown = std::chrono::seconds::max()}};
  breaker.on_failure(failed_at);
  CHECK(breaker.open_until() == time_point::max());
  CHECK_FALSE(breaker.admits(time_point::max() - 1ns));
}
