#include <robots/polite/detail/shared_pace.hpp>

#include "polite/gate_fixture.hpp"
#include "support/memory_pace_ledger.hpp"
#include <robots/polite/host_gate.hpp>
#include <robots/polite/pace_ledger.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/time/clock.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using robots::admission_reason;
using robots::gate_options;
using robots::ManualClock;
using robots::start_limit;
using robots::time_point;
using robots::test::fine;
using robots::test::gate_with;
using robots::test::home;
using robots::test::MemoryPaceLedger;
using robots::test::policy_with;

using gate = robots::basic_host_gate<ManualClock>;

/// Collects the reasons why the ledger failed, and an empty text when it answers again.
struct ledger_messages {
  std::vector<std::string>* messages;

  void on(const robots::ledger_event& event) const {
    CHECK(event.up == event.message.empty());
    messages->emplace_back(event.message);
  }
};

/// Processes that share a ledger and a clock.
struct fleet {
  ManualClock clock;
  std::shared_ptr<MemoryPaceLedger::table> table = std::make_shared<MemoryPaceLedger::table>(clock);
  std::vector<std::string> news;

  /// Makes options with a delay of one second that is not random.
  [[nodiscard]] gate_options options() {
    gate_options result = gate_with(0s);
    result.delay.floor = 1s;
    result.ledger = std::make_shared<MemoryPaceLedger>(table);
    result.ledger_users = 2;
    return result;
  }
};

/// A ledger whose answers take the time `late`.
class SlowLedger final : public MemoryPaceLedger {
 public:
  SlowLedger(std::shared_ptr<table> shared, std::chrono::nanoseconds late)
      : MemoryPaceLedger{shared}, clock_{shared->clock}, late_{late} {}

  /// Calls `meanwhile` once while the next answer is under way.
  void on_answer(std::function<void()> meanwhile) { meanwhile_ = std::move(meanwhile); }
  void set_late(std::chrono::nanoseconds late) { late_ = late; }

  [[nodiscard]] std::chrono::nanoseconds take_turn(std::string_view host,
                                                   const claim& asked) override {
    const auto wait = MemoryPaceLedger::take_turn(host, asked);
    clock_.advance(late_);
    if (const auto meanwhile = std::exchange(meanwhile_, {})) {
      meanwhile();
    }
    return wait;
  }

  void hold(std::string_view host, std::chrono::nanoseconds pause) override {
    MemoryPaceLedger::hold(host, pause);
    clock_.advance(late_);
  }

 private:
  ManualClock clock_;
  std::chrono::nanoseconds late_;
  std::function<void()> meanwhile_;
};

/// A clock that does not move between a turn from the ledger and the start of the request. On a
/// running clock, both are close together.
class StartClock : public ManualClock {
 public:
  /// Stands still until this thread reads the date, as a gate does for a start.
  void stand_still() const {
    moves_->lock_shared();
    stands_still = true;
  }

  [[nodiscard]] robots::wall_time wall_now() const noexcept {
    const robots::wall_time now = ManualClock::wall_now();
    if (std::exchange(stands_still, false)) {
      moves_->unlock_shared();
    }
    return now;
  }

  void sleep_until(time_point when, const std::stop_token& stop) const {
    const std::scoped_lock lock{*moves_};
    ManualClock::sleep_until(when, stop);
  }

 private:
  static inline thread_local bool stands_still = false;

  std::shared_ptr<std::shared_mutex> moves_ = std::make_shared<std::shared_mutex>();
};

/// Makes the clock stand still for the thread that gets a turn.
class StartLedger final : public MemoryPaceLedger {
 public:
  StartLedger(std::shared_ptr<table> shared, StartClock clock)
      : MemoryPaceLedger{std::move(shared)}, clock_{std::move(clock)} {}

  [[nodiscard]] std::chrono::nanoseconds take_turn(std::string_view host,
                                                   const claim& asked) override {
    static_cast<void>(clock_.wall_now());  // an earlier turn may have stopped the clock
    clock_.stand_still();
    const auto wait = MemoryPaceLedger::take_turn(host, asked);
    if (wait.count() > 0) {
      static_cast<void>(clock_.wall_now());
    }
    return wait;
  }

 private:
  StartClock clock_;
};

time_point visit_home(robots::any_host_gate& amount,
                      const std::shared_ptr<const robots::policy>& site_policy = {}) {
  auto got = amount.acquire(home, site_policy);
  REQUIRE(got);
  const time_point time = got.reservation.at();
  got.reservation.complete(fine);
  return time;
}

}  // namespace

TEST_CASE("Gates with one ledger take turns at a host, with the delay between them") {
  fleet all;
  gate a{all.options(), all.clock};
  gate b{all.options(), all.clock};
  const time_point start = all.clock.now();
  CHECK(visit_home(a) == start);
  const auto refused = b.try_acquire(home);
  CHECK(refused.reason == admission_reason::not_yet);
  CHECK(refused.plan.at == start + 1s);
  CHECK(visit_home(b) == start + 1s);
  CHECK(visit_home(b) == start + 2s);
  CHECK(visit_home(a) == start + 3s);
}

TEST_CASE("A start plan has the last answer of the ledger, and does not ask the ledger again") {
  fleet all;
  gate a{all.options(), all.clock};
  gate b{all.options(), all.clock};
  const time_point start = all.clock.now();
  CHECK(visit_home(a) == start);
  auto reserved = b.try_reserve(home);
  REQUIRE(reserved);
  CHECK(reserved.reservation.start().ask_again == start + 1s);
  const int asked = all.table->questions;
  const robots::start_plan plan = b.next_allowed_at(home);
  CHECK(plan.at >= start + 1s);
  CHECK(all.table->questions == asked);
}

TEST_CASE("The longest delay of all processes applies to all") {
  fleet all;
  gate a{all.options(), all.clock};
  gate b{all.options(), all.clock};
  const auto slow = policy_with("Crawl-delay: 5\n");
  const time_point start = all.clock.now();
  CHECK(visit_home(a, slow) == start);
  CHECK(visit_home(b) == start + 5s);
  CHECK(visit_home(b) == start + 10s);  // though the rules of `b` ask for one second
  CHECK(visit_home(a, slow) == start + 15s);
}

TEST_CASE("A delay applies until the last process that asked for it asks for less") {
  fleet all;
  gate a{all.options(), all.clock};
  gate b{all.options(), all.clock};
  const time_point start = all.clock.now();
  CHECK(visit_home(a, policy_with("Crawl-delay: 5\n")) == start);
  CHECK(visit_home(a) == start + 5s);
  CHECK(visit_home(b) == start + 6s);
}

TEST_CASE("If one process gets a Retry-After, all processes are delayed") {
  fleet all;
  gate a{all.options(), all.clock};
  gate b{all.options(), all.clock};
  auto got = a.acquire(home);
  REQUIRE(got);
  got.reservation.complete({.response_time = 10ms, .status = 503, .retry_after = 30s});
  const time_point start = all.clock.now();
  CHECK(visit_home(b) == start + 30s);
}

TEST_CASE("If one process reports a fetch of robots.txt, all processes are delayed") {
  fleet all;
  gate a{all.options(), all.clock};
  gate b{all.options(), all.clock};
  const time_point start = all.clock.now();
  a.note_request(home, {});
  CHECK(visit_home(b) == start + 1s);
}

TEST_CASE("Requests of two processes keep the delay, however late the ledger answers") {
  for (const auto late : {1ms, 45ms, 50ms, 51ms, 300ms}) {
    CAPTURE(late.count());
    fleet all;
    gate_options slow = all.options();
    slow.ledger = std::make_shared<SlowLedger>(all.table, late);
    gate a{slow, all.clock};
    gate b{all.options(), all.clock};
    for (int round = 0; round < 5; ++round) {
      CAPTURE(round);
      const time_point by_a = visit_home(a);
      const time_point by_b = visit_home(b);
      CHECK(by_b >= by_a + 1s);
      CHECK(visit_home(b) >= by_b + 1s);
    }
  }
}

TEST_CASE("A request that starts late because of a slow ledger counts from its start") {
  fleet all;
  gate_options slow = all.options();
  slow.ledger = std::make_shared<SlowLedger>(all.table, 400ms);
  gate a{slow, all.clock};
  gate b{all.options(), all.clock};
  const time_point start = all.clock.now();
  const time_point late = visit_home(a);
  CHECK(late >= start + 400ms);
  CHECK(visit_home(b) >= late + 1s);
}

TEST_CASE("Turns keep the delay, however late the ledger answers") {
  for (const auto late : {1ns, 1'000'000ns, 45'000'000ns, 50'000'000ns, 900'000'000ns}) {
    CAPTURE(late.count());
    fleet all;
    gate_options slow = all.options();
    const auto ledger = std::make_shared<SlowLedger>(all.table, late);
    slow.ledger = ledger;
    gate a{slow, all.clock};
    gate b{all.options(), all.clock};
    time_point last = visit_home(b);
    for (int i = 0; i < 10; ++i) {
      ledger->set_late(i % 3 == 0 ? 2 * late : late);
      for (gate* const next : {&a, &b}) {
        const time_point start = visit_home(*next);
        CHECK(start >= last + 1s);
        CHECK(start <= last + 1s + 10 * late);
        last = start;
      }
    }
  }
}

TEST_CASE("Turns keep the longest delay of all processes, however late the ledger answers") {
  fleet all;
  gate_options slow = all.options();
  slow.ledger = std::make_shared<SlowLedger>(all.table, 45ms);
  gate a{slow, all.clock};
  gate b{all.options(), all.clock};
  const auto five = policy_with("Crawl-delay: 5\n");
  time_point last = visit_home(b, five);
  for (int i = 0; i < 3; ++i) {
    const time_point of_a = visit_home(a);
    CHECK(of_a >= last + 5s);
    last = visit_home(b, five);
    CHECK(last >= of_a + 5s);
  }
}

TEST_CASE("A turn is not used if another process got a turn before the answer arrived") {
  fleet all;
  gate_options slow = all.options();
  const auto ledger = std::make_shared<SlowLedger>(all.table, 1500ms);
  slow.ledger = ledger;
  gate a{slow, all.clock};
  gate b{all.options(), all.clock};
  time_point of_b{};
  ledger->on_answer([&] { of_b = visit_home(b); });
  CHECK(visit_home(a) >= of_b + 1s);
}

TEST_CASE("If the answers of a ledger take longer and longer, a start asks only a few times") {
  struct EverLaterLedger final : MemoryPaceLedger {
    using MemoryPaceLedger::MemoryPaceLedger;

    [[nodiscard]] std::chrono::nanoseconds take_turn(std::string_view host,
                                                     const claim& asked) override {
      const auto wait = MemoryPaceLedger::take_turn(host, asked);
      late += questions < 100 ? 10ms : 0ms;
      ++questions;
      clock.advance(late);
      return wait;
    }

    ManualClock clock{};
    std::chrono::nanoseconds late{0};
    int questions = 0;
  };
  fleet all;
  const auto ledger = std::make_shared<EverLaterLedger>(all.table);
  ledger->clock = all.clock;
  gate_options options = all.options();
  options.ledger = ledger;
  gate paced{options, all.clock};
  CHECK(paced.try_acquire(home).reason == admission_reason::not_yet);
  CHECK(ledger->questions < 10);
  const time_point deadline = all.clock.now() + 5s;
  CHECK(paced.acquire(home, {}, {.deadline = deadline}).reason == admission_reason::too_late);
  CHECK(ledger->questions < 50);
}

TEST_CASE("Hosts do not wait for each other") {
  fleet all;
  gate a{all.options(), all.clock};
  gate b{all.options(), all.clock};
  const time_point start = all.clock.now();
  CHECK(visit_home(a) == start);
  auto got = b.try_acquire("https://other.example/");
  CHECK(got);
}

TEST_CASE("While the ledger fails, requests wait, and then continue at a share of the pace") {
  fleet all;
  gate_options options = all.options();
  options.ledger_patience = 10s;
  robots::basic_host_gate a{options, all.clock, ledger_messages{&all.news}};
  const time_point start = all.clock.now();
  CHECK(visit_home(a) == start);
  all.table->down = "it burns";
  const time_point alone = visit_home(a);
  CHECK(alone == start + 1s + 10s);  // the delay of 1 s and the patience
  CHECK(all.news == std::vector<std::string>{"it burns"});
  CHECK(visit_home(a) == alone + 2s);  // the share of one of two processes
  CHECK(visit_home(a) == alone + 4s);
  CHECK(all.news.size() == 1);
  all.table->down.clear();
  const time_point again = visit_home(a);
  CHECK(again <= alone + 6s);
  CHECK(visit_home(a) == again + 1s);
  CHECK(all.news == std::vector<std::string>{"it burns", ""});
}

TEST_CASE("While a ledger fails for a short time, no request starts that it did not permit") {
  fleet all;
  gate a{all.options(), all.clock};
  gate b{all.options(), all.clock};
  const time_point start = all.clock.now();
  CHECK(visit_home(a) == start);
  all.table->down = "restarting";
  auto waiting = b.try_reserve(home);
  REQUIRE(waiting);
  const auto later = waiting.reservation.start();
  CHECK(later.reason == admission_reason::not_yet);
  CHECK(later.ask_again == start + 1s);
  all.clock.advance(1s);
  all.table->down.clear();
  all.table->hosts.clear();
  CHECK(waiting.reservation.start().ask_again == start + 2s);  // `a` may have had another turn
  all.clock.advance(1s);
  CHECK(waiting.reservation.start());
  waiting.reservation.complete(fine);
  CHECK(visit_home(a) == start + 3s);
}

TEST_CASE("A ledger that was wiped grants no turn until the delay has passed") {
  fleet all;
  gate a{all.options(), all.clock};
  gate b{all.options(), all.clock};
  const time_point start = all.clock.now();
  CHECK(visit_home(a) == start);
  CHECK(visit_home(b) == start + 1s);
  all.clock.advance(500ms);
  all.table->hosts.clear();
  CHECK(visit_home(a) == start + 2500ms);  // the delay counts from now
}

TEST_CASE("A wiped ledger grants no turn to a process that only waited for a turn") {
  fleet all;
  gate a{all.options(), all.clock};
  gate b{all.options(), all.clock};
  const time_point start = all.clock.now();
  CHECK(visit_home(a) == start);
  CHECK_FALSE(b.try_acquire(home));
  all.clock.advance(1500ms);
  all.table->hosts.clear();  // `a` may have had another turn just before
  CHECK(visit_home(b) == start + 2500ms);
}

TEST_CASE("Without the ledger, a first request waits for a random part of one delay per process") {
  fleet all;
  all.table->down = "it burns";
  gate_options options = all.options();
  options.ledger_patience = 0s;
  std::vector<std::chrono::nanoseconds> begun;
  for (unsigned seed = 0; seed < 20; ++seed) {
    options.seed = seed;
    const ManualClock clock;
    gate alone{options, clock};
    const time_point start = clock.now();
    begun.push_back(visit_home(alone) - start);
  }
  std::ranges::sort(begun);
  CHECK(begun.front() >= 0s);
  CHECK(begun.front() < 500ms);
  CHECK(begun.back() > 1500ms);
  CHECK(begun.back() <= 2s);
}

TEST_CASE("A number of processes or a patience that makes no sense is refused") {
  gate_options options;
  options.ledger_users = 0;
  CHECK_THROWS_AS(gate{options}, std::invalid_argument);
  options.ledger_users = 1;
  options.ledger_patience = -1s;
  CHECK_THROWS_AS(gate{options}, std::invalid_argument);
}

TEST_CASE("Threads of four processes keep the delay between any two requests") {
  using start_gate = robots::basic_host_gate<StartClock>;
  const StartClock clock;
  fleet all;
  all.table = std::make_shared<MemoryPaceLedger::table>(clock);
  std::vector<std::unique_ptr<start_gate>> gates;
  for (int i = 0; i < 4; ++i) {
    gate_options options = all.options();
    options.ledger = std::make_shared<StartLedger>(all.table, clock);
    gates.push_back(std::make_unique<start_gate>(options, clock));
  }
  std::mutex mutex;
  std::vector<time_point> starts;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      for (int page = 0; page < 10; ++page) {
        auto got = gates[i % 4]->acquire(home);
        const std::scoped_lock lock{mutex};
        starts.push_back(got ? got.reservation.at() : time_point::min());
        got.reservation.complete({.status = 200});
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  std::ranges::sort(starts);
  REQUIRE(starts.size() == 160);
  for (std::size_t i = 1; i < starts.size(); ++i) {
    CHECK(starts[i] - starts[i - 1] >= 1s);
  }
}
