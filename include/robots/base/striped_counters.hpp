#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace robots::base {

/// Counters that many threads use at once. Each thread counts in one of 32 stripes, so that threads
/// rarely wait for a cache line. A read sums the stripes.
///
/// `Event` is an enumeration. Its last enumerator, `count_`, is the number of counters.
template <class Event>
class striped_counters {
 public:
  void add(Event event) noexcept {
    static constinit std::atomic<std::size_t> next_stripe = 0;
    static thread_local const std::size_t own =
        next_stripe.fetch_add(1, std::memory_order_relaxed) % stripe_count;
    stripes_[own].counts[static_cast<std::size_t>(event)].fetch_add(1, std::memory_order_relaxed);
  }

  /// Returns the count of `event`, possibly without additions that other threads make meanwhile.
  [[nodiscard]] std::uint64_t sum(Event event) const noexcept {
    std::uint64_t total = 0;
    for (const stripe& part : stripes_) {
      total += part.counts[static_cast<std::size_t>(event)].load(std::memory_order_relaxed);
    }
    return total;
  }

 private:
  static constexpr std::size_t stripe_count = 32;
  static constexpr std::size_t alignment = 128;  // two cache lines: processors fetch lines in pairs

  struct alignas(alignment) stripe {
    std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(Event::count_)> counts{};
  };

  std::array<stripe, stripe_count> stripes_{};
};

}  // namespace robots::base
