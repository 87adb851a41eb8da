#pragma once

#include <robots/time/clock.hpp>

#include <chrono>

namespace robots::detail {

/// `from` plus `wait`, or the end of time where that lies before.
[[nodiscard]] constexpr time_point later(time_point from, std::chrono::seconds wait) noexcept {
  const auto left = std::chrono::floor<std::chrono::seconds>(time_point::max() - from);
  return wait < left ? from + wait : time_point::max();
}

}  // namespace robots::detail
