#include <robots/observe/observer.hpp>

#include <robots/policy/decision.hpp>
#include <robots/time/clock.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>
#include <type_traits>

namespace {

using robots::decision_event;
using robots::NullObserver;
using robots::Observer;
using robots::retrieval_event;
using robots::detail::ObserverOf;

static_assert(std::is_empty_v<NullObserver>);
static_assert(noexcept(NullObserver{}.on(robots::event_base{})));

/// One member function for all events is sufficient.
struct Generic {
  template <class Event>
  void on(const Event&) {}
};
static_assert(ObserverOf<Generic, robots::drop_event>);

struct AnyKind {
  void on(const robots::any_event&) {}
};
static_assert(Observer<AnyKind>);
static_assert(ObserverOf<AnyKind, retrieval_event>);
static_assert(!ObserverOf<AnyKind, robots::event_base>);

struct HearsRetrievals {
  void on(const retrieval_event&) {}
};
static_assert(Observer<HearsRetrievals>);
static_assert(ObserverOf<HearsRetrievals, retrieval_event>);
static_assert(!ObserverOf<HearsRetrievals, decision_event>);

struct WantsToChangeEvents {
  void on(decision_event&) {}
};
struct HearsNothing {};
struct HearsWhatIsNoEvent {
  void on(int) {}
};
struct CannotMove : NullObserver {
  CannotMove() = default;
  CannotMove(CannotMove&&) = delete;
};

static_assert(Observer<NullObserver>);
static_assert(!Observer<WantsToChangeEvents>);
static_assert(!Observer<HearsNothing>);
static_assert(!Observer<HearsWhatIsNoEvent>);
static_assert(!Observer<CannotMove>);
static_assert(!Observer<int>);
static_assert(!Observer<NullObserver&>);

}  // namespace

TEST_CASE("An exception of an observer does not leave the cache") {
  struct {
    void on(const decision_event&) { throw std::runtime_error{"no disk"}; }
  } failing;
  const robots::decision decision;
  CHECK_FALSE(robots::detail::tell(failing, decision_event{{}, "https://example.com/", decision}));
  CHECK(decision.reason == robots::decision_reason::invalid_url);
}

TEST_CASE("A visitor gets each event in its own type") {
  const robots::drop_event dropped{{.site = "https://example.com"}, true};
  const robots::any_event any{dropped};
  CHECK(any.base().site == "https://example.com");
  CHECK(any.get_if<robots::drop_event>() == &dropped);
  CHECK(any.get_if<robots::halt_event>() == nullptr);
  CHECK(any.visit([](const auto& event) { return event.name; }) == "drop");
  const robots::ledger_event last;
  CHECK(robots::any_event{last}.visit([](const auto& event) { return event.name; }) == "ledger");
}

TEST_CASE("An event without a clock has the date of the machine's clock") {
  const auto before = std::chrono::system_clock::now();
  const robots::wall_time reported = robots::event_base{}.time();
  CHECK(before <= reported);
  CHECK(reported <= std::chrono::system_clock::now());
}
