#pragma once

#include <robots/base/enum_text.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace robots {

/// When an origin is left alone (the pipeline guide: "halting fetch attempts for a configurable
/// cooldown period").
struct breaker_options {
  int failures = 5;                   ///< in a row that open it; 0 means that it never opens
  std::chrono::seconds cooldown{60};  ///< how long it stays open
};

/// Throws `std::invalid_argument` if a number makes no sense. The message says what to mend.
constexpr void validate(const breaker_options& options) {
  if (options.failures < 0 || options.cooldown.count() < 0) {
    throw std::invalid_argument{
        "breaker.failures and breaker.cooldown are not negative: use 0 failures for no breaker"};
  }
}

/// The state of a breaker.
enum class breaker_state : std::uint8_t {
  closed,     ///< everything
  open,       ///< nothing
  half_open,  ///< one request, the probe, whose end decides
};

/// The name of a state, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(breaker_state state) noexcept {
  return base::enum_text<breaker_state::half_open>(state, {"closed", "open", "half_open"});
}

}  // namespace robots

namespace robots::detail {

/// Keeps requests from an origin that has failed several times in a row.
///
/// A value without a clock. While it is closed, it counts failures in a row, and opens at
/// `breaker_options::failures`. After the cooldown it admits one probe: its success closes the
/// breaker, its failure opens it for another cooldown. A probe without a report expires after a
/// cooldown.
class circuit_breaker {
 public:
  /// Closed.
  constexpr explicit circuit_breaker(breaker_options options = {}) noexcept : options_{options} {}

  /// Returns true if a request may be sent now. If it is the probe, this call has taken it.
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

  /// An admitted request got an answer.
  constexpr void on_success() noexcept { *this = circuit_breaker{options_}; }

  /// An admitted request failed.
  constexpr void on_failure(time_point now) noexcept {
    if (options_.failures == 0) {
      return;
    }
    if (failures_ < options_.failures) {
      ++failures_;
    }
    if (state_ == breaker_state::half_open || failures_ == options_.failures) {
      state_ = breaker_state::open;
      until_ = base::saturating_add(now, options_.cooldown);
    }
  }

  /// An admitted request ended in a way that says nothing: the next one may be the probe.
  constexpr void on_abandoned(time_point now) noexcept {
    if (state_ == breaker_state::half_open) {
      state_ = breaker_state::open;
      until_ = now;
    }
  }

  /// Returns the state as of the last call.
  [[nodiscard]] constexpr breaker_state state() const noexcept { return state_; }

  /// Failures in a row so far, up to the number that opens it.
  [[nodiscard]] constexpr int failures() const noexcept { return failures_; }

  /// When the next request, or the next probe, is admitted at the latest; `time_point{}` while
  /// closed.
  [[nodiscard]] constexpr time_point open_until() const noexcept { return until_; }

 private:
  breaker_options options_;
  breaker_state state_ = breaker_state::closed;
  int failures_ = 0;
  time_point until_{};
};

}  // namespace robots::detail
