#pragma once

#include <robots/base/random_sequence.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace robots::base {

/// A `random_sequence` for many threads, which do not wait for each other.
class counter_random {
 public:
  /// If `seed` is empty, each object chooses another seed in each run. An attacker can guess that
  /// seed, so use the numbers only to spread waits.
  explicit counter_random(std::optional<std::uint64_t> seed) noexcept
      : state_(seed ? *seed : some_seed(this)) {}

  /// Returns the next number. Any thread may call this function.
  [[nodiscard]] std::uint64_t operator()() noexcept {
    constexpr std::uint64_t step = random_sequence::step;
    return random_sequence::mixed(state_.fetch_add(step, std::memory_order_relaxed) + step);
  }

  /// Returns a uniform number in [0, 1). Any thread may call this function.
  [[nodiscard]] double draw() noexcept { return unit_interval((*this)()); }

 private:
  // The seed does not come from `std::random_device`, since <random> would slow down the
  // compilation of every user.
  [[nodiscard]] static std::uint64_t some_seed(const void* object) noexcept {
    std::uint64_t seed = reinterpret_cast<std::uintptr_t>(object);
    for (const auto ticks : {std::chrono::system_clock::now().time_since_epoch().count(),
                             std::chrono::steady_clock::now().time_since_epoch().count()}) {
      seed = random_sequence::mixed(seed + static_cast<std::uint64_t>(ticks));
    }
    return seed;
  }

  std::atomic<std::uint64_t> state_;
};

}  // namespace robots::base
