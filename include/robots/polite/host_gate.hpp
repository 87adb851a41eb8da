#pragma once

#include <robots/base/config.hpp>
#include <robots/base/enum_counts.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fwd.hpp>
#include <robots/http/message.hpp>
#include <robots/observe/admission_reason.hpp>
#include <robots/observe/observer.hpp>
#include <robots/polite/detail/gate_parts.hpp>
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
#include <span>
#include <string>
#include <string_view>
#include <utility>

// One gate paces all threads of a process. The way of a request through it:
//
//     try_reserve / try_acquire / acquire
//        |  key_of(url): the host, whose `host_state` is in the table of the gate
//        |  enough reservations already? leave, or wait in order of arrival
//        v
//     reservation, with a planned start --start()--> withdrawn, or due? ask `decide_again`
//        |                                           the turn of this process: `shared_pace`
//        |                                           too early? `not_yet`, and when to ask again
//        v
//     the caller sends the request --complete(report)--> delay, slowdown and pause of the host
//
// `gate_state` owns the options, the clock, the table of hosts and the waiting threads. The gate
// and each reservation share it, so a reservation may outlive the gate. One mutex guards the
// table; it is never held during a call of `decide_again`, of the ledger or of the observer.

namespace robots {

/// The answer of `reservation::start`.
struct start_result {
  /// `go` to start now, `not_yet` to wait, or the reason why the reservation was cancelled.
  admission_reason reason = admission_reason::invalid_url;
  time_point ask_again = (time_point::max)();  ///< the time for another `start` after `not_yet`

  /// Returns true if the request may start now.
  [[nodiscard]] explicit operator bool() const noexcept { return reason == admission_reason::go; }
};

/// The members of `basic_host_gate` that do not depend on the types of its clock and its observer.
class any_host_gate {
 public:
  /// The policy of the URL's site, with its delays, rates and hours. Null means no rules. The gate
  /// also keeps a delay after the requests that fetched the robots.txt of this policy.
  using policy_pointer = std::shared_ptr<const policy>;

  /// Decides again whether a URL is allowed. `site_policy` is the policy of the last decision. The
  /// function can set a new policy. The gate counts the fetch of the new robots.txt as a request.
  using decider = std::function<admission_reason(policy_pointer& site_policy)>;

  /// The statistics of a gate.
  struct statistics {
    base::enum_counts<admission_reason::too_late> answers{};  ///< the answers, by reason
    std::uint64_t started = 0;    ///< requests that started with a reservation
    std::uint64_t cancelled = 0;  ///< reservations that ended before their request started
    std::size_t hosts = 0;        ///< hosts that the gate remembers now
  };

  /// The permission to send one request. The request may start at `at()` or later. The destructor
  /// cancels the reservation. Only one thread at a time may use a reservation. A reservation may
  /// outlive the gate.
  class reservation {
   public:
    reservation() = default;
    reservation(reservation&& other) noexcept = default;
    /// Cancels this reservation and takes over `other`.
    reservation& operator=(reservation&& other) noexcept {
      if (this != &other) {
        cancel();
        gate_ = std::move(other.gate_);
        host_ = other.host_;
        reserved_ = std::move(other.reserved_);
        decide_again_ = std::move(other.decide_again_);
        decides_when_due_ = other.decides_when_due_;
        report_ = std::move(other.report_);
        reason_ = other.reason_;
        withdrawn_ = std::move(other.withdrawn_);
      }
      return *this;
    }
    ~reservation() { cancel(); }

    /// Returns false if the reservation is empty, complete or cancelled.
    [[nodiscard]] explicit operator bool() const noexcept { return gate_ != nullptr; }

    /// Returns the time of the start, or the maximum `time_point` if the reservation is empty.
    [[nodiscard]] time_point at() const noexcept {
      return gate_ ? reserved_.request.at : (time_point::max)();
    }

    /// Starts the request if its time has come. Call `start` right before you send the request.
    /// Returns `not_yet` before `at()`. `start` can move `at()` to a later time if another request
    /// starts late, if a response has a Retry-After, or if another process has the turn.
    ///
    /// If the time has come or `withdraw` was called, first calls the `decide_again` that you
    /// passed to `try_reserve`. Cancels a withdrawn reservation that has no `decide_again`.
    [[nodiscard]] start_result start();

    /// Completes the request, and adapts the pace of the host to `report`. Has an effect only once.
    /// With a `basic_admission`, also calls `basic_robots_cache::report_response`. `headers` are
    /// the headers of the response, which can demand a licence.
    void complete(const request_report& report, std::span<const http_header> headers = {});

    /// Cancels the reservation. A request that has started still delays the next request.
    void cancel() noexcept;

   private:
    friend class any_host_gate;
    template <PolicySource S>
    friend class basic_admission;

    std::shared_ptr<polite_detail::gate_state> gate_;
    polite_detail::host_state* host_ = nullptr;
    polite_detail::host_reservation reserved_;
    decider decide_again_;
    bool decides_when_due_ = true;  // false if `decide_again_` decides only after `withdraw`
    std::function<void(const request_report&, std::span<const http_header>)> report_;
    admission_reason reason_ = admission_reason::invalid_url;  // why the reservation ended
    stop_token withdrawn_;
  };

  /// A reservation, or the reason why there is no reservation.
  struct answer {
    admission_reason reason = admission_reason::invalid_url;  ///< `go`, or the refusal
    start_plan plan{};                                        ///< the earliest start of the request
    time_point planned_at{};                                  ///< the time at which `plan` was made
    any_host_gate::reservation reservation{};                 ///< empty unless `reason` is `go`

    /// Returns true if there is a reservation.
    [[nodiscard]] explicit operator bool() const noexcept { return reason == admission_reason::go; }
  };

  /// Returns the earliest start of the next request for `url`, and the reason. Changes nothing.
  [[nodiscard]] start_plan next_allowed_at(std::string_view url,
                                           const policy_pointer& site_policy = {}) const;

  /// Reserves a request if the host has fewer than `gate_options::concurrency` reservations.
  /// `reservation::start` calls `decide_again`, which can then still refuse the request.
  [[nodiscard]] answer try_reserve(std::string_view url, const policy_pointer& site_policy = {},
                                   decider decide_again = {}) {
    return answer_for(url, site_policy, if_early::keeps, {}, std::move(decide_again));
  }

  /// Starts a request if it may start now. Calls `decide_again` only after a `withdraw`.
  [[nodiscard]] answer try_acquire(std::string_view url, const policy_pointer& site_policy = {},
                                   decider decide_again = {}) {
    return answer_for(url, site_policy, if_early::leaves, {}, std::move(decide_again));
  }

  /// Waits if necessary, and starts a request. Calls `decide_again` after a wait or a `withdraw`.
  [[nodiscard]] answer acquire(std::string_view url, const policy_pointer& site_policy = {},
                               const call_options& call = {}, decider decide_again = {}) {
    return answer_for(url, site_policy, if_early::waits, call, std::move(decide_again));
  }

  /// Refuses all requests to the host of `url` that have not started, unless their `decide_again`
  /// returns `go`. Without a `decide_again`, the reason is `admission_reason::halted`.
  void withdraw(std::string_view url);
  /// Does the same for all schemes and ports of a host. Has no effect on hosts that
  /// `gate_options::key` names in another way than by their origins.
  void withdraw_host(std::string_view host);

  /// Completes a request that had no reservation and has just ended. Do not report a request for a
  /// robots.txt if you pass the policy of that robots.txt to the gate.
  void note_request(std::string_view url, const request_report& report,
                    const policy_pointer& site_policy = {});

  /// Returns the number of threads that wait for a reservation for the host of `url`.
  [[nodiscard]] std::size_t waiting(std::string_view url) const;

  /// Returns the statistics since the construction.
  [[nodiscard]] statistics stats() const;

  any_host_gate(const any_host_gate&) = delete;
  any_host_gate& operator=(const any_host_gate&) = delete;

 protected:
  /// Takes over `parts`, which have the clock and the observer.
  any_host_gate(gate_options options, std::unique_ptr<polite_detail::gate_parts> parts);
  ~any_host_gate() = default;

 private:
  template <PolicySource S>
  friend class basic_admission;

  /// The action of a call if its request cannot start now: return without a reservation, return
  /// with a reservation, or wait.
  enum class if_early : std::uint8_t { leaves, keeps, waits };

  /// Answers a request. `call` has the deadline and the stop token for a wait (`if_early::waits`).
  [[nodiscard]] answer answer_for(std::string_view url, policy_pointer site_policy, if_early caller,
                                  const call_options& call, decider decide_again);
  [[nodiscard]] answer reserve(const std::string& key, const policy_pointer& site_policy,
                               if_early caller, const call_options& call);

  polite_detail::gate_parts& parts_;  // `state_` owns it
  std::shared_ptr<polite_detail::gate_state> state_;
};

/// Paces requests of many threads to many hosts. Keeps a delay between the starts of two requests
/// to one host. The delay depends on robots.txt, on the options and on the responses of the host.
///
///     auto got = gate.acquire(url, decision.policy);  // waits until the request may start
///     const auto response = fetch(url);
///     got.reservation.complete(report_of(response, how_long, std::chrono::system_clock::now()));
///
/// Threads that wait for a reservation get it in order of arrival. The gate remembers a host during
/// a request, a delay, a pause or a slowdown, and for at least `gate_options::memory`. A full gate
/// can forget a host sooner (`gate_options::longest_memory`).
///
/// Any thread may call any member. `acquire` blocks. A call that asks a `gate_options::ledger`
/// blocks, too. Each call takes logarithmic time in the number of hosts. A call can throw what the
/// function `gate_options::key` throws. The observer gets each `ledger_event`.
template <Clock C, Observer O>
class basic_host_gate : public any_host_gate {
 public:
  /// Takes over the clock and the observer. Throws what `validate` throws for the options.
  explicit basic_host_gate(gate_options options = {}, C clock = {}, O observer = {})
      : any_host_gate(std::move(options), std::make_unique<polite_detail::own_parts<C, O>>(
                                              std::move(clock), std::move(observer))) {}
};

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/polite/host_gate.bodies.hpp>
#endif
