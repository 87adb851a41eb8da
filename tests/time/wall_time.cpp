#include <robots/time/wall_time.hpp>

#include <doctest/doctest.h>

#include <chrono>

namespace {

using namespace std::chrono_literals;
using robots::time_point;
using robots::wall_anchor;
using robots::wall_time;

constexpr wall_anchor anchor{.steady = time_point{100h}, .wall = wall_time{500'000h}};

static_assert(anchor.at(time_point{100h}) == wall_time{500'000h});
static_assert(anchor.at(time_point{101h}) == wall_time{500'001h});
static_assert(anchor.at(time_point{99h}) == wall_time{499'999h});
static_assert(anchor.at(wall_time{500'002h}) == time_point{102h});

// Nothing overflows: a result beyond the range of a clock is the nearest end of the range.
static_assert(anchor.at(time_point::max()) == wall_time::max());
static_assert(anchor.at(wall_time::max()) <= time_point::max());
constexpr wall_anchor early{.steady = time_point::min(), .wall = wall_time::max()};
static_assert(early.at(time_point::max()) == wall_time::max());
static_assert(early.at(wall_time::min()) == time_point::min());

}  // namespace

TEST_CASE("Converting there and back gives the same time") {
  for (const auto away : {0h, 1h, 10'000h, -50h}) {
    const time_point when = anchor.steady + away;
    CHECK(anchor.at(anchor.at(when)) == when);
  }
}

TEST_CASE("A date is written in the form of RFC 3339, to the millisecond") {
  using namespace std::chrono;
  const wall_time noon = sys_days{year{2026} / 3 / 7} + 12h;
  CHECK(robots::date_text(noon) == "2026-03-07T12:00:00.000Z");
  CHECK(robots::date_text(noon + 61min + 1s + 7ms + 999us) == "2026-03-07T13:01:01.007Z");
  CHECK(robots::date_text(wall_time{-1ms}) == "1969-12-31T23:59:59.999Z");
}
