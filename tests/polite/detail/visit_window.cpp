#include <robots/polite/detail/visit_window.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <random>
#include <string_view>
#include <vector>

namespace {

using namespace std::chrono_literals;
using robots::visit_time;
using robots::wall_time;
using robots::polite_detail::next_visit;
using robots::polite_detail::utc_minutes;

/// Returns a time of the day 2026-11-21, or of a day near it.
constexpr wall_time clock_time(std::chrono::nanoseconds of_day) {
  constexpr std::chrono::sys_days day = std::chrono::year{2026} / 11 / 21;
  return wall_time{day} + std::chrono::duration_cast<wall_time::duration>(of_day);
}

constexpr wall_time next(std::string_view window, wall_time from) {
  const std::array<visit_time, 1> times{*visit_time::parse(window)};
  return next_visit(times, from);
}

static_assert(next_visit({}, clock_time(5h)) == clock_time(5h));
static_assert(next("0600-0845", clock_time(5h + 59min + 59s)) == clock_time(6h));
static_assert(next("0600-0845", clock_time(6h)) == clock_time(6h));
static_assert(next("0600-0845", clock_time(8h + 44min + 59s)) == clock_time(8h + 44min + 59s));
static_assert(next("0600-0845", clock_time(8h + 45min)) == clock_time(30h));
static_assert(next("1004-2200", clock_time(22h - 1ns)) == clock_time(22h - 1ns));
static_assert(next("1004-2200", clock_time(22h)) == clock_time(34h + 4min));
static_assert(next("2200-0400", clock_time(23h)) == clock_time(23h));
static_assert(next("2200-0400", clock_time(3h)) == clock_time(3h));
static_assert(next("2200-0400", clock_time(4h)) == clock_time(22h));
static_assert(next("0000-2400", clock_time(12h)) == clock_time(12h));
static_assert(next("1200-1200", clock_time(5h)) == clock_time(5h));
static_assert(next("0000-0001", clock_time(23h + 59min + 59s + 999ms)) == clock_time(24h));

constexpr std::array<visit_time, 2> twice{*visit_time::parse("0600-0700"),
                                          *visit_time::parse("1800-1900")};
static_assert(next_visit(twice, clock_time(7h + 1min)) == clock_time(18h));
static_assert(next_visit(twice, clock_time(20h)) == clock_time(30h));
static_assert(next_visit(twice, clock_time(18h + 30min)) == clock_time(18h + 30min));

// A time before the epoch or at an end of the range has a next visit.
static_assert(next("0600-0845", wall_time{-1h}) == wall_time{6h});
static_assert(utc_minutes(wall_time{-1s}) == -1min);
static_assert(next("0600-0845", wall_time::min()) >= wall_time::min());
static_assert(next("0600-0600", wall_time::max()) == wall_time::max());
static_assert(next("0600-0601", wall_time::max()) == wall_time::max(), "there is no next day");

// A window that cannot come from a file delays a visit by at most a day, and does not hang.
constexpr std::array<visit_time, 1> nonsense{visit_time{.from = -5min, .to = -9min}};
static_assert(next_visit(nonsense, clock_time(5h)) - clock_time(5h) <= 24h);

}  // namespace

TEST_CASE("The next visit is the first minute in a window") {
  std::mt19937_64 random{47};
  std::uniform_int_distribution<int> minute{0, 1439};
  for (int i = 0; i < 2'000; ++i) {
    std::vector<visit_time> times(static_cast<std::size_t>(i % 3 + 1));
    for (visit_time& time : times) {
      time = {.from = std::chrono::minutes{minute(random)},
              .to = std::chrono::minutes{minute(random)}};
    }
    const wall_time from = clock_time(std::chrono::minutes{minute(random)});
    wall_time expected = from;
    while (!visit_time::is_open(times, utc_minutes(expected))) {
      expected += 1min;
    }
    REQUIRE(next_visit(times, from) == expected);
  }
}
