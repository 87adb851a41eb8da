#pragma once

#include <robots/fetch/call_options.hpp>
#include <robots/observe/events.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

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
               parse_event, retrieval_event, far_hit_event, far_copy_event, fallback_event,
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

/// Sends events to an observer. Hides the type of the observer.
class event_teller : public event_clock {
 public:
  virtual void tell(const any_event& event) noexcept = 0;

  /// Returns the common members of an event about `site`.
  [[nodiscard]] event_base about(std::string_view site,
                                 const std::shared_ptr<const call_context>& context = {},
                                 std::string_view other_crawler = {}) noexcept {
    return {.site = site,
            .context = context.get(),
            .clock = this,
            .crawler = other_crawler.empty() ? std::string_view{crawler} : other_crawler};
  }

  std::string crawler;  ///< the product token of the crawler; set before the first event

 protected:
  ~event_teller() = default;
};

}  // namespace robots::detail

namespace robots {

/// Combines several observers into one, as in `observers{counting, logging}`. Each event goes to
/// each observer that wants it, in order, even if an observer throws. Then `on` throws, so that the
/// caller can count the loss.
template <Observer... Os>
  requires(sizeof...(Os) > 0)
class observers {
 public:
  /// Makes each observer with its default constructor.
  observers() = default;
  /// Takes over the observers.
  explicit observers(Os... all) : all_(std::move(all)...) {}

  /// Passes the event to each observer.
  template <class Event>
    requires(detail::ObserverOf<Os, Event> || ...)
  void on(const Event& event) {
    bool all_received = true;
    std::apply(
        [&](Os&... all) { ((all_received = detail::tell(all, event) && all_received), ...); },
        all_);
    if (!all_received) {
      throw std::runtime_error{"observers: an observer has thrown: correct its `on`"};
    }
  }

 private:
  std::tuple<Os...> all_;
};

}  // namespace robots
