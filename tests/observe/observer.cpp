#include <robots/observe/observer.hpp>

#include <robots/policy/decision.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/time/clock.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>
#include <type_traits>

namespace {

using robots::decision_event;
using robots::NullObserver;
using robots::Observer;
using robots::ObserverOf;
using robots::retrieval_event;

static_assert(std::is_empty_v<NullObserver>);
static_assert(noexcept(NullObserver{}.on(robots::event{})));

/// One member for all events will do.
struct Generic {
  template <class Event>
  void on(const Event&) {}
};
static_assert(ObserverOf<Generic, robots::drop_event>);

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
  CHECK_FALSE(robots::tell(failing, decision_event{{}, "https://example.com/", decision}));
  CHECK(decision.reason == robots::decision_reason::invalid_url);
}

TEST_CASE("An event without a clock has the date of the machine") {
  const auto before = std::chrono::system_clock::now();
  const robots::wall_time reported = robots::event{}.time();
  CHECK(before <= reported);
  CHECK(reported <= std::chrono::system_clock::now());
}
