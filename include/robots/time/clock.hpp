#pragma once

#include <robots/base/stop_token.hpp>

#include <chrono>
#include <concepts>
#include <functional>
#include <string>

namespace robots {

/// A moment of the steady clock, which measures ages and delays. A moment is not a date.
using time_point = std::chrono::steady_clock::time_point;

/// A date and time of day. It counts nanoseconds on any system, so its range is 1677 to 2262.
using wall_time = std::chrono::sys_time<std::chrono::nanoseconds>;

/// A clock that can block a thread until a given time.
///
/// The `now()` of a model never goes back. `sleep_until(when, stop)` returns as soon as `stop` is
/// requested or `now() >= when`. The function may move the time instead of blocking, as in
/// `ManualClock`. A model may also have `wall_now()`, which returns the date and must not throw.
/// Any thread may call these functions.
///
/// Example: after `c.sleep_until(when, stop)`, `c.now() >= when || stop.stop_requested()` is true.
/// Models: `SteadyClock`, `ManualClock`.
template <class C>
concept Clock = std::movable<C> && requires(C& clock, time_point when, stop_token stop) {
  { clock.now() } -> std::same_as<time_point>;
  clock.sleep_until(when, stop);
};

/// Returns the date of `clock`, or the machine's date if `clock` has no `wall_now()`.
template <Clock C>
[[nodiscard]] wall_time wall_now([[maybe_unused]] C& clock) {
  if constexpr (requires { clock.wall_now(); }) {
    return clock.wall_now();
  } else {
    return std::chrono::system_clock::now();
  }
}

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
      return b > span::zero()        ? a > (span::max)() - b ? (span::max)() : a + b
             : a < (span::min)() - b ? (span::min)()
                                     : a + b;
    };
    return sum(base, sum(to, from == (span::min)() ? (span::max)() : -from));
  }
};

namespace detail {

/// A clock that a program can move. After `auto keep = c.on_move(f)`, each move calls `f` in the
/// thread that moves the time, until `keep` is destroyed. Models: `ManualClock`.
template <class C>
concept NotifyingClock =
    Clock<C> && requires(C& clock, std::function<void()> moved) { clock.on_move(moved); };

}  // namespace detail

}  // namespace robots
