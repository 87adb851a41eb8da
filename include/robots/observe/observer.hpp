#pragma once

#include <robots/observe/events.hpp>

#include <concepts>
#include <cstddef>

namespace robots::detail {

/// An observer of one kind of event.
template <class O, class Event>
concept ObserverOf =
    std::movable<O> && requires(O& observer, const Event& event) { observer.on(event); };

template <class... Events>
struct event_list {
  template <class O>
  static constexpr bool is_observed_by = (ObserverOf<O, Events> || ...);

  /// The index of a kind of event, or the length of the list if the list does not have this kind.
  template <class Event>
  static constexpr std::size_t index_of = [] {
    std::size_t index = 0;
    static_cast<void>(((std::same_as<Event, Events> || (++index, false)) || ...));
    return index;
  }();
};

/// All events. The most frequent events come first, since `any_event::visit` takes linear time.
using all_events =
    event_list<decision_event, look_up_event, admission_event, drop_event, exchange_event,
               parse_event, retrieval_event, far_hit_event, far_copy_event, fallback_event,
               breaker_event, quarantine_event, override_event, policy_change_event,
               access_revoked_event, halt_event, sign_off_event, far_store_event,
               lost_invalidation_event, exclusions_event, ledger_event>;

}  // namespace robots::detail

namespace robots {

/// Any event, by reference. An observer with `on(const any_event&)` receives all events.
class any_event {
 public:
  /// Refers to `event`.
  template <class Event>
    requires(detail::all_events::index_of<Event> < detail::all_events::index_of<void>)
  any_event(const Event& event) noexcept  // NOLINT(google-explicit-constructor)
      : kind_{detail::all_events::index_of<Event>}, event_{&event} {}

  /// Returns the members that all events have.
  [[nodiscard]] const event_base& base() const noexcept { return *event_; }

  /// Returns the event, or null if the event is of another kind.
  template <class Event>
  [[nodiscard]] const Event* get_if() const noexcept {
    return kind_ == detail::all_events::index_of<Event> ? static_cast<const Event*>(event_)
                                                        : nullptr;
  }

  /// Returns `use(event)`, with the event in its own type.
  template <class Use>
  decltype(auto) visit(const Use& use) const {
    return visit_as(use, detail::all_events{});
  }

 private:
  template <class Use, class Event, class... Others>
  decltype(auto) visit_as(const Use& use,
                          const detail::event_list<Event, Others...>& /*kinds*/) const {
    if constexpr (sizeof...(Others) > 0) {
      if (kind_ != detail::all_events::index_of<Event>) {
        return visit_as(use, detail::event_list<Others...>{});
      }
    }
    return use(static_cast<const Event&>(*event_));
  }

  std::size_t kind_;
  const event_base* event_;
};

/// Receives the events of caches and gates.
///
/// A model has a function `on(const E&)` for each kind of event that it wants, or one function for
/// `any_event`, or one function template. Other kinds cost nothing. Any thread may call these
/// functions. An `on` runs inside the call that caused the event. So an `on` must return soon, and
/// must not ask the cache for the same site. If an `on` throws, the event is lost and counted in
/// `cache_stats::observer_failures`. The event of a retrieval comes before every decision that
/// depends on this retrieval.
///
/// Exemplar: `o.on(d)` with a `decision_event`. Models: `NullObserver`, `observers`, `JsonLog`,
/// `Metrics`; in `adapters/`, `AuditTrail`, `OpenTelemetryMetrics` and `OpenTelemetryTracing`.
template <class O>
concept Observer = std::movable<O> && detail::all_events::is_observed_by<O>;

/// Ignores all events, at no cost.
struct NullObserver {
  /// Does nothing.
  void on(const event_base& /*event*/) const noexcept {}
};

static_assert(Observer<NullObserver>);

}  // namespace robots

namespace robots::detail {

/// Passes an event to an observer if the observer wants this kind of event. Returns false if the
/// observer threw.
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
