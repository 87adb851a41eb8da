#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace robots::base {

/// The number of parts of an object that many threads write to. On a machine that runs more threads
/// at once, some share a stripe, which costs them time only when they meet.
inline constexpr std::size_t stripe_count = 32;

/// Octets apart at which two stripes share no cache line; two lines, since processors fetch them in
/// pairs.
inline constexpr std::size_t stripe_alignment = 128;

/// The place of the calling thread, below twice `stripe_count`; one that it has not asked for yet
/// is `2 * stripe_count`.
inline constinit thread_local std::size_t place_of_this_thread = 2 * stripe_count;

/// Takes a place for a thread for as long as it lives: its own if one is free, else one of those
/// that are shared.
class thread_place {
 public:
  thread_place() noexcept {
    for (std::size_t place = 0; place < stripe_count; ++place) {
      if (!taken_[place].exchange(true, std::memory_order_acquire)) {
        place_of_this_thread = place;
        return;
      }
    }
    share();
  }
  thread_place(const thread_place&) = delete;
  thread_place& operator=(const thread_place&) = delete;

  ~thread_place() {
    if (const std::size_t own = place_of_this_thread; own < stripe_count) {
      share();  // for other objects that end with the thread
      taken_[own].store(false, std::memory_order_release);
    }
  }

 private:
  static void share() noexcept {
    place_of_this_thread =
        stripe_count + next_shared_.fetch_add(1, std::memory_order_relaxed) % stripe_count;
  }

  static constinit inline std::array<std::atomic<bool>, stripe_count> taken_{};
  static constinit inline std::atomic<std::size_t> next_shared_{0};
};

/// The part for the calling thread: below `stripe_count`, a part that no other living thread has,
/// and whose last owner's writes this thread sees; from there on, one of as many that threads
/// share.
[[nodiscard]] inline std::size_t place_of_thread() noexcept {
  if (place_of_this_thread == 2 * stripe_count) [[unlikely]] {
    static thread_local const thread_place taken;
  }
  return place_of_this_thread;
}

/// The stripe of the calling thread, below `stripe_count`: its own, unless there are more threads.
[[nodiscard]] inline std::size_t stripe_of_thread() noexcept {
  return place_of_thread() % stripe_count;
}

}  // namespace robots::base
