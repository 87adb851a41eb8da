#pragma once

#include <algorithm>
#include <chrono>

namespace robots {

namespace base {

/// Returns `from` plus `wait`, at most `time_point::max()`. A negative wait is treated as 0.
template <class Rep, class Period>
[[nodiscard]] constexpr std::chrono::steady_clock::time_point saturating_add(
    std::chrono::steady_clock::time_point from, std::chrono::duration<Rep, Period> wait) noexcept {
  using duration = std::chrono::duration<Rep, Period>;
  // Treats a time before the epoch as the epoch, so that the subtraction does not overflow.
  const auto left = std::chrono::floor<duration>((from.max)() - (std::max)(from, decltype(from){}));
  return wait < left ? from + (std::max)(wait, duration::zero()) : (from.max)();
}

}  // namespace base

}  // namespace robots
