#pragma once

#include <robots/base/longest_delay.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/policy/policy.hpp>
#include <robots/polite/crawl_delay.hpp>
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

// The pace of one host: what a gate remembers of the requests and responses of a host, and the time
// of the next start that follows from them.
//
//     reserve --> planned_ (sorted by time) --start--> last_ --complete--> last_response_,
//                    |                          |                          overloads_, retry_at_
//                    +--cancel                  v
//                                          next_start_ = last start + delay for it
//
//     plan: 1. not before the present time, next_start_, retry_at_ and turn_at_
//           2. not before the delay after last_ is over, and within the hours of Visit-time
//           3. for each planned request, sorted by time: if the new request fits before it, done;
//              else step 2 again, with the planned request in place of last_
//
// At a later start, another Request-rate or Visit-time can apply. So step 2 repeats until the start
// no longer moves. Example: the Crawl-delay is 2 s, last_ was at 10 s, a request is planned for
// 13 s, and now is 11 s. Step 2 moves the start to 12 s. But 12 s is only 1 s before the planned
// request, so step 3 moves the start to 15 s.
//
// All members are called with the mutex of the gate. An object owns its planned requests. It knows
// neither its host nor its policy: each call brings the policy, since policies change.

namespace robots::polite_detail {

using delay_inputs = computed_delay::inputs;

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

/// The present time, the options of the gate, and a random number.
struct gate_moment : wall_anchor {
  const gate_options* options = nullptr;  // never null when a `host_state` uses it
  double draw = 0;                        // random, 0 to 1, for the delay after a new request
};

/// The start of a request, and the values from which the delay after this request is computed.
struct host_request {
  [[nodiscard]] friend bool operator==(const host_request&, const host_request&) = default;

  time_point at = (time_point::min)();  ///< the start; `time_point::min()` if there is no request
  delay_inputs inputs{};
  double draw = 0;
};

struct host_reservation {
  host_request request{};
  std::shared_ptr<const robots::policy> policy{};
  bool started = false;  // also true if cancelled
};

/// The pace of one host. All members take linear time in the number of reservations. The gate keeps
/// an object for each host that it remembers, so the object must stay small.
class host_state {
 public:
  /// Returns a plan that keeps the required delay between a new request and all other requests.
  [[nodiscard]] start_plan plan(const policy* site_policy, const gate_moment& now) const {
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

  /// Counts a reservation, or a thread that will soon make a reservation.
  void take() noexcept { ++outstanding_; }
  void give_back() noexcept { outstanding_ -= outstanding_ > 0 ? 1 : 0; }

  [[nodiscard]] host_reservation reserve(time_point planned,
                                         std::shared_ptr<const policy> site_policy,
                                         const gate_moment& now) {
    const host_request request = new_request(planned, site_policy.get(), now);
    enqueue(request);
    take();
    return {request, std::move(site_policy)};
  }

  /// Starts a reserved request. If the request may not start yet, returns the earliest time for it.
  [[nodiscard]] std::optional<time_point> start(host_reservation& reserved,
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

  /// Returns the claim for the ledger, or an empty result if the request cannot start now.
  [[nodiscard]] std::optional<PaceLedger::claim> claim(const host_reservation& reserved,
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

  /// Delays the next request until `held_until`, as the ledger has answered.
  ///
  /// If `held_until` is empty, the ledger has failed for too long. Then the N processes
  /// (`gate_options::ledger_users`) cannot take turns. Instead, each of them waits N times the
  /// longest delay between its requests. Example: with 4 processes and a delay of 2 s, each process
  /// sends a request every 8 s, so the host gets one every 2 s on average. The first request of a
  /// process waits for a random part of the 8 s, so that the processes do not start together.
  void wait_for_turn(const std::optional<time_point>& held_until, const host_reservation& reserved,
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

  /// Returns the earliest start of a request, without regard to reservations.
  [[nodiscard]] start_plan soonest(const gate_moment& now) const {
    return without_reservations(now).plan;
  }

  /// Completes a request. If `start` was not called, computes the start from the response time.
  void complete(host_reservation& reserved, const request_report& report, const gate_moment& now) {
    const bool has_started = reserved.started;
    cancel(reserved);
    if (!has_started) {
      reserved.request.at = (std::max)(reserved.request.at, now.steady - duration_of(report));
      begin(reserved.request, now);
    }
    add_response(report, now);
  }

  void cancel(host_reservation& reserved) noexcept {
    give_back();
    if (!std::exchange(reserved.started, true)) {
      dequeue(reserved.request);
    }
  }

  void add_request(const request_report& report, const policy* site_policy,
                   const gate_moment& now) {
    begin(new_request(now.steady - duration_of(report), site_policy, now), now);
    add_response(report, now);
  }

  /// Counts a request for a robots.txt, so that the next request waits for the delay after it.
  /// `fetched` is the time of the request. If the robots.txt is the one of this host, `own_policy`
  /// is the policy from it. If another host has redirected its robots.txt to this host,
  /// `own_policy` is null.
  ///
  /// Between two requests for pages, only the first request for the own robots.txt counts, and the
  /// first one after a redirect from another host. If all of them counted, they could delay pages
  /// forever. If `always` is true, the request counts in any case.
  void add_robots_request(time_point fetched, const policy* own_policy, bool always,
                          const gate_moment& now) {
    bool& is_counted = own_policy != nullptr ? robots_counted_ : redirect_counted_;
    if (own_policy != nullptr) {
      robots_fetched_at_ = (std::max)(robots_fetched_at_, fetched);
    }
    if (!std::exchange(is_counted, true) || always) {
      count(new_request((std::min)(fetched, now.steady), own_policy, now), now);
    }
  }

  /// Remembers the robots.txt that was fetched at `fetched` as one that needs no count, since no
  /// request for it went to this host.
  void skip_robots_request(time_point fetched) noexcept { skipped_robots_at_ = fetched; }

  /// Returns true if the robots.txt that was fetched at `fetched` is already counted or skipped, or
  /// if a later one is already counted. Then the gate has nothing to do for it.
  [[nodiscard]] bool knows_robots_request(time_point fetched) const noexcept {
    return fetched <= robots_fetched_at_ || fetched == skipped_robots_at_;
  }

  void add_response(const request_report& report, const gate_moment& now) {
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

  [[nodiscard]] std::uint32_t outstanding() const noexcept { return outstanding_; }

  /// Returns the time from which the gate may forget the host. Returns the maximum `time_point` if
  /// the host has reservations.
  [[nodiscard]] time_point needed_until(const gate_options& options) const noexcept {
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

 private:
  [[nodiscard]] time_point soonest_start(const host_reservation& reserved,
                                         const gate_moment& now) const {
    explained_plan allowed = without_reservations(now);
    allowed.plan.not_before(reserved.request.at, start_limit::delay);
    keep_delay(allowed, last_, reserved.policy.get(), now);
    return allowed.plan.at;
  }

  /// A delay between requests. `length` is longer than `delay` after 429 and 503.
  struct gap {
    [[nodiscard]] start_limit limit() const noexcept {
      return length > delay.delay ? start_limit::slow_down : start_limit::delay;
    }

    computed_delay delay{};
    std::chrono::nanoseconds length{0};
    std::uint32_t overloads = 0;  // the number of times that `delay` was doubled
  };

  /// A plan, and the end of the delay that its fields describe: the delay that ends last.
  struct explained_plan {
    void describe(const gap& described, time_point until) noexcept {
      plan.delay = described.delay;
      plan.slowed = described.length;
      plan.overloads = described.overloads;
      delayed_until = until;
    }

    start_plan plan{};
    time_point delayed_until = (time_point::min)();
  };

  [[nodiscard]] explained_plan without_reservations(const gate_moment& now) const {
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

  [[nodiscard]] gap gap_of(delay_inputs inputs, double draw, const gate_moment& now) const {
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

  /// Delays the start in `result` until the delay after `previous` is over and a Visit-time is
  /// open. Another rate or window can apply at the later start, so the loop repeats.
  void keep_delay(explained_plan& explained, const host_request& previous,
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

  void enqueue(const host_request& request) {
    std::forward_list<host_request> added{request};
    planned_.merge(added, [](const host_request& a, const host_request& b) { return a.at < b.at; });
  }

  void dequeue(const host_request& request) noexcept {
    bool is_found = false;  // another request can be equal
    planned_.remove_if(
        [&](const host_request& one) { return one == request && !std::exchange(is_found, true); });
  }

  [[nodiscard]] static host_request new_request(time_point start, const policy* site_policy,
                                                const gate_moment& now) {
    return {start, delays_at(site_policy, now.at(start)), now.draw};
  }

  void begin(const host_request& request, const gate_moment& now) {
    robots_counted_ = false;
    redirect_counted_ = false;
    count(request, now);
  }

  void count(const host_request& request, const gate_moment& now) {
    if (request.at >= last_.at) {
      last_ = request;
    }
    extend(request.at, now);
  }

  [[nodiscard]] static std::chrono::nanoseconds duration_of(const request_report& report) noexcept {
    return std::clamp(report.response_time, std::chrono::nanoseconds{0}, longest_delay);
  }

  /// Moves the next start to `begin` plus the delay for the last request. A next start that is
  /// already later does not move.
  void extend(time_point begin, const gate_moment& now) {
    const gap after = gap_of(last_.inputs, last_.draw, now);
    if (const time_point until = base::saturating_add(begin, after.length); until > next_start_) {
      next_start_ = until;
      delay_before_next_ = after;
    }
  }

  [[nodiscard]] static delay_inputs stricter(const delay_inputs& a,
                                             const delay_inputs& b) noexcept {
    return {.crawl_delay = (std::max)(a.crawl_delay, b.crawl_delay),
            .file_delay = (std::max)(a.file_delay, b.file_delay),
            .request_rate = (std::max)(a.request_rate, b.request_rate)};
  }

  [[nodiscard]] std::uint32_t overloads_at(const gate_moment& now) const noexcept {
    return now.steady < base::saturating_add(overloaded_at_, now.options->slow_down.lasts)
               ? overloads_
               : std::uint32_t{0};
  }

  static constexpr std::uint32_t most_overloads = 30;

  host_request last_;                        // the latest request that has started
  std::forward_list<host_request> planned_;  // requests that have not started, sorted by time
  time_point next_start_ = (time_point::min)();
  gap delay_before_next_{};  // the delay that ends at `next_start_`
  time_point retry_at_ = (time_point::min)();
  time_point turn_at_ = (time_point::min)();     // another process has the turn until this time
  time_point claimed_at_ = (time_point::min)();  // the time of the last claim
  std::chrono::nanoseconds last_response_{0};
  time_point responded_at_ = (time_point::min)();
  time_point overloaded_at_ = (time_point::min)();
  time_point robots_fetched_at_ = (time_point::min)();  // the last robots.txt; can be in the future
  time_point skipped_robots_at_ = (time_point::min)();  // the last `skip_robots_request`
  std::uint32_t outstanding_ = 0;
  std::uint8_t overloads_ = 0;
  bool robots_counted_ = false;    // the host's robots.txt was counted since the last page request
  bool redirect_counted_ = false;  // the same for the robots.txt of a host that redirects here
};

}  // namespace robots::polite_detail
