#pragma once

#include <robots/base/random_sequence.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <random>

namespace robots::base {

/// A `random_sequence` for many threads, none of which waits for another.
class counter_random {
 public:
  using result_type = std::uint64_t;

  /// Without a seed, one that differs from program to program.
  explicit counter_random(std::optional<std::uint64_t> seed) : state_(seed ? *seed : some_seed()) {}

  [[nodiscard]] static constexpr result_type min() noexcept { return 0; }
  [[nodiscard]] static constexpr result_type max() noexcept { return UINT64_MAX; }

  /// The next number. Any thread.
  [[nodiscard]] result_type operator()() noexcept {
    constexpr std::uint64_t step = random_sequence::step;
    return random_sequence::mixed(state_.fetch_add(step, std::memory_order_relaxed) + step);
  }

  /// A uniform number in [0, 1). Any thread.
  [[nodiscard]] double draw() noexcept { return unit_interval((*this)()); }

 private:
  [[nodiscard]] static std::uint64_t some_seed() {
    std::random_device device;
    constexpr int half = 32;
    return (std::uint64_t{device()} << half) | device();
  }

  std::atomic<std::uint64_t> state_;
};

}  // namespace robots::base
