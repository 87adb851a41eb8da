#pragma once

#include <robots/observe/observer.hpp>

#include <stdexcept>
#include <tuple>
#include <utility>

namespace robots {

/// Combines several observers into one observer, as in `observers{counting, logging}`. Each
/// observer receives the events that it wants, in the order of the observers. If an observer
/// throws, the other observers still receive the event. Then `on` throws, so that the caller can
/// count the loss.
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

static_assert(Observer<observers<NullObserver, NullObserver>>);

}  // namespace robots
