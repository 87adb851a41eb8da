#pragma once

#include <functional>
#include <utility>

namespace robots::base {

/// Calls `moved()` after each move of the time, while the result exists. Has no effect for other
/// clocks than a `NotifyingClock`: they run by themselves.
template <class C, class F>
[[nodiscard]] auto on_move([[maybe_unused]] C& clock, [[maybe_unused]] F&& moved) {
  if constexpr (requires { clock.on_move(std::function<void()>{}); }) {
    return clock.on_move(std::forward<F>(moved));
  } else {
    return nullptr;
  }
}

}  // namespace robots::base
