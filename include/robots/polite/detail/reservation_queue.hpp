#pragma once

#include <robots/base/clock_condition.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/time/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>

namespace robots::polite_detail {

/// Threads that wait for a reservation: who came first is served first, and nobody who comes later
/// overtakes. Its owner guards it with a mutex.
class reservation_queue {
 public:
  /// How many wait.
  [[nodiscard]] std::size_t waiting() const noexcept { return waiters_.size(); }

  /// How many places were granted to threads that have not yet taken notice.
  [[nodiscard]] std::uint32_t granted() const noexcept { return granted_; }

  /// Nobody waits and nothing is on its way to anyone.
  [[nodiscard]] bool idle() const noexcept { return waiters_.empty() && granted_ == 0; }

  /// Hands out so many `places`.
  void grant(std::uint32_t places) noexcept {
    for (; places > 0 && !waiters_.empty(); --places) {
      waiter& first = *waiters_.front();
      waiters_.pop_front();
      first.granted = true;
      ++granted_;
      first.wake.notify_all();
    }
  }

  /// Sends all that wait away.
  void refuse_all() noexcept {
    for (waiter* const each : waiters_) {
      each->refused = true;
      each->wake.notify_all();
    }
    waiters_.clear();
  }

  /// How a wait has ended.
  enum class end : std::uint8_t {
    granted,  ///< a place is the caller's
    refused,  ///< all that waited were sent away
    over,     ///< the call ended first
  };

  /// Waits in the queue.
  template <Clock C>
  [[nodiscard]] end wait(std::unique_lock<std::mutex>& lock, C& clock, const call_options& call) {
    waiter self{*this};
    const bool is_over = !self.wake.wait(lock, clock, call.deadline, call.stop,
                                         [&] { return self.granted || self.refused; });
    return is_over ? end::over : self.granted ? end::granted : end::refused;
  }

 private:
  struct waiter {
    explicit waiter(reservation_queue& in) : queue{in} { queue.waiters_.push_back(this); }
    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;
    ~waiter() {
      if (granted) {
        --queue.granted_;
      } else {
        queue.waiters_.remove(this);
      }
    }

    reservation_queue& queue;
    base::clock_condition wake;
    bool granted = false;
    bool refused = false;
  };

  std::list<waiter*> waiters_;
  std::uint32_t granted_ = 0;
};

}  // namespace robots::polite_detail
