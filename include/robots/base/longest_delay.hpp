#pragma once

#include <chrono>

namespace robots {

/// Longest delay that is told apart from a longer one: about 136 years, so that one and a half of
/// it still fits into nanoseconds, and adding it to a time never overflows.
inline constexpr std::chrono::nanoseconds longest_delay = std::chrono::seconds{0xFFFF'FFFF};

}  // namespace robots
