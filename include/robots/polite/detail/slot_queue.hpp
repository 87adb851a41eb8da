#pragma once

#include <robots/fetch/call_options.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>

namespace robots::detail {

/// Threads that wait for one of a number of slots: who came first is served first, and nobody who
/// comes later overtakes. Its owner guards it with a mutex.
class slot_queue {
 public:
  /// How many wait.
  [[nodiscard]] std::size_t waiting() const noexcept { return waiters_.size(); }

  /// How many slots were granted to threads that have not yet taken notice.
  [[nodiscard]] std::uint32_t granted() const noexcept { return granted_; }

  /// Nobody waits and nothing is on its way to anyone.
  [[nodiscard]] bool idle() const noexcept { return waiters_.empty() && granted_ == 0; }

  /// Hands out `slots` of them.
  void grant(std::uint32_t slots) noexcept {
    for (; slots > 0 && !waiters_.empty(); --slots) {
      waiter& first = *waiters_.front();
      waiters_.pop_front();
      first.granted = true;
      ++granted_;
      first.wake.notify_one();
    }
  }

  /// Waits in the queue; false when `call` ended first. With true, a slot is the caller's.
  template <Clock C>
  [[nodiscard]] bool wait(std::unique_lock<std::mutex>& lock, C& clock, const call_options& call) {
    waiter self;
    waiters_.push_back(&self);
    const auto served = [&self] { return self.granted; };
    while (!self.granted && !call.stop.stop_requested()) {
      if (!call.deadline) {
        self.wake.wait(lock, call.stop, served);
        continue;
      }
      const time_point now = clock.now();
      if (now >= *call.deadline) {
        break;
      }
      // In steps: the wait adds to the time that is now, which overflows near the end of time.
      constexpr time_point::duration step = std::chrono::hours{1};
      self.wake.wait_for(lock, call.stop, std::min(*call.deadline - now, step), served);
    }
    if (!self.granted) {
      waiters_.remove(&self);
      return false;
    }
    --granted_;
    return true;
  }

 private:
  struct waiter {
    std::condition_variable_any wake;
    bool granted = false;
  };

  std::list<waiter*> waiters_;
  std::uint32_t granted_ = 0;
};

}  // namespace robots::detail
