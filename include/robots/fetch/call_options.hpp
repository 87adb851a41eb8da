#pragma once

#include <robots/time/clock.hpp>

#include <chrono>
#include <optional>
#include <stop_token>

namespace robots {

/// When one call gives up, however long the work would take.
struct call_options {
  std::optional<time_point> deadline{};  ///< passed: the call ends; nothing means it has no end
  std::stop_token stop{};                ///< requested: the call ends early
  /// Most time that a cache takes to look a policy up, 0 for no limit; nothing means
  /// `cache_options::longest_call`.
  std::optional<std::chrono::milliseconds> longest{};
};

}  // namespace robots
