#include <robots/policy/lifetime.hpp>

#include <robots/fetch/outcome.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/policy/judge_options.hpp>
#include <robots/policy/record.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <limits>

using namespace std::chrono_literals;
using robots::is_failure;
using robots::outcome;
using robots::detail::failure_lifetime;
using robots::detail::judge_options;

namespace {

static_assert(is_failure(outcome::server_error) && is_failure(outcome::circuit_open));
static_assert(!is_failure(outcome::success) && !is_failure(outcome::client_error));

judge_options usual() { return {.fallback = robots::fallback_policy::strict()}; }

}  // namespace

TEST_CASE("Each failure in a row is remembered twice as long, up to an hour") {
  const judge_options options = usual();
  CHECK(failure_lifetime(options, 1, 0.0) == 5min);
  CHECK(failure_lifetime(options, 2, 0.0) == 10min);
  CHECK(failure_lifetime(options, 3, 0.0) == 20min);
  CHECK(failure_lifetime(options, 4, 0.0) == 40min);
  CHECK(failure_lifetime(options, 5, 0.0) == 1h);
  CHECK(failure_lifetime(options, std::numeric_limits<int>::max(), 0.0) == 1h);
}

TEST_CASE("A failure without a response can be remembered for a shorter time than a server error") {
  judge_options options = usual();
  CHECK(failure_lifetime(options, 1, 0.0, outcome::unreachable) == 5min);
  options.unreachable_ttl = 30s;
  CHECK(failure_lifetime(options, 1, 0.0, outcome::unreachable) == 30s);
  CHECK(failure_lifetime(options, 2, 0.0, outcome::unreachable) == 1min);
  CHECK(failure_lifetime(options, 99, 0.0, outcome::unreachable) == 1h);
  CHECK(failure_lifetime(options, 1, 0.0, outcome::server_error) == 5min);
  CHECK(failure_lifetime(options, 1, 0.0, outcome::too_many_requests) == 5min);
  robots::record_head lost{{.outcome = outcome::unreachable}};
  lost.failures = 1;
  CHECK(robots::detail::lifetime_of(lost, nullptr, options, 0.0) == 30s);
  options.unreachable_ttl = 0s;
  CHECK(failure_lifetime(options, 9, 0.0, outcome::unreachable) == 0s);
}

TEST_CASE("The random part shortens a lifetime by at most a tenth") {
  const judge_options options = usual();
  CHECK(failure_lifetime(options, 1, 1.0) == 4min + 30s);
  CHECK(failure_lifetime(options, 1, 0.5) == 4min + 45s);
  CHECK(failure_lifetime(options, 9, 1.0) == 54min);
}

TEST_CASE("A doubled lifetime does not overflow, and a lifetime of 0 stays 0") {
  judge_options options = usual();
  options.failure_ttl = options.max_failure_ttl = std::chrono::seconds::max();
  CHECK(failure_lifetime(options, 100, 0.0) == std::chrono::seconds::max());
  options.failure_jitter = 1.0;
  CHECK(failure_lifetime(options, 100, 1.0) == std::chrono::seconds::max());
  options.failure_ttl = 1s;
  CHECK(failure_lifetime(options, 1'000, 0.0) == std::chrono::seconds::max());
  options.failure_ttl = 0s;
  CHECK(failure_lifetime(options, 1'000, 1.0) == 0s);
  options.failure_ttl = 2h;
  options.max_failure_ttl = 1h;
  CHECK(failure_lifetime(options, 3, 0.0) == 2h);
}
