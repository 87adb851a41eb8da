#include <robots/fetch/retry_options.hpp>

#include <robots/fetch/retrieval.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <limits>
#include <stdexcept>

using namespace std::chrono_literals;
using robots::retry_options;
using robots::detail::backoff;

namespace {

// The waits are at most 1, 2, 4 and 8 s, and then always 8 s. Half of each wait is random.
constexpr retry_options usual{};
static_assert(backoff(usual, 1, 1.0) == 1s);
static_assert(backoff(usual, 2, 1.0) == 2s);
static_assert(backoff(usual, 3, 1.0) == 4s);
static_assert(backoff(usual, 4, 1.0) == 8s);
static_assert(backoff(usual, 5, 1.0) == 8s);
static_assert(backoff(usual, std::numeric_limits<int>::max(), 1.0) == 8s);
static_assert(backoff(usual, 3, 0.5) == 3s);
static_assert(backoff(usual, 1, 0.0) == 500ms);
static_assert(backoff(usual, 3, 0.0) == 2s);

// With a jitter of 1, the whole wait is random; with 0, nothing is.
static_assert(backoff({.jitter = 1.0}, 3, 0.25) == 1s);
static_assert(backoff({.jitter = 1.0}, 3, 0.0) == 0s);
static_assert(backoff({.jitter = 0.0}, 2, 0.0) == 2s);

constexpr retry_options uneven{.attempts = 9, .base = 3s, .cap = 7s};
static_assert(backoff(uneven, 1, 1.0) == 3s);
static_assert(backoff(uneven, 2, 1.0) == 6s);
static_assert(backoff(uneven, 3, 1.0) == 7s);

static_assert(backoff({.base = 9s, .cap = 2s}, 1, 1.0) == 2s);
static_assert(backoff({.base = 0s}, 7, 1.0) == 0s);
static_assert(backoff({.base = std::chrono::milliseconds::max(),
                       .cap = std::chrono::milliseconds::max()},
                      3, 1.0) == 24h);

void validate(const retry_options& retry) {
  robots::detail::retrieval_options options;
  options.user_agent = "FooBot";
  options.retry = retry;
  robots::detail::validate(options);
}

}  // namespace

TEST_CASE("A number of tries below one, and negative times, are refused") {
  CHECK_NOTHROW(validate(usual));
  CHECK_NOTHROW(
      validate(retry_options{.attempts = 1, .base = 0s, .cap = 0s, .max_retry_after = 0s}));
  CHECK_THROWS_AS(validate(retry_options{.attempts = 0}), std::invalid_argument);
  CHECK_THROWS_AS(validate(retry_options{.base = -1ms}), std::invalid_argument);
  CHECK_THROWS_AS(validate(retry_options{.cap = -1ms}), std::invalid_argument);
  CHECK_THROWS_AS(validate(retry_options{.max_retry_after = -1s}), std::invalid_argument);
  CHECK_THROWS_AS(validate(retry_options{.jitter = 1.1}), std::invalid_argument);
  CHECK_THROWS_AS(validate(retry_options{.jitter = -0.1}), std::invalid_argument);
}
