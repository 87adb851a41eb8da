#pragma once

#include <robots/base/enum_text.hpp>
#include <robots/base/exceptions.hpp>

#include <chrono>
#include <cstdint>
#include <string_view>

namespace robots {

/// The limits of the circuit breaker of an origin (source: the pipeline guide).
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

/// Returns the name of the enumerator.
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

}  // namespace robots::detail
