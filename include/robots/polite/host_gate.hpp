#pragma once

#include <robots/base/counter_random.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fwd.hpp>
#include <robots/polite/admission_stats.hpp>
#include <robots/polite/detail/host_state.hpp>
#include <robots/polite/detail/host_table.hpp>
#include <robots/polite/detail/reservation_queue.hpp>
#include <robots/polite/detail/shared_pace.hpp>
#include <robots/polite/gate_options.hpp>
#include <robots/polite/request_report.hpp>
#include <robots/polite/restraints.hpp>
#include <robots/polite/schedule.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/steady_clock.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace robots {

/// What a gate has done since its construction.
struct gate_stats {
  admission_stats answers{};    ///< to those who asked for a reservation
  std::uint64_t started = 0;    ///< requests that a reservation was used for
  std::uint64_t cancelled = 0;  ///< reservations that were given back without a request
  std::uint64_t withdrawn = 0;  ///< of these, those whose URL was no longer allowed at its time
  std::size_t hosts = 0;        ///< hosts remembered now
};

/// Whether a reserved request may start.
enum class start_state : std::uint8_t {
  go,       ///< now
  wait,     ///< not yet
  refused,  ///< no more: there is no place, or it was given back
};

/// What `reservation::start` says.
struct start_result {
  start_state state = start_state::refused;  ///< whether to go
  time_point ask_again = time_point::max();  ///< with `start_state::wait`, not before this

  /// Returns true if the request may start now.
  [[nodiscard]] explicit operator bool() const noexcept { return state == start_state::go; }
};

/// Paces the requests of many threads to many hosts: tells each when it may go, so that between two
/// starts at one host the delay in force has passed, and learns from what the hosts answer.
///
///     auto got = gate.acquire(url, {.rules = decision.policy});  // waits for its turn
///     const auto response = fetch(url);
///     got.reservation.complete(report_of(response, how_long, std::chrono::system_clock::now()));
///
/// Hosts are told apart by `gate_options::key`. For each there are so many reservations at a time
/// as `gate_options::concurrency` says; who waits for one is served in order of arrival. A
/// reservation that is dropped gives its place back. What nobody needs any more is forgotten, and
/// never sooner: while a request is under way, a delay, a pause or a slow-down lasts, or
/// `gate_options::memory` has not passed, a host is remembered. Only where there are
/// `gate_options::max_hosts`, one that wants to be left alone for longer than
/// `gate_options::longest_memory` makes room for another.
///
/// When to use which: threads that may block call `acquire`. An event loop calls `try_reserve`,
/// waits until `reservation::at()`, and asks `reservation::start()` whether that still holds; or
/// asks `try_acquire` now and then. `next_allowed_at` changes nothing and is what a frontier sorts
/// by.
///
/// All members may be called from any thread. No call but `reserve` and `acquire` blocks, unless
/// there is a `gate_options::ledger` to be asked or told; each takes logarithmic time in the hosts
/// beside the wait and the key. Throws nothing but `std::bad_alloc` and what the functions of the
/// options throw.
template <Clock C>
class basic_host_gate {
  struct shared_state;
  using host = polite_detail::known_host;

 public:
  /// The right to make one request, once its time has come. Gives its place back when it is
  /// destroyed. One thread at a time; may outlive the gate.
  class reservation {
   public:
    /// No right at all.
    reservation() = default;
    /// Leaves nothing behind.
    reservation(reservation&& other) noexcept = default;
    /// Gives its own place back and takes over the other's.
    reservation& operator=(reservation&& other) noexcept {
      if (this != &other) {
        cancel();
        gate_ = std::move(other.gate_);
        host_ = other.host_;
        place_ = std::move(other.place_);
        look_again_ = std::move(other.look_again_);
        report_ = std::move(other.report_);
        reason_ = other.reason_;
        withdrawals_ = other.withdrawals_;
      }
      return *this;
    }
    reservation(const reservation&) = delete;
    reservation& operator=(const reservation&) = delete;
    ~reservation() { cancel(); }

    /// Whether there is a place to use or to give back.
    [[nodiscard]] explicit operator bool() const noexcept { return gate_ != nullptr; }

    /// The time of the request: when it may start or, once it has, when it did. The end of time
    /// without a place.
    [[nodiscard]] time_point at() const noexcept {
      return gate_ ? place_.request.at : time_point::max();
    }

    /// `go`, or why `start()` gave the place back.
    [[nodiscard]] admission_reason reason() const noexcept { return reason_; }

    /// Returns whether the request may start now. Call it right before the request.
    /// `start_state::wait` means that `at()` has not come yet, or that the host needs more time by
    /// now: another request started late, or a response had a Retry-After.
    ///
    /// Once its time has come, or `withdraw` was called, a reservation made by a `basic_admission`
    /// asks for the decision on its URL again. Where that allows no more, the place is given back:
    /// see `reason()`. Any other one is, when `withdraw` was called.
    [[nodiscard]] start_result start() {
      if (!gate_) {
        return {};
      }
      if (place_.started) {
        return {.state = start_state::go};
      }
      for (;;) {
        const std::uint64_t withdrawals = host_->withdrawals;
        const bool is_withdrawn = withdrawals != withdrawals_;
        if (is_withdrawn || (look_again_ && gate_->clock.now() >= at())) {
          reason_ = look_again_ ? look_again_() : admission_reason::halted;
          if (reason_ != admission_reason::go) {
            gate_->withdrawn.fetch_add(1, std::memory_order_relaxed);
            cancel();
            return {};
          }
          withdrawals_ = withdrawals;
        }
        const wall_anchor now =
            gate_->pace ? gate_->take_turn(*host_, place_) : read_clock(gate_->clock);
        const std::scoped_lock lock{gate_->mutex};
        if (host_->withdrawals == withdrawals_) {
          const auto until = host_->state.start(place_, now, gate_->options);
          gate_->started += until ? 0 : 1;
          return until ? start_result{start_state::wait, *until}
                       : start_result{.state = start_state::go};
        }
      }
    }

    /// Has `start()` ask `allowed` whether the request is still wanted, once its time has come or
    /// `withdraw` was called: anything but `go` gives the place back.
    void look_again_by(std::function<admission_reason()> allowed) {
      look_again_ = std::move(allowed);
    }

    /// Has `complete()` tell `report` of the request, too.
    void report_to(std::function<void(const request_report&)> report) {
      report_ = std::move(report);
    }

    /// Tells what came of the request and gives the place back. Without effect without a place:
    /// the second time, say. A reservation made by a `basic_admission` reports the status to its
    /// source, as `basic_robots_cache::report_response` does; reporting it there, too, does no
    /// harm.
    void complete(const request_report& report) {
      if (const auto gate = std::exchange(gate_, nullptr)) {
        const time_point now = gate->clock.now();
        std::unique_lock lock{gate->mutex};
        const auto pause = gate->change(*host_, now, [&](polite_detail::host_state& state) {
          gate->started += place_.started ? 0 : 1;
          state.complete(place_, report, now, gate->options);
        });
        gate->hosts.hand_on(*host_);
        lock.unlock();
        gate->tell_others(pause, now);
        if (report_) {
          report_(report);
        }
      }
    }

    /// Gives the place back. A request that has started counts as made, else as never planned.
    void cancel() noexcept {
      if (const auto gate = std::exchange(gate_, nullptr)) {
        const std::scoped_lock lock{gate->mutex};
        gate->cancelled += place_.started ? 0 : 1;
        host_->state.cancel(place_);
        gate->hosts.hand_on(*host_);
      }
    }

   private:
    friend class basic_host_gate;

    /// Sleeps until `when`, unless it is withdrawn or `stop` requested.
    void sleep_until(time_point when, const std::stop_token& stop) {
      std::stop_source awake;
      const auto wake = [&awake] { awake.request_stop(); };
      std::stop_token withdrawn;
      {
        const std::scoped_lock lock{gate_->mutex};
        if (host_->withdrawals != withdrawals_) {
          return;
        }
        if (!host_->sleepers.stop_possible()) {
          host_->sleepers = std::stop_source{};
        }
        withdrawn = host_->sleepers.get_token();
      }
      const std::stop_callback when_stopped{stop, wake};
      const std::stop_callback when_withdrawn{withdrawn, wake};
      gate_->clock.sleep_until(when, awake.get_token());
    }

    reservation(std::shared_ptr<shared_state> gate, host& where,
                polite_detail::host_reservation place, std::uint64_t withdrawals)
        : gate_(std::move(gate)),
          host_(&where),
          place_(std::move(place)),
          withdrawals_(withdrawals) {}

    std::shared_ptr<shared_state> gate_;
    host* host_ = nullptr;
    polite_detail::host_reservation place_;
    std::function<admission_reason()> look_again_;
    std::function<void(const request_report&)> report_;
    admission_reason reason_ = admission_reason::go;
    std::uint64_t withdrawals_ = 0;  // of the host, that the place is not subject to
  };

  /// A reservation, or why there is none.
  struct answer {
    admission_reason reason = admission_reason::invalid_url;  ///< `go`, or why not
    schedule plan{};                                          ///< when, and why not sooner
    time_point planned_at{};  ///< when the plan was made: what came before was waiting for a place
    basic_host_gate::reservation reservation{};  ///< empty unless `reason` is `go`

    /// Whether there is a reservation.
    [[nodiscard]] explicit operator bool() const noexcept { return reason == admission_reason::go; }
  };

  /// Throws `std::invalid_argument` when the options contradict themselves; see `validate`.
  explicit basic_host_gate(gate_options options = {}, C clock = {})
      : state_(std::make_shared<shared_state>(std::move(options), std::move(clock))) {}

  basic_host_gate(const basic_host_gate&) = delete;
  basic_host_gate& operator=(const basic_host_gate&) = delete;
  ~basic_host_gate() = default;

  /// When the next request for `url` may start, and why not sooner. Changes nothing.
  [[nodiscard]] schedule next_allowed_at(std::string_view url,
                                         const restraints& limits = {}) const {
    const std::string key = state_->options.key(url);
    const wall_anchor now = read_clock(state_->clock);
    polite_detail::host_state copy;
    {
      const std::scoped_lock lock{state_->mutex};
      if (const host* const known = state_->hosts.find(key)) {
        copy = known->state;
      }
    }
    copy.note(limits, longest_draw, now, state_->options);
    return copy.plan(now, limits, state_->options);
  }

  /// A place in the line of the host, if one is free now.
  [[nodiscard]] answer try_reserve(std::string_view url, const restraints& limits = {}) {
    return counted(enter(url, limits, {}, if_busy::refuse));
  }

  /// The same, but waits until one is free. Then `reservation::at()` may still lie ahead, though
  /// not behind the deadline.
  [[nodiscard]] answer reserve(std::string_view url, const restraints& limits = {},
                               const call_options& call = {}) {
    return counted(enter(url, limits, call, if_busy::wait));
  }

  /// A reservation for a request that starts now, if one may.
  [[nodiscard]] answer try_acquire(std::string_view url, const restraints& limits = {}) {
    answer made = enter(url, limits, {}, if_busy::refuse, latest::now);
    if (made) {
      const start_result started = made.reservation.start();
      if (started.state == start_state::refused) {
        made.reason = made.reservation.reason();
      } else if (started.state == start_state::wait) {
        refuse(made, admission_reason::not_yet);
        made.plan = next_allowed_at(url, limits);
        made.plan.not_before(started.ask_again, start_limit::delay);
      }
    }
    return counted(std::move(made));
  }

  /// A reservation for a request that starts now, after waiting until it may. `look_again`, if
  /// given, is as for `reservation::look_again_by`; it is not asked where there was no wait.
  [[nodiscard]] answer acquire(std::string_view url, const restraints& limits = {},
                               const call_options& call = {},
                               std::function<admission_reason()> look_again = {}) {
    const time_point asked = state_->clock.now();
    answer made = enter(url, limits, call, if_busy::wait);
    while (made.reason == admission_reason::halted && look_again) {
      // Others at this host may have been meant.
      made.reason = look_again();
      if (!made) {
        break;
      }
      made = enter(url, limits, call, if_busy::wait);
    }
    if (made && (made.plan.at > asked || made.planned_at > asked)) {
      made.reservation.look_again_by(std::move(look_again));
    }
    while (made) {
      const start_result started = made.reservation.start();
      if (started) {
        break;
      }
      if (started.state == start_state::refused) {
        made.reason = made.reservation.reason();
        break;
      }
      if (call.deadline && started.ask_again > *call.deadline) {
        refuse(made, admission_reason::too_late);
        break;
      }
      // In steps, since not every clock can wait for the end of time.
      const time_point now = state_->clock.now();
      made.reservation.sleep_until(
          std::min(started.ask_again, base::saturating_add(now, std::chrono::hours{1})), call.stop);
      if (call.stop.stop_requested()) {
        refuse(made, admission_reason::stopped);
      }
    }
    return counted(std::move(made));
  }

  /// Refuses all requests in the line of the host of `url` that have not started: callers that wait
  /// are woken, and reservations are refused when they are to start, by `admission_reason::halted`.
  /// A request that has a function to ask whether it is still allowed (`look_again_by`) goes by
  /// that instead. Later requests are not affected.
  void withdraw(std::string_view url) {
    const std::string key = state_->options.key(url);
    std::stop_source sleepers{std::nostopstate};
    {
      const std::scoped_lock lock{state_->mutex};
      host* const where = state_->hosts.find(key);
      if (where == nullptr) {
        return;
      }
      ++where->withdrawals;
      std::swap(sleepers, where->sleepers);
      where->queue.refuse_all();
      state_->hosts.hand_on(*where);
    }
    sleepers.request_stop();  // without the lock, since it calls what the clock waits by
  }

  /// Tells of a request that was made without a reservation, such as that for robots.txt: the next
  /// one keeps its distance.
  void note_request(std::string_view url, time_point started, const restraints& limits = {}) {
    with_host(url, [&](polite_detail::host_state& state, const wall_anchor& now, double draw) {
      state.note(std::min(started, now.steady), limits.rules.get(), draw, now, state_->options);
    });
  }

  /// Tells of a request to `url` that a redirect of another host led to. The next one keeps its
  /// distance from the first of these; the others do not put it off, so that redirects, however
  /// many, do not keep a crawler from the host.
  void note_redirected(std::string_view url, time_point started) {
    with_host(url, [&](polite_detail::host_state& state, const wall_anchor& now, double draw) {
      state.note_redirected(std::min(started, now.steady), draw, now, state_->options);
    });
  }

  /// Tells what came of a request that was made without a reservation.
  void note_response(std::string_view url, const request_report& report) {
    with_host(url, [&](polite_detail::host_state& state, const wall_anchor& now, double) {
      state.hear(report, now.steady, state_->options);
    });
  }

  /// How many threads wait for a reservation at the host of `url`.
  [[nodiscard]] std::size_t waiting(std::string_view url) const {
    const std::string key = state_->options.key(url);
    const std::scoped_lock lock{state_->mutex};
    const host* const known = state_->hosts.find(key);
    return known != nullptr ? known->queue.waiting() : 0;
  }

  /// How many hosts are remembered.
  [[nodiscard]] std::size_t hosts() const { return stats().hosts; }

  /// What the gate has done so far.
  [[nodiscard]] gate_stats stats() const {
    const std::scoped_lock lock{state_->mutex};
    return {.answers = state_->answers.read(),
            .started = state_->started,
            .cancelled = state_->cancelled,
            .withdrawn = state_->withdrawn,
            .hosts = state_->hosts.size()};
  }

  /// The clock by which it lives. Any thread, as for all of a `Clock`.
  [[nodiscard]] C& clock() const noexcept { return state_->clock; }

  /// The options in force.
  [[nodiscard]] const gate_options& options() const noexcept { return state_->options; }

 private:
  /// What reservations keep alive.
  struct shared_state {
    shared_state(gate_options given, C own_clock)
        : options(std::move(given)), clock(std::move(own_clock)), random(options.seed) {
      validate(options);
    }

    /// A host that all who share a ledger have to leave alone.
    struct shared_pause {
      std::string host;    ///< its key
      time_point until{};  ///< by this process's clock
    };

    /// Changes what is known of a host. What makes it wait is a pause for the others, too: see
    /// `tell_others`, which may block and is to be called without the lock.
    template <class Change>
    [[nodiscard]] std::optional<shared_pause> change(host& where, time_point now,
                                                     const Change& make) {
      const time_point before = where.state.next_start(now, options);
      make(where.state);
      const time_point after = where.state.next_start(now, options);
      return pace && after > before ? std::optional{shared_pause{hosts.key_of(where), after}}
                                    : std::nullopt;
    }

    void tell_others(const std::optional<shared_pause>& pause, time_point now) {
      if (pause) {
        pace.hold(pause->host, pause->until, now);
      }
    }

    /// Asks the ledger whether a request may start, if nothing else keeps it. Returns the moment by
    /// which to judge that: what was not given a turn must not start a moment later without one.
    ///
    /// A claim allows for as much lateness as answers have had. An answer that comes later gives no
    /// turn: the request might start too close to that of another process. So the ledger is asked
    /// again for the same turn, with more lateness.
    [[nodiscard]] wall_anchor take_turn(host& where, const polite_detail::host_reservation& place) {
      constexpr std::chrono::nanoseconds most = std::chrono::milliseconds{50};
      wall_anchor now = read_clock(clock);
      std::unique_lock lock{mutex};
      auto claim = where.state.claim(place, now, options);
      if (!claim) {
        return now;
      }
      claim->lateness = lateness;
      claim->turn = polite_detail::shared_pace::next_turn();
      const std::string& key = hosts.key_of(where);  // stays, as the host does
      lock.unlock();
      while (true) {
        const polite_detail::shared_turn turn = pace.take_turn(key, *claim, now.steady);
        if (turn.alone || turn.wait.count() > 0) {
          lock.lock();
          if (turn.alone) {
            where.state.go_alone(place, now, options);
          } else {
            where.state.wait_for_turn(base::saturating_add(now.steady, turn.wait));
          }
          return now;
        }
        const wall_anchor answered = read_clock(clock);
        const std::chrono::nanoseconds late = answered.steady - now.steady;
        const std::chrono::nanoseconds allowed = claim->lateness;
        lateness = std::min(std::max(late, allowed - allowed / 8), most);
        now = answered;
        if (late <= allowed) {
          return now;
        }
        claim->lateness = late;
        claim->last_asked = late;
      }
    }

    const gate_options options;
    C clock;
    base::counter_random random;
    polite_detail::shared_pace pace{options};
    polite_detail::admission_counters answers;
    std::atomic<std::uint64_t> withdrawn = 0;
    std::atomic<std::chrono::nanoseconds> lateness{};  // of the ledger's answers of late
    std::mutex mutex;                                  // of what follows
    polite_detail::host_table hosts{options};
    std::uint64_t started = 0;
    std::uint64_t cancelled = 0;
  };

  static constexpr double longest_draw = 1.0;  // where nothing may be drawn

  /// What to do when all places at a host are taken.
  enum class if_busy : bool { refuse, wait };
  /// Which times are good enough.
  enum class latest : bool { deadline, now };

  static void refuse(answer& made, admission_reason why) noexcept {
    made.reservation.cancel();
    made.reason = why;
  }

  [[nodiscard]] answer counted(answer made) noexcept {
    state_->answers.add(made.reason);
    return made;
  }

  template <class Tell>
  void with_host(std::string_view url, const Tell& tell) {
    const std::string key = state_->options.key(url);
    if (key.empty()) {
      return;
    }
    const double draw = state_->random.draw();
    const wall_anchor now = read_clock(state_->clock);
    std::unique_lock lock{state_->mutex};
    if (host* const where = state_->hosts.find_or_add(key, now.steady)) {
      const auto pause = state_->change(
          *where, now.steady, [&](polite_detail::host_state& state) { tell(state, now, draw); });
      state_->hosts.settle(*where);
      lock.unlock();
      state_->tell_others(pause, now.steady);
    }
  }

  /// Waits for a place: `go` when there is one.
  [[nodiscard]] admission_reason wait_in_queue(std::unique_lock<std::mutex>& lock, host& where,
                                               const call_options& call) {
    using end = polite_detail::reservation_queue::end;
    if (const end how = where.queue.wait(lock, state_->clock, call); how != end::over) {
      return how == end::granted ? admission_reason::go : admission_reason::halted;
    }
    return call.stop.stop_requested() ? admission_reason::stopped : admission_reason::too_late;
  }

  /// Takes a place.
  [[nodiscard]] answer enter(std::string_view url, const restraints& limits,
                             const call_options& call, if_busy busy,
                             latest bound = latest::deadline) {
    answer made;
    const std::string key = state_->options.key(url);
    if (key.empty()) {
      return made;
    }
    const double draw = state_->random.draw();
    wall_anchor now = read_clock(state_->clock);
    std::unique_lock lock{state_->mutex};
    host* const where = state_->hosts.find_or_add(key, now.steady);
    if (where == nullptr) {
      made.reason = admission_reason::no_room;
      return made;
    }
    made.reason = admission_reason::go;
    const std::uint64_t withdrawals = where->withdrawals;
    const std::uint32_t taken = where->state.outstanding() + where->queue.granted();
    if (taken >= state_->options.concurrency || where->queue.waiting() > 0) {
      made.reason =
          busy == if_busy::wait ? wait_in_queue(lock, *where, call) : admission_reason::busy;
      now = read_clock(state_->clock);
    }
    const auto pause = state_->change(*where, now.steady, [&](polite_detail::host_state& state) {
      state.note(limits, state_->random.draw(), now, state_->options);
    });
    made.plan = where->state.plan(now, limits, state_->options);
    made.planned_at = now.steady;
    if (made.reason == admission_reason::go) {
      if (made.plan.skip_host) {
        made.reason = admission_reason::skip_host;
      } else if (call.stop.stop_requested()) {
        made.reason = admission_reason::stopped;
      } else if (bound == latest::now && made.plan.at > now.steady) {
        made.reason = admission_reason::not_yet;
      } else if (call.deadline && made.plan.at > *call.deadline) {
        made.reason = admission_reason::too_late;
      }
    }
    if (made.reason == admission_reason::go) {
      made.reservation = reservation{
          state_, *where, where->state.reserve(made.plan, now, limits.rules, draw), withdrawals};
    } else {
      state_->hosts.hand_on(*where);
    }
    lock.unlock();
    state_->tell_others(pause, now.steady);
    return made;
  }

  std::shared_ptr<shared_state> state_;
};

}  // namespace robots
