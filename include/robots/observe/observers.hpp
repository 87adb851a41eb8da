#pragma once

#include <robots/observe/observer.hpp>

#include <tuple>
#include <utility>

namespace robots {

/// Several observers in place of one: `observers{counting, logging}`. Each is told of what it wants
/// to hear of, in order. What one of them throws costs that one the event, and the others nothing.
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
  void on(const Event& told) noexcept {
    std::apply([&told](Os&... each) { (tell(each, told), ...); }, all_);
  }

 private:
  std::tuple<Os...> all_;
};

static_assert(Observer<observers<NullObserver, NullObserver>>);

}  // namespace robots
