#pragma once

#include <robots/observe/events.hpp>

#include <concepts>
#include <variant>

namespace robots {

/// Any event, by reference.
using any_event =
    std::variant<const look_up_event*, const exchange_event*, const parse_event*,
                 const retrieval_event*, const far_hit_event*, const far_copy_event*,
                 const fallback_event*, const decision_event*, const breaker_event*,
                 const drop_event*, const quarantine_event*, const override_event*,
                 const policy_change_event*, const access_revoked_event*, const halt_event*,
                 const sign_off_event*, const far_store_event*, const lost_invalidation_event*,
                 const exclusions_event*, const admission_event*, const ledger_event*>;

/// An observer of one kind of event.
template <class O, class Event>
concept ObserverOf =
    std::movable<O> && requires(O& observer, const Event& event) { observer.on(event); };

namespace observe_detail {

template <class O, class Events>
inline constexpr bool observes_any = false;
template <class O, class... Events>
inline constexpr bool observes_any<O, std::variant<const Events*...>> =
    (ObserverOf<O, Events> || ...);

}  // namespace observe_detail

/// Receives the events of caches and gates.
///
/// A model has a function `on(const E&)` for each kind of event that it wants, or one template for
/// all. Other kinds cost nothing. Any thread may call them. They run inside the call that they
/// report. So they must return soon, and must not ask the cache for the same site. If one throws,
/// the event is lost and counted in `cache_stats::observer_failures`. A retrieval is reported
/// before every decision that depends on it.
///
/// Exemplar: `o.on(d)` with a `decision_event`. Models: `NullObserver`, `observers`, `JsonLog`,
/// `Metrics`; in `adapters/`, `AuditTrail`, `OpenTelemetryMetrics` and `OpenTelemetryTracing`.
template <class O>
concept Observer = std::movable<O> && observe_detail::observes_any<O, any_event>;

/// Ignores all events, at no cost.
struct NullObserver {
  /// Does nothing.
  void on(const event& /*event*/) const noexcept {}
};

static_assert(Observer<NullObserver>);

/// Passes an event to an observer that wants its kind. Returns false if the observer threw.
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

}  // namespace robots
