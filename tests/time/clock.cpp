#include <robots/time/clock.hpp>

#include <doctest/doctest.h>

#include <stop_token>
#include <string>

namespace {

struct frozen_clock {
  robots::time_point now() { return {}; }
  void sleep_until(robots::time_point, std::stop_token) {}
};

struct wall_clock {
  std::chrono::system_clock::time_point now() { return {}; }
  void sleep_until(robots::time_point, std::stop_token) {}
};

struct sleepless_clock {
  robots::time_point now() { return {}; }
};

static_assert(robots::Clock<frozen_clock>);
static_assert(!robots::Clock<wall_clock>);
static_assert(!robots::Clock<sleepless_clock>);
static_assert(!robots::Clock<std::string>);

}  // namespace

TEST_CASE("any type with the right members is a clock") {
  frozen_clock clock;
  CHECK(clock.now() == robots::time_point{});
}
