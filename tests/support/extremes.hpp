// The durations at which an option can overflow.
#pragma once

#include <array>

namespace robots::test {

/// The extremes of a duration. Tests try each option with each of them.
template <class Duration>
inline constexpr std::array extremes{
    Duration::min(), Duration{-1}, Duration::zero(), Duration{1}, Duration::max() - Duration{1},
    Duration::max()};

}  // namespace robots::test
