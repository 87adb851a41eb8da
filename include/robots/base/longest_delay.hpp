#pragma once

#include <chrono>

namespace robots {

/// The longest delay, about 136 years. Longer ones count as this. One and a half times this fits
/// into nanoseconds, and a time plus this never overflows.
inline constexpr std::chrono::nanoseconds longest_delay = std::chrono::seconds{0xFFFF'FFFF};

}  // namespace robots
