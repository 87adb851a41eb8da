#pragma once

#include <robots/time/clock.hpp>

#include <chrono>

namespace robots::detail {

/// `from` plus `wait`, or the end of time where that lies before.
template <class Rep, class Period>
[[nodiscard]] constexpr time_point later(time_point from,
                                         std::chrono::duration<Rep, Period> wait) noexcept {
  using std::chrono::floor;
  using std::chrono::seconds;
  const auto left = floor<seconds>(time_point::max() - from);
  return floor<seconds>(wait) < left ? from + wait : time_point::max();
}

}  // namespace robots::detail
