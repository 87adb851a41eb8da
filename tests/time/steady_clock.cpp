#include <robots/time/steady_clock.hpp>

#include <robots/time/coarse_clock.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <stop_token>
#include <thread>
#include <utility>

using namespace std::chrono_literals;
using robots::CoarseClock;
using robots::SteadyClock;

TEST_CASE_TEMPLATE("the machine's clock does not go back", Time, SteadyClock, CoarseClock) {
  const Time clock;
  const robots::time_point before = clock.now();
  CHECK(clock.now() >= before);
}

TEST_CASE_TEMPLATE("the machine's clock does not wait for what has passed", Time, SteadyClock,
                   CoarseClock) {
  const Time clock;
  clock.sleep_until(clock.now() - 1h, {});
  clock.sleep_until(robots::time_point{}, {});
}

TEST_CASE_TEMPLATE("after a sleep on the machine's clock the time has come", Time, SteadyClock,
                   CoarseClock) {
  const Time clock;
  const robots::time_point when = clock.now() + 1ms;
  clock.sleep_until(when, {});
  CHECK(clock.now() >= when);
}

TEST_CASE_TEMPLATE("a stop requested before ends a sleep on the machine's clock at once", Time,
                   SteadyClock, CoarseClock) {
  const Time clock;
  std::stop_source stop;
  stop.request_stop();
  const robots::time_point when = clock.now() + 24h;
  clock.sleep_until(when, stop.get_token());
  clock.sleep_until(robots::time_point::max(), stop.get_token());
  CHECK(clock.now() < when);
}

TEST_CASE_TEMPLATE("a stop requested by another thread ends a sleep on the machine's clock", Time,
                   SteadyClock, CoarseClock) {
  const Time clock;
  const robots::time_point when = clock.now() + 24h;
  std::jthread sleeper{[&](std::stop_token stop) { clock.sleep_until(when, std::move(stop)); }};
  sleeper.request_stop();
  sleeper.join();
  CHECK(clock.now() < when);
}
