#pragma once

#include <chrono>
#include <concepts>
#include <string_view>

namespace robots {

class policy;
struct decision;

/// A robots.txt was asked for.
struct retrieval_event {
  std::string_view site;                 ///< the key it is kept under, see `site::key`
  const robots::policy& policy;          ///< what came of it
  std::chrono::nanoseconds duration{0};  ///< how long it took by the cache's clock
};

/// A decision was made.
struct decision_event {
  std::string_view url;              ///< as it was asked about
  const robots::decision& decision;  ///< the answer
};

/// The state of the store that a cache shares with other processes has changed.
struct far_store_event {
  bool up;  ///< it answers again; else it has failed, and is left alone for a while
  std::string_view message;  ///< what it last failed with; empty when it is up
};

/// What is told of everything that a cache does.
///
/// A model's members may be called from any thread at once, return soon and do not throw: they run
/// inside the call that they report, and must not ask the cache for the site that they are told of.
/// What they throw is dropped: that event is lost, and nothing else. `on_retrieval` comes before
/// any decision that rests on what was retrieved. The events hold references that end with the
/// call.
///
/// A model that also has `on_far_store(const far_store_event&)` is told of the store that a
/// `TieredStorage` shares: once for each change of its state.
///
/// Exemplar: `o.on_retrieval(r)` and `o.on_decision(d)`. Models: `NullObserver`, `observers`.
template <class O>
concept Observer = std::movable<O> && requires(O& observer, const retrieval_event& retrieved,
                                               const decision_event& decided) {
  observer.on_retrieval(retrieved);
  observer.on_decision(decided);
};

/// Takes no notice, at no cost.
struct NullObserver {
  /// Does nothing.
  void on_retrieval(const retrieval_event& /*retrieved*/) const noexcept {}
  /// Does nothing.
  void on_decision(const decision_event& /*decided*/) const noexcept {}
};

static_assert(Observer<NullObserver>);

}  // namespace robots
