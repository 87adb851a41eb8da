#pragma once

#include <robots/observe/any_event.hpp>
#include <robots/observe/events.hpp>

#include <concepts>

namespace robots {

/// Receives the events of caches and gates.
///
/// An `Observer` has a function `on(const E&)` for each kind of event that it wants. One `on` for
/// `any_event`, or one template, can replace these functions. Events without an `on` cost nothing.
/// An `on` runs inside the call that caused the event, in any thread. So it must return soon, and
/// must not ask the cache for the same site. If it throws, the event is lost and counted in
/// `cache_stats::observer_failures`. The event of a retrieval precedes the decisions that use it.
///
/// Example: `o.on(d)` gives the `decision_event` `d` to the observer `o`. Models: `NullObserver`,
/// `observers`, `JsonLog`, `Metrics`; in `adapters/`, `AuditTrail`, `OpenTelemetryMetrics` and
/// `OpenTelemetryTracing`.
template <class O>
concept Observer = std::movable<O> && detail::all_events::is_observed_by<O>;

/// Ignores all events, at no cost.
struct NullObserver {
  /// Does nothing.
  void on(const event_base& /*event*/) const noexcept {}
};

}  // namespace robots

namespace robots::detail {

/// Passes an event to an observer that wants it. Returns false if the observer threw.
template <Observer O, class Event>
bool tell(O& observer, const Event& event) noexcept {
  if constexpr (ObserverOf<O, Event>) {
    try {
      observer.on(event);
    } catch (...) {
      return false;
    }
  }
  return true;
}

}  // namespace robots::detail
