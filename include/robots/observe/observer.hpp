#pragma once

#include <robots/observe/events.hpp>

#include <concepts>
#include <variant>

namespace robots {

/// One of all events, by reference.
using any_event =
    std::variant<const look_up_event*, const exchange_event*, const parse_event*,
                 const retrieval_event*, const far_hit_event*, const far_copy_event*,
                 const fallback_event*, const decision_event*, const breaker_event*,
                 const drop_event*, const quarantine_event*, const override_event*,
                 const policy_change_event*, const access_revoked_event*, const halt_event*,
                 const sign_off_event*, const far_store_event*, const lost_invalidation_event*,
                 const exclusions_event*, const admission_event*, const ledger_event*>;

/// An observer that wants to be told of events of one kind.
template <class O, class Event>
concept ObserverOf =
    std::movable<O> && requires(O& observer, const Event& told) { observer.on(told); };

namespace observe_detail {

template <class O, class Events>
inline constexpr bool observes_any = false;
template <class O, class... Events>
inline constexpr bool observes_any<O, std::variant<const Events*...>> =
    (ObserverOf<O, Events> || ...);

}  // namespace observe_detail

/// What is told of everything that a cache does.
///
/// A model has a function `on(const E&)` for each kind of event that it wants to hear of, or one
/// template for all. Other events cost nothing. The functions may be called from any thread
/// at once, return soon and do not throw: they run inside the call that they report, and must not
/// ask the cache for the site that they are told of. What they throw is dropped: that event is
/// lost, and nothing else; `cache_stats::observer_failures` counts them. What was retrieved is told
/// of before any decision that rests on it.
///
/// Exemplar: `o.on(d)` with a `decision_event`. Models: `NullObserver`, `observers`, `JsonLog`,
/// `Metrics`; in `adapters/`, `AuditTrail`, `OpenTelemetryMetrics` and `OpenTelemetryTracing`.
template <class O>
concept Observer = std::movable<O> && observe_detail::observes_any<O, any_event>;

/// Takes no notice, at no cost.
struct NullObserver {
  /// Does nothing.
  void on(const event& /*told*/) const noexcept {}
};

static_assert(Observer<NullObserver>);

/// Tells an observer of an event, if it wants to hear of such. Drops what it throws; false means
/// that it threw.
template <Observer O, class Event>
bool tell(O& observer, const Event& told) noexcept {
  if constexpr (ObserverOf<O, Event>) {
    try {
      observer.on(told);
    } catch (...) {
      return false;
    }
  }
  return true;
}

}  // namespace robots
