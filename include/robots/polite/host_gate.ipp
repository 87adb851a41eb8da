#pragma once

#include <robots/base/config.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/policy/policy.hpp>
#include <robots/polite/detail/gate_state.hpp>
#include <robots/polite/host_gate.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>

namespace robots {

ROBOTS_INLINE any_host_gate::reservation::reservation(
    std::shared_ptr<polite_detail::gate_state> gate, polite_detail::known_host& host,
    polite_detail::host_reservation reserved, std::uint64_t withdrawals)
    : gate_(std::move(gate)),
      host_(&host),
      reserved_(std::move(reserved)),
      withdrawals_(withdrawals) {}

ROBOTS_INLINE any_host_gate::reservation& any_host_gate::reservation::operator=(
    reservation&& other) noexcept {
  if (this != &other) {
    cancel();
    gate_ = std::move(other.gate_);
    host_ = other.host_;
    reserved_ = std::move(other.reserved_);
    decide_again_ = std::move(other.decide_again_);
    decides_when_due_ = other.decides_when_due_;
    report_ = std::move(other.report_);
    reason_ = other.reason_;
    withdrawals_ = other.withdrawals_;
  }
  return *this;
}

ROBOTS_INLINE start_result any_host_gate::reservation::start() {
  if (!gate_) {
    return {};
  }
  if (reserved_.started) {
    return {.state = start_state::go};
  }
  for (;;) {
    const std::uint64_t withdrawals = host_->withdrawals;
    const bool is_withdrawn = withdrawals != withdrawals_;
    if (is_withdrawn || (decide_again_ && decides_when_due_ && gate_->environment->now() >= at())) {
      reason_ = decide_again_ ? decide_again_() : admission_reason::halted;
      if (reason_ != admission_reason::go) {
        gate_->withdrawn.fetch_add(1, std::memory_order_relaxed);
        cancel();
        return {};
      }
      withdrawals_ = withdrawals;
    }
    const wall_anchor now =
        gate_->pace ? gate_->take_turn(*host_, reserved_) : gate_->environment->moment();
    const std::scoped_lock lock{gate_->mutex};
    if (host_->withdrawals == withdrawals_) {
      const auto until = host_->state.start(reserved_, now, gate_->options);
      gate_->started += until ? 0U : 1U;
      return until ? start_result{start_state::wait, *until}
                   : start_result{.state = start_state::go};
    }
  }
}

ROBOTS_INLINE void any_host_gate::reservation::complete(const request_report& report) {
  if (const auto gate = std::exchange(gate_, nullptr)) {
    const time_point now = gate->environment->now();
    std::unique_lock lock{gate->mutex};
    const auto pause = gate->change(*host_, now, [&](polite_detail::host_state& state) {
      gate->started += reserved_.started ? 0 : 1;
      state.complete(reserved_, report, now, gate->options);
    });
    gate->hand_on(*host_);
    lock.unlock();
    gate->tell_others(pause, now);
    if (report_) {
      report_(report);
    }
  }
}

ROBOTS_INLINE void any_host_gate::reservation::cancel() noexcept {
  if (const auto gate = std::exchange(gate_, nullptr)) {
    const std::scoped_lock lock{gate->mutex};
    gate->cancelled += reserved_.started ? 0 : 1;
    host_->state.cancel(reserved_);
    gate->hand_on(*host_);
  }
}

ROBOTS_INLINE void any_host_gate::reservation::sleep_until(time_point when,
                                                           const stop_token& stop) {
  stop_source awake;
  const auto wake = [&awake] { awake.request_stop(); };
  stop_token withdrawn;
  {
    const std::scoped_lock lock{gate_->mutex};
    if (host_->withdrawals != withdrawals_) {
      return;
    }
    if (!host_->sleepers.stop_possible()) {
      host_->sleepers = stop_source{};
    }
    withdrawn = host_->sleepers.get_token();
  }
  const stop_callback<std::function<void()>> when_stopped{stop, wake};
  const stop_callback<std::function<void()>> when_withdrawn{withdrawn, wake};
  gate_->environment->sleep_until(when, awake.get_token());
}

ROBOTS_INLINE any_host_gate::any_host_gate(
    gate_options options, std::unique_ptr<polite_detail::gate_environment> environment)
    : state_(std::make_shared<polite_detail::gate_state>(std::move(options),
                                                         std::move(environment))) {}

ROBOTS_INLINE polite_detail::gate_environment& any_host_gate::environment() const noexcept {
  return *state_->environment;
}

ROBOTS_INLINE const gate_options& any_host_gate::options() const noexcept {
  return state_->options;
}

ROBOTS_INLINE start_plan any_host_gate::next_allowed_at(std::string_view url,
                                                        const host_limits& limits) const {
  constexpr double longest_draw = 1.0;
  const std::string key = state_->options.key(url);
  const wall_anchor now = state_->environment->moment();
  polite_detail::host_state copy;
  {
    const std::scoped_lock lock{state_->mutex};
    if (const polite_detail::known_host* const known = state_->hosts.find(key)) {
      copy = known->state;
    }
  }
  if (limits.policy && limits.policy->fetched_at() > copy.robots_fetched_at()) {
    const record_head source = limits.policy->source();
    if (!source.exchanges.empty() && state_->options.key(source.exchanges.front().url) == key) {
      copy.add_robots_request(limits.policy->fetched_at(), limits.policy.get(), longest_draw, now,
                              state_->options);
    }
  }
  return copy.plan(now, limits, state_->options);
}

ROBOTS_INLINE any_host_gate::answer any_host_gate::try_reserve(std::string_view url,
                                                               const host_limits& limits) {
  return counted(enter(url, limits, {}, if_busy::refuse));
}

ROBOTS_INLINE any_host_gate::answer any_host_gate::reserve(std::string_view url,
                                                           const host_limits& limits,
                                                           const call_options& call) {
  return counted(enter(url, limits, call, if_busy::wait));
}

ROBOTS_INLINE any_host_gate::answer any_host_gate::try_acquire(std::string_view url,
                                                               const host_limits& limits) {
  answer result = enter(url, limits, {}, if_busy::refuse, start_by::now);
  if (result) {
    const start_result started = result.reservation.start();
    if (started.state == start_state::refused) {
      result.reason = result.reservation.reason();
    } else if (started.state == start_state::wait) {
      result.reservation.cancel();
      result.reason = admission_reason::not_yet;
      result.plan = next_allowed_at(url, limits);
      result.plan.not_before(started.ask_again, start_limit::delay);
    }
  }
  return counted(std::move(result));
}

ROBOTS_INLINE any_host_gate::answer any_host_gate::acquire(
    std::string_view url, const host_limits& limits, const call_options& call,
    std::function<admission_reason()> decide_again) {
  const time_point asked = state_->environment->now();
  answer result = enter(url, limits, call, if_busy::wait);
  while (result.reason == admission_reason::halted && decide_again) {
    // Another site with the same pace may be the halted one.
    result.reason = decide_again();
    if (!result) {
      break;
    }
    result = enter(url, limits, call, if_busy::wait);
  }
  if (result) {
    result.reservation.decides_when_due_ = result.plan.at > asked || result.planned_at > asked;
    result.reservation.decide_again_ = std::move(decide_again);
  }
  const auto refuse = [&result](admission_reason reason) {
    result.reservation.cancel();
    result.reason = reason;
  };
  while (result) {
    const start_result started = result.reservation.start();
    if (started) {
      break;
    }
    if (started.state == start_state::refused) {
      result.reason = result.reservation.reason();
      break;
    }
    if (call.deadline && started.ask_again > *call.deadline) {
      refuse(admission_reason::too_late);
      break;
    }
    // Waits in steps, since some clocks cannot wait for the end of time.
    const time_point now = state_->environment->now();
    result.reservation.sleep_until(
        (std::min)(started.ask_again, base::saturating_add(now, std::chrono::hours{1})), call.stop);
    if (call.stop.stop_requested()) {
      refuse(admission_reason::stopped);
    }
  }
  // It refers to local variables of the caller.
  result.reservation.decide_again_ = {};
  return counted(std::move(result));
}

ROBOTS_INLINE void any_host_gate::withdraw(std::string_view url) {
  const std::string key = state_->options.key(url);
  stop_source sleepers{base::nostopstate};
  {
    const std::scoped_lock lock{state_->mutex};
    polite_detail::known_host* const host = state_->hosts.find(key);
    if (host == nullptr) {
      return;
    }
    ++host->withdrawals;
    std::swap(sleepers, host->sleepers);
    host->queue.refuse_all();
  }
  sleepers.request_stop();  // without the lock, since it calls a function of the clock
}

ROBOTS_INLINE void any_host_gate::note_request(std::string_view url, time_point started,
                                               const host_limits& limits) {
  state_->with_host(state_->options.key(url),
                    [&](polite_detail::host_state& state, const wall_anchor& now, double draw) {
                      state.add_request((std::min)(started, now.steady), limits.policy.get(), draw,
                                        now, state_->options);
                    });
}

ROBOTS_INLINE void any_host_gate::note_response(std::string_view url,
                                                const request_report& report) {
  state_->with_host(state_->options.key(url),
                    [&](polite_detail::host_state& state, const wall_anchor& now, double) {
                      state.add_response(report, now.steady, state_->options);
                    });
}

ROBOTS_INLINE std::size_t any_host_gate::waiting(std::string_view url) const {
  const std::string key = state_->options.key(url);
  const std::scoped_lock lock{state_->mutex};
  const polite_detail::known_host* const known = state_->hosts.find(key);
  return known != nullptr ? known->queue.waiting() : 0;
}

ROBOTS_INLINE gate_stats any_host_gate::stats() const {
  const std::scoped_lock lock{state_->mutex};
  return {.answers = state_->answers.read(),
          .started = state_->started,
          .cancelled = state_->cancelled,
          .withdrawn = state_->withdrawn,
          .observer_failures = state_->environment->observer_failures,
          .hosts = state_->hosts.size()};
}

ROBOTS_INLINE any_host_gate::answer any_host_gate::counted(answer result) noexcept {
  state_->answers.add(result.reason);
  return result;
}

ROBOTS_INLINE void any_host_gate::count_robots_requests(const std::string& key,
                                                        const robots::policy* site_policy,
                                                        bool again) {
  if (site_policy == nullptr) {
    return;
  }
  const time_point fetched = site_policy->fetched_at();
  if (!again) {
    const std::scoped_lock lock{state_->mutex};
    const polite_detail::known_host* const known = state_->hosts.find(key);
    if (known != nullptr && known->state.robots_fetched_at() >= fetched) {
      return;
    }
  }
  const record_head source = site_policy->source();
  for (const detail::exchange& one : source.exchanges) {
    const bool is_first = &one == &source.exchanges.front();
    const std::string asked = state_->options.key(one.url);
    if (asked == key && !is_first) {
      continue;
    }
    state_->with_host(asked, [&](polite_detail::host_state& state, const wall_anchor& now,
                                 double draw) {
      if (asked != key) {
        state.add_redirected_request(fetched, draw, now, state_->options);
      } else if (again) {
        state.add_request((std::min)(fetched, now.steady), site_policy, draw, now, state_->options);
      } else {
        state.add_robots_request(fetched, site_policy, draw, now, state_->options);
      }
    });
  }
}

ROBOTS_INLINE admission_reason any_host_gate::wait_in_queue(std::unique_lock<std::mutex>& lock,
                                                            polite_detail::known_host& host,
                                                            const call_options& call) {
  switch (host.queue.wait(lock, *state_->environment, call)) {
    case polite_detail::reservation_queue::end::granted:
      return admission_reason::go;
    case polite_detail::reservation_queue::end::refused:
      return admission_reason::halted;
    default:
      return call.stop.stop_requested() ? admission_reason::stopped : admission_reason::too_late;
  }
}

ROBOTS_INLINE any_host_gate::answer any_host_gate::enter(std::string_view url,
                                                         const host_limits& limits,
                                                         const call_options& call, if_busy busy,
                                                         start_by bound) {
  answer result;
  const std::string key = state_->options.key(url);
  if (key.empty()) {
    return result;
  }
  count_robots_requests(key, limits.policy.get(), false);
  const double draw = state_->random.draw();
  wall_anchor now = state_->environment->moment();
  std::unique_lock lock{state_->mutex};
  polite_detail::known_host* const host = state_->find_or_add(key, now.steady);
  if (host == nullptr) {
    result.reason = admission_reason::no_room;
    return result;
  }
  result.reason = admission_reason::go;
  const std::uint64_t withdrawals = host->withdrawals;
  const std::uint32_t taken = host->state.outstanding() + host->queue.granted();
  if (taken >= state_->options.concurrency || host->queue.waiting() > 0) {
    result.reason =
        busy == if_busy::wait ? wait_in_queue(lock, *host, call) : admission_reason::busy;
    now = state_->environment->moment();
  }
  result.plan = host->state.plan(now, limits, state_->options);
  result.planned_at = now.steady;
  if (result.reason == admission_reason::go) {
    if (result.plan.skip_host) {
      result.reason = admission_reason::skip_host;
    } else if (call.stop.stop_requested()) {
      result.reason = admission_reason::stopped;
    } else if (bound == start_by::now && result.plan.at > now.steady) {
      result.reason = admission_reason::not_yet;
    } else if (call.deadline && result.plan.at > *call.deadline) {
      result.reason = admission_reason::too_late;
    }
  }
  if (result.reason == admission_reason::go) {
    result.reservation = reservation{
        state_, *host, host->state.reserve(result.plan, now, limits.policy, draw), withdrawals};
  } else {
    state_->hand_on(*host);
  }
  return result;
}

}  // namespace robots
