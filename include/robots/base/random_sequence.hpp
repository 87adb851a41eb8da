#pragma once

#include <cstdint>

namespace robots::base {

/// Random numbers for random waits, from SplitMix64 (Steele, Lea, Flood, 2014). Any seed is good.
class random_sequence {
 public:
  constexpr explicit random_sequence(std::uint64_t seed) noexcept : state_{seed} {}

  constexpr std::uint64_t operator()() noexcept {
    std::uint64_t bits = state_ += step;
    bits = (bits ^ bits >> 30U) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ bits >> 27U) * 0x94D049BB133111EBU;
    return bits ^ bits >> 31U;
  }

  static constexpr std::uint64_t step = 0x9E3779B97F4A7C15U;

 private:
  std::uint64_t state_;
};

}  // namespace robots::base
