#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/policy/policy.hpp>
#include <robots/polite/crawl_delay.hpp>
#include <robots/polite/detail/policy_delays.hpp>
#include <robots/polite/gate_options.hpp>
#include <robots/polite/pace_ledger.hpp>
#include <robots/polite/request_report.hpp>
#include <robots/polite/restraints.hpp>
#include <robots/polite/schedule.hpp>
#include <robots/polite/visit_window.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace robots::polite_detail {

/// A request to a host, made or to come: when, and what the delay after it is computed from.
struct host_request {
  time_point at = time_point::min();
  delay_inputs inputs{};     // of the rules it was planned by
  double draw = 0;           // for the delay after it
  std::uint64_t number = 0;  // from 1, in the order of planning; 0: none
};

/// A place in the line of a host, from its reservation to its end.
struct host_reservation {
  host_request request{};
  std::shared_ptr<const policy> rules{};
  bool started = false;  // or given back
};

/// The pace of one host: a value that is told what happened and answers what may happen when.
/// Knows neither clock nor lock. All members take time linear in the reservations.
class host_state {
 public:
  /// When the next request may start. `anchor.steady` is the present moment.
  [[nodiscard]] schedule plan(const wall_anchor& anchor, const restraints& limits,
                              const gate_options& options) const {
    const time_point now = anchor.steady;
    schedule made = soonest(now, options);
    if (limits.breaker_open_until) {
      made.not_before(*limits.breaker_open_until, start_limit::breaker);
    }
    const policy* const rules = limits.rules.get();
    keep_delay(made, last_, rules, anchor, options);
    for (const host_request& next : planned_) {
      if (fits_before(next, made.at, rules, anchor, options)) {
        break;
      }
      keep_delay(made, next, rules, anchor, options);
    }
    made.can_reserve = outstanding_ < options.concurrency;
    return made;
  }

  /// Takes a place in the line at the time that `planned` says. `draw` is a uniform random number.
  [[nodiscard]] host_reservation reserve(const schedule& planned, const wall_anchor& anchor,
                                         std::shared_ptr<const policy> rules, double draw) {
    host_reservation made{.rules = std::move(rules)};
    made.request = {.at = planned.at,
                    .inputs = delays_at(made.rules.get(), anchor.at(planned.at)),
                    .draw = draw,
                    .number = ++last_number_};
    line_up(made.request);
    ++outstanding_;
    return made;
  }

  /// Whether the request may start now: nothing, or the moment before which to ask again. Where the
  /// reserved time has come it may start, unless meanwhile another request started late, the host
  /// asked for a pause, or the hours of Visit-time ended.
  [[nodiscard]] std::optional<time_point> start(host_reservation& reserved,
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

  /// What others must know before the request starts now; nothing when it may not, for reasons of
  /// its own.
  [[nodiscard]] std::optional<pace_claim> claim(const host_reservation& reserved,
                                                const wall_anchor& anchor,
                                                const gate_options& options) {
    const time_point now = anchor.steady;
    if (soonest_start(reserved, anchor, options).at > now) {
      return std::nullopt;
    }
    const delay_inputs asked = delays_at(reserved.rules.get(), anchor.wall);
    pace_claim result{.least = gap_of(asked, 0.0, now, options).length,
                      .after = gap_of(asked, reserved.request.draw, now, options).length};
    if (claimed_at_ != time_point::min()) {
      result.last_asked = now - claimed_at_;
    }
    claimed_at_ = now;
    return result;
  }

  /// No request starts before: others are there, too.
  void wait_for_turn(time_point until) noexcept { turn_at_ = until; }

  /// The same where the others cannot be asked: each of so many processes keeps so many times the
  /// longest delay, so that in step they keep their distance. One that knows of no request of its
  /// own begins anywhere in between.
  void go_alone(const host_reservation& reserved, const wall_anchor& anchor,
                const gate_options& options) {
    const time_point now = anchor.steady;
    const gap longest = gap_of(delays_at(reserved.rules.get(), anchor.wall), 1.0, now, options);
    const auto pause =
        bounded_delay(static_cast<double>(longest.length.count()) * options.ledger_users);
    if (last_.number != 0) {
      turn_at_ = base::saturating_add(last_.at, pause);
    } else if (turn_at_ == time_point::min()) {
      turn_at_ = base::saturating_add(
          now, bounded_delay(static_cast<double>(pause.count()) * reserved.request.draw));
    }
  }

  /// When a request might start by what is known here.
  [[nodiscard]] time_point next_start(time_point now, const gate_options& options) const {
    return soonest(now, options).at;
  }

  /// Ends a request. One that was never started counts as started as late as its response time
  /// leaves possible.
  void complete(host_reservation& reserved, const request_report& report, time_point now,
                const gate_options& options) {
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

  /// Gives a place back. Where the request was started, all that is lost is what came of it.
  void cancel(host_reservation& reserved) noexcept {
    release();
    if (!reserved.started) {
      reserved.started = true;
      leave_line(reserved.request);
    }
  }

  /// Takes notice of a request that was made without a place in the line.
  void note(time_point started, const policy* rules, double draw, const wall_anchor& anchor,
            const gate_options& options) {
    begin(noted(started, rules, draw, anchor), options, anchor.steady);
  }

  /// The same for a request that another site's redirect led to. Between two requests of the
  /// crawler's own only the first such one counts: so others cannot keep it from the host.
  void note_redirected(time_point started, double draw, const wall_anchor& anchor,
                       const gate_options& options) {
    if (!redirected_to_) {
      count(noted(started, nullptr, draw, anchor), options, anchor.steady);
      redirected_to_ = true;
    }
  }

  /// The same for what `limits` tell of, where that is news. Here, too, the first one counts: so a
  /// robots.txt that has to be fetched for each call does not keep a crawler from the host.
  void note(const restraints& limits, double draw, const wall_anchor& anchor,
            const gate_options& options) {
    if (limits.asked_at && *limits.asked_at > asked_at_) {
      asked_at_ = *limits.asked_at;
      if (!asked_) {
        const time_point started = std::min(*limits.asked_at, anchor.steady);
        count(noted(started, limits.rules.get(), draw, anchor), options, anchor.steady);
        asked_ = true;
      }
    }
  }

  /// Takes notice of a response to such a request.
  void hear(const request_report& report, time_point now, const gate_options& options) {
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

  /// How many places are taken and not given back.
  [[nodiscard]] std::uint32_t outstanding() const noexcept { return outstanding_; }

  /// Until when it must be remembered: from then on, a host of which nothing is known would be
  /// paced the same. The end of time while a place is taken.
  [[nodiscard]] time_point needed_until(const gate_options& options) const noexcept {
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

 private:
  /// What is known without looking at the line.
  [[nodiscard]] schedule soonest(time_point now, const gate_options& options) const {
    schedule made{.at = now, .delay = in_force_, .slowed = slowed(in_force_.delay, now, options)};
    made.overloads = overloads_at(now, options);
    made.not_before(next_start_,
                    made.slowed > in_force_.delay ? start_limit::slow_down : start_limit::delay);
    made.not_before(retry_at_, start_limit::retry_after);
    made.not_before(turn_at_, start_limit::ledger);
    return made;
  }

  /// When a reserved request may start.
  [[nodiscard]] schedule soonest_start(const host_reservation& reserved, const wall_anchor& anchor,
                                       const gate_options& options) const {
    schedule allowed = soonest(anchor.steady, options);
    allowed.not_before(reserved.request.at, start_limit::delay);
    keep_delay(allowed, last_, reserved.rules.get(), anchor, options);
    return allowed;
  }

  /// A delay, and how long it is as the answers 429 and 503 have made it.
  struct gap {
    computed_delay delay{};
    std::chrono::nanoseconds length{0};
  };

  /// The gap that rules ask for, as things are now.
  [[nodiscard]] gap gap_of(delay_inputs inputs, double draw, time_point now,
                           const gate_options& options) const {
    if (now < base::saturating_add(heard_at_, options.memory)) {
      inputs.last_response = last_response_;
    }
    const computed_delay delay = compute_delay(options.delay, inputs, draw);
    return {delay, slowed(delay.delay, now, options)};
  }

  /// Puts `made` as far behind `previous` as the delay between the two asks for, and into the hours
  /// of Visit-time. What either request's rules ask for is kept. A later time can mean another rate
  /// and another window, so this goes on until nothing changes.
  void keep_delay(schedule& made, const host_request& previous, const policy* rules,
                  const wall_anchor& anchor, const gate_options& options) const {
    constexpr int enough = 70;  // 32 rates and 32 windows, and then some
    for (int round = 0; round < enough; ++round) {
      const auto [delay, length] =
          gap_of(stricter(previous.inputs, delays_at(rules, anchor.at(made.at))), previous.draw,
                 anchor.steady, options);
      const time_point before = made.at;
      const time_point until = base::saturating_add(previous.at, length);
      if (previous.number != 0) {
        made.not_before(until, length > delay.delay ? start_limit::slow_down : start_limit::delay);
      }
      if (previous.number == 0 || until >= next_start_) {
        made.delay = delay;
        made.slowed = length;
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

  /// Whether a request at `when` leaves the delay before `next`, whatever is drawn for it.
  [[nodiscard]] bool fits_before(const host_request& next, time_point when, const policy* rules,
                                 const wall_anchor& anchor, const gate_options& options) const {
    const gap least = gap_of(stricter(next.inputs, delays_at(rules, anchor.at(when))), 1.0,
                             anchor.steady, options);
    return base::saturating_add(when, least.length) <= next.at;
  }

  void line_up(const host_request& request) {
    const auto place =
        std::upper_bound(planned_.begin(), planned_.end(), request.at,
                         [](time_point at, const host_request& other) { return at < other.at; });
    planned_.insert(place, request);
  }

  void leave_line(const host_request& request) noexcept {
    std::erase_if(planned_, [&](const host_request& one) { return one.number == request.number; });
  }

  void release() noexcept { outstanding_ -= outstanding_ > 0 ? 1 : 0; }

  [[nodiscard]] host_request noted(time_point started, const policy* rules, double draw,
                                   const wall_anchor& anchor) {
    return {.at = started,
            .inputs = delays_at(rules, anchor.at(started)),
            .draw = draw,
            .number = ++last_number_};
  }

  /// A request of the crawler's own.
  void begin(const host_request& request, const gate_options& options, time_point now) {
    redirected_to_ = false;
    asked_ = false;
    count(request, options, now);
  }

  /// Any request: the next one keeps its distance.
  void count(const host_request& request, const gate_options& options, time_point now) {
    if (last_.number == 0 || request.at >= last_.at) {
      last_ = request;
    }
    extend(request.at, now, options);
  }

  [[nodiscard]] static std::chrono::nanoseconds duration_of(const request_report& report) noexcept {
    return std::clamp(report.response_time, std::chrono::nanoseconds{0}, longest_delay);
  }

  /// Nothing starts before the delay after the last request, counted from `from`, has passed.
  void extend(time_point from, time_point now, const gate_options& options) {
    const gap after = gap_of(last_.inputs, last_.draw, now, options);
    const time_point until = base::saturating_add(from, after.length);
    if (until >= next_start_) {
      next_start_ = until;
      in_force_ = after.delay;
    }
  }

  /// What both ask for.
  [[nodiscard]] static delay_inputs stricter(const delay_inputs& a,
                                             const delay_inputs& b) noexcept {
    return {.crawl_delay = std::max(a.crawl_delay, b.crawl_delay),
            .file_delay = std::max(a.file_delay, b.file_delay),
            .request_rate = std::max(a.request_rate, b.request_rate)};
  }

  [[nodiscard]] std::uint32_t overloads_at(time_point now,
                                           const gate_options& options) const noexcept {
    return now < base::saturating_add(overloaded_at_, options.slow_down.lasts) ? overloads_ : 0;
  }

  /// A delay as long as the answers 429 and 503 have made it.
  [[nodiscard]] std::chrono::nanoseconds slowed(std::chrono::nanoseconds delay, time_point now,
                                                const gate_options& options) const noexcept {
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

  static constexpr std::uint32_t most_overloads = 30;

  host_request last_;                  // of those that were started, the latest
  std::vector<host_request> planned_;  // those that were not started, by time
  time_point next_start_ = time_point::min();
  time_point retry_at_ = time_point::min();
  time_point turn_at_ = time_point::min();     // for the others' sake
  time_point claimed_at_ = time_point::min();  // when the others were asked last
  computed_delay in_force_;                    // what `next_start_` rests on
  std::chrono::nanoseconds last_response_{0};
  time_point heard_at_ = time_point::min();
  time_point overloaded_at_ = time_point::min();
  time_point asked_at_ = time_point::min();  // as it was told, even if that lies ahead
  std::uint64_t last_number_ = 0;
  std::uint32_t overloads_ = 0;
  std::uint32_t outstanding_ = 0;
  bool redirected_to_ = false;  // since the last request of the crawler's own, as is the next
  bool asked_ = false;          // for what `restraints::asked_at` tells of
};

}  // namespace robots::polite_detail
