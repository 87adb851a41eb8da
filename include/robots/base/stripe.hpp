#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace robots::base {

/// The number of parts of an object to which many threads write. If more threads run at once, some
/// share a stripe, which costs time only if they write at the same time.
inline constexpr std::size_t stripe_count = 32;

/// The distance in octets at which two stripes share no cache line. It is two lines, since
/// processors fetch lines in pairs.
inline constexpr std::size_t stripe_alignment = 128;

/// The place of the calling thread, below `2 * stripe_count`. It is `2 * stripe_count` until the
/// thread has asked for its place.
inline constinit thread_local std::size_t place_of_this_thread = 2 * stripe_count;

/// Reserves a place for a thread for its lifetime: a free place if there is one, else a shared one.
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
      share();  // other objects may still count as the thread ends
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

/// Returns the part of the calling thread. Below `stripe_count`, no other living thread has this
/// part, and this thread sees what its last owner wrote. From `stripe_count` on, threads share
/// parts.
[[nodiscard]] inline std::size_t place_of_thread() noexcept {
  if (place_of_this_thread == 2 * stripe_count) [[unlikely]] {
    static thread_local const thread_place taken;
  }
  return place_of_this_thread;
}

/// Returns the stripe of the calling thread, below `stripe_count`. The thread has it alone unless
/// there are more threads than stripes.
[[nodiscard]] inline std::size_t stripe_of_thread() noexcept {
  return place_of_thread() % stripe_count;
}

}  // namespace robots::base
