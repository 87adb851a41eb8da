#pragma once

#include <robots/observe/events.hpp>

#include <string>

namespace robots {

/// One sentence for people about an event, without its site and its time. A text from a site
/// appears as `base::printable` writes it.
[[nodiscard]] std::string explain(const look_up_event& event);
/// Says how a request ended.
[[nodiscard]] std::string explain(const exchange_event& event);
/// Says how well a robots.txt could be read.
[[nodiscard]] std::string explain(const parse_event& event);
/// Says how a retrieval ended.
[[nodiscard]] std::string explain(const retrieval_event& event);
/// Says which file came from another process.
[[nodiscard]] std::string explain(const far_hit_event& event);
/// Says which copy the shared store has.
[[nodiscard]] std::string explain(const far_copy_event& event);
/// Says why there is no robots.txt to obey, and what the fallback policy does.
[[nodiscard]] std::string explain(const fallback_event& event);
/// Returns the sentence of `explain(decision)`.
[[nodiscard]] std::string explain(const decision_event& event);
/// Says whether and when the request may be sent, and what robots.txt says.
[[nodiscard]] std::string explain(const admission_event& event);
/// Says how much a site has changed.
[[nodiscard]] std::string explain(const policy_change_event& event);
/// Says how the site refused the page.
[[nodiscard]] std::string explain(const access_revoked_event& event);
/// Says that a site was halted, and why, or that it was resumed.
[[nodiscard]] std::string explain(const halt_event& event);
/// Says whether a site is signed off.
[[nodiscard]] std::string explain(const sign_off_event& event);
/// Names the new state of the circuit breaker.
[[nodiscard]] std::string explain(const breaker_event& event);
/// Says why an entry was dropped.
[[nodiscard]] std::string explain(const drop_event& event);
/// Says whether a site is in quarantine.
[[nodiscard]] std::string explain(const quarantine_event& event);
/// Says which override is set.
[[nodiscard]] std::string explain(const override_event& event);
/// Says how many hosts are excluded now.
[[nodiscard]] std::string explain(const exclusions_event& event);
/// Says whether the shared store answers.
[[nodiscard]] std::string explain(const far_store_event& event);
/// Says whether the ledger answers.
[[nodiscard]] std::string explain(const ledger_event& event);
/// Says that other processes may use old rules.
[[nodiscard]] std::string explain(const lost_invalidation_event& event);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/observe/event_message.ipp>
#endif
