#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots {

/// The caller's data in every event of a call; see `event_base::context`. Derive from this class to
/// add your data.
struct call_context {
  std::string trace_id{};  ///< 32 hex digits (W3C Trace Context, section 3.2), or empty
  std::string span_id{};   ///< 16 hex digits that name the caller's span, or empty

  /// Makes a context without a trace.
  call_context() = default;
  /// Makes a context with the span `span` of the trace `trace`.
  call_context(std::string trace, std::string span)
      : trace_id(std::move(trace)), span_id(std::move(span)) {}
  call_context(const call_context&) = delete;
  call_context& operator=(const call_context&) = delete;
  virtual ~call_context() = default;
};

/// The limits of one call, and the context of its events.
struct call_options {
  std::optional<time_point> deadline{};  ///< the end of the call; empty means no end
  stop_token stop{};                     ///< a stop request ends the call early
  /// The maximum time for a look-up of a policy. 0 means no limit. Empty means
  /// `cache_options::longest_call`.
  std::optional<std::chrono::milliseconds> timeout{};
  /// The crawler whose rules apply to this call. Empty means `cache_options::user_agent`. Any other
  /// text must be one of `cache_options::other_agents`. The text must live as long as the call.
  std::string_view user_agent{};
  /// Every event of this call has this context, in any thread. Null means no context. If several
  /// calls wait for one fetch, the events of the fetch have the context of the call that began it.
  std::shared_ptr<const call_context> context{};
};

}  // namespace robots

namespace robots::detail {

/// Returns the time at which a look-up of a policy that begins at `now` must have ended, without
/// the deadline of its call. `longest` is `cache_options::longest_call`.
[[nodiscard]] inline time_point end_of_look_up(const call_options& call,
                                               std::chrono::milliseconds longest, time_point now) {
  const std::chrono::milliseconds limit = call.timeout.value_or(longest);
  return limit.count() > 0 ? base::saturating_add(now, limit) : (time_point::max)();
}

/// Returns true if a call was stopped, or if its deadline is not after `now`.
[[nodiscard]] inline bool has_ended(const call_options& call, time_point now) noexcept {
  return call.stop.stop_requested() || (call.deadline && *call.deadline <= now);
}

}  // namespace robots::detail
