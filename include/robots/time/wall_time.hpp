#pragma once

#include <chrono>
#include <string>

namespace robots {

/// A moment of the steady clock, which measures ages and delays. A moment is not a date.
using time_point = std::chrono::steady_clock::time_point;

/// A date and time of day. It counts nanoseconds on any system, so its range is 1677 to 2262.
using wall_time = std::chrono::sys_time<std::chrono::nanoseconds>;

/// Writes a date in the form of RFC 3339, in UTC with milliseconds.
[[nodiscard]] inline std::string date_text(wall_time when) {
  using namespace std::chrono;
  const auto day = floor<days>(when);
  const year_month_day date{day};
  const hh_mm_ss time{floor<milliseconds>(when - day)};
  std::string text;
  // Adding `limit` puts a 1 before the digits, which keeps leading zeros. `append` skips the 1.
  const auto add = [&text](auto number, unsigned limit, const char* separator) {
    text.append(std::to_string(limit + static_cast<unsigned>(number)), 1).append(separator);
  };
  add(static_cast<int>(date.year()), 10'000, "-");
  add(static_cast<unsigned>(date.month()), 100, "-");
  add(static_cast<unsigned>(date.day()), 100, "T");
  add(time.hours().count(), 100, ":");
  add(time.minutes().count(), 100, ":");
  add(time.seconds().count(), 100, ".");
  add(time.subseconds().count(), 1'000, "Z");
  return text;
}

/// Converts between steady and wall time. Later changes of the system clock have no effect.
struct wall_anchor {
  time_point steady{};  ///< the reading of the steady clock
  wall_time wall{};     ///< the reading of the wall clock

  /// Returns the wall time at `when`, limited to the range of `wall_time`.
  [[nodiscard]] constexpr wall_time at(time_point when) const noexcept {
    return wall_time{
        shifted(wall.time_since_epoch(), steady.time_since_epoch(), when.time_since_epoch())};
  }

  /// Returns the steady time of the date `when`, limited to the range of `time_point`.
  [[nodiscard]] constexpr time_point at(wall_time when) const noexcept {
    return time_point{
        shifted(steady.time_since_epoch(), wall.time_since_epoch(), when.time_since_epoch())};
  }

 private:
  using span = std::chrono::nanoseconds;

  /// Returns `base + (to - from)`, without overflow.
  [[nodiscard]] static constexpr span shifted(span base, span from, span to) noexcept {
    const auto sum = [](span a, span b) {
      if (b > span::zero()) {
        return a > (span::max)() - b ? (span::max)() : a + b;
      }
      return a < (span::min)() - b ? (span::min)() : a + b;
    };
    return sum(base, sum(to, from == (span::min)() ? (span::max)() : -from));
  }
};

}  // namespace robots
