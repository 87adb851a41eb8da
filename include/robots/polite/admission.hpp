#pragma once

#include <robots/fetch/call_options.hpp>
#include <robots/fwd.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/site.hpp>
#include <robots/observe/admission_reason.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/decide.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/policy_source.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/polite/start_plan.hpp>
#include <robots/rep/read/product_token.hpp>
#include <robots/time/clock.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots {

/// The answer to whether and when a URL may be fetched, with the reason. If robots.txt denies it,
/// `plan` is empty.
struct admission_result : any_host_gate::answer {
  robots::decision decision{};  ///< the decision by robots.txt; its policy is never null
};

/// Returns a sentence for people: the answer and its reason.
[[nodiscard]] inline std::string explain(const admission_result& result) {
  const std::string verdict = explain(result.decision);
  switch (result.reason) {
    case admission_reason::go:
      return "go " + explain(result.plan, result.planned_at) + "; " + verdict;
    case admission_reason::excluded:
    case admission_reason::invalid_url:
    case admission_reason::disallowed:
    case admission_reason::halted:
    case admission_reason::needs_sign_off:
      return "refused: " + verdict;
    default:
      return "refused: " + std::string{to_string(result.reason)} + ", " +
             explain(result.plan, result.planned_at) + "; " + verdict;
  }
}

/// The conditions of a `basic_admission` besides robots.txt and the gate.
struct admission_options {
  /// Returns the time until which a circuit breaker rejects requests for a URL, or an empty
  /// optional if it is closed. Any thread may call it. May be empty.
  std::function<std::optional<time_point>(std::string_view url)> breaker{};
};

/// Answers the question of a crawler's loop: may I fetch this URL, and when?
///
/// The source decides first, by halts, exclusions, sign-offs, overrides and robots.txt. Then the
/// gate decides when the request may start. If this fetches a robots.txt, that counts as a request:
/// the first page waits for the delay after it. The source decides again when a reserved time has
/// come, and when the site is halted. `basic_robots_cache` reports halts: threads that wait for a
/// halted site wake up and are refused.
///
///     auto got = front.admit(url);  // waits until the request may start, or says why it may not
///     if (got) {
///       got.reservation.complete(
///           report_of(fetch(url), how_long, std::chrono::system_clock::now()));
///     }
///
/// The observer of the gate gets an `admission_event` for each answer. `reservation::complete`
/// reports the status of each page to the source, so there is no need to call `report_response`.
/// Source and gate must outlive the object and its reservations. Every reservation must have ended
/// before this object ends. Any thread may call any member.
template <PolicySource S>
class basic_admission {
 public:
  /// The answer of the member functions.
  using result = admission_result;

  /// Asks `source` for decisions and `gate` for reservations.
  basic_admission(S& source, any_host_gate& gate, admission_options options = {})
      : source_(source), gate_(gate), options_(std::move(options)) {
    if constexpr (requires { source.options().user_agent; }) {
      crawler_ = product_token(source.options().user_agent);
    }
    if constexpr (requires { source.on_denial([](std::string_view) {}); }) {
      denials_ = source.on_denial([&gate](std::string_view denied) {
        if (const auto site = parse_site(denied)) {
          for (const origin& one : site->origins()) {
            gate.withdraw(to_string(one) + '/');
          }
        }
      });
    }
  }

  /// Waits for robots.txt and until the request may start. Then start the reservation now.
  [[nodiscard]] result admit(std::string_view url, const call_options& call = {}) {
    return answer(url, call, [&](decision& first) {
      return gate_.acquire(url, limits_of(url, first), call,
                           [this, url, &call, &first, again = false]() mutable {
                             return decide_again(url, call, again, first);
                           });
    });
  }

  /// Waits for robots.txt only. Then start the request now.
  [[nodiscard]] result try_admit(std::string_view url, const call_options& call = {}) {
    return answer(url, call, [&](const decision& first) {
      return gate_.try_acquire(url, limits_of(url, first));
    });
  }

  /// Waits for robots.txt only. Then start the request when `reservation::start` permits it. That
  /// call waits for robots.txt if its lifetime has expired.
  [[nodiscard]] result try_reserve(std::string_view url, const call_options& call = {}) {
    return answer(url, call, [&](const decision& first) {
      auto got = gate_.try_reserve(url, limits_of(url, first));
      got.reservation.decide_again_by([this, own = std::string{url}, context = call.context,
                                       agent = std::string{call.user_agent}, latest = first,
                                       again = false]() mutable {
        const time_point asked = gate_.environment().now();
        const call_options later{.user_agent = agent, .context = context};
        const admission_reason reason = decide_again(own, later, again, latest);
        if (reason != admission_reason::go) {
          report(own, latest, reason, later, asked);
        }
        return reason;
      });
      return got;
    });
  }

  /// Returns the time at which the next request for an allowed URL may start. Waits for robots.txt
  /// only.
  [[nodiscard]] start_plan next_allowed_at(std::string_view url, const call_options& call = {}) {
    return gate_.next_allowed_at(url, limits_of(url, {.policy = source_.get(url, call)}));
  }

  /// Returns the number of answers so far. A URL counts again if its reservation is refused later.
  [[nodiscard]] admission_stats stats() const noexcept { return answers_.read(); }

 private:
  [[nodiscard]] host_limits limits_of(std::string_view url, const decision& now) {
    return {.policy = now.policy,
            .breaker_open_until = options_.breaker ? options_.breaker(url) : std::nullopt};
  }

  /// Decides, asks the gate if robots.txt allows the URL, and reports the answer.
  template <class Ask>
  [[nodiscard]] result answer(std::string_view url, const call_options& call, const Ask& ask_gate) {
    const time_point asked = gate_.environment().now();
    result answered;
    answered.decision = source_.check(url, call);
    answered.reason = reason_of(answered.decision);
    if (answered) {
      static_cast<any_host_gate::answer&>(answered) = ask_gate(answered.decision);
    }
    if constexpr (requires { source_.report_response(url, 0, false, call); }) {
      if (answered) {
        answered.reservation.report_ = [&source = source_, own = std::string{url},
                                        agent = std::string{call.user_agent},
                                        context = call.context](const request_report& report) {
          source.report_response(own, report.status, report.is_challenge,
                                 {.user_agent = agent, .context = context});
        };
      }
    }
    report(url, answered.decision, answered.reason, call, asked);
    return answered;
  }

  [[nodiscard]] static admission_reason reason_of(const decision& decided) noexcept {
    if (decided.allowed) {
      return admission_reason::go;
    }
    switch (decided.reason) {
      case decision_reason::excluded:
        return admission_reason::excluded;
      case decision_reason::invalid_url:
        return admission_reason::invalid_url;
      case decision_reason::halted:
        return admission_reason::halted;
      case decision_reason::needs_sign_off:
        return admission_reason::needs_sign_off;
      default:
        return admission_reason::disallowed;
    }
  }

  [[nodiscard]] bool is_denied(std::string_view url) {
    if constexpr (requires { source_.is_denied(url); }) {
      return source_.is_denied(url);
    } else {
      return false;
    }
  }

  [[nodiscard]] bool is_quarantined(std::string_view url) {
    if constexpr (requires { source_.is_quarantined(url); }) {
      return source_.is_quarantined(url);
    } else {
      return false;
    }
  }

  /// Decides again on a reserved URL. `latest` is the last decision on it. A URL that is still
  /// allowed does not count again. If its robots.txt was fetched again, the request waits for the
  /// delay after that. `again` prevents a second fetch: if the delay is longer than the lifetime of
  /// the rules, the request would never start.
  [[nodiscard]] admission_reason decide_again(std::string_view url, const call_options& call,
                                              bool& again, decision& latest) {
    if (again && !is_denied(url)) {
      return admission_reason::go;
    }
    decision now = decide(source_.get(url, call), url, gate_.environment().now());
    now.from_cache = now.policy == latest.policy;
    if (!now.from_cache) {
      again = true;
      gate_.count_robots_requests(gate_.options().key(url), now.policy.get(), true);
    }
    latest = std::move(now);
    if constexpr (requires { source_.note(url, latest, call); }) {
      if (!latest.allowed && latest.reason != decision_reason::excluded) {  // `get` counts those
        source_.note(url, latest, call);
      }
    }
    return reason_of(latest);
  }

  /// Counts an answer and reports it to the observer.
  void report(std::string_view url, const decision& decided, admission_reason reason,
              const call_options& call, time_point asked) {
    answers_.add(reason);
    polite_detail::gate_environment& environment = gate_.environment();
    if (!environment.is_observed()) {
      return;
    }
    const auto site = parse_site(url);
    const std::string key = site ? site->key() : std::string{};
    const bool needs_review = reason == admission_reason::halted ||
                              reason == admission_reason::needs_sign_off ||
                              (reason == admission_reason::disallowed && is_quarantined(url));
    environment.tell(admission_event{
        environment.about(key, call.context,
                          call.user_agent.empty() ? std::string_view{crawler_} : call.user_agent),
        url, decided, reason, environment.now() - asked, needs_review});
  }

  S& source_;
  any_host_gate& gate_;
  const admission_options options_;
  std::string crawler_;  // empty if the source does not say
  base::enum_counters<admission_reason::too_late> answers_;
  std::shared_ptr<const void> denials_;  // subscription to halts, quarantines and overrides
};

}  // namespace robots
