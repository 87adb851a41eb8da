#pragma once

#include <robots/base/random_sequence.hpp>

#include <cstdint>

namespace robots::base {

/// Takes a share of events, at random. Any thread; no thread waits for another. Takes some 2 ns.
class sampler {
 public:
  /// From 0, no events, to 1, all events.
  explicit sampler(double share) noexcept : share_{share} {}

  /// Returns true if this event is taken.
  [[nodiscard]] bool takes() const noexcept {
    static constinit thread_local std::uint64_t state = 0;
    if (share_ >= 1) {
      return true;
    }
    if (state == 0) [[unlikely]] {
      state = reinterpret_cast<std::uintptr_t>(&state);  // another one in each thread
    }
    state += random_sequence::step;
    return unit_interval(random_sequence::mixed(state)) < share_;
  }

 private:
  double share_;
};

}  // namespace robots::base
