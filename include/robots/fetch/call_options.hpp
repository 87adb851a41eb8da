#pragma once

#include <robots/time/clock.hpp>

#include <optional>
#include <stop_token>

namespace robots {

/// When one call gives up, however long the work would take.
struct call_options {
  std::optional<time_point> deadline{};  ///< passed: the call ends; nothing means it has no end
  std::stop_token stop{};                ///< requested: the call ends early
};

}  // namespace robots
