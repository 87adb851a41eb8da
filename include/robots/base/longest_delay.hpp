#pragma once

#include <chrono>

namespace robots {

/// The maximum delay, about 136 years. A longer delay becomes this delay. One and a half times
/// this delay fits into nanoseconds, and a time plus this delay never overflows.
inline constexpr std::chrono::nanoseconds longest_delay = std::chrono::seconds{0xFFFF'FFFF};

}  // namespace robots
