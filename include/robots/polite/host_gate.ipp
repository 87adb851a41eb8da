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

ROBOTS_INLINE start_result any_host_gate::reservation::start() {
  if (!gate_) {
    return {.reason = reason_};
  }
  if (reserved_.started) {
    return {.reason = admission_reason::go};
  }
  for (;;) {
    const std::uint64_t withdrawals = host_->withdrawals;
    const bool is_withdrawn = withdrawals != withdrawals_;
    if (is_withdrawn || (decide_again_ && decides_when_due_ && gate_->environment->now() >= at())) {
      reason_ = admission_reason::halted;
      if (decide_again_) {
        auto latest = reserved_.policy;
        reason_ = decide_again_(latest);
        if (latest != reserved_.policy) {
          reserved_.policy = std::move(latest);
          gate_->count_robots_requests(gate_->hosts.key_of(*host_), reserved_.policy.get(), true);
        }
      }
      if (reason_ != admission_reason::go) {
        gate_->withdrawn.fetch_add(1, std::memory_order_relaxed);
        cancel();
        return {.reason = reason_};
      }
      withdrawals_ = withdrawals;
    }
    const wall_anchor now =
        gate_->pace ? gate_->take_turn(*host_, reserved_) : gate_->environment->moment();
    const std::scoped_lock lock{gate_->mutex};
    if (host_->withdrawals == withdrawals_) {
      const auto until = host_->state.start(reserved_, now, gate_->options);
      gate_->started += until ? 0U : 1U;
      return until ? start_result{admission_reason::not_yet, *until}
                   : start_result{.reason = admission_reason::go};
    }
  }
}

ROBOTS_INLINE void any_host_gate::reservation::complete(const request_report& report) {
  if (const auto gate = std::exchange(gate_, nullptr)) {
    const time_point now = gate->environment->now();
    std::unique_lock lock{gate->mutex};
    gate->started += reserved_.started ? 0 : 1;
    gate->change(lock, *host_, now, [&](polite_detail::host_state& state) {
      state.complete(reserved_, report, now, gate->options);
    });
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

ROBOTS_INLINE start_plan any_host_gate::next_allowed_at(std::string_view url,
                                                        const policy_pointer& site_policy) const {
  constexpr double longest_draw = 1.0;
  const std::string key = state_->key_of(url);
  const wall_anchor now = state_->environment->moment();
  polite_detail::host_state copy;
  {
    const std::scoped_lock lock{state_->mutex};
    if (const polite_detail::known_host* const known = state_->hosts.find(key)) {
      copy = known->state;
    }
  }
  if (site_policy && !copy.knows_robots_request(site_policy->fetched_at())) {
    const record_head source = site_policy->source();
    if (!source.exchanges.empty() && state_->key_of(source.exchanges.front().url) == key) {
      copy.add_robots_request(site_policy->fetched_at(), site_policy.get(), false, longest_draw,
                              now, state_->options);
    }
  }
  return copy.plan(now, site_policy.get(), state_->options);
}

ROBOTS_INLINE any_host_gate::answer any_host_gate::try_reserve(std::string_view url,
                                                               const policy_pointer& site_policy) {
  return counted(enter(state_->key_of(url), site_policy, {}, may_wait::for_its_time));
}

ROBOTS_INLINE any_host_gate::answer any_host_gate::try_acquire(std::string_view url,
                                                               const policy_pointer& site_policy,
                                                               decider decide_again) {
  return counted(start_request(url, site_policy, {}, may_wait::never, std::move(decide_again)));
}

ROBOTS_INLINE any_host_gate::answer any_host_gate::acquire(std::string_view url,
                                                           const policy_pointer& site_policy,
                                                           const call_options& call,
                                                           decider decide_again) {
  return counted(
      start_request(url, site_policy, call, may_wait::in_the_queue, std::move(decide_again)));
}

ROBOTS_INLINE any_host_gate::answer any_host_gate::start_request(std::string_view url,
                                                                 policy_pointer site_policy,
                                                                 const call_options& call,
                                                                 may_wait waits,
                                                                 decider decide_again) {
  const std::string key = state_->key_of(url);
  answer result = enter(key, site_policy, call, waits);
  while (result.reason == admission_reason::halted && decide_again) {
    // Another site with the same pace may be the halted one.
    result.reason = decide_again(site_policy);
    if (!result) {
      break;
    }
    result = enter(key, site_policy, call, waits);
  }
  result.reservation.decide_again_ = std::move(decide_again);
  while (result) {
    const start_result started = result.reservation.start();
    result.reason = started.reason;
    if (result.reason != admission_reason::not_yet) {
      break;
    }
    if (waits == may_wait::never) {
      result.plan.not_before(started.ask_again,
                             state_->pace ? start_limit::ledger : start_limit::delay);
      break;
    }
    if (call.deadline && started.ask_again > *call.deadline) {
      result.reason = admission_reason::too_late;
      break;
    }
    // Waits in steps, since some clocks cannot wait for the end of time.
    const time_point now = state_->environment->now();
    result.reservation.sleep_until(
        (std::min)(started.ask_again, base::saturating_add(now, std::chrono::hours{1})), call.stop);
    result.reservation.decides_when_due_ = true;
    result.reason = call.stop.stop_requested() ? admission_reason::stopped : admission_reason::go;
  }
  if (!result) {
    result.reservation.cancel();
  }
  result.reservation.decide_again_ = {};  // it may refer to local variables of the caller
  return result;
}

ROBOTS_INLINE void any_host_gate::withdraw(std::string_view url) {
  const std::string key = state_->key_of(url);
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

ROBOTS_INLINE void any_host_gate::note_request(std::string_view url, const request_report& report,
                                               const policy_pointer& site_policy) {
  state_->with_host(state_->key_of(url),
                    [&](polite_detail::host_state& state, const wall_anchor& now, double draw) {
                      state.add_request(report, site_policy.get(), draw, now, state_->options);
                    });
}

ROBOTS_INLINE std::size_t any_host_gate::waiting(std::string_view url) const {
  const std::string key = state_->key_of(url);
  const std::scoped_lock lock{state_->mutex};
  const polite_detail::known_host* const known = state_->hosts.find(key);
  return known != nullptr ? known->queue.waiting() : 0;
}

ROBOTS_INLINE any_host_gate::statistics any_host_gate::stats() const {
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

ROBOTS_INLINE any_host_gate::answer any_host_gate::enter(const std::string& key,
                                                         const policy_pointer& site_policy,
                                                         const call_options& call, may_wait waits) {
  answer result;
  if (key.empty()) {
    return result;
  }
  state_->count_robots_requests(key, site_policy.get(), false);
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
  const bool is_busy = taken >= state_->options.concurrency || host->queue.waiting() > 0;
  if (is_busy) {
    result.reason = waits == may_wait::in_the_queue
                        ? host->queue.wait(lock, *state_->environment, call)
                        : admission_reason::busy;
    now = state_->environment->moment();
  }
  result.plan = host->state.plan(now, site_policy.get(), state_->options);
  result.planned_at = now.steady;
  const bool is_early = result.plan.at > now.steady;
  if (result.reason == admission_reason::go) {
    if (result.plan.skip_host) {
      result.reason = admission_reason::skip_host;
    } else if (call.stop.stop_requested()) {
      result.reason = admission_reason::stopped;
    } else if (waits == may_wait::never && is_early) {
      result.reason = admission_reason::not_yet;
    } else if (call.deadline && result.plan.at > *call.deadline) {
      result.reason = admission_reason::too_late;
    }
  }
  if (result.reason == admission_reason::go) {
    result.reservation.gate_ = state_;
    result.reservation.host_ = host;
    result.reservation.reserved_ = host->state.reserve(result.plan, now, site_policy, draw);
    result.reservation.withdrawals_ = withdrawals;
    result.reservation.decides_when_due_ = waits == may_wait::for_its_time || is_busy || is_early;
  } else {
    state_->hand_on(*host);
  }
  return result;
}

}  // namespace robots
