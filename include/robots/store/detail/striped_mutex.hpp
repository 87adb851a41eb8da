#pragma once

#include <robots/store/detail/stripe.hpp>

#include <array>
#include <mutex>

namespace robots::detail {

/// A shared mutex for what is read all the time and written seldom.
///
/// Made of many mutexes: a reader locks that of its own stripe, a writer all of them in order. So
/// two readers write to no cache line in common, which costs each 50 to 100 ns whenever it happens,
/// and is why `std::shared_mutex` does not let readers scale. A writer pays for it, a microsecond
/// or so. The thread that locks must be the one that unlocks, and must not lock twice.
class striped_mutex {
 public:
  /// For `std::shared_lock`: waits for writers only, and for readers of the same stripe.
  void lock_shared() { own().lock(); }
  void unlock_shared() { own().unlock(); }

  /// For `std::unique_lock` and `std::scoped_lock`: waits for everyone.
  void lock() {
    for (stripe& each : stripes_) {
      each.mutex.lock();
    }
  }
  void unlock() {
    for (stripe& each : stripes_) {
      each.mutex.unlock();
    }
  }

 private:
  struct alignas(stripe_alignment) stripe {
    std::mutex mutex;
  };

  [[nodiscard]] std::mutex& own() noexcept { return stripes_[stripe_of_thread()].mutex; }

  std::array<stripe, stripe_count> stripes_;
};

}  // namespace robots::detail
