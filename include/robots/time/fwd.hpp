#pragma once

#include <chrono>

/// Declares the names of `time/`. A program that uses a class needs the header of the class.
namespace robots {

class SteadyClock;
struct wall_anchor;

using time_point = std::chrono::steady_clock::time_point;
using wall_time = std::chrono::sys_time<std::chrono::nanoseconds>;

}  // namespace robots
