#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <random>

namespace robots::detail {

/// Random numbers for many threads, none of which waits for another: each number is a hash of the
/// seed and of how many were drawn before (SplitMix64; Steele, Lea and Flood, 2014).
class counter_random {
 public:
  using result_type = std::uint64_t;

  /// Without a seed, one that differs from program to program.
  explicit counter_random(std::optional<std::uint64_t> seed) : state_(seed ? *seed : some_seed()) {}

  [[nodiscard]] static constexpr result_type min() noexcept { return 0; }
  [[nodiscard]] static constexpr result_type max() noexcept { return UINT64_MAX; }

  /// The next number. Any thread.
  [[nodiscard]] result_type operator()() noexcept {
    constexpr std::uint64_t step = 0x9E37'79B9'7F4A'7C15;
    std::uint64_t mixed = state_.fetch_add(step, std::memory_order_relaxed) + step;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58'476D'1CE4'E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D0'49BB'1331'11EB;
    return mixed ^ (mixed >> 31);
  }

  /// A uniform number in [0, 1). Any thread.
  [[nodiscard]] double draw() noexcept {
    constexpr int beyond_double = 11;  // a double holds 53 bits
    return static_cast<double>((*this)() >> beyond_double) * 0x1p-53;
  }

 private:
  [[nodiscard]] static std::uint64_t some_seed() {
    std::random_device device;
    constexpr int half = 32;
    return (std::uint64_t{device()} << half) | device();
  }

  std::atomic<std::uint64_t> state_;
};

}  // namespace robots::detail
