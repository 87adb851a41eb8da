#pragma once

#include <robots/base/config.hpp>
#include <robots/base/printable.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/message.hpp>
#include <robots/observe/admission_reason.hpp>
#include <robots/observe/event_message.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/halt_reason.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/policy/site_override.hpp>
#include <robots/rep/diff/change_report.hpp>

#include <cstddef>

namespace robots {

namespace observe_detail {

/// Writes a number with its noun: `1 rule`, `2 rules`.
[[nodiscard]] inline std::string counted(std::size_t count, const char* noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

}  // namespace observe_detail

ROBOTS_INLINE std::string explain(const look_up_event& event) {
  switch (event.result) {
    case look_up_result::hit:
      return "the cache has fresh rules";
    case look_up_result::stale_hit:
      return "the rules in the cache are stale and are being renewed";
    case look_up_result::miss:
      return "the cache has no fresh rules, so the site or the shared store is asked";
    case look_up_result::joined:
      break;
  }
  return "another call fetched the rules";
}

ROBOTS_INLINE std::string explain(const exchange_event& event) {
  const detail::exchange& ended = event.exchange;
  return ended.error != fetch_error::none
             ? "the request got no response: " + std::string{to_string(ended.error)}
             : "the site answered with status " + std::to_string(ended.status);
}

ROBOTS_INLINE std::string explain(const parse_event& event) {
  const file_findings& found = event.policy.findings();
  std::string text =
      "robots.txt was read: " + observe_detail::counted(event.policy.rules().size(), "rule");
  if (found.lines.malformed > 0 || found.lines.not_robots_txt) {
    text += ", but " + policy_detail::malformed_text(found);
  }
  return text += event.invalid_utf8 ? ", but it is not well-formed UTF-8" : "";
}

ROBOTS_INLINE std::string explain(const retrieval_event& event) {
  return event.policy.source().not_modified
             ? "robots.txt has not changed: " + policy_detail::outcome_text(event.policy)
             : "the retrieval of robots.txt ended: " + policy_detail::outcome_text(event.policy);
}

ROBOTS_INLINE std::string explain(const far_hit_event& event) {
  return "another process had fetched robots.txt: " + policy_detail::outcome_text(event.policy);
}

ROBOTS_INLINE std::string explain(const far_copy_event& event) {
  return "the shared store has an older robots.txt: " + policy_detail::outcome_text(event.policy);
}

ROBOTS_INLINE std::string explain(const fallback_event& event) {
  const policy_basis basis = event.policy.basis();
  return "there is no robots.txt to obey: " + policy_detail::outcome_text(event.policy) +
         (basis == policy_basis::last_good   ? "; the last good copy is obeyed"
          : basis == policy_basis::allow_all ? "; everything is allowed"
                                             : "; everything is denied");
}

ROBOTS_INLINE std::string explain(const decision_event& event) {
  return event.decision.policy
             ? explain(event.decision)
             : std::string{event.decision.allowed ? "allowed: " : "not allowed: "} +
                   std::string{to_string(event.decision.reason)};
}

ROBOTS_INLINE std::string explain(const admission_event& event) {
  const std::string answer = event.reason == admission_reason::go
                                 ? "the request may start"
                                 : "refused: " + std::string{to_string(event.reason)};
  return event.decision.policy ? answer + "; " + explain(event.decision) : answer;
}

ROBOTS_INLINE std::string explain(const policy_change_event& event) {
  std::string text =
      "robots.txt has changed: " + observe_detail::counted(event.changes.changed(), "change") +
      ", " + observe_detail::counted(event.changes.unchanged, "line") + " unchanged";
  text += event.fast ? ", faster than the limit" : "";
  return text += event.turned_hostile ? "; it denies everything now" : "";
}

ROBOTS_INLINE std::string explain(const access_revoked_event& event) {
  constexpr int unauthorized = 401;
  constexpr int forbidden = 403;
  const bool by_status = event.status == unauthorized || event.status == forbidden;
  return "the site refused a page that its robots.txt allows, with " +
         std::string{by_status ? "status " : "a challenge and status "} +
         std::to_string(event.status);
}

ROBOTS_INLINE std::string explain(const halt_event& event) {
  if (event.resumed) {
    return "the site was resumed";
  }
  switch (event.reason) {
    case halt_reason::hostile:
      return "the site was halted: its robots.txt denies everything now";
    case halt_reason::access_revoked:
      return "the site was halted: it revoked access";
    case halt_reason::unreachable:
      return "the site was halted: its robots.txt could not be had for too long";
    default:
      return "the site was halted: " + std::string{to_string(event.reason)};
  }
}

ROBOTS_INLINE std::string explain(const sign_off_event& event) {
  return event.given     ? "the site was signed off"
         : event.awaited ? "the site is high-risk and waits for somebody to sign it off"
                         : "the sign-off of the site was taken back";
}

ROBOTS_INLINE std::string explain(const breaker_event& event) {
  switch (event.state) {
    case breaker_state::open:
      return "the circuit breaker opened: the origin is not asked for a while";
    case breaker_state::half_open:
      return "the circuit breaker lets one request through";
    default:
      return "the circuit breaker closed: the origin answers again";
  }
}

ROBOTS_INLINE std::string explain(const drop_event& event) {
  return event.expired ? "the cache dropped an entry that had expired"
                       : "the cache dropped an entry to make room";
}

ROBOTS_INLINE std::string explain(const quarantine_event& event) {
  return event.released ? "the site was released from quarantine"
                        : "the site was put in quarantine: its files are malformed again and again";
}

ROBOTS_INLINE std::string explain(const override_event& event) {
  return event.value == site_override::none
             ? "the override of the site was lifted"
             : "the site has an override: " + std::string{to_string(event.value)};
}

ROBOTS_INLINE std::string explain(const exclusions_event& event) {
  return "the excluded hosts were replaced: there are " + std::to_string(event.hosts.size()) +
         " now";
}

ROBOTS_INLINE std::string explain(const far_store_event& event) {
  return event.up ? "the shared store answers again"
                  : "the shared store failed: " + base::printable(event.message);
}

ROBOTS_INLINE std::string explain(const ledger_event& event) {
  return event.up ? "the ledger answers again"
                  : "the ledger failed: " + base::printable(event.message);
}

ROBOTS_INLINE std::string explain(const lost_invalidation_event& /*event*/) {
  return "the invalidation of the site did not reach the shared store: other processes may use "
         "its old rules until these expire";
}

}  // namespace robots
