#pragma once

#include <robots/time/clock.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <stop_token>

namespace robots {

/// A clock that stands still until it is told to move, for tests: nothing waits, nothing depends on
/// how fast the machine is.
///
/// Copies share one time, so that a test keeps one and gives away another. All members may be
/// called from any thread.
class ManualClock {
 public:
  /// Starts at a fixed moment, later than `time_point{}`, which programs use to mean "never".
  ManualClock() : now_{std::make_shared<std::atomic<rep>>(start().count())} {}

  // Declared so that no move exists: a moved-from clock still shares the time.
  ManualClock(const ManualClock&) = default;
  ManualClock& operator=(const ManualClock&) = default;
  ~ManualClock() = default;

  /// The present moment.
  [[nodiscard]] time_point now() const noexcept { return time_point{duration{now_->load()}}; }

  /// Moves the time forward. A negative duration moves nothing; past the end of time it stops
  /// there.
  void advance(time_point::duration by) const noexcept {
    rep before = now_->load();
    rep after = before;
    do {
      const rep left = duration::max().count() - before;
      const rep step = by.count() < 0 ? 0 : by.count();
      after = before + (step < left ? step : left);
    } while (!now_->compare_exchange_weak(before, after));
  }

  /// Moves the time to `when` unless it is later already or `stop` is requested. Never blocks.
  void sleep_until(time_point when, std::stop_token stop) const noexcept {
    if (stop.stop_requested()) {
      return;
    }
    const rep wanted = when.time_since_epoch().count();
    rep before = now_->load();
    while (before < wanted && !now_->compare_exchange_weak(before, wanted)) {
    }
  }

 private:
  using duration = time_point::duration;
  using rep = duration::rep;

  [[nodiscard]] static constexpr duration start() noexcept { return std::chrono::hours{1'000}; }

  std::shared_ptr<std::atomic<rep>> now_;
};

static_assert(Clock<ManualClock>);

}  // namespace robots
