#pragma once

#include <chrono>

namespace robots {

/// The maximum delay, about 136 years. A longer delay is cut to this maximum, so that a time plus a
/// delay never overflows. `std::chrono::nanoseconds` can hold even 1.5 times this maximum.
inline constexpr std::chrono::nanoseconds longest_delay = std::chrono::seconds{0xFFFF'FFFF};

}  // namespace robots
