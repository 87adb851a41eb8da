#pragma once

#include <robots/observe/events.hpp>

#include <string>

namespace robots {

/// One sentence for people that says what an event tells, without its site and its time. A text
/// that a site sent is in it as `base::printable` writes it.
[[nodiscard]] std::string explain(const look_up_event& told);
/// Says what came back for a request.
[[nodiscard]] std::string explain(const exchange_event& told);
/// Says how much of a robots.txt could be read.
[[nodiscard]] std::string explain(const parse_event& told);
/// Says how a retrieval ended.
[[nodiscard]] std::string explain(const retrieval_event& told);
/// Says what another process had fetched.
[[nodiscard]] std::string explain(const far_hit_event& told);
/// Says which copy the shared store had.
[[nodiscard]] std::string explain(const far_copy_event& told);
/// Says why there is no robots.txt to obey, and what holds now.
[[nodiscard]] std::string explain(const fallback_event& told);
/// Gives the sentence of `explain(decision)`.
[[nodiscard]] std::string explain(const decision_event& told);
/// Says whether the request may go, and what robots.txt says.
[[nodiscard]] std::string explain(const admission_event& told);
/// Says how much a site has changed.
[[nodiscard]] std::string explain(const policy_change_event& told);
/// Says how the site refused the page.
[[nodiscard]] std::string explain(const access_revoked_event& told);
/// Says that a site was halted, and why, or that it was resumed.
[[nodiscard]] std::string explain(const halt_event& told);
/// Says whether a site was signed off.
[[nodiscard]] std::string explain(const sign_off_event& told);
/// Says what the circuit breaker lets through now.
[[nodiscard]] std::string explain(const breaker_event& told);
/// Says why an entry was dropped.
[[nodiscard]] std::string explain(const drop_event& told);
/// Says whether a site was put in quarantine.
[[nodiscard]] std::string explain(const quarantine_event& told);
/// Says which override holds now.
[[nodiscard]] std::string explain(const override_event& told);
/// Says how many hosts are excluded now.
[[nodiscard]] std::string explain(const exclusions_event& told);
/// Says whether the shared store answers.
[[nodiscard]] std::string explain(const far_store_event& told);
/// Returns whether the ledger answers.
[[nodiscard]] std::string explain(const ledger_event& event);
/// Says that other processes may go by old rules.
[[nodiscard]] std::string explain(const lost_invalidation_event& told);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/observe/event_message.ipp>
#endif
