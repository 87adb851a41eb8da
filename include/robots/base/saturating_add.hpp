#pragma once

#include <algorithm>
#include <chrono>

namespace robots {

/// The maximum delay, about 136 years. A longer delay becomes this delay. One and a half times
/// this delay fits into nanoseconds, and a time plus this delay never overflows.
inline constexpr std::chrono::nanoseconds longest_delay = std::chrono::seconds{0xFFFF'FFFF};

namespace base {

/// Returns `from` plus `wait`, or the end of time if the sum would be later. A negative wait is
/// treated as 0.
template <class Rep, class Period>
[[nodiscard]] constexpr std::chrono::steady_clock::time_point saturating_add(
    std::chrono::steady_clock::time_point from, std::chrono::duration<Rep, Period> wait) noexcept {
  using duration = std::chrono::duration<Rep, Period>;
  // A time before the epoch is treated as the epoch here, since the subtraction could overflow.
  const auto left = std::chrono::floor<duration>((from.max)() - (std::max)(from, decltype(from){}));
  return wait < left ? from + (std::max)(wait, duration::zero()) : (from.max)();
}

}  // namespace base

}  // namespace robots
