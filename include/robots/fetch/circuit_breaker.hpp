#pragma once

#include <robots/base/enum_text.hpp>
#include <robots/base/require.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace robots {

/// The limits of the circuit breaker of an origin (the pipeline guide: "halting fetch attempts for
/// a configurable cooldown period").
struct breaker_options {
  int failures = 5;  ///< number of failures in a row that open a breaker; 0 means never
  std::chrono::seconds cooldown{60};  ///< the time for which a breaker stays open
};

/// The state of a breaker.
enum class breaker_state : std::uint8_t {
  closed,     ///< all requests may be sent
  open,       ///< no request may be sent
  half_open,  ///< one request, the probe, may be sent; its result closes or opens the breaker
};

/// The name of a state, which is the name of the enumerator.
[[nodiscard]] constexpr std::string_view to_string(breaker_state state) noexcept {
  return base::enum_text<breaker_state::half_open>(state, {"closed", "open", "half_open"});
}

}  // namespace robots

namespace robots::detail {

/// Throws `std::invalid_argument` if a number is negative.
inline void validate(const breaker_options& options) {
  base::require(options.failures >= 0, "breaker.failures", options.failures,
                ": use 0 or more; with 0, there is no breaker");
  base::require(options.cooldown.count() >= 0, "breaker.cooldown", options.cooldown.count(),
                " s: use 0 or more");
}

/// Stops requests to an origin that has failed several times in a row.
///
/// A breaker is a value without a clock, so the caller passes the time. A closed breaker counts
/// failures in a row and opens at `breaker_options::failures`. After the cooldown, the breaker
/// admits one probe. If the probe succeeds, the breaker closes. If the probe fails, the breaker
/// opens for another cooldown. If nobody reports the probe's result within a cooldown, the breaker
/// admits another probe.
class circuit_breaker {
 public:
  /// Makes a closed breaker.
  constexpr explicit circuit_breaker(breaker_options options = {}) noexcept : options_{options} {}

  /// Returns true if a request may be sent now: the probe, unless the breaker is closed.
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

  /// Notes that a permitted request got an answer.
  constexpr void on_success() noexcept { *this = circuit_breaker{options_}; }

  /// Notes that a permitted request failed.
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

  /// Notes that a permitted request ended without a result. The next request can be the probe.
  constexpr void on_abandoned(time_point now) noexcept {
    if (state_ == breaker_state::half_open) {
      state_ = breaker_state::open;
      until_ = now;
    }
  }

  /// Returns the state. An open breaker becomes half-open only in `admits`.
  [[nodiscard]] constexpr breaker_state state() const noexcept { return state_; }

  /// Returns the end of the cooldown, or the time at which another probe is admitted. Returns
  /// `time_point{}` while the breaker is closed.
  [[nodiscard]] constexpr time_point open_until() const noexcept { return until_; }

 private:
  breaker_options options_;
  breaker_state state_ = breaker_state::closed;
  int failures_ = 0;
  time_point until_{};
};

}  // namespace robots::detail
