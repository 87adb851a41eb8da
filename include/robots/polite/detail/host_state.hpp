#pragma once

#include <robots/polite/crawl_delay.hpp>
#include <robots/polite/gate_options.hpp>
#include <robots/polite/pace_ledger.hpp>
#include <robots/polite/request_report.hpp>
#include <robots/polite/restraints.hpp>
#include <robots/polite/schedule.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/wall_time.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
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
                              const gate_options& options) const;

  /// Takes a place in the line at the time that `planned` says. `draw` is a uniform random number.
  [[nodiscard]] host_reservation reserve(const schedule& planned, const wall_anchor& anchor,
                                         std::shared_ptr<const policy> rules, double draw);

  /// Whether the request may start now: nothing, or the moment before which to ask again. Where the
  /// reserved time has come it may start, unless meanwhile another request started late, the host
  /// asked for a pause, or the hours of Visit-time ended.
  [[nodiscard]] std::optional<time_point> start(host_reservation& reserved,
                                                const wall_anchor& anchor,
                                                const gate_options& options);

  /// What others must know before the request starts now; nothing when it may not, for reasons of
  /// its own.
  [[nodiscard]] std::optional<pace_claim> claim(const host_reservation& reserved,
                                                const wall_anchor& anchor,
                                                const gate_options& options);

  /// No request starts before: others are there, too.
  void wait_for_turn(time_point until) noexcept { turn_at_ = until; }

  /// The same where the others cannot be asked: each of so many processes keeps so many times the
  /// longest delay, so that in step they keep their distance. One that knows of no request of its
  /// own begins anywhere in between.
  void go_alone(const host_reservation& reserved, const wall_anchor& anchor,
                const gate_options& options);

  /// When a request might start by what is known here.
  [[nodiscard]] time_point next_start(time_point now, const gate_options& options) const;

  /// Ends a request. One that was never started counts as started as late as its response time
  /// leaves possible.
  void complete(host_reservation& reserved, const request_report& report, time_point now,
                const gate_options& options);

  /// Gives a place back. Where the request was started, all that is lost is what came of it.
  void cancel(host_reservation& reserved) noexcept;

  /// Takes notice of a request that was made without a place in the line.
  void note(time_point started, const policy* rules, double draw, const wall_anchor& anchor,
            const gate_options& options);

  /// The same for a request that another site's redirect led to. Between two requests of the
  /// crawler's own only the first such one counts: so others cannot keep it from the host.
  void note_redirected(time_point started, double draw, const wall_anchor& anchor,
                       const gate_options& options);

  /// The same for what `limits` tell of, where that is news. Here, too, the first one counts: so a
  /// robots.txt that has to be fetched for each call does not keep a crawler from the host.
  void note(const restraints& limits, double draw, const wall_anchor& anchor,
            const gate_options& options);

  /// Takes notice of a response to such a request.
  void hear(const request_report& report, time_point now, const gate_options& options);

  /// How many places are taken and not given back.
  [[nodiscard]] std::uint32_t outstanding() const noexcept { return outstanding_; }

  /// Until when it must be remembered: from then on, a host of which nothing is known would be
  /// paced the same. The end of time while a place is taken.
  [[nodiscard]] time_point needed_until(const gate_options& options) const noexcept;

 private:
  /// What is known without looking at the line.
  [[nodiscard]] schedule soonest(time_point now, const gate_options& options) const;

  /// When a reserved request may start.
  [[nodiscard]] schedule soonest_start(const host_reservation& reserved, const wall_anchor& anchor,
                                       const gate_options& options) const;

  /// The delay around a request that starts now.
  [[nodiscard]] std::chrono::nanoseconds delay_at(const host_reservation& reserved,
                                                  const wall_anchor& anchor,
                                                  const gate_options& options, double draw) const;

  /// Puts `made` as far behind `previous` as the delay between the two asks for, and into the hours
  /// of Visit-time. What either request's rules ask for is kept. A later time can mean another rate
  /// and another window, so this goes on until nothing changes.
  void keep_delay(schedule& made, const host_request& previous, delay_inputs inputs,
                  const policy* rules, const wall_anchor& anchor,
                  const gate_options& options) const;

  /// Whether a request at `when` leaves the delay before `next`, whatever is drawn for it.
  [[nodiscard]] bool fits_before(const host_request& next, time_point when, const policy* rules,
                                 const wall_anchor& anchor, const gate_options& options) const;

  void line_up(const host_request& request);

  void leave_line(const host_request& request) noexcept;

  void release() noexcept { outstanding_ -= outstanding_ > 0 ? 1 : 0; }

  [[nodiscard]] host_request noted(time_point started, const policy* rules, double draw,
                                   const wall_anchor& anchor);

  /// A request of the crawler's own.
  void begin(const host_request& request, const gate_options& options, time_point now);

  /// Any request: the next one keeps its distance.
  void count(const host_request& request, const gate_options& options, time_point now);

  [[nodiscard]] static std::chrono::nanoseconds duration_of(const request_report& report) noexcept;

  /// Nothing starts before the delay after the last request, counted from `from`, has passed.
  void extend(time_point from, time_point now, const gate_options& options);

  /// What both ask for.
  [[nodiscard]] static delay_inputs stricter(const delay_inputs& a, const delay_inputs& b) noexcept;

  [[nodiscard]] std::chrono::nanoseconds last_response_at(
      time_point now, const gate_options& options) const noexcept;

  [[nodiscard]] std::uint32_t overloads_at(time_point now,
                                           const gate_options& options) const noexcept;

  /// A delay as long as the answers 429 and 503 have made it.
  [[nodiscard]] std::chrono::nanoseconds slowed(std::chrono::nanoseconds delay, time_point now,
                                                const gate_options& options) const noexcept;

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

#ifndef ROBOTS_COMPILED
#include <robots/polite/detail/host_state.ipp>
#endif
