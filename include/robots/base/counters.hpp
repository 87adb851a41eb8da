#pragma once

#include <robots/base/enum_counts.hpp>
#include <robots/base/stripe.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace robots::base {

/// Counts like `enum_counts`, for many threads at once. Each thread adds to the counts in its own
/// stripe (`stripe.hpp`), without a locked instruction. A read sums the stripes.
template <auto Last>
class enum_counters {
 public:
  using key = decltype(Last);

  void add(key of) noexcept {
    const std::size_t place = place_of_thread();
    auto& count = stripes_[place].counts[static_cast<std::size_t>(of)];
    if (place < own_places) [[likely]] {
      count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    } else {
      count.fetch_add(1, std::memory_order_relaxed);
    }
  }

  [[nodiscard]] enum_counts<Last> read() const noexcept {
    enum_counts<Last> now;
    for (const stripe& part : stripes_) {
      for (std::size_t i = 0; i < now.size; ++i) {
        now[static_cast<key>(i)] += part.counts[i].load(std::memory_order_relaxed);
      }
    }
    return now;
  }

 private:
  struct alignas(stripe_alignment) stripe {
    std::array<std::atomic<std::uint64_t>, enum_counts<Last>::size> counts{};
  };

  std::array<stripe, all_places> stripes_{};
};

}  // namespace robots::base
