#pragma once

#include <chrono>

namespace robots {

/// The longest delay, about 136 years; longer ones count as this. One and a half of it fit into
/// nanoseconds, and adding it to a time never overflows.
inline constexpr std::chrono::nanoseconds longest_delay = std::chrono::seconds{0xFFFF'FFFF};

}  // namespace robots
