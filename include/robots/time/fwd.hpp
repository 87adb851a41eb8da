#pragma once

#include <chrono>

/// Declarations of the public names of time/.
namespace robots {

class SteadyClock;
struct wall_anchor;

using time_point = std::chrono::steady_clock::time_point;
using wall_time = std::chrono::sys_time<std::chrono::nanoseconds>;

}  // namespace robots
