#include <robots/time/steady_clock.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <stop_token>
#include <thread>
#include <utility>

using namespace std::chrono_literals;
using robots::SteadyClock;

TEST_CASE("The machine's clock does not go back") {
  const SteadyClock clock;
  const robots::time_point before = clock.now();
  CHECK(clock.now() >= before);
}

TEST_CASE("The machine's clock does not wait for a past time") {
  const SteadyClock clock;
  clock.sleep_until(clock.now() - 1h, {});
  clock.sleep_until(robots::time_point{}, {});
}

TEST_CASE("A sleep on the machine's clock lasts at least until its time") {
  const SteadyClock clock;
  const robots::time_point when = clock.now() + 1ms;
  clock.sleep_until(when, {});
  CHECK(clock.now() >= when);
}

TEST_CASE("A sleep on the machine's clock ends at once if a stop was requested before") {
  const SteadyClock clock;
  std::stop_source stop;
  stop.request_stop();
  const robots::time_point when = clock.now() + 24h;
  clock.sleep_until(when, stop.get_token());
  clock.sleep_until(robots::time_point::max(), stop.get_token());
  CHECK(clock.now() < when);
}

TEST_CASE("A stop request by another thread ends a sleep on the machine's clock") {
  const SteadyClock clock;
  const robots::time_point when = clock.now() + 24h;
  std::jthread sleeper{[&](std::stop_token stop) { clock.sleep_until(when, std::move(stop)); }};
  sleeper.request_stop();
  sleeper.join();
  CHECK(clock.now() < when);
}
