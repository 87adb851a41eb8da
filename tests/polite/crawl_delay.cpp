#include <robots/polite/crawl_delay.hpp>

#include <robots/polite/gate_options.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>

namespace {

using namespace std::chrono_literals;
using robots::compute_delay;
using robots::computed_delay;
using robots::delay_options;
using robots::gate_options;
using robots::longest_delay;
using delay_inputs = robots::computed_delay::inputs;
using delay_term = robots::computed_delay::source;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

static_assert(to_string(delay_term::none) == "none");
static_assert(to_string(delay_term::crawl_delay) == "crawl_delay");
static_assert(to_string(delay_term::file_delay) == "file_delay");
static_assert(to_string(delay_term::request_rate) == "request_rate");
static_assert(to_string(delay_term::fixed_delay) == "fixed_delay");
static_assert(to_string(delay_term::last_response) == "last_response");
static_assert(to_string(delay_term::floor) == "floor");
static_assert(to_string(delay_term::cap) == "cap");

// The example of CrawlingRules: a fixed delay of 100 ms, and a robots.txt that asks for 2 s.
static_assert(compute_delay({.fixed_delay = 100ms}, {.crawl_delay = 2'000ms}, 1.0).delay == 2s);
static_assert(compute_delay({.fixed_delay = 100ms}, {.crawl_delay = 2'000ms}, 1.0).term ==
              delay_term::crawl_delay);

constexpr nanoseconds squared_response(nanoseconds response_time) {
  return compute_delay({}, {.last_response = response_time}, 0.5).delay;
}
static_assert(squared_response(2s) == 4s);
static_assert(squared_response(1s) == 1s);
static_assert(squared_response(100ms) == 10ms);
static_assert(squared_response(0s) == 0s);
static_assert(squared_response(-2s) == 0s);
static_assert(squared_response(nanoseconds::min()) == 0s);

// The square of a response time has its own cap, which is apart from the cap of all terms.
static_assert(delay_options{}.response_cap == 60s);
static_assert(squared_response(7'700ms) == 59'290ms);
static_assert(squared_response(9s) == 60s && squared_response(60s) == 60s);
static_assert(squared_response(nanoseconds::max()) == 60s);
static_assert(compute_delay({.response_cap = 10s}, {.last_response = 9s}, 0.5).delay == 10s);
static_assert(compute_delay({.response_cap = 10s}, {.last_response = 9s}, 0.5).term ==
              delay_term::last_response);
static_assert(compute_delay({.response_cap = 10s}, {.crawl_delay = 90'000ms}, 0.5).delay == 90s);
static_assert(compute_delay({.response_cap = 0s}, {.last_response = 9s}, 0.5).term ==
              delay_term::none);
static_assert(
    compute_delay({.response_cap = longest_delay}, {.last_response = 24h * 365 * 200}, 0.5).delay ==
    longest_delay);

constexpr nanoseconds spread_delay(nanoseconds fixed, double draw) {
  return compute_delay({.fixed_delay = fixed}, {}, draw).delay;
}
static_assert(spread_delay(100ms, 0.0) == 50ms);
static_assert(spread_delay(100ms, 0.5) == 100ms);
static_assert(spread_delay(100ms, 1.0) == 150ms, "not 250 ms, as CrawlingRules's code has it");
static_assert(spread_delay(0ms, 0.7) == 0ms);
static_assert(spread_delay(-100ms, 0.7) == 0ms);
static_assert(spread_delay(nanoseconds::min(), 1.0) == 0ms);
static_assert(spread_delay(nanoseconds::max(), 1.0) == longest_delay);
static_assert(spread_delay(100ms, -1.0) == 150ms && spread_delay(100ms, 1.1) == 150ms);
static_assert(spread_delay(100ms, std::numeric_limits<double>::quiet_NaN()) == 150ms);
static_assert(spread_delay(100ms, std::numeric_limits<double>::infinity()) == 150ms);

// The longest term decides.
constexpr delay_inputs inputs(milliseconds crawl, milliseconds file, milliseconds rate,
                              nanoseconds response) {
  return {
      .crawl_delay = crawl, .file_delay = file, .request_rate = rate, .last_response = response};
}
constexpr delay_term decider(const delay_options& options, const delay_inputs& from) {
  return compute_delay(options, from, 0.5).term;
}
static_assert(decider({}, {}) == delay_term::none);
static_assert(decider({.fixed_delay = 5s}, inputs(4s, 3s, 2s, 1s)) == delay_term::fixed_delay);
static_assert(decider({.fixed_delay = 5s}, inputs(6s, 3s, 2s, 1s)) == delay_term::crawl_delay);
static_assert(decider({.fixed_delay = 5s}, inputs(4s, 6s, 2s, 1s)) == delay_term::file_delay);
static_assert(decider({.fixed_delay = 5s}, inputs(4s, 3s, 6s, 1s)) == delay_term::request_rate);
static_assert(decider({.fixed_delay = 5s}, inputs(4s, 3s, 2s, 3s)) == delay_term::last_response);
static_assert(decider({.fixed_delay = 5s, .floor = 9s}, inputs(4s, 3s, 2s, 1s)) ==
              delay_term::floor);
static_assert(decider({.fixed_delay = 5s, .cap = 3s}, inputs(4s, 3s, 2s, 1s)) == delay_term::cap);

// If terms are equal, the term of robots.txt is the reason.
static_assert(decider({.fixed_delay = 4s}, inputs(4s, 4s, 4s, 2s)) == delay_term::crawl_delay);
static_assert(decider({.fixed_delay = 4s, .floor = 4s, .cap = 4s}, inputs(0s, 0s, 4s, 2s)) ==
              delay_term::request_rate);
static_assert(decider({.fixed_delay = 4s, .floor = 4s}, inputs(0s, 0s, 0s, 2s)) ==
              delay_term::fixed_delay);

// The cap limits longer delays.
constexpr computed_delay clamped = compute_delay({.cap = 30s}, {.crawl_delay = 86'400'000ms}, 0.5);
static_assert(clamped.delay == 30s && clamped.asked == 24h && !clamped.skip_host);
static_assert(clamped.term == delay_term::cap && clamped.asked_by == delay_term::crawl_delay);
constexpr delay_options skipping{.cap = 30s, .skip_above_cap = true};
static_assert(compute_delay(skipping, {.crawl_delay = 30'001ms}, 0.5).skip_host);
static_assert(!compute_delay(skipping, {.crawl_delay = 30'000ms}, 0.5).skip_host);
static_assert(compute_delay(skipping, {.crawl_delay = 31'000ms, .last_response = 60s}, 0.5)
                  .asked_by == delay_term::crawl_delay);
static_assert(compute_delay(skipping, {.crawl_delay = 31'000ms}, 0.5).delay == 30s);
static_assert(!compute_delay(skipping, {.last_response = 60s}, 0.5).skip_host,
              "a slow answer is not a request of the site");
static_assert(compute_delay(skipping, {.last_response = 60s}, 0.5).term == delay_term::cap);

// These values cannot come from a file or a clock, and give a valid delay.
static_assert(compute_delay({}, {.crawl_delay = milliseconds::max()}, 0.5).delay == longest_delay);
static_assert(compute_delay({}, {.file_delay = milliseconds::min()}, 0.5).delay == 0s);
static_assert(compute_delay({}, {.request_rate = -1ms}, 0.5).term == delay_term::none);

/// Returns a random duration up to `most`, which is 0 in one of five calls.
template <class Random>
milliseconds some(Random& random, milliseconds most) {
  std::uniform_int_distribution<milliseconds::rep> any{-most.count() / 4, most.count()};
  return std::max(milliseconds{any(random)}, 0ms);
}

struct sample {
  delay_options options;
  delay_inputs inputs;
  double draw = 0;
};

template <class Random>
sample some_sample(Random& random) {
  sample drawn;
  drawn.options.fixed_delay = some(random, 10s);
  drawn.options.floor = some(random, 5s);
  drawn.options.cap = drawn.options.floor + some(random, 100s);
  drawn.inputs = inputs(some(random, 20s), some(random, 20s), some(random, 20s), some(random, 5s));
  drawn.draw = std::uniform_real_distribution<double>{0.0, 1.0}(random);
  return drawn;
}

}  // namespace

TEST_CASE("A delay is between floor and cap, and is one of the delays that were asked for") {
  std::mt19937_64 random{42};
  for (int i = 0; i < 100'000; ++i) {
    const sample now = some_sample(random);
    const computed_delay result = compute_delay(now.options, now.inputs, now.draw);
    REQUIRE(result.delay >= now.options.floor);
    REQUIRE(result.delay <= now.options.cap);
    const std::array<nanoseconds, 6> asked{now.inputs.crawl_delay,
                                           now.inputs.file_delay,
                                           now.inputs.request_rate,
                                           spread_delay(now.options.fixed_delay, now.draw),
                                           squared_response(now.inputs.last_response),
                                           now.options.floor};
    const nanoseconds longest = *std::ranges::max_element(asked);
    REQUIRE(result.asked == longest);
    REQUIRE(result.delay == std::min(longest, now.options.cap));
    REQUIRE((result.term == delay_term::cap) == (longest > now.options.cap));
  }
}

TEST_CASE("If robots.txt and another term ask for the same delay, robots.txt is the reason") {
  std::mt19937_64 random{43};
  int decided = 0;
  for (int i = 0; i < 100'000; ++i) {
    const sample now = some_sample(random);
    const computed_delay delay = compute_delay(now.options, now.inputs, now.draw);
    const nanoseconds robots =
        std::max({now.inputs.crawl_delay, now.inputs.file_delay, now.inputs.request_rate});
    const bool by_robots = delay.asked_by == delay_term::crawl_delay ||
                           delay.asked_by == delay_term::file_delay ||
                           delay.asked_by == delay_term::request_rate;
    REQUIRE(by_robots == (robots >= delay.asked && robots > 0ns));
    decided += by_robots ? 1 : 0;
  }
  CHECK(decided > 10'000);
  CHECK(decided < 90'000);
}

TEST_CASE("No delay becomes shorter if a term asks for more") {
  std::mt19937_64 random{44};
  for (int i = 0; i < 100'000; ++i) {
    const sample now = some_sample(random);
    const nanoseconds before = compute_delay(now.options, now.inputs, now.draw).delay;
    sample more = now;
    const milliseconds amount = some(random, 10s);
    switch (i % 7) {
      case 0:
        more.inputs.crawl_delay += amount;
        break;
      case 1:
        more.inputs.file_delay += amount;
        break;
      case 2:
        more.inputs.request_rate += amount;
        break;
      case 3:
        more.inputs.last_response += amount;
        break;
      case 4:
        more.options.fixed_delay += amount;
        break;
      case 5:
        more.draw = std::min(1.0, more.draw + 0.1);
        break;
      default:
        more.options.cap += amount;
        break;
    }
    REQUIRE(compute_delay(more.options, more.inputs, more.draw).delay >= before);
  }
}

double draw(std::mt19937_64& random) {
  return std::uniform_real_distribution<double>{0.0, 1.0}(random);
}

TEST_CASE("The delay varies evenly from 0.5 times to 1.5 times the fixed delay") {
  constexpr std::size_t draws = 200'000;
  constexpr std::size_t parts = 10;
  std::mt19937_64 random{45};
  std::array<std::size_t, parts> counts{};
  double sum = 0;
  double squares = 0;
  nanoseconds least = longest_delay;
  nanoseconds most{0};
  for (std::size_t i = 0; i < draws; ++i) {
    const nanoseconds delay = compute_delay({.fixed_delay = 1s}, {}, draw(random)).delay;
    least = std::min(least, delay);
    most = std::max(most, delay);
    const double seconds = std::chrono::duration<double>{delay}.count();
    sum += seconds;
    squares += seconds * seconds;
    ++counts.at(std::min(parts - 1, static_cast<std::size_t>((seconds - 0.5) * parts)));
  }
  const double mean = sum / draws;
  const double deviation = std::sqrt(squares / draws - mean * mean);
  MESSAGE("fixed delay 1 s, " << draws << " draws: least " << least.count() << " ns, most "
                              << most.count() << " ns, mean " << mean << " s, deviation "
                              << deviation << " s (1/sqrt(12) = 0.288675)");
  CHECK(least >= 500ms);
  CHECK(least < 501ms);
  CHECK(most <= 1'500ms);
  CHECK(most > 1'499ms);
  CHECK(std::abs(mean - 1.0) < 0.003);
  CHECK(std::abs(deviation - 0.288675) < 0.003);
  double chi_squared = 0;
  for (const std::size_t count : counts) {
    const double expected = static_cast<double>(draws) / parts;
    const double off = static_cast<double>(count) - expected;
    chi_squared += off * off / expected;
  }
  MESSAGE("chi squared of ten equal parts: " << chi_squared << " (99.9 % lie below 27.88)");
  CHECK(chi_squared < 27.88);
}

TEST_CASE("Equal random generators give equal delays") {
  std::mt19937_64 one{46};
  std::mt19937_64 other{46};
  for (int i = 0; i < 1'000; ++i) {
    CHECK(compute_delay({.fixed_delay = 1s}, {}, draw(one)).delay ==
          compute_delay({.fixed_delay = 1s}, {}, draw(other)).delay);
  }
}

TEST_CASE("Options that contradict each other are refused") {
  CHECK_NOTHROW(validate(gate_options{.delay = {}}));
  CHECK_NOTHROW(validate(gate_options{.delay = {.fixed_delay = 1s, .floor = 2s, .cap = 2s}}));
  CHECK_THROWS_AS(validate(gate_options{.delay = {.fixed_delay = -1ns}}), std::invalid_argument);
  CHECK_THROWS_AS(validate(gate_options{.delay = {.floor = -1ns}}), std::invalid_argument);
  CHECK_THROWS_AS(validate(gate_options{.delay = {.floor = 2s, .cap = 1s}}), std::invalid_argument);
  CHECK_THROWS_AS(validate(gate_options{.delay = {.cap = -1s}}), std::invalid_argument);
  CHECK_THROWS_AS(validate(gate_options{.delay = {.response_cap = -1s}}), std::invalid_argument);
  CHECK_NOTHROW(validate(gate_options{.delay = {.response_cap = 0s}}));
  CHECK_THROWS_AS(validate(gate_options{.delay = {.fixed_delay = nanoseconds::max()}}),
                  std::invalid_argument);
  CHECK_THROWS_AS(
      validate(gate_options{.delay = {.floor = nanoseconds::max(), .cap = nanoseconds::max()}}),
      std::invalid_argument);
}
