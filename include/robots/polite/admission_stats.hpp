#pragma once

#include <robots/observe/admission_reason.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace robots {

namespace polite_detail {

inline constexpr std::size_t admission_reasons =
    static_cast<std::size_t>(admission_reason::too_late) + 1;

}  // namespace polite_detail

/// How often each reason was the answer.
class admission_stats {
 public:
  /// One count for each reason, in the order of the enumerators.
  using counts = std::array<std::uint64_t, polite_detail::admission_reasons>;

  /// No answers so far.
  admission_stats() = default;
  /// These counts.
  explicit constexpr admission_stats(const counts& given) noexcept : counts_{given} {}

  /// How often `reason` was the answer.
  [[nodiscard]] constexpr std::uint64_t operator[](admission_reason reason) const noexcept {
    return counts_[static_cast<std::size_t>(reason)];
  }

  /// How many answers there were.
  [[nodiscard]] constexpr std::uint64_t total() const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : counts_) {
      sum += count;
    }
    return sum;
  }

 private:
  counts counts_{};
};

namespace polite_detail {

/// Counts answers, from any thread.
class admission_counters {
 public:
  void add(admission_reason reason) noexcept {
    counts_[static_cast<std::size_t>(reason)].fetch_add(1, std::memory_order_relaxed);
  }

  [[nodiscard]] admission_stats read() const noexcept {
    admission_stats::counts now{};
    for (std::size_t i = 0; i < now.size(); ++i) {
      now[i] = counts_[i].load(std::memory_order_relaxed);
    }
    return admission_stats{now};
  }

 private:
  std::array<std::atomic<std::uint64_t>, admission_reasons> counts_{};
};

}  // namespace polite_detail

}  // namespace robots
