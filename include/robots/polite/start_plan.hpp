#pragma once

#include <robots/base/enum_text.hpp>
#include <robots/base/zero_padded.hpp>
#include <robots/polite/crawl_delay.hpp>
#include <robots/polite/request_report.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

// A `start_plan` begins at the present and is only moved to later times, each time by one limit:
//
//     now --> delay, or the slowdown after 429 and 503 --> Retry-After --> Visit-time --> ledger
//
// The last limit that moved it is `decided_by`, from which `explain` makes a sentence.

namespace robots {

/// The limit that decides when the next request to a host may start.
enum class start_limit : std::uint8_t {
  none,         ///< the request may start at once
  delay,        ///< the delay between requests; see `start_plan::delay`
  slow_down,    ///< the delay, lengthened because the host answered 429 or 503
  retry_after,  ///< the host's Retry-After
  visit_time,   ///< the hours that Visit-time allows
  ledger,       ///< another process has the turn, or the ledger has failed
};

/// Returns the name of the enumerator.
[[nodiscard]] constexpr std::string_view to_string(start_limit limit) noexcept {
  return base::enum_text<start_limit::ledger>(
      limit, {"none", "delay", "slow_down", "retry_after", "visit_time", "ledger"});
}

/// The time at which the next request to a host may start, and the limit that sets this time.
struct start_plan {
  time_point at{};                             ///< the earliest start
  start_limit decided_by = start_limit::none;  ///< the limit that decided `at`
  computed_delay delay{};                      ///< the delay after the previous request
  std::chrono::nanoseconds slowed{0};          ///< `delay`, lengthened after 429 and 503
  std::uint32_t overloads = 0;                 ///< the number of times that `delay` was doubled
  bool skip_host = false;   ///< no request may start: `delay_options::skip_above_cap`
  bool can_reserve = true;  ///< the host has fewer than `gate_options::concurrency` reservations

  /// If `when` is later than `at`, moves `at` to `when`, and sets `decided_by` to `limit`.
  constexpr void not_before(time_point when, start_limit limit) noexcept {
    if (when > at) {
      at = when;
      decided_by = limit;
    }
  }
};

namespace polite_detail {

/// Returns `time` in seconds, rounded up to milliseconds, such as `1.500 s`.
[[nodiscard]] inline std::string seconds_text(std::chrono::nanoseconds time) {
  const auto whole = std::chrono::ceil<std::chrono::milliseconds>(time).count();
  std::string text = base::zero_padded(std::to_string(whole), 4);
  return text.insert(text.size() - 3, ".") + " s";
}

/// Returns a text such as `crawl_delay asks for 90.000 s`.
[[nodiscard]] inline std::string asked_text(const computed_delay& delay) {
  return std::string{to_string(delay.asked_by)} + " asks for " + seconds_text(delay.asked);
}

}  // namespace polite_detail

/// Returns a sentence for people that says how long to wait from `now`, and why.
[[nodiscard]] inline std::string explain(const start_plan& plan, time_point now) {
  using polite_detail::seconds_text;
  const computed_delay& delay = plan.delay;
  if (plan.skip_host) {
    return "never: " + polite_detail::asked_text(delay) + ", more than the cap";
  }
  std::string text =
      plan.at > now ? "in " + seconds_text(plan.at - (std::max)(now, time_point{})) : "at once";
  text += base::enum_text<start_limit::ledger>(
      plan.decided_by, {"", ": delay of ", ": delay of ", ": Retry-After", ": Visit-time",
                        ": other processes visit the host, too"});
  if (plan.decided_by == start_limit::slow_down) {
    text += seconds_text(plan.slowed) + " after 429 or 503, without them ";
  }
  if (plan.decided_by == start_limit::delay || plan.decided_by == start_limit::slow_down) {
    const bool is_capped = delay.asked > delay.delay;
    text += seconds_text(delay.delay) + " (" + std::string{to_string(delay.term)};
    text += (is_capped ? ", " + polite_detail::asked_text(delay) : "") + ')';
  }
  if (!plan.can_reserve) {
    text += "; no further reservation at the host for now";
  }
  return text;
}

}  // namespace robots
