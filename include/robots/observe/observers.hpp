#pragma once

#include <robots/observe/any_event.hpp>
#include <robots/observe/observer.hpp>

#include <stdexcept>
#include <tuple>
#include <utility>

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
