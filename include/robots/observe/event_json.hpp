#pragma once

#include <robots/base/json_writer.hpp>
#include <robots/observe/events.hpp>

#include <concepts>

namespace robots {

namespace observe_detail {

void add_members(base::json_writer& line, const look_up_event& told);
void add_members(base::json_writer& line, const exchange_event& told);
void add_members(base::json_writer& line, const parse_event& told);
void add_members(base::json_writer& line, const retrieval_event& told);
void add_members(base::json_writer& line, const far_hit_event& told);
void add_members(base::json_writer& line, const far_copy_event& told);
void add_members(base::json_writer& line, const fallback_event& told);
void add_members(base::json_writer& line, const decision_event& told);
void add_members(base::json_writer& line, const admission_event& told);
void add_members(base::json_writer& line, const policy_change_event& told);
void add_members(base::json_writer& line, const access_revoked_event& told);
void add_members(base::json_writer& line, const halt_event& told);
void add_members(base::json_writer& line, const sign_off_event& told);
void add_members(base::json_writer& line, const breaker_event& told);
void add_members(base::json_writer& line, const drop_event& told);
void add_members(base::json_writer& line, const quarantine_event& told);
void add_members(base::json_writer& line, const override_event& told);
void add_members(base::json_writer& line, const far_store_event& told);

}  // namespace observe_detail

/// Adds what an event tells to a line, beside its site and its time: what `add_members` of its type
/// writes, for `JsonLog` and for audit trails.
template <std::derived_from<event> Event>
void add_event(base::json_writer& line, const Event& told) {
  observe_detail::add_members(line, told);
}

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/observe/event_json.ipp>
#endif
