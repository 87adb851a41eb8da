#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace robots {

/// A clock for tests. It stands still until the test moves it, so no test waits or depends on the
/// speed of the machine. The clock also has a date, which moves with the time.
///
/// Copies share one time. Any thread may call any member.
class ManualClock {
 public:
  /// Starts at a fixed moment, with the date 2026-01-01 at noon, UTC. The moment is later than
  /// `time_point{}`, which programs use to mean "never".
  ManualClock()
      : ManualClock{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1} +
                    std::chrono::hours{12}} {}

  /// Starts at the same moment as `ManualClock{}`, but with the date `start_date`.
  explicit ManualClock(wall_time start_date) : state_{std::make_shared<state>(start_date)} {}

  // Without a move constructor, a move makes a copy, so a moved-from clock can still be used.
  ManualClock(const ManualClock&) = default;
  ManualClock& operator=(const ManualClock&) = default;
  ~ManualClock() = default;

  /// Returns the current time.
  [[nodiscard]] time_point now() const noexcept { return state_->now; }

  /// Returns the date, which is `start_date` plus the time that has passed since the start.
  [[nodiscard]] wall_time wall_now() const noexcept {
    return wall_anchor{.steady = start, .wall = state_->start_date}.at(now());
  }

  /// Moves the time by `step`, at most to `time_point::max()`. A negative `step` counts as 0.
  void advance(time_point::duration step) const {
    move([step](time_point before) { return base::saturating_add(before, step); });
  }

  /// Moves the time to `when` if `when` is later and `stop` is not requested. Never blocks.
  void sleep_until(time_point when, stop_token stop) const {
    if (!stop.stop_requested()) {
      move([when](time_point before) { return (std::max)(before, when); });
    }
  }

  /// Calls `moved` after each move of the time, in the thread that moves the time. Destroy the
  /// result to end the calls. `moved` must neither call `on_move` nor destroy such a result.
  [[nodiscard]] auto on_move(std::function<void()> moved) const {
    const std::scoped_lock lock{state_->mutex};
    const auto place = state_->listeners.insert(state_->listeners.end(), std::move(moved));
    auto end = [shared = state_, place](const void* /*nothing*/) {
      const std::scoped_lock held{shared->mutex};
      shared->listeners.erase(place);
    };
    return std::unique_ptr<const void, decltype(end)>{state_.get(), std::move(end)};
  }

 private:
  static constexpr time_point start{std::chrono::hours{1'000}};

  struct state {
    explicit state(wall_time date) : start_date{date} {}

    const wall_time start_date;
    std::atomic<time_point> now = start;
    std::mutex mutex;
    std::list<std::function<void()>> listeners;
  };

  template <class Next>
  void move(const Next& next) const {
    time_point before = state_->now;
    while (!state_->now.compare_exchange_weak(before, next(before))) {
    }
    const std::scoped_lock lock{state_->mutex};
    for (const auto& moved : state_->listeners) {
      moved();
    }
  }

  std::shared_ptr<state> state_;
};

static_assert(detail::NotifyingClock<ManualClock>);

}  // namespace robots
