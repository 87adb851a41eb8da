#pragma once

#include <robots/time/clock.hpp>

#include <functional>
#include <utility>

namespace robots::detail {

/// Has `moved` called whenever the time is moved, for as long as the result lives; nothing for a
/// clock that runs by itself.
template <Clock C>
[[nodiscard]] auto on_move([[maybe_unused]] C& clock,
                           [[maybe_unused]] std::function<void()> moved) {
  if constexpr (NotifyingClock<C>) {
    return clock.on_move(std::move(moved));
  } else {
    return nullptr;
  }
}

}  // namespace robots::detail
