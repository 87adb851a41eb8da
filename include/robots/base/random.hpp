#pragma once

#include <robots/base/random_sequence.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace robots::base {

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
