#include <robots/base/clock_condition.hpp>

#include <robots/testing/manual_clock.hpp>
#include <robots/time/steady_clock.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace {

using namespace std::chrono_literals;
using robots::ManualClock;
using robots::SteadyClock;
using robots::time_point;
using robots::base::clock_condition;

/// A condition, and a thread that waits for it.
template <class Clock>
struct waiting {
  explicit waiting(Clock source, std::optional<time_point> deadline = {}) : clock{source} {
    waiter = std::thread{[this, deadline] {
      std::unique_lock lock{mutex};
      result = changed.wait(lock, clock, deadline, stop.get_token(), [this] {
        ++looks;
        return done;
      });
      CHECK(lock.owns_lock());
    }};
    while (looks < 2) {  // at the second look, the clock knows which thread to wake
      std::this_thread::yield();
    }
  }

  bool end() {
    waiter.join();
    return result;
  }

  Clock clock;
  std::mutex mutex;
  clock_condition changed;
  std::stop_source stop;
  bool done = false;
  bool result = false;
  std::atomic<int> looks = 0;
  std::thread waiter;
};

}  // namespace

TEST_CASE("A wait ends when a notification under the lock makes its condition true") {
  waiting one{SteadyClock{}};
  {
    const std::scoped_lock lock{one.mutex};
    one.done = true;
    one.changed.notify_all();
  }
  CHECK(one.end());
}

TEST_CASE("A wait ends when it is stopped") {
  waiting one{SteadyClock{}};
  one.stop.request_stop();
  CHECK_FALSE(one.end());
}

TEST_CASE("A wait ends when a manual clock passes its deadline") {
  const ManualClock clock;
  waiting one{clock, clock.now() + 1000h};
  clock.advance(999h);
  clock.advance(1h);
  CHECK_FALSE(one.end());
}

TEST_CASE("A wait with a deadline at the end of time ends when it is stopped") {
  waiting one{SteadyClock{}, time_point::max()};
  one.stop.request_stop();
  CHECK_FALSE(one.end());
}

TEST_CASE("A wait ends at its deadline by a running clock") {
  SteadyClock clock;
  std::mutex mutex;
  clock_condition changed;
  std::unique_lock lock{mutex};
  const time_point deadline = clock.now() + 5ms;
  CHECK_FALSE(changed.wait(lock, clock, deadline, {}, [] { return false; }));
  CHECK(clock.now() >= deadline);
}

TEST_CASE("A condition that is already true needs no wait, whatever the deadline is") {
  ManualClock clock;
  std::mutex mutex;
  clock_condition changed;
  std::unique_lock lock{mutex};
  CHECK(changed.wait(lock, clock, clock.now(), {}, [] { return true; }));
  CHECK_FALSE(changed.wait(lock, clock, clock.now(), {}, [] { return false; }));
}
