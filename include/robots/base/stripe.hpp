#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace robots::base {

// When two threads write to one cache line in turn, each write waits 50 to 100 ns for the line. So
// an object to which many threads write has one part for each thread, a stripe:
//
//     thread A --> place 0  --> stripe 0  (own: only thread A writes to it)
//     thread B --> place 1  --> stripe 1  (own)
//     thread 33 -> place 32 --> stripe 32 (shared: other threads may have the same place)
//
// A thread takes its place when it first asks for it, and gives it back when it ends. There are 32
// own places. While all are taken, further threads share 32 more places.

/// The number of places that only one living thread has.
inline constexpr std::size_t own_places = 32;

/// The number of all places.
inline constexpr std::size_t all_places = 2 * own_places;

/// The distance of two stripes in memory: two cache lines, since processors fetch lines in pairs.
inline constexpr std::size_t stripe_alignment = 128;

inline constexpr std::size_t no_place = all_places;

inline constinit thread_local std::size_t place_of_this_thread = no_place;

/// The place of a thread, for as long as the thread lives.
class thread_place {
 public:
  thread_place() noexcept {
    for (std::size_t place = 0; place < own_places; ++place) {
      if (!is_taken_[place].exchange(true, std::memory_order_acquire)) {
        set_place(place);
        return;
      }
    }
    take_shared_place();
  }
  thread_place(const thread_place&) = delete;
  thread_place& operator=(const thread_place&) = delete;

  ~thread_place() {
    if (const std::size_t own = place_of_this_thread; own < own_places) {
      take_shared_place();  // destructors of other thread-local objects can still ask for a place
      is_taken_[own].store(false, std::memory_order_release);
    }
  }

  /// Returns a number above each place that a thread has or had.
  [[nodiscard]] static std::size_t end() noexcept { return end_.load(std::memory_order_seq_cst); }

 private:
  static void take_shared_place() noexcept {
    set_place(own_places + next_shared_.fetch_add(1, std::memory_order_relaxed) % own_places);
  }

  static void set_place(std::size_t place) noexcept {
    std::size_t end = end_.load(std::memory_order_seq_cst);
    while (end <= place && !end_.compare_exchange_weak(end, place + 1, std::memory_order_seq_cst)) {
    }
    place_of_this_thread = place;
  }

  static constinit inline std::atomic<std::size_t> end_{0};
  static constinit inline std::array<std::atomic<bool>, own_places> is_taken_{};
  static constinit inline std::atomic<std::size_t> next_shared_{0};
};

/// Returns the place of the calling thread, below `all_places`. If the place is below `own_places`,
/// no other living thread has it, and this thread sees all writes of the threads that had it
/// before. So a write to the stripe of this place needs no locked instruction.
[[nodiscard]] inline std::size_t place_of_thread() noexcept {
  if (place_of_this_thread == no_place) [[unlikely]] {
    static thread_local const thread_place taken;
  }
  return place_of_this_thread;
}

/// Returns a number above the place of each thread that has asked for its place. A thread that asks
/// later does so after this call in the one order of all `seq_cst` operations.
[[nodiscard]] inline std::size_t places_end() noexcept { return thread_place::end(); }

}  // namespace robots::base
