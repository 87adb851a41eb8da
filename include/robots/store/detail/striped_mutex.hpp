#pragma once

#include <robots/base/stripe.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace robots::store_detail {

/// A shared mutex for what is read all the time and written seldom.
///
/// A reader counts itself in its own stripe and looks whether someone writes; a writer says so and
/// waits until every stripe has counted down to nobody. So two readers write to no cache line in
/// common, which costs each 50 to 100 ns whenever it happens, and is why `std::shared_mutex` does
/// not let readers scale. Readers never wait for one another. The thread that locks must be the one
/// that unlocks, and must not lock twice.
class striped_mutex {
 public:
  /// For `std::shared_lock`: waits for writers only, and for no second one.
  void lock_shared() {
    std::atomic<int>& readers = own();
    // Reader and writer each announce themselves before they look for the other, in one order for
    // all (seq_cst), so that at least one of them sees the other.
    readers.fetch_add(1, std::memory_order_seq_cst);
    if (writing_.load(std::memory_order_seq_cst)) [[unlikely]] {
      readers.fetch_sub(1, std::memory_order_release);
      // Nobody writes while this is held, and who writes next sees what was done meanwhile.
      const std::scoped_lock until_written{writer_};
      readers.fetch_add(1, std::memory_order_relaxed);
    }
  }
  void unlock_shared() noexcept { own().fetch_sub(1, std::memory_order_release); }

  /// For `std::unique_lock` and `std::scoped_lock`: waits for everyone.
  void lock() {
    writer_.lock();
    writing_.store(true, std::memory_order_seq_cst);
    for (const stripe& each : stripes_) {
      // Readers are done within a microsecond; one that waits for a processor gets this one, by
      // sleep if its priority is too low to get it by a yield.
      for (int yields = 0; each.readers.load(std::memory_order_seq_cst) != 0; ++yields) {
        if (yields < yields_before_sleep) {
          std::this_thread::yield();
        } else {
          std::this_thread::sleep_for(std::chrono::microseconds{50});
        }
      }
    }
  }
  void unlock() {
    writing_.store(false, std::memory_order_release);
    writer_.unlock();
  }

 private:
  static constexpr int yields_before_sleep = 64;

  struct alignas(base::stripe_alignment) stripe {
    std::atomic<int> readers = 0;
  };

  [[nodiscard]] std::atomic<int>& own() noexcept {
    return stripes_[base::stripe_of_thread()].readers;
  }

  std::array<stripe, base::stripe_count> stripes_;
  std::atomic<bool> writing_ = false;
  std::mutex writer_;
};

}  // namespace robots::store_detail
