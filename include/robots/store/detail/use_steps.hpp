#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace robots::store_detail {

/// Tells which entries of a storage were used before others, without one order that each use
/// changes.
///
/// Time is divided into numbered steps. An entry has a mark: the step in which it was last used.
/// The first use in a step writes the mark, all further uses in this step only read it. So threads
/// that use the same entries all the time write almost nothing. A step ends after 17 ms, or when
/// 1/64 of the capacity was stored. Among the entries with the same mark, the order is unknown.
///
/// A storage of at most 64 entries begins a step with each use, so the order of use is exact.
///
/// The numbers of steps start again at 0 after 2^32 steps: after two years of steps of 17 ms, but
/// after 2^32 uses of a storage of at most 64 entries. So two marks are compared by their distance
/// to the present step. An entry that was not used for 2^32 steps counts as used later than it was.
class use_steps {
 public:
  using mark = std::atomic<std::uint32_t>;

  /// The greatest capacity with exact order.
  static constexpr std::size_t exact_capacity = 64;
  static constexpr std::chrono::milliseconds step_length{17};

  explicit use_steps(std::size_t capacity, std::uint32_t first_step = 0) noexcept
      : is_exact_(capacity <= exact_capacity),
        stores_per_step_((std::max)(capacity / exact_capacity, std::size_t{1})),
        step_(first_step) {}

  /// Marks an entry as used now. Any number of threads may call this at once.
  void note_use(mark& used, time_point now) noexcept {
    if (is_exact_) {
      if (used.load(std::memory_order_relaxed) != step_.load(std::memory_order_relaxed)) {
        used.store(next_step(), std::memory_order_relaxed);
      }
      return;
    }
    time_point end = step_end_.load(std::memory_order_relaxed);
    if (now >= end && step_end_.compare_exchange_strong(end, base::saturating_add(now, step_length),
                                                        std::memory_order_relaxed)) [[unlikely]] {
      static_cast<void>(next_step());
    }
    const std::uint32_t step = step_.load(std::memory_order_relaxed);
    if (used.load(std::memory_order_relaxed) != step) {
      used.store(step, std::memory_order_relaxed);
    }
  }

  /// Marks an entry that is stored now. No other thread may use the entries meanwhile.
  void note_store(mark& used) noexcept {
    if (++stores_in_step_ >= stores_per_step_) {
      stores_in_step_ = 0;
      static_cast<void>(next_step());
    }
    used.store(step_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }

  /// Returns true if `one` was marked before `other`. No other thread may use the entries
  /// meanwhile.
  [[nodiscard]] bool is_older(const mark& one, const mark& other) const noexcept {
    return steps_since(one) > steps_since(other);
  }

 private:
  [[nodiscard]] std::uint32_t steps_since(const mark& used) const noexcept {
    return step_.load(std::memory_order_relaxed) - used.load(std::memory_order_relaxed);
  }

  std::uint32_t next_step() noexcept { return step_.fetch_add(1, std::memory_order_relaxed) + 1; }

  bool is_exact_;
  std::size_t stores_per_step_;
  std::atomic<std::uint32_t> step_;
  std::atomic<time_point> step_end_ = (time_point::min)();
  std::size_t stores_in_step_ = 0;
};

}  // namespace robots::store_detail
