#pragma once

#include <robots/base/stripe.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <thread>

namespace robots::base {

/// A shared mutex for data that many threads read all the time, and that rarely changes.
///
/// Each reader counts itself in the stripe of its thread (`stripe.hpp`), so two readers write to no
/// common cache line. This is why readers are faster than with `std::shared_mutex`, whose readers
/// all write to one counter.
///
///     reader                            writer
///     1. count itself in its stripe     1. lock `writer_`, so that there is one writer
///     2. look at `is_writing_`          2. set `is_writing_`
///        if set: uncount, wait for      3. wait until each stripe counts 0 readers
///        `writer_`, count again
///
/// Reader and writer announce themselves first, and look for the other afterwards. All four
/// operations are `seq_cst`, so at least one of the two threads sees the other. Readers never wait
/// for readers.
///
/// A reader must not lock twice, and must unlock in the thread that locked. A reader must be quick,
/// since a writer keeps out new readers while it waits.
class striped_mutex {
 public:
  /// For `std::shared_lock`. Waits at most for one writer.
  void lock_shared() {
    std::atomic<int>& readers = readers_of_thread();
    readers.fetch_add(1, std::memory_order_seq_cst);
    if (is_writing_.load(std::memory_order_seq_cst)) [[unlikely]] {
      readers.fetch_sub(1, std::memory_order_release);
      // While this thread holds `writer_`, no writer is at work, and the next one sees the count.
      const std::scoped_lock until_written{writer_};
      readers.fetch_add(1, std::memory_order_relaxed);
    }
  }
  void unlock_shared() noexcept {
    std::atomic<int>& readers = readers_of_thread();
    if (place_of_thread() < own_places) [[likely]] {  // only this thread writes to the stripe
      readers.store(readers.load(std::memory_order_relaxed) - 1, std::memory_order_release);
    } else {
      readers.fetch_sub(1, std::memory_order_release);
    }
  }

  /// For `std::unique_lock` and `std::scoped_lock`. Waits for all readers and other writers.
  void lock() {
    writer_.lock();
    is_writing_.store(true, std::memory_order_seq_cst);
    const std::size_t end = places_end();  // each later reader sees `is_writing_`
    for (std::size_t place = 0; place < end; ++place) {
      // A reader is done within a microsecond. If it waits for a processor, it gets the processor
      // of this thread, at the latest when this thread sleeps.
      for (int yields = 0; stripes_[place].readers.load(std::memory_order_seq_cst) != 0; ++yields) {
        if (yields < yields_before_sleep) {
          std::this_thread::yield();
        } else {
          std::this_thread::sleep_for(std::chrono::microseconds{50});
        }
      }
    }
  }
  void unlock() noexcept {
    is_writing_.store(false, std::memory_order_release);
    writer_.unlock();
  }

 private:
  static constexpr int yields_before_sleep = 64;

  struct alignas(stripe_alignment) stripe {
    std::atomic<int> readers = 0;
  };

  [[nodiscard]] std::atomic<int>& readers_of_thread() noexcept {
    return stripes_[place_of_thread()].readers;
  }

  std::array<stripe, all_places> stripes_;
  std::atomic<bool> is_writing_ = false;
  std::mutex writer_;
};

}  // namespace robots::base
