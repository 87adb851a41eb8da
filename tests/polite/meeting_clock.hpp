// A clock that moves while all threads sleep, for tests in which many threads wait.
#pragma once

#include <robots/testing/manual_clock.hpp>

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>

namespace robots::test {

/// A clock for a known number of threads. It stands still while any of them is awake. When all
/// sleep, it moves to the earliest time that one of them waits for. So events have the order that
/// they have if work takes no time. Copies share one time.
class MeetingClock {
 public:
  explicit MeetingClock(std::size_t threads) : shared_(std::make_shared<state>()) {
    shared_->awake = threads;
  }

  [[nodiscard]] time_point now() const noexcept { return shared_->time.now(); }

  [[nodiscard]] wall_time wall_now() const noexcept { return shared_->time.wall_now(); }

  /// Waits until `when`. Ignores stop requests.
  void sleep_until(time_point when, const std::stop_token& /*stop*/) const {
    std::unique_lock lock(shared_->mutex);
    if (when <= now()) {
      return;
    }
    shared_->moments.insert(when);
    --shared_->awake;
    shared_->move_on();
    shared_->moved.wait(lock, [&] { return when <= now(); });
  }

  /// Notes that a thread has ended.
  void leave() const {
    const std::lock_guard lock(shared_->mutex);
    --shared_->awake;
    shared_->move_on();
  }

 private:
  struct state {
    void move_on() {
      if (awake > 0 || moments.empty()) {
        return;
      }
      time.sleep_until(*moments.begin(), {});
      while (!moments.empty() && *moments.begin() <= time.now()) {
        moments.erase(moments.begin());
        ++awake;
      }
      moved.notify_all();
    }

    ManualClock time;
    std::mutex mutex;
    std::condition_variable moved;
    std::multiset<time_point> moments;
    std::size_t awake = 0;
  };

  std::shared_ptr<state> shared_;
};

static_assert(Clock<MeetingClock>);

}  // namespace robots::test
