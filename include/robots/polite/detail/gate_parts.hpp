#pragma once

#include <robots/base/clock_condition.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/observe/any_event.hpp>
#include <robots/observe/event_teller.hpp>
#include <robots/observe/events.hpp>
#include <robots/observe/observer.hpp>
#include <robots/time/clock.hpp>

#include <concepts>
#include <functional>
#include <mutex>
#include <utility>

// The clock and the observer of a gate behind virtual functions, so that the code of the gate is
// compiled once, whatever their types are. `cache_parts` does the same for a cache:
//
//     basic_host_gate<C, O> --owns--> gate_state --owns--> own_parts<C, O>
//                                                           clock: now, sleep, wait
//                                                           observer: tell

namespace robots::polite_detail {

struct gate_state;

/// The clock and the observer of a gate. The virtual functions hide the types of both.
class gate_parts : public detail::event_teller {
 public:
  explicit gate_parts(bool is_observed) : has_observer{is_observed} {}
  virtual ~gate_parts() = default;

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
class own_parts final : public gate_parts {
 public:
  own_parts(C own_clock, O own_observer)
      : gate_parts(!std::same_as<O, NullObserver>),
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

}  // namespace robots::polite_detail
