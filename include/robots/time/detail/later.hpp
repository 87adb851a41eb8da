#pragma once

#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>

namespace robots::detail {

/// `from` plus `wait`, or the end of time where that lies before. A negative wait counts as none.
template <class Rep, class Period>
[[nodiscard]] constexpr time_point later(time_point from,
                                         std::chrono::duration<Rep, Period> wait) noexcept {
  using duration = std::chrono::duration<Rep, Period>;
  // What is left from before the epoch would not fit.
  const auto left = std::chrono::floor<duration>(time_point::max() - std::max(from, time_point{}));
  return wait < left ? from + std::max(wait, duration::zero()) : time_point::max();
}

}  // namespace robots::detail
