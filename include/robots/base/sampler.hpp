#pragma once

#include <robots/base/counter_random.hpp>

#include <optional>

namespace robots::base {

/// Picks a share of events at random. Any thread may call a sampler, and no thread waits for
/// another.
class sampler {
 public:
  /// Picks each event with the probability `share`, from 0 (never) to 1 (always).
  explicit sampler(double share) noexcept : share_{share} {}

  /// Returns true if this event is picked.
  [[nodiscard]] bool takes() const noexcept { return share_ >= 1 || random_.draw() < share_; }

 private:
  double share_;
  mutable counter_random random_{std::nullopt};
};

}  // namespace robots::base
