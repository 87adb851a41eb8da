#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace robots {

/// A histogram of durations. The bounds are fixed, so that histograms can be summed.
struct duration_histogram {
  /// The number of buckets with a bound.
  static constexpr std::size_t size = 12;

  std::array<double, size> bounds{};  ///< in seconds, ascending; a bucket includes its bound
  std::array<std::uint64_t, size + 1> counts{};  ///< per bucket; the last: longer ones
  double sum = 0.0;                              ///< the sum in seconds

  /// Returns the number of durations.
  [[nodiscard]] constexpr std::uint64_t total() const noexcept {
    std::uint64_t all = 0;
    for (const std::uint64_t count : counts) {
      all += count;
    }
    return all;
  }
};

namespace observe_detail {

/// Counts durations. Any thread may call it.
class duration_counters {
 public:
  constexpr explicit duration_counters(
      const std::array<double, duration_histogram::size>& bounds) noexcept
      : bounds_(bounds) {}

  /// A negative duration counts as 0.
  void add(std::chrono::nanoseconds duration) noexcept {
    duration = (std::max)(duration, std::chrono::nanoseconds{0});
    const double seconds = std::chrono::duration<double>{duration}.count();
    const auto* const bound = std::lower_bound(bounds_.begin(), bounds_.end(), seconds);
    counts_[static_cast<std::size_t>(bound - bounds_.begin())].fetch_add(1,
                                                                         std::memory_order_relaxed);
    sum_.fetch_add(static_cast<std::uint64_t>(duration.count()), std::memory_order_relaxed);
  }

  [[nodiscard]] duration_histogram read() const noexcept {
    duration_histogram now{.bounds = bounds_};
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      now.counts[i] = counts_[i].load(std::memory_order_relaxed);
    }
    now.sum = static_cast<double>(sum_.load(std::memory_order_relaxed)) / 1e9;
    return now;
  }

 private:
  std::array<double, duration_histogram::size> bounds_;
  std::array<std::atomic<std::uint64_t>, duration_histogram::size + 1> counts_{};
  std::atomic<std::uint64_t> sum_{0};  // in nanoseconds
};

}  // namespace observe_detail

}  // namespace robots
