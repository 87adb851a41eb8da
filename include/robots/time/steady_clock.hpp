#pragma once

#include <robots/base/stop_token.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace robots {

/// The machine's own steady clock. Sleeping blocks the calling thread.
class SteadyClock {
 public:
  /// Returns the current time.
  [[nodiscard]] time_point now() const noexcept { return std::chrono::steady_clock::now(); }

  /// Blocks until `when`, or until `stop` is requested.
  void sleep_until(time_point when, const stop_token& stop) const {
    std::mutex mutex;
    std::condition_variable stopped;
    const stop_callback<std::function<void()>> wake{stop, [&] {
                                                      const std::scoped_lock lock{mutex};
                                                      stopped.notify_all();
                                                    }};
    std::unique_lock lock{mutex};
    stopped.wait_until(lock, when, [&] { return stop.stop_requested(); });
  }
};

static_assert(Clock<SteadyClock>);

}  // namespace robots
