#include <robots/observe/observer.hpp>

#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>

namespace {

using robots::decision_event;
using robots::NullObserver;
using robots::Observer;
using robots::retrieval_event;

static_assert(std::is_empty_v<NullObserver>);
static_assert(noexcept(NullObserver{}.on_retrieval(std::declval<const retrieval_event&>())));
static_assert(noexcept(NullObserver{}.on_decision(std::declval<const decision_event&>())));

/// One member for all events will do.
struct Generic {
  template <class Event>
  void on_retrieval(const Event&) {}
  void on_decision(const auto&) {}
};
static_assert(Observer<Generic>);

struct HearsNoDecisions {
  void on_retrieval(const retrieval_event&) {}
};
struct HearsNoRetrievals {
  void on_decision(const decision_event&) {}
};
struct WantsToChangeEvents : NullObserver {
  void on_decision(decision_event&) {}
};
struct MixesThemUp {
  void on_retrieval(const decision_event&) {}
  void on_decision(const retrieval_event&) {}
};
struct CannotMove : NullObserver {
  CannotMove() = default;
  CannotMove(CannotMove&&) = delete;
};

static_assert(!Observer<HearsNoDecisions>);
static_assert(!Observer<HearsNoRetrievals>);
static_assert(!Observer<WantsToChangeEvents>);
static_assert(!Observer<MixesThemUp>);
static_assert(!Observer<CannotMove>);
static_assert(!Observer<int>);
static_assert(!Observer<NullObserver&>);

}  // namespace

TEST_CASE("an observer that takes no notice can be told everything") {
  const NullObserver nobody;
  const robots::policy policy{robots::fallback_action::allow_all, "FooBot", {}};
  nobody.on_retrieval({.site = "https://example.com", .policy = policy});
  const robots::decision decision;
  nobody.on_decision({.url = "https://example.com/", .decision = decision});
  CHECK_FALSE(decision.allowed);
}
