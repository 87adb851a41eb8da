#pragma once

#include <robots/observe/observer.hpp>

#include <stdexcept>
#include <tuple>
#include <utility>

namespace robots {

/// Several observers in place of one: `observers{counting, logging}`. Each is told of what it wants
/// to hear of, in order. What one of them throws costs that one the event, and the others nothing.
/// This one throws then, once all have been told, so that whoever tells it can count what was lost.
template <Observer... Os>
  requires(sizeof...(Os) > 0)
class observers {
 public:
  /// Of each observer's default.
  observers() = default;
  /// Of these.
  explicit observers(Os... each) : all_(std::move(each)...) {}

  /// Tells each of them.
  template <class Event>
    requires(ObserverOf<Os, Event> || ...)
  void on(const Event& told) {
    bool all_heard = true;
    std::apply([&](Os&... each) { ((all_heard = tell(each, told) && all_heard), ...); }, all_);
    if (!all_heard) {
      throw std::runtime_error{"an observer threw"};
    }
  }

 private:
  std::tuple<Os...> all_;
};

static_assert(Observer<observers<NullObserver, NullObserver>>);

}  // namespace robots
