#pragma once

#include <chrono>

/// Declares the names of `time/`. A class needs its own header before it is used.
namespace robots {

class SteadyClock;
struct wall_anchor;

using time_point = std::chrono::steady_clock::time_point;
using wall_time = std::chrono::sys_time<std::chrono::nanoseconds>;

}  // namespace robots
