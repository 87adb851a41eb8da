#pragma once

#include <robots/time/clock.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

namespace robots {

/// The machine's own steady clock. Sleeping blocks the calling thread.
class SteadyClock {
 public:
  /// The present moment.
  [[nodiscard]] time_point now() const noexcept { return std::chrono::steady_clock::now(); }

  /// Blocks until `when` has come or `stop` is requested.
  void sleep_until(time_point when, std::stop_token stop) const {
    std::mutex mutex;
    std::condition_variable_any never_notified;
    std::unique_lock lock{mutex};
    never_notified.wait_until(lock, std::move(stop), when, [] { return false; });
  }
};

static_assert(Clock<SteadyClock>);

}  // namespace robots
