#pragma once

#include <robots/fetch/call_options.hpp>
#include <robots/fwd.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/site.hpp>
#include <robots/observe/admission_reason.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/policy_source.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/polite/request_report.hpp>
#include <robots/polite/start_plan.hpp>
#include <robots/rep/read/product_token.hpp>
#include <robots/time/clock.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

// The way of a question "may I fetch this URL, and when?":
//
//     admit(url) --> source.check: rulings, robots.txt --denied--> the refusal; no gate is asked
//                       | allowed, with the policy of the site
//                       v
//                    gate: reserves a start, waits for it, and lets `decide_again` look once more,
//                       |  since the rules or the rulings can have changed during the wait
//                       v
//                    admission_result: the decision, the plan and the reservation
//
//     source.on_denial(site) --> gate.withdraw: all requests to the site that have not started
//     reservation.complete   --> the pace of the host, and source.report_response
//
// The admission owns neither the source nor the gate. What `decide_again` needs lives in a `page`,
// which the reservation shares.

namespace robots {

/// The answer to the question whether and when a URL may be fetched. The source of the
/// `basic_admission` decides first. If this first decision denies the URL, the gate is not asked,
/// and `plan` is empty.
struct admission_result : any_host_gate::answer {
  robots::decision decision{};  ///< the decision of the source; `policy` is never null
};

/// Returns a sentence for people, with the answer and its reason.
[[nodiscard]] inline std::string explain(const admission_result& result) {
  const std::string verdict = explain(result.decision);
  if (!result.decision.allowed) {
    return "refused: " + verdict;
  }
  const std::string start = explain(result.plan, result.planned_at);
  return result ? "go " + start + "; " + verdict
                : explain(result.reason) + "; next start " + start + "; robots.txt: " + verdict;
}

namespace polite_detail {

/// Returns the reason for an admission whose first answer is `decided`.
[[nodiscard]] inline admission_reason reason_of(const decision& decided, const call_options& call) {
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
    case decision_reason::unread:
      return admission_reason::unread;
    case decision_reason::fallback:
      if (decided.policy != nullptr && decided.policy->outcome() == outcome::cancelled) {
        return call.stop.stop_requested() ? admission_reason::stopped : admission_reason::too_late;
      }
      break;
    case decision_reason::rule:
    case decision_reason::no_rule:
    case decision_reason::robots_txt:
    case decision_reason::no_file:
    case decision_reason::undecided:
    case decision_reason::by_hand:
      break;
  }
  return admission_reason::disallowed;
}

}  // namespace polite_detail

/// Answers the question that a crawler asks for each URL: may I fetch this URL, and when?
///
/// The source applies halts, exclusions, sign-offs, overrides and robots.txt. If the source allows
/// the URL, the gate decides when the request may start. A fetch of robots.txt counts as a request,
/// so the first page waits for the delay after the fetch. The source decides again when the
/// reserved time has come, and when the site is halted. A halt refuses all waiting requests.
///
///     auto got = front.admit(url);  // waits until the request may start, or returns a refusal
///     if (got) {
///       got.reservation.complete(
///           report_of(fetch(url), how_long, std::chrono::system_clock::now()));
///     }
///
/// The observer of the gate gets an `admission_event` for each answer. `reservation::complete`
/// calls `basic_robots_cache::report_response`. Destroy all reservations before the admission, and
/// the admission before its source and gate. Any thread may call any member.
template <PolicySource S>
class basic_admission {
 public:
  /// Asks `source` for decisions and `gate` for reservations.
  basic_admission(S& source, any_host_gate& gate) : source_(source), gate_(gate) {
    if constexpr (requires { source.options().names; }) {
      crawler_ = source.options().names.token(source.options().parse.dialect);
    }
    if constexpr (requires { source.on_denial([](std::string_view) {}); }) {
      denials_ = source.on_denial([&gate](std::string_view denied) {
        if (const auto site = parse_site(denied)) {
          for (const origin& one : site->origins()) {
            gate.withdraw(to_string(one) + '/');
          }
          gate.withdraw_host(site->host);  // a ruling can cover all ports
        }
      });
    }
  }

  /// Waits for robots.txt, and until the request may start. If the result has a reservation, send
  /// the request now.
  [[nodiscard]] admission_result admit(std::string_view url, const call_options& call = {}) {
    return answer(url, call, if_early::waits);
  }

  /// Waits only for robots.txt. If the result has a reservation, start the request at once.
  [[nodiscard]] admission_result try_admit(std::string_view url, const call_options& call = {}) {
    return answer(url, call, if_early::leaves);
  }

  /// Waits only for robots.txt. Next, call `reservation::start`, which may fetch robots.txt again.
  [[nodiscard]] admission_result try_reserve(std::string_view url, const call_options& call = {}) {
    return answer(url, call, if_early::keeps);
  }

  /// Returns the earliest start of the next request for an allowed URL. Waits only for robots.txt.
  [[nodiscard]] start_plan next_allowed_at(std::string_view url, const call_options& call = {}) {
    return gate_.next_allowed_at(url, source_.get(url, call));
  }

 private:
  using if_early = any_host_gate::if_early;
  using policy_pointer = any_host_gate::policy_pointer;

  /// A page that has a reservation or waits for a reservation.
  struct page {
    std::string url;
    std::string user_agent;
    call_options call;
    decision latest;
    bool is_answered = false;
    bool was_renewed = false;  // the policy has changed since the first decision
  };

  [[nodiscard]] admission_result answer(std::string_view url, const call_options& call,
                                        if_early caller) {
    const time_point asked = gate_.parts_.now();
    admission_result answered;
    answered.decision = source_.check(url, call);
    answered.reason = polite_detail::reason_of(answered.decision, call);
    if (answered) {
      const auto own = std::make_shared<page>(
          page{std::string{url}, std::string{call.user_agent}, call, answered.decision});
      own->call.user_agent = own->user_agent;
      static_cast<any_host_gate::answer&>(answered) = gate_.answer_for(
          url, answered.decision.policy, caller, caller == if_early::waits ? call : call_options{},
          [this, own](policy_pointer& site_policy) { return decide_again(*own, site_policy); });
      answered.decision = own->latest;
      own->is_answered = true;
      own->call.deadline.reset();
      own->call.stop = {};
      if constexpr (requires { source_.report_response(url, 0, false, call); }) {
        answered.reservation.report_ = [this, own](const request_report& report,
                                                   std::span<const http_header> headers) {
          if constexpr (requires { source_.report_response(url, 0, headers, false, call); }) {
            source_.report_response(own->url, report.status, headers, report.is_challenge,
                                    own->call);
          } else {
            source_.report_response(own->url, report.status, report.is_challenge, own->call);
          }
        };
      }
    }
    report(url, answered.decision, answered.reason, call, asked);
    return answered;
  }

  /// Decides again on the page `own`. The first new policy becomes `site_policy`, so that its
  /// delays and the fetch of its robots.txt count. Later policies can deny the page, but delay it
  /// no more: if each new policy did, a site whose delay is longer than the lifetime of its rules
  /// would delay the page forever.
  [[nodiscard]] admission_reason decide_again(page& own, policy_pointer& site_policy) {
    const time_point asked = gate_.parts_.now();
    decision now = decide(source_.get(own.url, own.call), own.url, gate_.parts_.now());
    now.from_cache = now.policy == own.latest.policy;
    if (!own.was_renewed) {
      site_policy = now.policy;
    }
    own.was_renewed = own.was_renewed || !now.from_cache;
    own.latest = std::move(now);
    if constexpr (requires { source_.report_decision(own.url, own.latest, own.call); }) {
      if (!own.latest.allowed && own.latest.reason != decision_reason::excluded) {
        // `get` has already reported the decisions on excluded hosts.
        source_.report_decision(own.url, own.latest, own.call);
      }
    }
    const admission_reason reason = polite_detail::reason_of(own.latest, own.call);
    if (own.is_answered && reason != admission_reason::go) {
      report(own.url, own.latest, reason, own.call, asked);
    }
    return reason;
  }

  void report(std::string_view url, const decision& decided, admission_reason reason,
              const call_options& call, time_point asked) {
    if (!gate_.parts_.has_observer) {
      return;
    }
    const bool is_quarantined = reason == admission_reason::disallowed &&
                                decided.policy != nullptr &&
                                decided.policy->outcome() == outcome::quarantined;
    const bool needs_review = reason == admission_reason::halted ||
                              reason == admission_reason::needs_sign_off || is_quarantined;
    const auto site = parse_site(url);
    const std::string key = site ? site->key() : std::string{};
    gate_.parts_.tell(admission_event{
        gate_.parts_.about(key, call.context,
                           call.user_agent.empty() ? std::string_view{crawler_} : call.user_agent),
        url, decided, reason, gate_.parts_.now() - asked, needs_review});
  }

  S& source_;
  any_host_gate& gate_;
  std::string crawler_;                  // empty if the source has no `names`
  std::shared_ptr<const void> denials_;  // the subscription to rulings that deny
};

}  // namespace robots
