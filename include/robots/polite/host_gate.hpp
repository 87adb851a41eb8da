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

namespace robots {

namespace polite_detail {

struct gate_state;
struct known_host;

}  // namespace polite_detail

/// The answer of `reservation::start`.
struct start_result {
  /// `go` if the request may start now; `not_yet` if it must wait. Otherwise, the reservation is
  /// cancelled for this reason.
  admission_reason reason = admission_reason::invalid_url;
  time_point ask_again = (time_point::max)();  ///< for `not_yet`: the time to ask again

  /// Returns true if the request may start now.
  [[nodiscard]] explicit operator bool() const noexcept { return reason == admission_reason::go; }
};

/// The members of `basic_host_gate` that need neither its clock nor its observer.
class any_host_gate {
 public:
  /// The policy of the URL's site, for its delays, rates and hours; null without rules. The gate
  /// counts the requests that fetched its robots.txt, so the next request waits for the delay after
  /// them.
  using policy_pointer = std::shared_ptr<const policy>;

  /// Decides again on a URL whose policy is given. It may replace the policy by the one that now
  /// decides. If that one was fetched meanwhile, the request waits for the delay after the fetch.
  using decider = std::function<admission_reason(policy_pointer& site_policy)>;

  /// The statistics of a gate.
  struct statistics {
    base::enum_counts<admission_reason::too_late> answers{};  ///< by reason
    std::uint64_t started = 0;                                ///< requests that used a reservation
    std::uint64_t cancelled = 0;  ///< reservations that were cancelled before a request
    std::size_t hosts = 0;        ///< hosts that are remembered now
  };

  /// The right to send one request at its time. Its destruction cancels it. Only one thread at a
  /// time may use it. It may outlive the gate.
  class reservation {
   public:
    reservation() = default;
    reservation(reservation&& other) noexcept = default;
    /// Cancels this reservation and takes over `other`.
    reservation& operator=(reservation&& other) noexcept {
      if (this != &other) {
        std::destroy_at(this);
        std::construct_at(this, std::move(other));
      }
      return *this;
    }
    ~reservation() { cancel(); }

    /// Returns true if it is not empty, complete or cancelled.
    [[nodiscard]] explicit operator bool() const noexcept { return gate_ != nullptr; }

    /// Returns the time at which the request may start or has started, or the end of time if the
    /// reservation is empty.
    [[nodiscard]] time_point at() const noexcept {
      return gate_ ? reserved_.request.at : (time_point::max)();
    }

    /// Starts the request if its time has come. Call it right before you send the request.
    /// `not_yet` means that it is before `at()`, or that the host needs more time: another request
    /// started late, or a response had a Retry-After.
    ///
    /// After `withdraw`, and when the time has come, `decide_again` decides. Without one,
    /// `withdraw` cancels the reservation.
    [[nodiscard]] start_result start();

    /// Completes the request and learns from its response. A second call has no effect. A
    /// reservation of a `basic_admission` also reports the status to its source, like
    /// `basic_robots_cache::report_response`.
    void complete(const request_report& report);

    /// Cancels the reservation. If the request has started, it still counts.
    void cancel() noexcept;

   private:
    friend class any_host_gate;
    template <PolicySource S>
    friend class basic_admission;

    std::shared_ptr<polite_detail::gate_state> gate_;
    polite_detail::known_host* host_ = nullptr;
    polite_detail::host_reservation reserved_;
    decider decide_again_;
    bool decides_when_due_ = true;  // else only after `withdraw`
    std::function<void(const request_report&)> report_;
    admission_reason reason_ = admission_reason::invalid_url;  // of an ended reservation
    stop_token withdrawn_;
  };

  /// A reservation, or the reason why there is none.
  struct answer {
    admission_reason reason = admission_reason::invalid_url;  ///< `go`, or the reason for refusing
    start_plan plan{};                         ///< when the request may start, and what delays it
    time_point planned_at{};                   ///< the time of planning
    any_host_gate::reservation reservation{};  ///< empty unless `reason` is `go`

    /// Returns true if there is a reservation.
    [[nodiscard]] explicit operator bool() const noexcept { return reason == admission_reason::go; }
  };

  /// Returns when the next request for `url` may start, and what delays it. Changes nothing.
  [[nodiscard]] start_plan next_allowed_at(std::string_view url,
                                           const policy_pointer& site_policy = {}) const;

  /// Reserves a request if the host has fewer than `gate_options::concurrency` reservations.
  /// `reservation::start` asks `decide_again`.
  [[nodiscard]] answer try_reserve(std::string_view url, const policy_pointer& site_policy = {},
                                   decider decide_again = {}) {
    return answer_for(url, site_policy, if_early::keeps, {}, std::move(decide_again));
  }

  /// Starts a request if it may start now; does not wait. Asks `decide_again` after a `withdraw`.
  [[nodiscard]] answer try_acquire(std::string_view url, const policy_pointer& site_policy = {},
                                   decider decide_again = {}) {
    return answer_for(url, site_policy, if_early::leaves, {}, std::move(decide_again));
  }

  /// Waits until a request may start, and starts it. Asks `decide_again` after a wait or a
  /// `withdraw`.
  [[nodiscard]] answer acquire(std::string_view url, const policy_pointer& site_policy = {},
                               const call_options& call = {}, decider decide_again = {}) {
    return answer_for(url, site_policy, if_early::waits, call, std::move(decide_again));
  }

  /// Refuses all present requests to the host of `url` that have not started. Waiting callers wake
  /// up and get `admission_reason::halted`, and so does `reservation::start`. Requests with a
  /// `decide_again` ask it instead.
  void withdraw(std::string_view url);

  /// Counts a request that had no reservation and has just ended, and learns from its response. The
  /// next request waits for the delay after it. Do not report requests for robots.txt if you pass
  /// the policy to the other members.
  void note_request(std::string_view url, const request_report& report,
                    const policy_pointer& site_policy = {});

  /// Returns the number of threads that wait for a reservation for the host of `url`.
  [[nodiscard]] std::size_t waiting(std::string_view url) const;

  /// Returns the statistics since the construction.
  [[nodiscard]] statistics stats() const;

 protected:
  /// Takes over the clock and the observer.
  any_host_gate(gate_options options, std::unique_ptr<polite_detail::gate_environment> environment);
  any_host_gate(const any_host_gate&) = delete;
  any_host_gate& operator=(const any_host_gate&) = delete;
  ~any_host_gate() = default;

  /// Returns the clock and the observer.
  [[nodiscard]] polite_detail::gate_environment& environment() const noexcept;

 private:
  template <PolicySource S>
  friend class basic_admission;

  /// The reaction of a caller whose request may not start now.
  enum class if_early : std::uint8_t { leaves, keeps, waits };

  /// Answers a request. `call` limits a caller that waits.
  [[nodiscard]] answer answer_for(std::string_view url, policy_pointer site_policy, if_early caller,
                                  const call_options& call, decider decide_again);
  [[nodiscard]] answer reserve(const std::string& key, const policy_pointer& site_policy,
                               if_early caller, const call_options& call);

  std::shared_ptr<polite_detail::gate_state> state_;
};

/// Paces requests of many threads to many hosts. Keeps the delay between two starts at one host.
/// The delay depends on robots.txt, on the options and on the responses of the host.
///
///     auto got = gate.acquire(url, decision.policy);  // waits for its turn
///     const auto response = fetch(url);
///     got.reservation.complete(report_of(response, how_long, std::chrono::system_clock::now()));
///
/// `gate_options::key` identifies hosts. A host has at most `gate_options::concurrency`
/// reservations. Threads that wait for one get it in order of arrival. The gate remembers a host
/// during a request, a delay, a pause or a slow-down, and for `gate_options::memory`. The exception
/// is `gate_options::longest_memory`.
///
/// A thread that may block calls `acquire`. An event loop calls `try_reserve`, waits until
/// `reservation::at()`, and calls `reservation::start()`. Or it calls `try_acquire` from time to
/// time. A frontier sorts its hosts by `next_allowed_at`.
///
/// Any thread may call any member. `acquire` blocks, and so does every call that asks a
/// `gate_options::ledger`. Each call takes logarithmic time in the hosts. Throws
/// `std::bad_alloc` and what `gate_options::key` throws. The observer gets each `ledger_event`, and
/// from a `basic_admission` an `admission_event` for each answer.
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
