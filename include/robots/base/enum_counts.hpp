#pragma once

#include <robots/base/enum_text.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace robots::base {

/// A count for each enumerator up to `Last`.
template <auto Last>
class enum_counts {
 public:
  using key = decltype(Last);
  static constexpr std::size_t size = static_cast<std::size_t>(Last) + 1;
  static_assert(!is_enumerator<static_cast<key>(size)>(), "`Last` is not the last enumerator");

  [[nodiscard]] constexpr std::uint64_t& operator[](key of) noexcept {
    return counts_[static_cast<std::size_t>(of)];
  }
  [[nodiscard]] constexpr std::uint64_t operator[](key of) const noexcept {
    return counts_[static_cast<std::size_t>(of)];
  }
  [[nodiscard]] constexpr std::uint64_t total() const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : counts_) {
      sum += count;
    }
    return sum;
  }

 private:
  std::array<std::uint64_t, size> counts_{};
};

/// A count for each enumerator up to `Last`. Any thread may raise and read the counts.
template <auto Last>
class enum_counters {
 public:
  void add(decltype(Last) key) noexcept {
    counts_[static_cast<std::size_t>(key)].fetch_add(1, std::memory_order_relaxed);
  }
  [[nodiscard]] enum_counts<Last> read() const noexcept {
    enum_counts<Last> now;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      now[static_cast<decltype(Last)>(i)] = counts_[i].load(std::memory_order_relaxed);
    }
    return now;
  }

 private:
  std::array<std::atomic<std::uint64_t>, enum_counts<Last>::size> counts_{};
};

}  // namespace robots::base
