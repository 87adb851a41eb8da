#pragma once

#include <robots/base/config.hpp>
#include <robots/base/enum_counts.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fwd.hpp>
#include <robots/observe/admission_reason.hpp>
#include <robots/observe/observer.hpp>
#include <robots/polite/detail/gate_environment.hpp>
#include <robots/polite/detail/host_state.hpp>
#include <robots/polite/gate_options.hpp>
#include <robots/polite/request_report.hpp>
#include <robots/polite/start_plan.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/steady_clock.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots::polite_detail {

struct gate_state;
struct known_host;

}  // namespace robots::polite_detail

namespace robots {

/// The number of answers by reason: `stats[admission_reason::busy]`, `stats.total()`.
using admission_stats = base::enum_counts<admission_reason::too_late>;

/// The statistics of a gate since its construction.
struct gate_stats {
  admission_stats answers{};            ///< answers to callers that asked for a reservation
  std::uint64_t started = 0;            ///< requests that used a reservation
  std::uint64_t cancelled = 0;          ///< reservations that were cancelled before a request
  std::uint64_t withdrawn = 0;          ///< cancelled because the URL was no longer allowed
  std::uint64_t observer_failures = 0;  ///< events that the observer threw at
  std::size_t hosts = 0;                ///< hosts that the gate remembers now
};

/// The states of a reserved request.
enum class start_state : std::uint8_t {
  go,       ///< it may start now
  wait,     ///< it may not start yet
  refused,  ///< the reservation is cancelled
};

/// The answer of `reservation::start`.
struct start_result {
  start_state state = start_state::refused;    ///< whether the request may start
  time_point ask_again = (time_point::max)();  ///< with `start_state::wait`, when to ask again

  /// Returns true if the request may start now.
  [[nodiscard]] explicit operator bool() const noexcept { return state == start_state::go; }
};

/// The members of `basic_host_gate` that depend on neither its clock nor its observer.
class any_host_gate {
 public:
  /// The right to make one request, once its time has come. Its destruction cancels it. For one
  /// thread at a time. It may outlive the gate.
  class reservation {
   public:
    /// Makes an empty reservation.
    reservation() = default;
    /// Leaves `other` empty.
    reservation(reservation&& other) noexcept = default;
    /// Cancels this reservation and takes `other`.
    reservation& operator=(reservation&& other) noexcept;
    reservation(const reservation&) = delete;
    reservation& operator=(const reservation&) = delete;
    ~reservation() { cancel(); }

    /// Returns true if it is neither empty, complete nor cancelled.
    [[nodiscard]] explicit operator bool() const noexcept { return gate_ != nullptr; }

    /// Returns when the request may start or, if it has started, when it did. Returns the end of
    /// time if the reservation is empty.
    [[nodiscard]] time_point at() const noexcept {
      return gate_ ? reserved_.request.at : (time_point::max)();
    }

    /// Returns `go`, or why `start()` cancelled the reservation.
    [[nodiscard]] admission_reason reason() const noexcept { return reason_; }

    /// Starts the request if its time has come. Call it right before the request.
    /// `start_state::wait` means that `at()` has not come, or that the host needs more time:
    /// another request started late, or a response had a Retry-After.
    ///
    /// If `withdraw` was called, the reservation is cancelled. With `decide_again_by`, the function
    /// decides that instead, and also when the time has come.
    [[nodiscard]] start_result start();

    /// Sets the function that `start()` asks. Any answer but `go` cancels the reservation. A
    /// `basic_admission` sets it to decide on the URL again.
    void decide_again_by(std::function<admission_reason()> decide) {
      decide_again_ = std::move(decide);
    }

    /// Completes the request and learns from its response. Has no effect on an empty reservation,
    /// such as at the second call. A reservation of a `basic_admission` reports the status to its
    /// source, as `basic_robots_cache::report_response` does.
    void complete(const request_report& report);

    /// Cancels the reservation. A request that has started still counts.
    void cancel() noexcept;

   private:
    friend class any_host_gate;
    template <PolicySource S>
    friend class basic_admission;

    reservation(std::shared_ptr<polite_detail::gate_state> gate, polite_detail::known_host& host,
                polite_detail::host_reservation reserved, std::uint64_t withdrawals);

    /// Sleeps until `when`, a withdrawal or `stop`.
    void sleep_until(time_point when, const stop_token& stop);

    std::shared_ptr<polite_detail::gate_state> gate_;
    polite_detail::known_host* host_ = nullptr;
    polite_detail::host_reservation reserved_;
    std::function<admission_reason()> decide_again_;
    bool decides_when_due_ = true;  // else only after `withdraw`
    std::function<void(const request_report&)> report_;
    admission_reason reason_ = admission_reason::go;
    std::uint64_t withdrawals_ = 0;  // of the host, when the reservation was made
  };

  /// A reservation, or the reason for a refusal.
  struct answer {
    admission_reason reason = admission_reason::invalid_url;  ///< `go`, or why not
    start_plan plan{};                         ///< when the request may start, and why not sooner
    time_point planned_at{};                   ///< when `plan` was made
    any_host_gate::reservation reservation{};  ///< empty unless `reason` is `go`

    /// Returns true if there is a reservation.
    [[nodiscard]] explicit operator bool() const noexcept { return reason == admission_reason::go; }
  };

  any_host_gate(const any_host_gate&) = delete;
  any_host_gate& operator=(const any_host_gate&) = delete;

  /// Returns when the next request for `url` may start, and why not sooner. Changes nothing.
  [[nodiscard]] start_plan next_allowed_at(std::string_view url,
                                           const host_limits& limits = {}) const;

  /// Reserves a request if the host has fewer than `gate_options::concurrency` reservations.
  [[nodiscard]] answer try_reserve(std::string_view url, const host_limits& limits = {});

  /// Waits until the host has fewer than `gate_options::concurrency` reservations, then reserves a
  /// request. `reservation::at()` may still lie ahead, but not behind the deadline.
  [[nodiscard]] answer reserve(std::string_view url, const host_limits& limits = {},
                               const call_options& call = {});

  /// Starts a request if it may start now.
  [[nodiscard]] answer try_acquire(std::string_view url, const host_limits& limits = {});

  /// Waits until a request may start, and starts it. `decide_again` is as for
  /// `reservation::decide_again_by`. It is called only after a wait or a `withdraw`.
  [[nodiscard]] answer acquire(std::string_view url, const host_limits& limits = {},
                               const call_options& call = {},
                               std::function<admission_reason()> decide_again = {});

  /// Refuses all requests to the host of `url` that have not started: callers that wait are woken
  /// and get `admission_reason::halted`, and `reservation::start` refuses. Reservations with
  /// `decide_again_by` decide again instead. Later requests are not affected.
  void withdraw(std::string_view url);

  /// Counts a request that was made without a reservation: the next one keeps its distance.
  /// Requests for robots.txt need no report if calls get the policy in `host_limits::policy`.
  void note_request(std::string_view url, time_point started, const host_limits& limits = {});

  /// Learns from the response to a request that was made without a reservation.
  void note_response(std::string_view url, const request_report& report);

  /// Returns the number of threads that wait for a reservation at the host of `url`.
  [[nodiscard]] std::size_t waiting(std::string_view url) const;

  /// Returns the statistics of the gate.
  [[nodiscard]] gate_stats stats() const;

  /// Returns the options.
  [[nodiscard]] const gate_options& options() const noexcept;

 protected:
  /// Takes over the clock and the observer.
  any_host_gate(gate_options options, std::unique_ptr<polite_detail::gate_environment> environment);
  ~any_host_gate() = default;

  /// Returns the clock and the observer.
  [[nodiscard]] polite_detail::gate_environment& environment() const noexcept;

 private:
  template <PolicySource S>
  friend class basic_admission;

  enum class if_busy : bool { refuse, wait };
  enum class start_by : bool { deadline, now };

  [[nodiscard]] answer enter(std::string_view url, const host_limits& limits,
                             const call_options& call, if_busy busy,
                             start_by bound = start_by::deadline);
  [[nodiscard]] answer counted(answer result) noexcept;
  [[nodiscard]] admission_reason wait_in_queue(std::unique_lock<std::mutex>& lock,
                                               polite_detail::known_host& host,
                                               const call_options& call);
  /// Counts the requests that fetched the policy's robots.txt, unless the gate has counted them.
  /// With `again`, the request that waits for `key` keeps its distance from them in any case.
  void count_robots_requests(const std::string& key, const robots::policy* site_policy, bool again);

  std::shared_ptr<polite_detail::gate_state> state_;
};

/// Paces the requests of many threads to many hosts. Between two starts at one host lies the delay
/// in force, which depends on robots.txt, on the options and on the responses of the host.
///
///     auto got = gate.acquire(url, {.policy = decision.policy});  // waits for its turn
///     const auto response = fetch(url);
///     got.reservation.complete(report_of(response, how_long, std::chrono::system_clock::now()));
///
/// `gate_options::key` identifies hosts. Each has at most `gate_options::concurrency` reservations;
/// threads that wait for one are served in order of arrival. The gate remembers a host while a
/// request is under way, while a delay, a pause or a slow-down lasts, and for
/// `gate_options::memory`. The exception is `gate_options::longest_memory`.
///
/// When to use which: threads that may block call `acquire`. An event loop calls `try_reserve`,
/// waits until `reservation::at()`, and asks `reservation::start()`; or it calls `try_acquire` now
/// and then. A frontier sorts its hosts by `next_allowed_at`.
///
/// Any thread may call any member. Only `reserve` and `acquire` block, and all calls that ask a
/// `gate_options::ledger`. Each call takes logarithmic time in the hosts. Throws `std::bad_alloc`
/// and what `gate_options::key` throws. The observer gets a `ledger_event`, and from a
/// `basic_admission` an `admission_event` for each answer.
template <Clock C, Observer O>
class basic_host_gate : public any_host_gate {
 public:
  /// Takes over the clock and the observer. Throws `std::invalid_argument` if options contradict
  /// each other; see `validate`.
  explicit basic_host_gate(gate_options options = {}, C clock = {}, O observer = {})
      : any_host_gate(std::move(options),
                      std::make_unique<typed>(std::move(clock), std::move(observer))) {}

  /// Returns the clock of the gate.
  [[nodiscard]] C& clock() const noexcept { return static_cast<typed&>(environment()).clock; }

 private:
  using typed = polite_detail::typed_gate_environment<C, O>;
};

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/polite/host_gate.ipp>
#endif
