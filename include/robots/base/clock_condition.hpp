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

/// Calls `moved()` each time a program, such as a test, changes the time of `clock`. Destroy the
/// result to end the calls. Does nothing for a clock without `on_move`, such as `SteadyClock`.
template <class C, class F>
[[nodiscard]] auto on_move([[maybe_unused]] C& clock, [[maybe_unused]] F&& moved) {
  if constexpr (requires { clock.on_move(std::function<void()>{}); }) {
    return clock.on_move(std::forward<F>(moved));
  } else {
    return nullptr;
  }
}

/// A condition variable whose waits also end at a stop request, or at a deadline on any clock. The
/// caller's mutex guards the data that `ready` reads. While the class holds its own mutex, it locks
/// no other mutex. So a thread that holds other locks may call `notify_all`.
class clock_condition {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  void notify_all() noexcept {
    const std::scoped_lock own{mutex_};
    ++changes_;
    changed_.notify_all();
  }

  /// Waits until `ready()` returns true, `stop` is requested, or `clock` reaches the deadline.
  /// Returns the last result of `ready()`. The caller must have locked `lock`. `wait` unlocks
  /// `lock` between the calls of `ready`, and returns with `lock` locked.
  template <class C, class Ready>
  [[nodiscard]] bool wait(std::unique_lock<std::mutex>& lock, C& clock,
                          const std::optional<time_point>& deadline, const stop_token& stop,
                          const Ready& ready) {
    if (ready()) {
      return true;
    }
    lock.unlock();
    {
      const relocking at_end{lock};
      [[maybe_unused]] const auto moves = on_move(clock, [this] { notify_all(); });
      const stop_callback<std::function<void()>> stopped{stop, [this] { notify_all(); }};
      for (;;) {
        std::unique_lock own{mutex_};
        const std::uint64_t seen = changes_;  // read first, to notice a change during `ready()`
        own.unlock();
        const time_point now = clock.now();
        lock.lock();
        const bool over = ready() || stop.stop_requested() || (deadline && now >= *deadline);
        lock.unlock();
        if (over) {
          break;
        }
        own.lock();
        const auto changed = [&] { return changes_ != seen; };
        if (requires { clock.on_move(std::function<void()>{}); } || !deadline) {
          changed_.wait(own, changed);
        } else {
          // The limit is needed if a user's clock runs fast. It also prevents an overflow.
          constexpr time_point::duration longest = std::chrono::seconds{1};
          const bool is_far = *deadline > saturating_add(now, longest);
          changed_.wait_for(own, is_far ? longest : *deadline - now, changed);
        }
      }
    }
    return ready();
  }

 private:
  struct relocking {
    std::unique_lock<std::mutex>& lock;

    ~relocking() {
      if (!lock.owns_lock()) {
        lock.lock();
      }
    }
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t changes_ = 0;
};

}  // namespace robots::base
