#pragma once

#include <robots/base/random_sequence.hpp>

#include <cstdint>

namespace robots::base {

/// Picks a share of events at random. Any thread may call it; no thread waits for another. A call
/// takes about 2 ns.
class sampler {
 public:
  /// Takes a share from 0, no events, to 1, all events.
  explicit sampler(double share) noexcept : share_{share} {}

  /// Returns true if this event is picked.
  [[nodiscard]] bool takes() const noexcept {
    static constinit thread_local std::uint64_t state = 0;
    if (share_ >= 1) {
      return true;
    }
    if (state == 0) [[unlikely]] {
      state = reinterpret_cast<std::uintptr_t>(&state);  // differs from thread to thread
    }
    state += random_sequence::step;
    return unit_interval(random_sequence::mixed(state)) < share_;
  }

 private:
  double share_;
};

}  // namespace robots::base
