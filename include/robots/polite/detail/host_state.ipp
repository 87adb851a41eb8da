#pragma once

#include <robots/base/inline.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/policy/policy.hpp>
#include <robots/polite/detail/host_state.hpp>
#include <robots/polite/detail/policy_delays.hpp>
#include <robots/polite/visit_window.hpp>

#include <algorithm>
#include <utility>

namespace robots::polite_detail {

ROBOTS_INLINE schedule host_state::plan(const wall_anchor& anchor, const restraints& limits,
                                        const gate_options& options) const {
  const time_point now = anchor.steady;
  schedule made = soonest(now, options);
  if (limits.breaker_open_until) {
    made.not_before(*limits.breaker_open_until, start_limit::breaker);
  }
  const policy* const rules = limits.rules.get();
  keep_delay(made, last_, fixed_delays_of(rules), rules, anchor, options);
  for (const host_request& next : planned_) {
    if (fits_before(next, made.at, rules, anchor, options)) {
      break;
    }
    keep_delay(made, next, fixed_delays_of(rules), rules, anchor, options);
  }
  made.can_reserve = outstanding_ < options.concurrency;
  return made;
}

ROBOTS_INLINE host_reservation host_state::reserve(const schedule& planned,
                                                   const wall_anchor& anchor,
                                                   std::shared_ptr<const policy> rules,
                                                   double draw) {
  host_reservation made{.rules = std::move(rules)};
  made.request = {.at = planned.at,
                  .inputs = delays_at(made.rules.get(), anchor.at(planned.at)),
                  .draw = draw,
                  .number = ++last_number_};
  line_up(made.request);
  ++outstanding_;
  return made;
}

ROBOTS_INLINE std::optional<time_point> host_state::start(host_reservation& reserved,
                                                          const wall_anchor& anchor,
                                                          const gate_options& options) {
  const time_point now = anchor.steady;
  host_request& request = reserved.request;
  const schedule allowed = soonest_start(reserved, anchor, options);
  leave_line(request);
  request.at = std::max(now, allowed.at);
  if (allowed.at > now) {
    line_up(request);
    return allowed.at;
  }
  reserved.started = true;
  request.inputs = delays_at(reserved.rules.get(), anchor.at(now));
  begin(request, options, now);
  return std::nullopt;
}

ROBOTS_INLINE std::optional<pace_claim> host_state::claim(const host_reservation& reserved,
                                                          const wall_anchor& anchor,
                                                          const gate_options& options) {
  const time_point now = anchor.steady;
  if (soonest_start(reserved, anchor, options).at > now) {
    return std::nullopt;
  }
  pace_claim result{.least = delay_at(reserved, anchor, options, 0.0),
                    .after = delay_at(reserved, anchor, options, reserved.request.draw)};
  if (claimed_at_ != time_point::min()) {
    result.last_asked = now - claimed_at_;
  }
  claimed_at_ = now;
  return result;
}

ROBOTS_INLINE void host_state::go_alone(const host_reservation& reserved, const wall_anchor& anchor,
                                        const gate_options& options) {
  const time_point now = anchor.steady;
  const auto pause = bounded_delay(
      static_cast<double>(delay_at(reserved, anchor, options, 1.0).count()) * options.ledger_users);
  if (last_.number != 0) {
    turn_at_ = base::saturating_add(last_.at, pause);
  } else if (turn_at_ == time_point::min()) {
    turn_at_ = base::saturating_add(
        now, bounded_delay(static_cast<double>(pause.count()) * reserved.request.draw));
  }
}

ROBOTS_INLINE time_point host_state::next_start(time_point now, const gate_options& options) const {
  return soonest(now, options).at;
}

ROBOTS_INLINE void host_state::complete(host_reservation& reserved, const request_report& report,
                                        time_point now, const gate_options& options) {
  if (!reserved.started) {
    const std::chrono::nanoseconds took = duration_of(report);
    reserved.started = true;
    leave_line(reserved.request);
    if (now > time_point::min() + took) {
      reserved.request.at = std::max(reserved.request.at, now - took);
    }
    begin(reserved.request, options, now);
  }
  release();
  hear(report, now, options);
}

ROBOTS_INLINE void host_state::cancel(host_reservation& reserved) noexcept {
  release();
  if (!reserved.started) {
    reserved.started = true;
    leave_line(reserved.request);
  }
}

ROBOTS_INLINE void host_state::note(time_point started, const policy* rules, double draw,
                                    const wall_anchor& anchor, const gate_options& options) {
  begin(noted(started, rules, draw, anchor), options, anchor.steady);
}

ROBOTS_INLINE void host_state::note_redirected(time_point started, double draw,
                                               const wall_anchor& anchor,
                                               const gate_options& options) {
  if (!redirected_to_) {
    count(noted(started, nullptr, draw, anchor), options, anchor.steady);
    redirected_to_ = true;
  }
}

ROBOTS_INLINE void host_state::note(const restraints& limits, double draw,
                                    const wall_anchor& anchor, const gate_options& options) {
  if (limits.asked_at && *limits.asked_at > asked_at_) {
    asked_at_ = *limits.asked_at;
    if (!asked_) {
      const time_point started = std::min(*limits.asked_at, anchor.steady);
      count(noted(started, limits.rules.get(), draw, anchor), options, anchor.steady);
      asked_ = true;
    }
  }
}

ROBOTS_INLINE void host_state::hear(const request_report& report, time_point now,
                                    const gate_options& options) {
  if (const std::chrono::nanoseconds took = duration_of(report); took.count() > 0) {
    last_response_ = took;
    heard_at_ = now;
  }
  const std::uint32_t steps = overloads_at(now, options);
  if (report.overloaded()) {
    overloads_ = std::min(steps + 1, most_overloads);
    overloaded_at_ = now;
  } else if (report.succeeded()) {
    overloads_ = steps > 0 ? steps - 1 : 0;
  }
  if (report.retry_after) {
    const auto pause = std::min(*report.retry_after, options.most_retry_after);
    retry_at_ = std::max(retry_at_, base::saturating_add(now, pause));
  }
  if (last_.number != 0) {
    extend(last_.at, now, options);
    if (options.delay_from == delay_from::response) {
      extend(now, now, options);
    }
  }
}

ROBOTS_INLINE time_point host_state::needed_until(const gate_options& options) const noexcept {
  if (outstanding_ > 0) {
    return time_point::max();
  }
  time_point until = std::max(next_start_, retry_at_);
  if (last_.number != 0) {
    until = std::max(until, base::saturating_add(last_.at, options.memory));
  }
  if (last_response_.count() > 0) {
    until = std::max(until, base::saturating_add(heard_at_, options.memory));
  }
  if (overloads_ > 0) {
    until = std::max(until, base::saturating_add(overloaded_at_, options.slow_down.lasts));
  }
  return std::min(until, time_point::max() - time_point::duration{1});
}

ROBOTS_INLINE schedule host_state::soonest(time_point now, const gate_options& options) const {
  schedule made{.at = now, .delay = in_force_, .slowed = slowed(in_force_.delay, now, options)};
  made.overloads = overloads_at(now, options);
  made.not_before(next_start_,
                  made.slowed > in_force_.delay ? start_limit::slow_down : start_limit::delay);
  made.not_before(retry_at_, start_limit::retry_after);
  made.not_before(turn_at_, start_limit::ledger);
  return made;
}

ROBOTS_INLINE schedule host_state::soonest_start(const host_reservation& reserved,
                                                 const wall_anchor& anchor,
                                                 const gate_options& options) const {
  const host_request& request = reserved.request;
  schedule allowed = soonest(anchor.steady, options);
  allowed.not_before(request.at, start_limit::delay);
  keep_delay(allowed, last_, request.inputs, reserved.rules.get(), anchor, options);
  return allowed;
}

ROBOTS_INLINE std::chrono::nanoseconds host_state::delay_at(const host_reservation& reserved,
                                                            const wall_anchor& anchor,
                                                            const gate_options& options,
                                                            double draw) const {
  delay_inputs inputs = delays_at(reserved.rules.get(), anchor.at(anchor.steady));
  inputs.last_response = last_response_at(anchor.steady, options);
  return slowed(compute_delay(options.delay, inputs, draw).delay, anchor.steady, options);
}

ROBOTS_INLINE void host_state::keep_delay(schedule& made, const host_request& previous,
                                          delay_inputs inputs, const policy* rules,
                                          const wall_anchor& anchor,
                                          const gate_options& options) const {
  const time_point now = anchor.steady;
  constexpr int enough = 70;  // 32 rates and 32 windows, and then some
  for (int round = 0; round < enough; ++round) {
    inputs.request_rate = interval_at(rules, anchor.at(made.at));
    delay_inputs both = previous.number != 0 ? stricter(previous.inputs, inputs) : inputs;
    both.last_response = last_response_at(now, options);
    const computed_delay delay = compute_delay(options.delay, both, previous.draw);
    const time_point before = made.at;
    const auto gap = slowed(delay.delay, now, options);
    if (previous.number != 0) {
      made.not_before(base::saturating_add(previous.at, gap),
                      gap > delay.delay ? start_limit::slow_down : start_limit::delay);
    }
    if (previous.number == 0 || base::saturating_add(previous.at, gap) >= next_start_) {
      made.delay = delay;
      made.slowed = gap;
    }
    made.skip_host = delay.skip_host;
    if (rules != nullptr && !rules->visit_times().empty()) {
      const wall_time wanted = anchor.at(made.at);
      const std::vector<visit_time>& hours = rules->visit_times();
      const wall_time open = next_visit({hours.data(), hours.size()}, wanted);
      if (open > wanted) {
        made.not_before(anchor.at(open), start_limit::visit_time);
      }
    }
    if (made.at == before) {
      return;
    }
  }
}

ROBOTS_INLINE bool host_state::fits_before(const host_request& next, time_point when,
                                           const policy* rules, const wall_anchor& anchor,
                                           const gate_options& options) const {
  delay_inputs both = stricter(next.inputs, delays_at(rules, anchor.at(when)));
  both.last_response = last_response_at(anchor.steady, options);
  const auto gap = slowed(compute_delay(options.delay, both, 1.0).delay, anchor.steady, options);
  return base::saturating_add(when, gap) <= next.at;
}

ROBOTS_INLINE void host_state::line_up(const host_request& request) {
  const auto place =
      std::upper_bound(planned_.begin(), planned_.end(), request.at,
                       [](time_point at, const host_request& other) { return at < other.at; });
  planned_.insert(place, request);
}

ROBOTS_INLINE void host_state::leave_line(const host_request& request) noexcept {
  std::erase_if(planned_, [&](const host_request& one) { return one.number == request.number; });
}

ROBOTS_INLINE host_request host_state::noted(time_point started, const policy* rules, double draw,
                                             const wall_anchor& anchor) {
  return {.at = started,
          .inputs = delays_at(rules, anchor.at(started)),
          .draw = draw,
          .number = ++last_number_};
}

ROBOTS_INLINE void host_state::begin(const host_request& request, const gate_options& options,
                                     time_point now) {
  redirected_to_ = false;
  asked_ = false;
  count(request, options, now);
}

ROBOTS_INLINE void host_state::count(const host_request& request, const gate_options& options,
                                     time_point now) {
  if (last_.number == 0 || request.at >= last_.at) {
    last_ = request;
  }
  extend(request.at, now, options);
}

ROBOTS_INLINE std::chrono::nanoseconds host_state::duration_of(
    const request_report& report) noexcept {
  return std::clamp(report.response_time, std::chrono::nanoseconds{0}, longest_delay);
}

ROBOTS_INLINE void host_state::extend(time_point from, time_point now,
                                      const gate_options& options) {
  delay_inputs inputs = last_.inputs;
  inputs.last_response = last_response_at(now, options);
  const computed_delay delay = compute_delay(options.delay, inputs, last_.draw);
  const time_point until = base::saturating_add(from, slowed(delay.delay, now, options));
  if (until >= next_start_) {
    next_start_ = until;
    in_force_ = delay;
  }
}

ROBOTS_INLINE delay_inputs host_state::stricter(const delay_inputs& a,
                                                const delay_inputs& b) noexcept {
  return {.crawl_delay = std::max(a.crawl_delay, b.crawl_delay),
          .file_delay = std::max(a.file_delay, b.file_delay),
          .request_rate = std::max(a.request_rate, b.request_rate)};
}

ROBOTS_INLINE std::chrono::nanoseconds host_state::last_response_at(
    time_point now, const gate_options& options) const noexcept {
  return now < base::saturating_add(heard_at_, options.memory) ? last_response_
                                                               : std::chrono::nanoseconds{0};
}

ROBOTS_INLINE std::uint32_t host_state::overloads_at(time_point now,
                                                     const gate_options& options) const noexcept {
  return now < base::saturating_add(overloaded_at_, options.slow_down.lasts) ? overloads_ : 0;
}

ROBOTS_INLINE std::chrono::nanoseconds host_state::slowed(
    std::chrono::nanoseconds delay, time_point now, const gate_options& options) const noexcept {
  const slow_down_options& slow = options.slow_down;
  const std::uint32_t steps = overloads_at(now, options);
  if (steps == 0) {
    return delay;
  }
  std::chrono::nanoseconds longer = std::max(delay, slow.first);
  for (std::uint32_t step = 0; step < steps && longer < slow.most; ++step) {
    longer += std::min(longer, slow.most - longer);
  }
  return std::max(delay, std::min(longer, slow.most));
}

}  // namespace robots::polite_detail
