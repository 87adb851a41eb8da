#pragma once

#include <robots/policy/fwd.hpp>
#include <robots/polite/crawl_delay.hpp>
#include <robots/polite/gate_options.hpp>
#include <robots/polite/pace_ledger.hpp>
#include <robots/polite/request_report.hpp>
#include <robots/polite/start_plan.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <optional>

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
  [[nodiscard]] start_plan plan(const policy* site_policy, const gate_moment& now) const;

  /// Counts a reservation, or a thread that will soon make a reservation.
  void take() noexcept { ++outstanding_; }
  void give_back() noexcept { outstanding_ -= outstanding_ > 0 ? 1 : 0; }

  [[nodiscard]] host_reservation reserve(time_point planned,
                                         std::shared_ptr<const policy> site_policy,
                                         const gate_moment& now);

  /// Starts a reserved request. If the request may not start yet, returns the earliest time for it.
  [[nodiscard]] std::optional<time_point> start(host_reservation& reserved, const gate_moment& now);

  /// Returns the claim for the ledger, or an empty result if the request cannot start now.
  [[nodiscard]] std::optional<PaceLedger::claim> claim(const host_reservation& reserved,
                                                       const gate_moment& now);

  /// Delays the next request until `held_until`, as the ledger has answered.
  ///
  /// If `held_until` is empty, the ledger has failed for too long. Then the N processes
  /// (`gate_options::ledger_users`) cannot take turns. Instead, each of them waits N times the
  /// longest delay between its requests. Example: with 4 processes and a delay of 2 s, each process
  /// sends a request every 8 s, so the host gets one every 2 s on average. The first request of a
  /// process waits for a random part of the 8 s, so that the processes do not start together.
  void wait_for_turn(const std::optional<time_point>& held_until, const host_reservation& reserved,
                     const gate_moment& now);

  /// Returns the earliest start of a request, without regard to reservations.
  [[nodiscard]] start_plan soonest(const gate_moment& now) const;

  /// Completes a request. If `start` was not called, computes the start from the response time.
  void complete(host_reservation& reserved, const request_report& report, const gate_moment& now);

  void cancel(host_reservation& reserved) noexcept;

  void add_request(const request_report& report, const policy* site_policy, const gate_moment& now);

  /// Counts a request for a robots.txt, so that the next request waits for the delay after it.
  /// `fetched` is the time of the request. If the robots.txt is the one of this host, `own_policy`
  /// is the policy from it. If another host has redirected its robots.txt to this host,
  /// `own_policy` is null.
  ///
  /// Between two requests for pages, only the first request for the own robots.txt counts, and the
  /// first one after a redirect from another host. If all of them counted, they could delay pages
  /// forever. If `always` is true, the request counts in any case.
  void add_robots_request(time_point fetched, const policy* own_policy, bool always,
                          const gate_moment& now);

  /// Remembers the robots.txt that was fetched at `fetched` as one that needs no count, since no
  /// request for it went to this host.
  void skip_robots_request(time_point fetched) noexcept { skipped_robots_at_ = fetched; }

  /// Returns true if the robots.txt that was fetched at `fetched` is already counted or skipped, or
  /// if a later one is already counted. Then the gate has nothing to do for it.
  [[nodiscard]] bool knows_robots_request(time_point fetched) const noexcept {
    return fetched <= robots_fetched_at_ || fetched == skipped_robots_at_;
  }

  void add_response(const request_report& report, const gate_moment& now);

  [[nodiscard]] std::uint32_t outstanding() const noexcept { return outstanding_; }

  /// Returns the time from which the gate may forget the host. Returns the maximum `time_point` if
  /// the host has reservations.
  [[nodiscard]] time_point needed_until(const gate_options& options) const noexcept;

 private:
  [[nodiscard]] time_point soonest_start(const host_reservation& reserved,
                                         const gate_moment& now) const;

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

  [[nodiscard]] explained_plan without_reservations(const gate_moment& now) const;

  [[nodiscard]] gap gap_of(delay_inputs inputs, double draw, const gate_moment& now) const;

  /// Delays the start in `result` until the delay after `previous` is over and a Visit-time is
  /// open. Another rate or window can apply at the later start, so the loop repeats.
  void keep_delay(explained_plan& explained, const host_request& previous,
                  const policy* site_policy, const gate_moment& now) const;

  void enqueue(const host_request& request);

  void dequeue(const host_request& request) noexcept;

  [[nodiscard]] static host_request new_request(time_point start, const policy* site_policy,
                                                const gate_moment& now);

  void begin(const host_request& request, const gate_moment& now);

  void count(const host_request& request, const gate_moment& now);

  [[nodiscard]] static std::chrono::nanoseconds duration_of(const request_report& report) noexcept;

  /// Moves the next start to `begin` plus the delay for the last request. A next start that is
  /// already later does not move.
  void extend(time_point begin, const gate_moment& now);

  [[nodiscard]] static delay_inputs stricter(const delay_inputs& a, const delay_inputs& b) noexcept;

  [[nodiscard]] std::uint32_t overloads_at(const gate_moment& now) const noexcept;

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

#ifndef ROBOTS_COMPILED
#include <robots/polite/detail/host_state.bodies.hpp>
#endif
