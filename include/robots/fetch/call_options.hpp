#pragma once

#include <robots/time/clock.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace robots {

/// What a caller wants to find its call again by, in everything that is told of it: see `event`.
/// Derive from it to hand on more.
struct call_context {
  std::string trace_id{};  ///< 32 hex digits as in W3C Trace Context, section 3.2; may be empty
  std::string span_id{};   ///< 16 hex digits, of the caller's span; may be empty

  /// Of no trace.
  call_context() = default;
  /// Of the caller's span in a trace.
  call_context(std::string trace, std::string span)
      : trace_id(std::move(trace)), span_id(std::move(span)) {}
  call_context(const call_context&) = delete;
  call_context& operator=(const call_context&) = delete;
  virtual ~call_context() = default;
};

/// When one call gives up, however long the work would take, and who makes it.
struct call_options {
  std::optional<time_point> deadline{};  ///< passed: the call ends; nothing means it has no end
  std::stop_token stop{};                ///< requested: the call ends early
  /// Most time that a cache takes to look a policy up, 0 for no limit; nothing means
  /// `cache_options::longest_call`.
  std::optional<std::chrono::milliseconds> longest{};
  /// Handed on with all that is told of the call, from whatever thread; null for none. Where
  /// several calls wait for one fetch, that of the call which began it counts.
  std::shared_ptr<const call_context> context{};
};

}  // namespace robots
