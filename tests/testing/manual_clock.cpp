#include <robots/testing/manual_clock.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using robots::ManualClock;
using robots::time_point;

TEST_CASE("A manual clock always starts at the same time, which is not zero") {
  CHECK(ManualClock{}.now() == ManualClock{}.now());
  CHECK(ManualClock{}.now() > time_point{});
}

TEST_CASE("A manual clock moves only when a call moves it") {
  const ManualClock clock;
  const time_point start = clock.now();
  CHECK(clock.now() == start);
  clock.advance(25h);
  CHECK(clock.now() == start + 25h);
}

TEST_CASE("Copies of a manual clock share one time, and so does a moved-from clock") {
  ManualClock one;
  ManualClock other = one;
  one.advance(1s);
  CHECK(other.now() == one.now());
  const ManualClock moved = std::move(other);
  moved.advance(1s);
  CHECK(other.now() == one.now());  // NOLINT(bugprone-use-after-move)
}

TEST_CASE("Sleeping on a manual clock moves the time forward, never back") {
  const ManualClock clock;
  const time_point start = clock.now();
  clock.sleep_until(start + 5s, {});
  CHECK(clock.now() == start + 5s);
  clock.sleep_until(start, {});
  CHECK(clock.now() == start + 5s);
}

TEST_CASE("After a stop request, sleeping does not move a manual clock") {
  const ManualClock clock;
  const time_point start = clock.now();
  std::stop_source stop;
  stop.request_stop();
  clock.sleep_until(start + 5s, stop.get_token());
  CHECK(clock.now() == start);
}

TEST_CASE("A manual clock never goes back, nor past the end of time") {
  const ManualClock clock;
  const time_point start = clock.now();
  clock.advance(-5s);
  CHECK(clock.now() == start);
  clock.advance(time_point::duration::max());
  CHECK(clock.now() == time_point::max());
  clock.advance(1h);
  CHECK(clock.now() == time_point::max());
}

TEST_CASE("No step is lost when threads move a manual clock together") {
  const ManualClock clock;
  const time_point start = clock.now();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([clock] {
        for (int step = 0; step < 1000; ++step) {
          clock.advance(1ms);
          clock.sleep_until(clock.now(), {});
        }
      });
    }
  }
  CHECK(clock.now() == start + 4s);
}

TEST_CASE("Each subscriber gets each move by any copy until it unsubscribes") {
  const ManualClock clock;
  const ManualClock copy = clock;
  int moves = 0;
  {
    const auto events = clock.on_move([&moves] { ++moves; });
    CHECK(moves == 0);
    copy.advance(1s);
    CHECK(moves == 1);
    clock.sleep_until(clock.now() + 1s, {});
    CHECK(moves == 2);
  }
  clock.advance(1s);
  CHECK(moves == 2);
}

TEST_CASE("The date of a manual clock moves with its time, from its start date") {
  const robots::wall_time noon = std::chrono::sys_days{std::chrono::year{2026} / 1 / 1} + 12h;
  const ManualClock clock;
  CHECK(clock.wall_now() == noon);
  clock.advance(36h);
  CHECK(clock.wall_now() == noon + 36h);
  const ManualClock epoch{robots::wall_time{}};
  CHECK(epoch.now() == ManualClock{}.now());
  const ManualClock copy = epoch;
  copy.sleep_until(epoch.now() + 5s, {});
  CHECK(epoch.wall_now() == robots::wall_time{5s});
  epoch.advance(time_point::duration::max());
  CHECK(epoch.wall_now() > robots::wall_time{});
}
