#pragma once

#include <robots/fetch/exchange.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/polite/detail/gate_state.hpp>
#include <robots/polite/host_gate.hpp>

#include <mutex>
#include <vector>

// The picture at the top of `host_gate.hpp` shows how these parts work together.

namespace robots {

ROBOTS_INLINE start_result any_host_gate::reservation::start() {
  if (!gate_ || reserved_.started) {
    return {.reason = gate_ ? admission_reason::go : reason_};
  }
  for (;;) {
    if (withdrawn_.stop_requested() ||
        (decide_again_ && decides_when_due_ && gate_->parts->now() >= at())) {
      // Take the token first. A `withdraw` during the decision must lead to another decision.
      std::unique_lock lock{gate_->mutex};
      stop_token withdrawn_later = gate_->withdrawals[host_].get_token();
      lock.unlock();
      auto latest = reserved_.policy;
      const auto decided = decide_again_ ? decide_again_(latest) : admission_reason::halted;
      if (latest != reserved_.policy) {
        reserved_.policy = std::move(latest);
        gate_->count_robots_requests(gate_->hosts.key_of(*host_), reserved_.policy.get(), true);
      }
      if (decided != admission_reason::go) {
        reason_ = decided;
        cancel();
        return {.reason = decided};
      }
      withdrawn_ = std::move(withdrawn_later);
    }
    const auto now = gate_->take_turn(*host_, reserved_);
    const std::scoped_lock lock{gate_->mutex};
    if (!withdrawn_.stop_requested()) {
      const auto until = host_->start(reserved_, now);
      gate_->started += until ? 0U : 1U;
      return until ? start_result{admission_reason::not_yet, *until}
                   : start_result{.reason = admission_reason::go};
    }
  }
}

ROBOTS_INLINE void any_host_gate::reservation::complete(const request_report& report,
                                                        std::span<const http_header> headers) {
  if (gate_) {
    const auto now = gate_->moment();  // first, since a clock can throw
    const auto gate = std::exchange(gate_, nullptr);
    std::unique_lock lock{gate->mutex};
    gate->started += reserved_.started ? 0 : 1;
    gate->change(lock, *host_, now, [&](polite_detail::host_state& host, const auto& moment) {
      host.complete(reserved_, report, moment);
    });
    if (report_) {
      report_(report, headers);
    }
  }
}

ROBOTS_INLINE void any_host_gate::reservation::cancel() noexcept {
  if (const auto gate = std::exchange(gate_, nullptr)) {
    const std::scoped_lock lock{gate->mutex};
    gate->cancelled += reserved_.started ? 0 : 1;
    host_->cancel(reserved_);
    gate->hand_on(*host_);
  }
}

ROBOTS_INLINE any_host_gate::any_host_gate(gate_options options,
                                           std::unique_ptr<polite_detail::gate_parts> parts)
    : parts_(*parts),
      state_(std::make_shared<polite_detail::gate_state>(std::move(options), std::move(parts))) {}

ROBOTS_INLINE start_plan any_host_gate::next_allowed_at(std::string_view url,
                                                        const policy_pointer& site_policy) const {
  constexpr double longest_draw = 1.0;
  const std::string key = state_->key_of(url);
  const auto now = state_->moment(longest_draw);
  std::unique_lock lock{state_->mutex};
  const polite_detail::host_state* const known = state_->hosts.find(key);
  auto copy = known != nullptr ? *known : polite_detail::host_state{};
  lock.unlock();
  if (site_policy && !copy.knows_robots_request(site_policy->fetched_at())) {
    const record_head source = site_policy->last_retrieval();
    if (!source.exchanges.empty() && state_->key_of(source.exchanges.front().url) == key) {
      copy.add_robots_request(site_policy->fetched_at(), site_policy.get(), false, now);
    }
  }
  return copy.plan(site_policy.get(), now);
}

ROBOTS_INLINE any_host_gate::answer any_host_gate::answer_for(std::string_view url,
                                                              policy_pointer site_policy,
                                                              if_early caller,
                                                              const call_options& call,
                                                              decider decide_again) {
  const std::string key = state_->key_of(url);
  answer result = reserve(key, site_policy, caller, call);
  while (result.reason == admission_reason::halted && decide_again) {
    // A `withdraw` for another site with the same `key` also ends the wait. So decide again.
    result.reason = decide_again(site_policy);
    if (!result) {
      break;
    }
    result = reserve(key, site_policy, caller, call);
  }
  reservation& reserved = result.reservation;
  reserved.decide_again_ = std::move(decide_again);
  while (result && caller != if_early::keeps) {
    const start_result started = reserved.start();
    result.reason = started.reason;
    if (started.reason != admission_reason::not_yet) {
      break;
    }
    if (caller == if_early::leaves) {
      result.plan.not_before(started.ask_again,
                             state_->options.ledger ? start_limit::ledger : start_limit::delay);
    } else if (call.deadline && started.ask_again > *call.deadline) {
      result.reason = admission_reason::too_late;
    } else {
      state_->sleep_until(started.ask_again, call.stop, reserved.withdrawn_);
      reserved.decides_when_due_ = true;
      result.reason = call.stop.stop_requested() ? admission_reason::stopped : admission_reason::go;
    }
  }
  if (!result) {
    reserved.cancel();
  }
  if (caller != if_early::keeps) {
    reserved.decide_again_ = {};  // the function may refer to local variables of the caller
  }
  state_->answers.add(result.reason);
  return result;
}

ROBOTS_INLINE any_host_gate::answer any_host_gate::reserve(const std::string& key,
                                                           const policy_pointer& site_policy,
                                                           if_early caller,
                                                           const call_options& call) {
  if (key.empty()) {
    return {};
  }
  state_->count_robots_requests(key, site_policy.get(), false);
  auto now = state_->moment(state_->random.draw());
  std::unique_lock lock{state_->mutex};
  polite_detail::host_state* const host = state_->find_or_add(key, now.steady);
  if (host == nullptr) {
    return {.reason = admission_reason::no_room};
  }
  answer result{.reason = admission_reason::go};
  try {
    const stop_token withdrawn = state_->withdrawals[host].get_token();
    const bool is_busy =
        host->outstanding() >= state_->options.concurrency || state_->waiters.contains(host);
    if (is_busy) {
      result.reason = caller == if_early::waits ? state_->wait(lock, *host, call, withdrawn)
                                                : admission_reason::busy;
      now = state_->moment(now.draw);
    }
    result.plan = host->plan(site_policy.get(), now);
    result.planned_at = now.steady;
    const bool is_early = result.plan.at > now.steady;
    if (result) {
      if (result.plan.skip_host) {
        result.reason = admission_reason::skip_host;
      } else if (call.stop.stop_requested()) {
        result.reason = admission_reason::stopped;
      } else if (caller == if_early::leaves && is_early) {
        result.reason = admission_reason::not_yet;
      } else if (call.deadline && result.plan.at > *call.deadline) {
        result.reason = admission_reason::too_late;
      }
    }
    if (!result) {
      state_->hand_on(*host);
      return result;
    }
    reservation& reserved = result.reservation;
    reserved.reserved_ = host->reserve(result.plan.at, site_policy, now);
    reserved.withdrawn_ = withdrawn;
    reserved.decides_when_due_ = caller == if_early::keeps || is_busy || is_early;
    // Set last. If a call above throws, the destructor of `reserved` must not lock the mutex.
    reserved.host_ = host;
    reserved.gate_ = state_;
    return result;
  } catch (...) {
    state_->hand_on(*host);  // another thread can make the reservation that this one could not
    throw;
  }
}

ROBOTS_INLINE void any_host_gate::withdraw(std::string_view url) {
  const std::string key = state_->key_of(url);
  std::unique_lock lock{state_->mutex};
  auto withdrawn = state_->withdrawals.extract(state_->hosts.find(key));
  lock.unlock();  // since `request_stop` runs callbacks of waiting threads
  if (withdrawn) {
    withdrawn.mapped().request_stop();
  }
}

ROBOTS_INLINE void any_host_gate::withdraw_host(std::string_view host) {
  std::vector<stop_source> withdrawn;
  std::unique_lock lock{state_->mutex};
  for (auto next = state_->withdrawals.begin(); next != state_->withdrawals.end();) {
    const auto reserved = parse_site(state_->hosts.key_of(*next->first));
    if (reserved && reserved->host == host) {
      withdrawn.push_back(std::move(next->second));
      next = state_->withdrawals.erase(next);
    } else {
      ++next;
    }
  }
  lock.unlock();  // since `request_stop` runs callbacks of waiting threads
  for (stop_source& source : withdrawn) {
    source.request_stop();
  }
}

ROBOTS_INLINE void any_host_gate::note_request(std::string_view url, const request_report& report,
                                               const policy_pointer& site_policy) {
  state_->with_host(state_->key_of(url), [&](polite_detail::host_state& state, const auto& now) {
    state.add_request(report, site_policy.get(), now);
  });
}

ROBOTS_INLINE std::size_t any_host_gate::waiting(std::string_view url) const {
  const std::string key = state_->key_of(url);
  const std::scoped_lock lock{state_->mutex};
  return state_->waiters.count(state_->hosts.find(key));
}

ROBOTS_INLINE any_host_gate::statistics any_host_gate::stats() const {
  const std::scoped_lock lock{state_->mutex};
  return {.answers = state_->answers.read(),
          .started = state_->started,
          .cancelled = state_->cancelled,
          .hosts = state_->hosts.size()};
}

}  // namespace robots
