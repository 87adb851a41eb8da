#pragma once

#include <robots/base/counter_random.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/base/text_hash.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fwd.hpp>
#include <robots/polite/detail/host_state.hpp>
#include <robots/polite/detail/host_table.hpp>
#include <robots/polite/detail/slot_queue.hpp>
#include <robots/polite/gate_options.hpp>
#include <robots/polite/gate_refusal.hpp>
#include <robots/polite/request_report.hpp>
#include <robots/polite/restraints.hpp>
#include <robots/polite/schedule.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/steady_clock.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// Paces the requests of many threads to many hosts: tells each when it may go, so that between two
/// starts at one host the delay in force has passed, and learns from what the hosts answer.
///
///     auto got = gate.acquire(url, {.rules = decision.policy});  // waits for its turn
///     const auto response = fetch(url);
///     got.slot.complete(report_of(response, how_long, std::chrono::system_clock::now()));
///
/// Hosts are told apart by `gate_options::key`. For each there are so many passes at a time as
/// `gate_options::concurrency` says; who waits for one is served in order of arrival. A pass that
/// is dropped gives its place back. What nobody needs any more is forgotten, and never sooner:
/// while a request is under way, a delay, a pause or a slow-down lasts, or `gate_options::memory`
/// has not passed, a host is remembered.
///
/// When to use which: threads that may block call `acquire`. An event loop calls `try_reserve`,
/// waits until `pass::at()`, and asks `pass::start()` whether that still holds; or asks
/// `try_acquire` now and then. `next_allowed_at` changes nothing and is what a frontier sorts by.
///
/// All members may be called from any thread. No call but `reserve` and `acquire` blocks; each
/// takes constant time beside the wait and the key. Throws nothing but `std::bad_alloc` and what
/// the functions of the options throw.
template <Clock C>
class basic_host_gate {
  struct shared_state;
  struct host;
  struct shard;

 public:
  /// The right to make one request, once its time has come. Gives its place back when it is
  /// destroyed. One thread at a time; may outlive the gate.
  class pass {
   public:
    /// No right at all.
    pass() = default;
    /// Leaves nothing behind.
    pass(pass&& other) noexcept = default;
    /// Gives its own place back and takes over the other's.
    pass& operator=(pass&& other) noexcept {
      if (this != &other) {
        cancel();
        gate_ = std::move(other.gate_);
        shard_ = other.shard_;
        host_ = other.host_;
        ticket_ = std::move(other.ticket_);
      }
      return *this;
    }
    pass(const pass&) = delete;
    pass& operator=(const pass&) = delete;
    ~pass() { cancel(); }

    /// Whether there is a place to use or to give back.
    [[nodiscard]] explicit operator bool() const noexcept { return gate_ != nullptr; }

    /// The time of the request: when it may start or, once it has, when it did. The end of time
    /// without a place.
    [[nodiscard]] time_point at() const noexcept {
      return gate_ ? ticket_.request.at : time_point::max();
    }

    /// Call this right before the request. Nothing: go now. Else the moment before which to ask
    /// again: `at()` has not come, or meanwhile something asks for more patience, such as a
    /// request that started late or a Retry-After. The end of time without a place.
    [[nodiscard]] std::optional<time_point> start() {
      if (!gate_) {
        return time_point::max();
      }
      if (ticket_.started) {
        return std::nullopt;
      }
      const wall_anchor now = gate_->now();
      const std::scoped_lock lock{shard_->mutex};
      return host_->state.start(ticket_, now, gate_->options);
    }

    /// Tells what came of the request and gives the place back. Without effect without a place:
    /// the second time, say.
    void complete(const request_report& report) {
      if (const auto gate = std::exchange(gate_, nullptr)) {
        const time_point now = gate->clock.now();
        const std::scoped_lock lock{shard_->mutex};
        host_->state.complete(ticket_, report, now, gate->options);
        gate->hand_on(*host_);
      }
    }

    /// Gives the place back. A request that has started counts as made, else as never planned.
    void cancel() noexcept {
      if (const auto gate = std::exchange(gate_, nullptr)) {
        const std::scoped_lock lock{shard_->mutex};
        host_->state.cancel(ticket_);
        gate->hand_on(*host_);
      }
    }

   private:
    friend class basic_host_gate;

    pass(std::shared_ptr<shared_state> gate, shard& where, host& whose, detail::host_reservation ticket)
        : gate_(std::move(gate)), shard_(&where), host_(&whose), ticket_(std::move(ticket)) {}

    std::shared_ptr<shared_state> gate_;
    shard* shard_ = nullptr;
    host* host_ = nullptr;
    detail::host_reservation ticket_;
  };

  /// A pass, or why there is none.
  struct reservation {
    gate_refusal refusal = gate_refusal::none;  ///< why not, or none
    schedule plan{};                            ///< when, and why not sooner
    time_point planned_at{};                    ///< when the plan was made
    pass slot{};                                ///< empty with a refusal

    /// Whether a pass was given.
    [[nodiscard]] explicit operator bool() const noexcept { return refusal == gate_refusal::none; }
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
    const wall_anchor now = state_->now();
    shard& where = state_->shard_of(key);
    detail::host_state copy;
    {
      const std::scoped_lock lock{where.mutex};
      if (const host* const known = where.hosts.find(key)) {
        copy = known->state;
      }
    }
    copy.note(limits, longest_draw, now, state_->options);
    return copy.plan(now, limits, state_->options);
  }

  /// A place in the line of the host, if one is free now.
  [[nodiscard]] reservation try_reserve(std::string_view url, const restraints& limits = {}) {
    return enter(url, limits, {}, [](auto&&...) { return gate_refusal::busy; });
  }

  /// The same, but waits until one is free. Then `pass::at()` may still lie ahead, though not
  /// behind the deadline.
  [[nodiscard]] reservation reserve(std::string_view url, const restraints& limits = {},
                                    const call_options& call = {}) {
    return enter(url, limits, call, [&](std::unique_lock<std::mutex>& lock, host& whose) {
      if (whose.queue.wait(lock, state_->clock, call)) {
        return gate_refusal::none;
      }
      return call.stop.stop_requested() ? gate_refusal::stopped : gate_refusal::too_late;
    });
  }

  /// A pass for a request that starts now, if one may.
  [[nodiscard]] reservation try_acquire(std::string_view url, const restraints& limits = {}) {
    reservation made =
        enter(url, limits, {}, [](auto&&...) { return gate_refusal::busy; }, latest::now);
    if (made) {
      if (const auto until = made.slot.start()) {
        made.plan.not_before(*until, start_limit::delay);
        refuse(made, gate_refusal::not_yet);
      }
    }
    return made;
  }

  /// A pass for a request that starts now, after waiting until it may.
  [[nodiscard]] reservation acquire(std::string_view url, const restraints& limits = {},
                                    const call_options& call = {}) {
    reservation made = reserve(url, limits, call);
    while (made) {
      const std::optional<time_point> until = made.slot.start();
      if (!until) {
        break;
      }
      if (call.deadline && *until > *call.deadline) {
        refuse(made, gate_refusal::too_late);
        break;
      }
      // In steps, since not every clock can wait for the end of time.
      const time_point now = state_->clock.now();
      state_->clock.sleep_until(
          std::min(*until, detail::saturating_add(now, std::chrono::hours{1})), call.stop);
      if (call.stop.stop_requested()) {
        refuse(made, gate_refusal::stopped);
      }
    }
    return made;
  }

  /// Tells of a request that was made without a pass, such as that for robots.txt: the next one
  /// keeps its distance.
  void note_request(std::string_view url, time_point started, const restraints& limits = {}) {
    with_host(url, [&](host& whose, const wall_anchor& now, double draw) {
      whose.state.note(std::min(started, now.steady), limits.rules.get(), draw, now,
                       state_->options);
    });
  }

  /// Tells what came of a request that was made without a pass.
  void note_response(std::string_view url, const request_report& report) {
    with_host(url, [&](host& whose, const wall_anchor& now, double) {
      whose.state.hear(report, now.steady, state_->options);
    });
  }

  /// How many threads wait for a free slot of the host of `url`.
  [[nodiscard]] std::size_t waiting(std::string_view url) const {
    const std::string key = state_->options.key(url);
    shard& where = state_->shard_of(key);
    const std::scoped_lock lock{where.mutex};
    const host* const known = where.hosts.find(key);
    return known != nullptr ? known->queue.waiting() : 0;
  }

  /// How many hosts are remembered.
  [[nodiscard]] std::size_t hosts() const {
    std::size_t sum = 0;
    for (const auto& each : state_->shards) {
      const std::scoped_lock lock{each->mutex};
      sum += each->hosts.size();
    }
    return sum;
  }

  /// The options in force.
  [[nodiscard]] const gate_options& options() const noexcept { return state_->options; }

 private:
  struct host {
    detail::host_state state;
    detail::slot_queue queue;
  };

  struct shard {
    explicit shard(std::size_t most) : hosts(most) {}

    std::mutex mutex;
    detail::host_table<host> hosts;
  };

  /// What passes keep alive.
  struct shared_state {
    shared_state(gate_options given, C its_clock)
        : options(std::move(given)), clock(std::move(its_clock)), random(options.seed) {
      validate(options);
      constexpr std::size_t most_shards = 16;
      constexpr std::size_t enough_hosts = 64;  // for one shard to be about as full as the others
      const std::size_t count =
          std::clamp(options.max_hosts / enough_hosts, std::size_t{1}, most_shards);
      for (std::size_t i = 0; i < count; ++i) {
        shards.push_back(std::make_unique<shard>((options.max_hosts + count - 1) / count));
      }
    }

    [[nodiscard]] wall_anchor now() {
      return {.steady = clock.now(), .wall = options.wall_clock()};
    }

    [[nodiscard]] shard& shard_of(std::string_view key) {
      return *shards[detail::text_hash{}(key) % shards.size()];
    }

    /// Gives free slots to those who wait.
    void hand_on(host& whose) noexcept {
      const std::uint32_t taken = whose.state.outstanding() + whose.queue.granted();
      whose.queue.grant(options.concurrency - std::min(taken, options.concurrency));
    }

    gate_options options;
    C clock;
    detail::counter_random random;
    std::vector<std::unique_ptr<shard>> shards;
  };

  static constexpr double longest_draw = 1.0;  // where nothing may be drawn

  /// Which times are good enough.
  enum class latest : bool { deadline, now };

  static void refuse(reservation& made, gate_refusal why) noexcept {
    made.slot.cancel();
    made.refusal = why;
  }

  [[nodiscard]] host* find_or_add(shard& where, std::string_view key, time_point now) {
    return where.hosts.find_or_add(key, [&](const host& idle) {
      return idle.queue.idle() && idle.state.needed_until(state_->options) <= now;
    });
  }

  template <class Tell>
  void with_host(std::string_view url, const Tell& tell) {
    const std::string key = state_->options.key(url);
    if (key.empty()) {
      return;
    }
    const double draw = state_->random.draw();
    const wall_anchor now = state_->now();
    shard& where = state_->shard_of(key);
    const std::scoped_lock lock{where.mutex};
    if (host* const whose = find_or_add(where, key, now.steady)) {
      tell(*whose, now, draw);
    }
  }

  /// Takes a place. `wait(lock, host)` is what to do when none is free: `gate_refusal::none` when
  /// it has got one.
  template <class Wait>
  [[nodiscard]] reservation enter(std::string_view url, const restraints& limits,
                                  const call_options& call, const Wait& wait,
                                  latest bound = latest::deadline) {
    reservation made;
    const std::string key = state_->options.key(url);
    if (key.empty()) {
      made.refusal = gate_refusal::invalid_url;
      return made;
    }
    const double draw = state_->random.draw();
    wall_anchor now = state_->now();
    shard& where = state_->shard_of(key);
    std::unique_lock lock{where.mutex};
    host* const whose = find_or_add(where, key, now.steady);
    if (whose == nullptr) {
      made.refusal = gate_refusal::no_room;
      return made;
    }
    const std::uint32_t taken = whose->state.outstanding() + whose->queue.granted();
    if (taken >= state_->options.concurrency || whose->queue.waiting() > 0) {
      made.refusal = wait(lock, *whose);
      now = state_->now();
    }
    whose->state.note(limits, state_->random.draw(), now, state_->options);
    made.plan = whose->state.plan(now, limits, state_->options);
    made.planned_at = now.steady;
    if (made.refusal == gate_refusal::none) {
      if (made.plan.skip_host) {
        made.refusal = gate_refusal::skip_host;
      } else if (call.stop.stop_requested()) {
        made.refusal = gate_refusal::stopped;
      } else if (bound == latest::now && made.plan.at > now.steady) {
        made.refusal = gate_refusal::not_yet;
      } else if (call.deadline && made.plan.at > *call.deadline) {
        made.refusal = gate_refusal::too_late;
      }
    }
    if (made.refusal == gate_refusal::none) {
      made.slot =
          pass{state_, where, *whose, whose->state.reserve(made.plan, now, limits.rules, draw)};
    } else {
      state_->hand_on(*whose);
    }
    return made;
  }

  std::shared_ptr<shared_state> state_;
};

}  // namespace robots
