#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/wall_time.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace robots {

/// A clock for tests. It stands still until the test moves it, so no test waits or depends on the
/// speed of the machine. The date of the clock moves with its time.
///
/// Copies share one time, so that a test can keep one copy and pass on another. Any thread may call
/// any member.
class ManualClock {
 public:
  /// Starts at a fixed moment, with the date noon of 2026-01-01, UTC. The moment is later than
  /// `time_point{}`, which programs use to mean "never".
  ManualClock()
      : ManualClock{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1} +
                    std::chrono::hours{12}} {}

  /// Starts at the same fixed moment, with the date `start_date`.
  explicit ManualClock(wall_time start_date) : state_{std::make_shared<state>(start_date)} {}

  // The class has no move constructor, so a move copies. A moved-from clock still shares the time.
  ManualClock(const ManualClock&) = default;
  ManualClock& operator=(const ManualClock&) = default;
  ~ManualClock() = default;

  /// Returns the current time.
  [[nodiscard]] time_point now() const noexcept { return time_point{duration{state_->now.load()}}; }

  /// Returns the date, which is `start_date` plus the time that has passed since the start.
  [[nodiscard]] wall_time wall_now() const noexcept {
    return wall_anchor{.steady = time_point{start()}, .wall = state_->start_date}.at(now());
  }

  /// Moves the time forward. A negative duration has no effect. The time stops at the end of its
  /// range.
  void advance(time_point::duration step) const {
    rep before = state_->now.load();
    while (!state_->now.compare_exchange_weak(
        before,
        base::saturating_add(time_point{duration{before}}, step).time_since_epoch().count())) {
    }
    state_->tell();
  }

  /// Moves the time to `when`, unless it is already later or `stop` is requested. Never blocks.
  void sleep_until(time_point when, stop_token stop) const {
    if (stop.stop_requested()) {
      return;
    }
    const rep wanted = when.time_since_epoch().count();
    rep before = state_->now.load();
    while (before < wanted && !state_->now.compare_exchange_weak(before, wanted)) {
    }
    state_->tell();
  }

  /// Calls `moved` after each move of the time, in the thread that moves the time, while the result
  /// exists. `moved` must not call `on_move` and must not destroy a result of `on_move`.
  [[nodiscard]] auto on_move(std::function<void()> moved) const {
    const std::scoped_lock lock{state_->mutex};
    const auto place = state_->listeners.insert(state_->listeners.end(), std::move(moved));
    const auto end = [shared = state_, place](const void* /*nothing*/) {
      const std::scoped_lock held{shared->mutex};
      shared->listeners.erase(place);
    };
    return std::unique_ptr<const void, decltype(end)>{state_.get(), end};
  }

 private:
  using duration = time_point::duration;
  using rep = duration::rep;

  [[nodiscard]] static constexpr duration start() noexcept { return std::chrono::hours{1'000}; }

  struct state {
    explicit state(wall_time date) : start_date{date} {}

    const wall_time start_date;
    std::atomic<rep> now = start().count();
    std::mutex mutex;
    std::list<std::function<void()>> listeners;

    void tell() {
      const std::scoped_lock lock{mutex};
      for (const auto& moved : listeners) {
        moved();
      }
    }
  };

  std::shared_ptr<state> state_;
};

static_assert(detail::NotifyingClock<ManualClock>);

}  // namespace robots
