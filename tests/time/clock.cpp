#include <robots/time/clock.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <stop_token>
#include <string>

namespace {

struct frozen_clock {
  robots::time_point now() { return {}; }
  void sleep_until(robots::time_point, std::stop_token) {}
};

struct frozen_date_clock : frozen_clock {
  robots::wall_time wall_now() { return {}; }
};

struct date_only_clock {
  std::chrono::system_clock::time_point now() { return {}; }
  void sleep_until(robots::time_point, std::stop_token) {}
};

struct sleepless_clock {
  robots::time_point now() { return {}; }
};

static_assert(robots::Clock<frozen_clock>);
static_assert(!robots::Clock<date_only_clock>);
static_assert(!robots::Clock<sleepless_clock>);
static_assert(!robots::Clock<std::string>);

}  // namespace

TEST_CASE("Any type with the right members is a clock") {
  frozen_clock clock;
  CHECK(clock.now() == robots::time_point{});
}

TEST_CASE("A clock without a date uses the date of the machine, and other clocks use their own") {
  frozen_clock machine;
  const robots::wall_time before = std::chrono::system_clock::now();
  CHECK(robots::wall_now(machine) >= before);
  frozen_date_clock own;
  CHECK(robots::wall_now(own) == robots::wall_time{});
}
