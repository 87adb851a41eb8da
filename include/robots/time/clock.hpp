#pragma once

#include <robots/base/stop_token.hpp>
#include <robots/time/wall_time.hpp>

#include <chrono>
#include <concepts>
#include <functional>

namespace robots {

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

namespace detail {

/// A clock that a program can move. After `auto keep = c.on_move(f)`, each move calls `f` in the
/// thread that moves the time, until `keep` is destroyed. Models: `ManualClock`.
template <class C>
concept NotifyingClock =
    Clock<C> && requires(C& clock, std::function<void()> moved) { clock.on_move(moved); };

}  // namespace detail

}  // namespace robots
