#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/fetch/breaker_options.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>

namespace robots::detail {

/// Stops requests to an origin that has failed several times in a row.
///
/// A closed breaker opens at `breaker_options::failures` failures in a row. After the cooldown, the
/// breaker admits one request, the probe. If the probe succeeds, the breaker closes. If the probe
/// fails, the breaker opens for another cooldown. If nobody reports the probe's result within a
/// cooldown, the breaker admits another probe.
class circuit_breaker {
 public:
  constexpr explicit circuit_breaker(breaker_options options = {}) noexcept : options_{options} {}

  /// Returns true if a request may be sent now. If not closed, the breaker admits only the probe.
  [[nodiscard]] constexpr bool admits(time_point now) noexcept {
    if (state_ == breaker_state::closed) {
      return true;
    }
    if (now < until_) {
      return false;
    }
    state_ = breaker_state::half_open;
    until_ = base::saturating_add(now, options_.cooldown);
    return true;
  }

  /// Closes the breaker after the success of a permitted request.
  constexpr void on_success() noexcept { *this = circuit_breaker{options_}; }

  /// Handles the failure of a permitted request.
  constexpr void on_failure(time_point now) noexcept {
    if (options_.failures == 0) {
      return;
    }
    failures_ = (std::min)(failures_ + 1, options_.failures);
    if (state_ == breaker_state::half_open || failures_ == options_.failures) {
      state_ = breaker_state::open;
      until_ = base::saturating_add(now, options_.cooldown);
    }
  }

  /// Handles a permitted request that ended without a result. The next request can be the probe.
  constexpr void on_abandoned(time_point now) noexcept {
    if (state_ == breaker_state::half_open) {
      state_ = breaker_state::open;
      until_ = now;
    }
  }

  /// Returns the state. An open breaker becomes half-open only in `admits`.
  [[nodiscard]] constexpr breaker_state state() const noexcept { return state_; }

  /// Returns the end of the cooldown, or the time at which another probe is admitted.
  [[nodiscard]] constexpr time_point open_until() const noexcept { return until_; }

 private:
  breaker_options options_;
  breaker_state state_ = breaker_state::closed;
  int failures_ = 0;
  time_point until_{};
};

}  // namespace robots::detail
