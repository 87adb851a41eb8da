#pragma once

#include <robots/base/json_writer.hpp>
#include <robots/fetch/circuit_breaker.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/charset.hpp>
#include <robots/http/message.hpp>
#include <robots/observe/admission_reason.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/halt_reason.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/policy/site_override.hpp>
#include <robots/rep/diff/change_report.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/rules/verdict.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace robots {

namespace observe_detail {

inline void add_status(base::json_writer& line, int status, fetch_error error) {
  if (error != fetch_error::none) {
    line.text("error", to_string(error));
  } else if (status != 0) {
    line.number("status", status);
  }
}

inline void add_source(base::json_writer& line, const record_head& source) {
  line.text("outcome", to_string(source.outcome));
  add_status(line, source.status, source.error);
  if (!source.error_text.empty()) {
    line.long_text("error_text", source.error_text);
  }
  line.long_text("url", source.url);
  if (source.final_url != source.url) {
    line.long_text("final_url", source.final_url);
  }
}

inline void add_policy(base::json_writer& line, const policy& known) {
  line.text("basis", to_string(known.basis())).number("policy_version", known.version());
}

inline void add_members(base::json_writer& line, const look_up_event& told) {
  line.text("result", to_string(told.result));
  if (told.policy != nullptr) {
    add_policy(line, *told.policy);
  }
}

inline void add_members(base::json_writer& line, const exchange_event& told) {
  line.long_text("url", told.exchange.url);
  add_status(line, told.exchange.status, told.exchange.error);
  line.seconds("duration_seconds", told.duration).number("bytes", told.bytes);
  line.number("hop", told.hop).number("attempt", told.attempt);
}

inline void add_members(base::json_writer& line, const parse_event& told) {
  const file_findings& found = told.policy.findings();
  line.seconds("duration_seconds", told.duration).number("rules", told.policy.rules().size());
  line.number("lines", found.lines.non_blank).number("malformed_lines", found.lines.malformed);
  line.flag("not_robots_txt", found.lines.not_robots_txt);
  line.text("charset", to_string(told.policy.source().charset));
  line.flag("invalid_utf8", told.invalid_utf8).open_list("findings");
  for (const diagnostic& each : found.diagnostics) {
    line.open().number("line", each.line).number("column", each.column);
    line.text("severity", to_string(each.severity)).text("code", to_string(each.code)).close();
  }
  line.close_list();
  add_policy(line, told.policy);
}

inline void add_members(base::json_writer& line, const retrieval_event& told) {
  const record_head& source = told.policy.source();
  add_source(line, source);
  line.seconds("duration_seconds", told.duration).number("attempts", source.attempts);
  line.number("redirects", source.redirects).number("bytes", told.record.body.size());
  line.flag("not_modified", source.not_modified).flag("truncated", source.truncated);
  line.seconds("lifetime_seconds", source.lifetime);
  add_policy(line, told.policy);
}

inline void add_far(base::json_writer& line, const policy& known, const record& stored) {
  add_source(line, stored);
  line.text("fetched_at", date_text(stored.fetched_at));
  add_policy(line, known);
}
inline void add_members(base::json_writer& line, const far_hit_event& told) {
  add_far(line, told.policy, told.record);
}
inline void add_members(base::json_writer& line, const far_copy_event& told) {
  add_far(line, told.policy, told.record);
}

inline void add_members(base::json_writer& line, const fallback_event& told) {
  add_source(line, told.policy.source());
  line.number("failures", told.policy.source().failures);
  add_policy(line, told.policy);
}

inline void add_members(base::json_writer& line, const decision_event& told) {
  const decision& made = told.decision;
  line.long_text("url", told.url);
  line.flag("allowed", made.allowed).text("reason", to_string(made.reason));
  if (made.reason == decision_reason::rule) {
    line.text("directive", to_string(*made.verdict.directive));
    line.long_text("pattern", *made.verdict.pattern).number("line", made.verdict.line);
    line.long_text("user_agent", made.verdict.user_agent);
  }
  line.seconds("age_seconds", made.age).flag("from_cache", made.from_cache);
  line.flag("stale", made.stale);
  if (made.policy != nullptr) {
    add_policy(line, *made.policy);
  }
}

inline void add_members(base::json_writer& line, const admission_event& told) {
  line.long_text("url", told.url).text("reason", to_string(told.reason));
  line.seconds("waited_seconds", told.waited).flag("allowed", told.decision.allowed);
  line.text("decision_reason", to_string(told.decision.reason));
  line.flag("needs_review", told.needs_review);
}

inline void add_members(base::json_writer& line, const policy_change_event& told) {
  constexpr std::size_t most = 32;
  const change_report& found = told.changes;
  line.flag("turned_hostile", told.turned_hostile).flag("fast", told.fast);
  line.seconds("interval_seconds", told.interval).number("changed", found.changed());
  line.number("unchanged", found.unchanged).open_list("rules");
  for (std::size_t i = 0; i < (std::min)(most, found.rules.size()); ++i) {
    const rule_change& each = found.rules[i];
    line.open().text("change", to_string(each.change)).text("directive", to_string(each.kind));
    if (each.before) {
      line.long_text("before", each.before->pattern);
    }
    if (each.after) {
      line.long_text("after", each.after->pattern);
    }
    line.close();
  }
  line.close_list().open_list("other_lines");
  for (std::size_t i = 0; i < (std::min)(most, found.lines.size()); ++i) {
    const auto& each = found.lines[i];
    line.open().text("directive", to_string(each.kind));
    if (each.before) {
      line.long_text("before", *each.before);
    }
    if (each.after) {
      line.long_text("after", *each.after);
    }
    line.close();
  }
  line.close_list();
  add_policy(line, told.after);
}

inline void add_members(base::json_writer& line, const access_revoked_event& told) {
  line.long_text("url", told.url).number("status", told.status);
}
inline void add_members(base::json_writer& line, const halt_event& told) {
  line.text("reason", to_string(told.reason)).flag("resumed", told.resumed);
}
inline void add_members(base::json_writer& line, const sign_off_event& told) {
  line.flag("given", told.given).flag("awaited", told.awaited);
}
inline void add_members(base::json_writer& line, const breaker_event& told) {
  line.text("state", to_string(told.state));
}
inline void add_members(base::json_writer& line, const drop_event& told) {
  line.flag("expired", told.expired);
}
inline void add_members(base::json_writer& line, const quarantine_event& told) {
  line.flag("released", told.released);
}
inline void add_members(base::json_writer& line, const override_event& told) {
  line.text("value", to_string(told.value));
}
inline void add_members(base::json_writer& line, const far_store_event& told) {
  line.flag("up", told.up);
  if (!told.message.empty()) {
    line.long_text("error_text", told.message);
  }
}

inline void add_members(base::json_writer& line, const ledger_event& event) {
  line.flag("up", event.up);
  if (!event.message.empty()) {
    line.long_text("error_text", event.message);
  }
}

inline void add_members(base::json_writer& /*line*/, const lost_invalidation_event& /*told*/) {}

/// Adds a list of hosts.
inline void add_hosts(base::json_writer& line, std::string_view name,
                      std::span<const std::string> hosts) {
  line.open_list(name);
  for (const std::string& host : hosts) {
    line.open().text("host", host).close();
  }
  line.close_list();
}

inline void add_members(base::json_writer& line, const exclusions_event& told) {
  add_hosts(line, "hosts", told.hosts);
}

}  // namespace observe_detail

/// Adds what an event tells to a line, beside its site and its time: what `add_members` of its type
/// writes, for `JsonLog` and for audit trails.
template <std::derived_from<event> Event>
void add_event(base::json_writer& line, const Event& told) {
  observe_detail::add_members(line, told);
}

}  // namespace robots
