#pragma once

#include <robots/observe/observer.hpp>

#include <tuple>
#include <utility>

namespace robots {

/// Several observers in place of one: `observers{counting, logging}`. Each is told of everything,
/// in order. What one of them throws costs that one the event, and the others nothing.
template <Observer... Os>
class observers {
 public:
  /// Of each observer's default.
  observers() = default;
  /// Of these.
  explicit observers(Os... each)
    requires(sizeof...(Os) > 0)
      : all_(std::move(each)...) {}

  /// Tells each of them.
  void on_retrieval(const retrieval_event& retrieved) {
    tell([&](auto& one) { one.on_retrieval(retrieved); });
  }
  /// Tells each of them.
  void on_decision(const decision_event& decided) {
    tell([&](auto& one) { one.on_decision(decided); });
  }
  /// Tells each of those that want to know.
  void on_far_store(const far_store_event& changed) {
    tell([&](auto& one) {
      if constexpr (requires { one.on_far_store(changed); }) {
        one.on_far_store(changed);
      }
    });
  }

 private:
  template <class Event>
  void tell(const Event& event) {
    const auto guarded = [&event](auto& one) {
      try {
        event(one);
      } catch (...) {
        return;  // see `Observer`
      }
    };
    std::apply([&](auto&... each) { (guarded(each), ...); }, all_);
  }

  std::tuple<Os...> all_;
};

static_assert(Observer<observers<NullObserver, NullObserver>>);

}  // namespace robots
