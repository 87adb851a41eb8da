#pragma once

#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>

namespace robots {

/// Minutes since the epoch, rounded down: the form of `visit_time::contains`.
[[nodiscard]] constexpr std::chrono::minutes utc_minutes(wall_time when) noexcept {
  return std::chrono::floor<std::chrono::minutes>(when.time_since_epoch());
}

/// A date as RFC 3339 writes it, in UTC with milliseconds: `2026-01-01T12:00:00.000Z`.
[[nodiscard]] inline std::string date_text(wall_time when) {
  using namespace std::chrono;
  const auto day = floor<days>(when);
  const year_month_day date{day};
  const hh_mm_ss time{floor<milliseconds>(when - day)};
  std::string text;
  const auto add = [&text](auto number, std::size_t digits, const char* behind) {
    const std::string written = std::to_string(number);
    text.append(digits - (std::min)(digits, written.size()), '0').append(written).append(behind);
  };
  add(static_cast<int>(date.year()), 4, "-");
  add(static_cast<unsigned>(date.month()), 2, "-");
  add(static_cast<unsigned>(date.day()), 2, "T");
  add(time.hours().count(), 2, ":");
  add(time.minutes().count(), 2, ":");
  add(time.seconds().count(), 2, ".");
  add(time.subseconds().count(), 3, "Z");
  return text;
}

/// Converts moments of a steady clock to wall time, by one moment at which both clocks were read.
/// Changes of the system's clock after that are not seen.
struct wall_anchor {
  time_point steady{};  ///< when it was read, by the steady clock
  wall_time wall{};     ///< when it was read, by the day's time

  /// The day's time at `when`; the nearest end of time where it would lie outside.
  [[nodiscard]] constexpr wall_time at(time_point when) const noexcept {
    return wall_time{
        shifted(wall.time_since_epoch(), steady.time_since_epoch(), when.time_since_epoch())};
  }

  /// The moment of the steady clock at which the day's time is `when`.
  [[nodiscard]] constexpr time_point at(wall_time when) const noexcept {
    return time_point{
        shifted(steady.time_since_epoch(), wall.time_since_epoch(), when.time_since_epoch())};
  }

 private:
  using span = std::chrono::nanoseconds;

  /// `base + (to - from)`, without overflow.
  [[nodiscard]] static constexpr span shifted(span base, span from, span to) noexcept {
    const span distance = sum(to, from == (span::min)() ? (span::max)() : -from);
    return sum(base, distance);
  }

  [[nodiscard]] static constexpr span sum(span a, span b) noexcept {
    if (b > span::zero()) {
      return a > (span::max)() - b ? (span::max)() : a + b;
    }
    return a < (span::min)() - b ? (span::min)() : a + b;
  }
};

/// Returns one moment by both times of a clock.
template <Clock C>
[[nodiscard]] wall_anchor read_clock(C& clock) {
  return {.steady = clock.now(), .wall = wall_now(clock)};
}

}  // namespace robots
