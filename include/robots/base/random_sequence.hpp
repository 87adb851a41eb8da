#pragma once

#include <cstdint>

namespace robots::base {

/// Random numbers that spread waits. The method is SplitMix64 (Steele, Lea, Flood, 2014). The state
/// has eight octets, and any seed is good.
class random_sequence {
 public:
  constexpr explicit random_sequence(std::uint64_t seed) noexcept : state_{seed} {}

  constexpr std::uint64_t operator()() noexcept { return mixed(state_ += step); }

  /// Returns the number for a state.
  [[nodiscard]] static constexpr std::uint64_t mixed(std::uint64_t bits) noexcept {
    bits = (bits ^ bits >> 30U) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ bits >> 27U) * 0x94D049BB133111EBU;
    return bits ^ bits >> 31U;
  }

  /// The increment of the state for each number.
  static constexpr std::uint64_t step = 0x9E3779B97F4A7C15U;

 private:
  std::uint64_t state_;
};

/// Converts random bits to a number from 0 to 1, excluding 1.
[[nodiscard]] constexpr double unit_interval(std::uint64_t bits) noexcept {
  return static_cast<double>(bits >> 11U) * 0x1.0p-53;
}

}  // namespace robots::base
