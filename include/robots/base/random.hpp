#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

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

/// Converts random bits to a number from 0 to 1, excluding 1.
[[nodiscard]] constexpr double unit_interval(std::uint64_t bits) noexcept {
  return static_cast<double>(bits >> 11U) * 0x1.0p-53;
}

/// A `random_sequence` that any thread may use, without waiting for others.
class counter_random {
 public:
  /// Without a `seed`, the object chooses a seed. An attacker can guess this seed and the numbers.
  explicit counter_random(std::optional<std::uint64_t> seed) noexcept
      : state_(seed ? *seed : some_seed(this)) {}

  [[nodiscard]] std::uint64_t operator()() noexcept {
    return random_sequence{state_.fetch_add(random_sequence::step, std::memory_order_relaxed)}();
  }

  [[nodiscard]] double draw() noexcept { return unit_interval((*this)()); }

 private:
  // Does not use `std::random_device`, since <random> would slow down the compilation of every
  // program that uses the library.
  [[nodiscard]] static std::uint64_t some_seed(const void* object) noexcept {
    std::uint64_t seed = reinterpret_cast<std::uintptr_t>(object);
    for (const auto ticks : {std::chrono::system_clock::now().time_since_epoch().count(),
                             std::chrono::steady_clock::now().time_since_epoch().count()}) {
      seed = random_sequence{seed + static_cast<std::uint64_t>(ticks)}();
    }
    return seed;
  }

  std::atomic<std::uint64_t> state_;
};

}  // namespace robots::base
