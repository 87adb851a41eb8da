#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/base/stop_token.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace robots::base {

/// Calls `moved()` each time a program moves the time of `clock`, until the result is destroyed.
/// Has no effect if `clock` is not a `detail::NotifyingClock`, since no program moves such a clock.
template <class C, class F>
[[nodiscard]] auto on_move([[maybe_unused]] C& clock, [[maybe_unused]] F&& moved) {
  if constexpr (requires { clock.on_move(std::function<void()>{}); }) {
    return clock.on_move(std::forward<F>(moved));
  } else {
    return nullptr;
  }
}

/// A condition variable whose waits also end at a stop request, or at a deadline on any clock. The
/// user's own mutex guards the condition.
///
/// The class has its own mutex, and locks nothing else while it holds that mutex. So a thread or a
/// `detail::NotifyingClock` may call `notify_all` while it holds any lock.
class clock_condition {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Wakes all waiting threads, which then call `ready` again.
  void notify_all() noexcept {
    {
      const std::scoped_lock own{mutex_};
      ++changes_;
    }
    changed_.notify_all();
  }

  /// Waits until `ready()` returns true, `stop` is requested, or `clock` reaches the deadline.
  /// Returns the last result of `ready()`.
  ///
  /// `lock` is locked while `ready` runs and when `wait` returns. `lock` is unlocked during the
  /// wait and while `wait` subscribes to the clock.
  template <class C, class Ready>
  [[nodiscard]] bool wait(std::unique_lock<std::mutex>& lock, C& clock,
                          const std::optional<time_point>& deadline, const stop_token& stop,
                          const Ready& ready) {
    if (ready()) {
      return true;
    }
    {
      const unlocked meanwhile{lock};
      [[maybe_unused]] const auto moves = on_move(clock, [this] { notify_all(); });
      const stop_callback<std::function<void()>> stopped{stop, [this] { notify_all(); }};
      for (;;) {
        const std::uint64_t seen = changes();  // read first, to notice a change during `ready()`
        const time_point now = clock.now();
        lock.lock();
        const bool over = ready() || stop.stop_requested() || (deadline && now >= *deadline);
        lock.unlock();
        if (over) {
          break;
        }
        constexpr bool reports_moves = requires { clock.on_move(std::function<void()>{}); };
        wait_for_change(seen,
                        reports_moves || !deadline ? std::nullopt : step_towards(*deadline, now));
      }
    }
    return ready();
  }

 private:
  /// Unlocks a lock in the constructor, and locks it again in the destructor.
  class unlocked {
   public:
    explicit unlocked(std::unique_lock<std::mutex>& lock) : lock_{lock} { lock_.unlock(); }
    unlocked(const unlocked&) = delete;
    unlocked& operator=(const unlocked&) = delete;
    ~unlocked() {
      if (!lock_.owns_lock()) {
        lock_.lock();
      }
    }

   private:
    std::unique_lock<std::mutex>& lock_;
  };

  /// Returns the time to sleep now, at most a second: a user's clock can run faster than the
  /// machine's clock, and a wait until the end of time would overflow.
  [[nodiscard]] static std::optional<time_point::duration> step_towards(time_point deadline,
                                                                        time_point now) noexcept {
    constexpr time_point::duration longest = std::chrono::seconds{1};
    return deadline > saturating_add(now, longest) ? longest : deadline - now;
  }

  [[nodiscard]] std::uint64_t changes() {
    const std::scoped_lock own{mutex_};
    return changes_;
  }

  void wait_for_change(std::uint64_t seen, const std::optional<time_point::duration>& longest) {
    std::unique_lock own{mutex_};
    const auto changed = [&] { return changes_ != seen; };
    if (longest) {
      changed_.wait_for(own, *longest, changed);
    } else {
      changed_.wait(own, changed);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t changes_ = 0;
};

}  // namespace robots::base
