#pragma once

#include <robots/base/stop_token.hpp>
#include <robots/time/clock.hpp>

namespace robots::detail {

/// A wait before the next try.
struct retry_wait {
  time_point until{};  ///< the end of the wait; then call `on_wait_over`
  stop_token stop{};   ///< a stop request ends the wait
};

}  // namespace robots::detail
