#pragma once

#include <robots/base/clock_condition.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/observe/admission_reason.hpp>
#include <robots/polite/detail/gate_environment.hpp>

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>

namespace robots::polite_detail {

/// A queue of threads that wait for a reservation, in order of arrival. Its owner guards it with a
/// mutex.
class reservation_queue {
 public:
  /// Returns the number of waiting threads.
  [[nodiscard]] std::size_t waiting() const noexcept { return waiters_.size(); }

  /// Returns the number of granted threads that have not woken up yet.
  [[nodiscard]] std::uint32_t granted() const noexcept { return granted_; }

  /// Grants the first `count` threads and wakes them.
  void grant(std::uint32_t count) noexcept {
    for (; count > 0 && !waiters_.empty(); --count) {
      waiter& first = *waiters_.front();
      waiters_.pop_front();
      first.result = admission_reason::go;
      ++granted_;
      first.wake.notify_all();
    }
  }

  /// Wakes all threads without a grant.
  void refuse_all() noexcept {
    for (waiter* const one : waiters_) {
      one->result = admission_reason::halted;
      one->wake.notify_all();
    }
    waiters_.clear();
  }

  /// Waits in the queue. Returns `go` if the caller may make a reservation, `halted` after
  /// `refuse_all`, `too_late` after the deadline, or `stopped`.
  [[nodiscard]] admission_reason wait(std::unique_lock<std::mutex>& lock,
                                      gate_environment& environment, const call_options& call) {
    waiter self{*this};
    if (environment.wait(self.wake, lock, call, [&] { return self.result.has_value(); })) {
      return *self.result;
    }
    return call.stop.stop_requested() ? admission_reason::stopped : admission_reason::too_late;
  }

 private:
  struct waiter {
    explicit waiter(reservation_queue& owner) : queue{owner} { queue.waiters_.push_back(this); }
    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;
    ~waiter() {
      if (result == admission_reason::go) {
        --queue.granted_;
      } else {
        queue.waiters_.remove(this);
      }
    }

    reservation_queue& queue;
    base::clock_condition wake;
    std::optional<admission_reason> result;
  };

  std::list<waiter*> waiters_;
  std::uint32_t granted_ = 0;
};

}  // namespace robots::polite_detail
