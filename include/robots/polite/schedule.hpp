#pragma once

#include <robots/base/enum_text.hpp>
#include <robots/polite/crawl_delay.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace robots {

/// What decides when a host may next be asked.
enum class start_limit : std::uint8_t {
  none,         ///< nothing: at once
  delay,        ///< the delay between requests; `schedule::delay` says which one
  slow_down,    ///< that delay, made longer since the host answered 429 or 503
  retry_after,  ///< the host's Retry-After
  visit_time,   ///< the hours that Visit-time leaves
  breaker,      ///< the circuit breaker is open
  ledger,       ///< other processes take turns with this one, or the ledger cannot be asked
};

/// The name of a limit, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(start_limit limit) noexcept {
  return base::enum_text<start_limit::ledger>(
      limit, {"none", "delay", "slow_down", "retry_after", "visit_time", "breaker", "ledger"});
}

/// When a host may next be asked, and why not sooner.
struct schedule {
  time_point at{};                             ///< not before
  start_limit decided_by = start_limit::none;  ///< what `at` rests on
  computed_delay delay{};                      ///< the delay after the request before, and its term
  std::chrono::nanoseconds slowed{0};          ///< the same, slowed down by 429 and 503
  std::uint32_t overloads = 0;                 ///< how many steps the host is slowed down by
  bool skip_host = false;   ///< the site wants more delay than the options bear with: do not ask it
  bool can_reserve = true;  ///< fewer requests are under way than the options allow at once

  /// Takes `when` for `at` where it is later.
  constexpr void not_before(time_point when, start_limit limit) noexcept {
    if (when > at) {
      at = when;
      decided_by = limit;
    }
  }
};

namespace polite_detail {

/// Seconds with three decimals.
[[nodiscard]] inline std::string seconds_text(std::chrono::nanoseconds time) {
  const auto whole = std::chrono::ceil<std::chrono::milliseconds>(time).count();
  constexpr std::int64_t per_second = 1000;
  std::string rest = std::to_string(whole % per_second);
  rest.insert(0, 3 - rest.size(), '0');
  return std::to_string(whole / per_second) + '.' + rest + " s";
}

/// What the delay comes from.
[[nodiscard]] inline std::string delay_text(const computed_delay& delay) {
  std::string text{to_string(delay.term)};
  if (delay.asked > delay.delay) {
    text +=
        ", " + std::string{to_string(delay.asked_by)} + " asks for " + seconds_text(delay.asked);
  }
  return text;
}

}  // namespace polite_detail

/// One sentence for people: how long to wait from `now`, and for what.
[[nodiscard]] inline std::string explain(const schedule& what, time_point now) {
  if (what.skip_host) {
    return "never: " + std::string{to_string(what.delay.asked_by)} + " asks for " +
           polite_detail::seconds_text(what.delay.asked) + ", more than the cap";
  }
  std::string text = "at once";
  if (what.at > now) {
    text = "in " + polite_detail::seconds_text(what.at - std::max(now, time_point{}));
  }
  text += base::enum_text<start_limit::ledger>(
      what.decided_by, {"", ": delay of ", ": delay of ", ": Retry-After", ": Visit-time",
                        ": the circuit breaker is open", ": other processes visit the host, too"});
  if (what.decided_by == start_limit::slow_down) {
    text += polite_detail::seconds_text(what.slowed) + " after 429 or 503, without them ";
  }
  if (what.decided_by == start_limit::delay || what.decided_by == start_limit::slow_down) {
    text += polite_detail::seconds_text(what.delay.delay) + " (" +
            polite_detail::delay_text(what.delay) + ')';
  }
  if (!what.can_reserve) {
    text += "; no further reservation at the host for now";
  }
  return text;
}

}  // namespace robots
