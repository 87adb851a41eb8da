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
  [[nodiscard]] std::size_t waiting() const noexcept { return threads_.size(); }

  /// Returns the number of granted threads that have not woken up yet.
  [[nodiscard]] std::uint32_t granted() const noexcept { return granted_; }

  /// Returns true if no thread waits and none has a grant.
  [[nodiscard]] bool idle() const noexcept { return threads_.empty() && granted_ == 0; }

  /// Grants the first `count` threads and wakes them.
  void grant(std::uint32_t count) noexcept {
    for (; count > 0 && !threads_.empty(); --count) {
      queued_thread& first = *threads_.front();
      threads_.pop_front();
      first.result = admission_reason::go;
      ++granted_;
      first.wake.notify_all();
    }
  }

  /// Wakes all threads without a grant.
  void refuse_all() noexcept {
    for (queued_thread* const one : threads_) {
      one->result = admission_reason::halted;
      one->wake.notify_all();
    }
    threads_.clear();
  }

  /// Waits in the queue. Returns `go` if the caller may make a reservation, `halted` after
  /// `refuse_all`, `too_late` after the deadline, or `stopped`.
  [[nodiscard]] admission_reason wait(std::unique_lock<std::mutex>& lock,
                                      gate_environment& environment, const call_options& call) {
    queued_thread self{*this};
    if (environment.wait(self.wake, lock, call, [&] { return self.result.has_value(); })) {
      return *self.result;
    }
    return call.stop.stop_requested() ? admission_reason::stopped : admission_reason::too_late;
  }

 private:
  struct queued_thread {
    explicit queued_thread(reservation_queue& owner) : queue{owner} {
      queue.threads_.push_back(this);
    }
    queued_thread(const queued_thread&) = delete;
    queued_thread& operator=(const queued_thread&) = delete;
    ~queued_thread() {
      if (result == admission_reason::go) {
        --queue.granted_;
      } else {
        queue.threads_.remove(this);
      }
    }

    reservation_queue& queue;
    base::clock_condition wake;
    std::optional<admission_reason> result;
  };

  std::list<queued_thread*> threads_;
  std::uint32_t granted_ = 0;
};

}  // namespace robots::polite_detail
