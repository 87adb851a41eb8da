#include <robots/time/coarse_clock.hpp>

#include <robots/time/steady_clock.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <stop_token>
#include <thread>
#include <utility>

using namespace std::chrono_literals;

TEST_CASE("the coarse clock does not go back") {
  const robots::CoarseClock clock;
  const robots::time_point before = clock.now();
  CHECK(clock.now() >= before);
}

TEST_CASE("the coarse clock does not wait for what has passed") {
  const robots::CoarseClock clock;
  clock.sleep_until(clock.now() - 1h, {});
  clock.sleep_until(robots::time_point{}, {});
}

TEST_CASE("after a sleep on the coarse clock the time has come") {
  const robots::CoarseClock clock;
  const robots::time_point when = clock.now() + 1ms;
  clock.sleep_until(when, {});
  CHECK(clock.now() >= when);
}

TEST_CASE("a stop requested before ends a sleep on the coarse clock at once") {
  const robots::CoarseClock clock;
  std::stop_source stop;
  stop.request_stop();
  const robots::time_point when = clock.now() + 24h;
  clock.sleep_until(when, stop.get_token());
  clock.sleep_until(robots::time_point::max(), stop.get_token());
  CHECK(clock.now() < when);
}

TEST_CASE("a stop requested by another thread ends a sleep on the coarse clock") {
  const robots::CoarseClock clock;
  const robots::time_point when = clock.now() + 24h;
  std::jthread sleeper{[&](std::stop_token stop) { clock.sleep_until(when, std::move(stop)); }};
  sleeper.request_stop();
  sleeper.join();
  CHECK(clock.now() < when);
}

TEST_CASE("the coarse clock is behind the steady clock, not before it") {
  const robots::CoarseClock coarse;
  const robots::SteadyClock steady;
  for (int i = 0; i < 1'000; ++i) {
    const robots::time_point ticked = coarse.now();
    CHECK(ticked <= steady.now());
  }
}
