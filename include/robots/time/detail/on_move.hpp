#pragma once

#include <robots/time/clock.hpp>

#include <utility>

namespace robots::detail {

/// Has `moved()` called whenever the time is moved, for as long as the result lives; nothing for a
/// clock that runs by itself.
template <Clock C, class F>
[[nodiscard]] auto on_move([[maybe_unused]] C& clock, [[maybe_unused]] F&& moved) {
  if constexpr (NotifyingClock<C>) {
    return clock.on_move(std::forward<F>(moved));
  } else {
    return nullptr;
  }
}

}  // namespace robots::detail
