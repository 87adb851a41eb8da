#pragma once

#include <robots/observe/events.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace robots::detail {

/// A type that observes one kind of event.
template <class O, class Event>
concept ObserverOf =
    std::movable<O> && requires(O& observer, const Event& event) { observer.on(event); };

/// A kind of event is the place of the event in the list.
template <class... Events>
struct event_list {
  template <class Event>
  static constexpr bool has = (std::is_same_v<Event, Events> || ...);

  template <class O>
  static constexpr bool is_observed_by = (ObserverOf<O, Events> || ...);

  /// Returns the kind of an `Event`, which must be in the list.
  template <class Event>
  [[nodiscard]] static constexpr std::uint8_t kind_of() noexcept {
    std::uint8_t kind = 0;
    static_cast<void>(((std::is_same_v<Event, Events> || (++kind, false)) || ...));
    return kind;
  }

  /// Calls `use` with `event` in the type of its `kind`.
  template <class Use>
  static decltype(auto) visit(std::uint8_t kind, const event_base& event, const Use& use) {
    static constexpr std::array calls{&call<Events, Use>...};
    return calls[kind](event, use);
  }

 private:
  template <class Event, class Use>
  static decltype(auto) call(const event_base& event, const Use& use) {
    return use(static_cast<const Event&>(event));
  }
};

using all_events =
    event_list<decision_event, look_up_event, admission_event, drop_event, exchange_event,
               parse_event, retrieval_event, far_hit_event, far_old_record_event, fallback_event,
               breaker_event, quarantine_event, override_event, policy_change_event,
               access_revoked_event, licence_demanded_event, halt_event, sign_off_event,
               far_store_event, lost_invalidation_event, exclusions_event, ledger_event,
               order_event, rulings_event>;

}  // namespace robots::detail

namespace robots {

/// Any event, by reference. An observer with `on(const any_event&)` receives all events. The object
/// is a pointer and a number for the kind of event, since a `std::variant` of all pointers makes
/// every file that sends events slow to compile.
class any_event {
 public:
  /// Keeps a pointer to `event`. `event` must outlive this object.
  template <class Event>
    requires(detail::all_events::has<Event>)
  any_event(const Event& event) noexcept  // NOLINT(google-explicit-constructor)
      : event_{&event}, kind_{detail::all_events::kind_of<Event>()} {}

  /// Calls `use` with the event in its own type, and returns the result.
  template <class Use>
  decltype(auto) visit(const Use& use) const {
    return detail::all_events::visit(kind_, *event_, use);
  }

  /// Returns the members that all events have.
  [[nodiscard]] const event_base& base() const noexcept { return *event_; }

  /// Returns the event, or null if the event is not an `Event`.
  template <class Event>
  [[nodiscard]] const Event* get_if() const noexcept {
    return kind_ == detail::all_events::kind_of<Event>() ? static_cast<const Event*>(event_)
                                                         : nullptr;
  }

 private:
  const event_base* event_;
  std::uint8_t kind_;
};

}  // namespace robots
