#pragma once

#include <robots/base/config.hpp>
#include <robots/base/longest_delay.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/policy/policy.hpp>
#include <robots/polite/crawl_delay.hpp>
#include <robots/polite/detail/host_state.hpp>
#include <robots/polite/detail/visit_window.hpp>
#include <robots/polite/gate_options.hpp>
#include <robots/polite/pace_ledger.hpp>
#include <robots/polite/request_report.hpp>
#include <robots/polite/start_plan.hpp>
#include <robots/rep/read/request_rate.hpp>
#include <robots/rep/read/visit_time.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <optional>
#include <utility>

namespace robots::polite_detail {

[[nodiscard]] inline delay_inputs delays_at(const policy* site_policy, wall_time when) noexcept {
  constexpr std::chrono::milliseconds none{0};
  if (site_policy == nullptr) {
    return {};
  }
  const auto rate = request_rate::slowest_at(site_policy->request_rates(), utc_minutes(when));
  return {.crawl_delay = site_policy->crawl_delay().value_or(none),
          .file_delay = site_policy->file_delay().value_or(none),
          .request_rate = rate ? rate->interval() : none};
}

ROBOTS_INLINE start_plan host_state::plan(const policy* site_policy, const gate_moment& now) const {
  explained_plan explained = without_reservations(now);
  start_plan& result = explained.plan;
  keep_delay(explained, last_, site_policy, now);
  for (const host_request& next : planned_) {
    const delay_inputs both = stricter(next.inputs, delays_at(site_policy, now.at(result.at)));
    const gap longest = gap_of(both, 1.0, now);
    if (base::saturating_add(result.at, longest.length) <= next.at) {
      break;
    }
    keep_delay(explained, next, site_policy, now);
  }
  result.can_reserve = outstanding_ < now.options->concurrency;
  return result;
}

ROBOTS_INLINE host_reservation host_state::reserve(time_point planned,
                                                   std::shared_ptr<const policy> site_policy,
                                                   const gate_moment& now) {
  const host_request request = new_request(planned, site_policy.get(), now);
  enqueue(request);
  take();
  return {request, std::move(site_policy)};
}

ROBOTS_INLINE std::optional<time_point> host_state::start(host_reservation& reserved,
                                                          const gate_moment& now) {
  host_request& request = reserved.request;
  const time_point allowed = soonest_start(reserved, now);
  if (allowed > now.steady) {
    host_request later = request;
    later.at = allowed;
    enqueue(later);  // first, since it can throw
    dequeue(request);
    request = later;
    return allowed;
  }
  dequeue(request);
  request.at = now.steady;
  reserved.started = true;
  request.inputs = delays_at(reserved.policy.get(), now.wall);
  begin(request, now);
  return std::nullopt;
}

ROBOTS_INLINE std::optional<PaceLedger::claim> host_state::claim(const host_reservation& reserved,
                                                                 const gate_moment& now) {
  if (soonest_start(reserved, now) > now.steady) {
    return std::nullopt;
  }
  const delay_inputs asked = delays_at(reserved.policy.get(), now.wall);
  PaceLedger::claim result{.least = gap_of(asked, 0.0, now).length,
                           .after = gap_of(asked, reserved.request.draw, now).length};
  if (claimed_at_ != (time_point::min)()) {
    result.last_asked = now.steady - claimed_at_;
  }
  claimed_at_ = now.steady;
  return result;
}

ROBOTS_INLINE void host_state::wait_for_turn(const std::optional<time_point>& held_until,
                                             const host_reservation& reserved,
                                             const gate_moment& now) {
  if (held_until) {
    turn_at_ = *held_until;
    return;
  }
  const gap longest = gap_of(delays_at(reserved.policy.get(), now.wall), 1.0, now);
  const auto pause =
      bounded_delay(static_cast<double>(longest.length.count()) * now.options->ledger_users);
  if (last_.at != (time_point::min)()) {
    turn_at_ = base::saturating_add(last_.at, pause);
  } else if (turn_at_ == (time_point::min)()) {
    turn_at_ = base::saturating_add(
        now.steady, bounded_delay(static_cast<double>(pause.count()) * reserved.request.draw));
  }
}

ROBOTS_INLINE void host_state::complete(host_reservation& reserved, const request_report& report,
                                        const gate_moment& now) {
  const bool has_started = reserved.started;
  cancel(reserved);
  if (!has_started) {
    reserved.request.at = (std::max)(reserved.request.at, now.steady - duration_of(report));
    begin(reserved.request, now);
  }
  add_response(report, now);
}

ROBOTS_INLINE void host_state::cancel(host_reservation& reserved) noexcept {
  give_back();
  if (!std::exchange(reserved.started, true)) {
    dequeue(reserved.request);
  }
}

ROBOTS_INLINE void host_state::add_request(const request_report& report, const policy* site_policy,
                                           const gate_moment& now) {
  begin(new_request(now.steady - duration_of(report), site_policy, now), now);
  add_response(report, now);
}

ROBOTS_INLINE void host_state::add_robots_request(time_point fetched, const policy* own_policy,
                                                  bool always, const gate_moment& now) {
  bool& is_counted = own_policy != nullptr ? robots_counted_ : redirect_counted_;
  if (own_policy != nullptr) {
    robots_fetched_at_ = (std::max)(robots_fetched_at_, fetched);
  }
  if (!std::exchange(is_counted, true) || always) {
    count(new_request((std::min)(fetched, now.steady), own_policy, now), now);
  }
}

ROBOTS_INLINE void host_state::add_response(const request_report& report, const gate_moment& now) {
  if (const std::chrono::nanoseconds took = duration_of(report); took.count() > 0) {
    last_response_ = took;
    responded_at_ = now.steady;
  }
  const std::uint32_t steps = overloads_at(now);
  if (report.overloaded()) {
    overloads_ = static_cast<std::uint8_t>((std::min)(steps + 1, most_overloads));
    overloaded_at_ = now.steady;
  } else if (report.status >= 200 && report.status < 400) {
    overloads_ = static_cast<std::uint8_t>(steps > 0 ? steps - 1 : 0);
  }
  if (report.retry_after) {
    const auto pause = (std::min)(*report.retry_after, now.options->most_retry_after);
    retry_at_ = (std::max)(retry_at_, base::saturating_add(now.steady, pause));
  }
  extend(now.options->delay_from_response ? (std::max)(now.steady, last_.at) : last_.at, now);
}

ROBOTS_INLINE time_point host_state::needed_until(const gate_options& options) const noexcept {
  if (outstanding_ > 0) {
    return (time_point::max)();
  }
  const time_point remembered = (std::max)(last_.at, responded_at_);
  const time_point slowed_at = overloads_ > 0 ? overloaded_at_ : (time_point::min)();
  const time_point until =
      (std::max)({base::saturating_add(remembered, options.memory), next_start_, retry_at_,
                  base::saturating_add(slowed_at, options.slow_down.lasts)});
  return (std::min)(until, (time_point::max)() - time_point::duration{1});
}

ROBOTS_INLINE time_point host_state::soonest_start(const host_reservation& reserved,
                                                   const gate_moment& now) const {
  explained_plan allowed = without_reservations(now);
  allowed.plan.not_before(reserved.request.at, start_limit::delay);
  keep_delay(allowed, last_, reserved.policy.get(), now);
  return allowed.plan.at;
}

ROBOTS_INLINE host_state::explained_plan host_state::without_reservations(
    const gate_moment& now) const {
  explained_plan result;
  result.plan.at = now.steady;
  if (next_start_ > now.steady) {
    result.describe(delay_before_next_, next_start_);
  } else {
    result.describe(gap_of(last_.inputs, last_.draw, now), (time_point::min)());
  }
  result.plan.not_before(next_start_, delay_before_next_.limit());
  result.plan.not_before(retry_at_, start_limit::retry_after);
  result.plan.not_before(turn_at_, start_limit::ledger);
  return result;
}

ROBOTS_INLINE host_state::gap host_state::gap_of(delay_inputs inputs, double draw,
                                                 const gate_moment& now) const {
  if (now.steady < base::saturating_add(responded_at_, now.options->memory)) {
    inputs.last_response = last_response_;
  }
  const computed_delay delay = compute_delay(now.options->delay, inputs, draw);
  const slow_down_options& slow = now.options->slow_down;
  std::uint32_t steps = overloads_at(now);
  gap result{delay, steps > 0 ? (std::max)(delay.delay, slow.first) : delay.delay, steps};
  for (; steps > 0 && result.length < slow.most; --steps) {
    result.length += (std::min)(result.length, slow.most - result.length);
  }
  return result;
}

ROBOTS_INLINE void host_state::keep_delay(explained_plan& explained, const host_request& previous,
                                          const policy* site_policy, const gate_moment& now) const {
  start_plan& result = explained.plan;
  constexpr int enough = 70;  // enough rounds for at most 32 rates and 32 windows
  for (int round = 0; round < enough; ++round) {
    const gap least = gap_of(stricter(previous.inputs, delays_at(site_policy, now.at(result.at))),
                             previous.draw, now);
    const time_point before = result.at;
    const time_point until = base::saturating_add(previous.at, least.length);
    result.not_before(until, least.limit());
    if (until > explained.delayed_until || least.delay.skip_host) {
      explained.describe(least, until);
    }
    result.skip_host = least.delay.skip_host;
    const wall_time wanted = now.at(result.at);
    const wall_time open =
        site_policy != nullptr ? next_visit(site_policy->visit_times(), wanted) : wanted;
    if (open > wanted) {
      result.not_before(now.at(open), start_limit::visit_time);
    }
    if (result.at == before) {
      return;
    }
  }
}

ROBOTS_INLINE void host_state::enqueue(const host_request& request) {
  std::forward_list<host_request> added{request};
  planned_.merge(added, [](const host_request& a, const host_request& b) { return a.at < b.at; });
}

ROBOTS_INLINE void host_state::dequeue(const host_request& request) noexcept {
  bool is_found = false;  // another request can be equal
  planned_.remove_if(
      [&](const host_request& one) { return one == request && !std::exchange(is_found, true); });
}

ROBOTS_INLINE host_request host_state::new_request(time_point start, const policy* site_policy,
                                                   const gate_moment& now) {
  return {start, delays_at(site_policy, now.at(start)), now.draw};
}

ROBOTS_INLINE void host_state::begin(const host_request& request, const gate_moment& now) {
  robots_counted_ = false;
  redirect_counted_ = false;
  count(request, now);
}

ROBOTS_INLINE void host_state::count(const host_request& request, const gate_moment& now) {
  if (request.at >= last_.at) {
    last_ = request;
  }
  extend(request.at, now);
}

ROBOTS_INLINE std::chrono::nanoseconds host_state::duration_of(
    const request_report& report) noexcept {
  return std::clamp(report.response_time, std::chrono::nanoseconds{0}, longest_delay);
}

ROBOTS_INLINE void host_state::extend(time_point begin, const gate_moment& now) {
  const gap after = gap_of(last_.inputs, last_.draw, now);
  if (const time_point until = base::saturating_add(begin, after.length); until > next_start_) {
    next_start_ = until;
    delay_before_next_ = after;
  }
}

ROBOTS_INLINE delay_inputs host_state::stricter(const delay_inputs& a,
                                                const delay_inputs& b) noexcept {
  return {.crawl_delay = (std::max)(a.crawl_delay, b.crawl_delay),
          .file_delay = (std::max)(a.file_delay, b.file_delay),
          .request_rate = (std::max)(a.request_rate, b.request_rate)};
}

ROBOTS_INLINE std::uint32_t host_state::overloads_at(const gate_moment& now) const noexcept {
  return now.steady < base::saturating_add(overloaded_at_, now.options->slow_down.lasts)
             ? overloads_
             : std::uint32_t{0};
}

ROBOTS_INLINE start_plan host_state::soonest(const gate_moment& now) const {
  return without_reservations(now).plan;
}

}  // namespace robots::polite_detail
