#pragma once

#include <robots/base/clock_condition.hpp>
#include <robots/base/exceptions.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/observe/events.hpp>
#include <robots/observe/observer.hpp>
#include <robots/polite/gate_options.hpp>
#include <robots/polite/pace_ledger.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots::polite_detail {

struct gate_state;

/// The clock and the observer of a gate. The virtual functions hide the types of both.
class gate_environment : public detail::event_teller {
 public:
  explicit gate_environment(bool is_observed) : has_observer{is_observed} {}
  virtual ~gate_environment() = default;

  [[nodiscard]] virtual time_point now() = 0;
  [[nodiscard]] wall_anchor moment() { return {.steady = now(), .wall = wall()}; }
  virtual void sleep_until(time_point when, const stop_token& stop) = 0;
  /// Calls `changed.wait` with the clock of the gate. The deadline and the stop token are from
  /// `call`.
  [[nodiscard]] virtual bool wait(base::clock_condition& changed,
                                  std::unique_lock<std::mutex>& lock, const call_options& call,
                                  const std::function<bool()>& ready) = 0;

  const bool has_observer;
};

template <Clock C, Observer O>
class typed_gate_environment final : public gate_environment {
 public:
  typed_gate_environment(C own_clock, O own_observer)
      : gate_environment(!std::same_as<O, NullObserver>),
        clock(std::move(own_clock)),
        observer(std::move(own_observer)) {}

  [[nodiscard]] time_point now() override { return clock.now(); }
  [[nodiscard]] wall_time wall() noexcept override { return wall_now(clock); }
  void sleep_until(time_point when, const stop_token& stop) override {
    clock.sleep_until(when, stop);
  }
  [[nodiscard]] bool wait(base::clock_condition& changed, std::unique_lock<std::mutex>& lock,
                          const call_options& call, const std::function<bool()>& ready) override {
    return changed.wait(lock, clock, call.deadline, call.stop, ready);
  }
  void tell(const any_event& event) noexcept override {
    event.visit([this](const auto& typed) { detail::tell(observer, typed); });
  }

 private:
  C clock;
  O observer;
};

struct ledger_answer {
  /// The request waits until this time. If the time is past or present, this process has the turn.
  /// If the ledger has failed for too long, `held_until` is empty, and the gate needs no turn.
  std::optional<time_point> held_until{};
  wall_anchor moment{};  // the time to use as the present time for the start
};

/// Asks the ledger of a gate, and handles late answers and failures. The gate must have a ledger.
class shared_pace {
 public:
  shared_pace(const gate_options& options, gate_environment& environment)
      : options_(options), environment_(environment) {}

  /// Claims a turn. If the answer takes longer than `claim::lateness`, claims the same turn again.
  /// After several late answers, the caller must wait and claim another turn.
  [[nodiscard]] ledger_answer take_turn(std::string_view host, PaceLedger::claim claim,
                                        wall_anchor now) {
    static std::atomic<std::uint64_t> last_turn = 0;
    constexpr int most_questions = 4;
    constexpr std::chrono::nanoseconds most_lateness = std::chrono::milliseconds{50};
    claim.lateness = lateness_;
    claim.turn = ++last_turn;
    for (int question = 0; question < most_questions; ++question) {
      std::chrono::nanoseconds wait{0};
      if (!ask(now.steady, [&](PaceLedger& ledger) { wait = ledger.take_turn(host, claim); })) {
        return {next_try(now.steady), now};
      }
      if (wait.count() > 0) {
        return {base::saturating_add(now.steady, wait), now};
      }
      const time_point asked = now.steady;
      now = environment_.moment();
      const std::chrono::nanoseconds late = now.steady - asked;
      const std::chrono::nanoseconds allowed = claim.lateness;
      lateness_ = (std::min)((std::max)(late, allowed - allowed / 8), most_lateness);
      if (late <= allowed) {
        return {asked, now};
      }
      claim.lateness = late;
      claim.last_asked = late;
    }
    return {base::saturating_add(now.steady, (std::max)(claim.after, most_lateness)), now};
  }

  /// Asks the ledger to grant no turn at a host until `until`, which is after `now`.
  void hold(std::string_view host, time_point until, time_point now) {
    static_cast<void>(ask(now, [&](PaceLedger& ledger) { ledger.hold(host, until - now); }));
  }

 private:
  /// Returns the time to ask a failing ledger again, or nothing if `ledger_patience` is over.
  [[nodiscard]] std::optional<time_point> next_try(time_point now) {
    const std::scoped_lock lock{mutex_};
    const time_point patient_until =
        base::saturating_add(down_since_.value_or(now), options_.ledger_patience);
    if (now >= patient_until) {
      return std::nullopt;
    }
    return (std::max)(base::saturating_add(now, time_point::duration{1}),
                      (std::min)(next_try_, patient_until));
  }

  /// Calls `question(ledger)`, at most once a second if the ledger fails. Returns true on success.
  template <class Question>
  [[nodiscard]] bool ask(time_point now, const Question& question) {
    std::unique_lock lock{mutex_};
    if (down_since_ && now < next_try_) {
      return false;
    }
    // While the ledger fails, only one thread asks the ledger in each second.
    next_try_ = base::saturating_add(now, std::chrono::seconds{1});
    lock.unlock();
    std::string why;
    try {
      question(*options_.ledger);
    } catch (...) {
      why = base::thrown_text("the ledger");
    }
    lock.lock();
    const bool has_changed = down_since_.has_value() == why.empty();
    down_since_ = why.empty() ? std::nullopt : std::optional{down_since_.value_or(now)};
    lock.unlock();
    if (has_changed) {
      environment_.tell(ledger_event{environment_.about({}), why.empty(), why});
    }
    return why.empty();
  }

  const gate_options& options_;
  gate_environment& environment_;
  std::atomic<std::chrono::nanoseconds> lateness_{};  // `claim::lateness` of the next claim
  std::mutex mutex_;                                  // guards the members below
  std::optional<time_point> down_since_;
  time_point next_try_{};
};

}  // namespace robots::polite_detail
