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

inline void add_members(base::json_writer& line, const look_up_event& event) {
  line.text("result", to_string(event.result));
  if (event.policy != nullptr) {
    add_policy(line, *event.policy);
  }
}

inline void add_members(base::json_writer& line, const exchange_event& event) {
  line.long_text("url", event.exchange.url);
  add_status(line, event.exchange.status, event.exchange.error);
  line.seconds("duration_seconds", event.duration).number("bytes", event.bytes);
  line.number("hop", event.hop).number("attempt", event.attempt);
}

inline void add_members(base::json_writer& line, const parse_event& event) {
  const file_findings& found = event.policy.findings();
  line.seconds("duration_seconds", event.duration).number("rules", event.policy.rules().size());
  line.number("lines", found.lines.non_blank).number("malformed_lines", found.lines.malformed);
  line.flag("not_robots_txt", found.lines.not_robots_txt);
  line.text("charset", to_string(event.policy.source().charset));
  line.flag("invalid_utf8", event.invalid_utf8).open_list("findings");
  for (const diagnostic& one : found.diagnostics) {
    line.open().number("line", one.line).number("column", one.column);
    line.text("severity", to_string(one.severity)).text("code", to_string(one.code)).close();
  }
  line.close_list();
  add_policy(line, event.policy);
}

inline void add_members(base::json_writer& line, const retrieval_event& event) {
  const record_head& source = event.policy.source();
  add_source(line, source);
  line.seconds("duration_seconds", event.duration).number("attempts", source.attempts);
  line.number("redirects", source.redirects).number("bytes", event.record.body.size());
  line.flag("not_modified", source.not_modified).flag("truncated", source.truncated);
  line.seconds("lifetime_seconds", source.lifetime);
  add_policy(line, event.policy);
}

inline void add_far(base::json_writer& line, const policy& known, const record& stored) {
  add_source(line, stored);
  line.text("fetched_at", date_text(stored.fetched_at));
  add_policy(line, known);
}
inline void add_members(base::json_writer& line, const far_hit_event& event) {
  add_far(line, event.policy, event.record);
}
inline void add_members(base::json_writer& line, const far_copy_event& event) {
  add_far(line, event.policy, event.record);
}

inline void add_members(base::json_writer& line, const fallback_event& event) {
  add_source(line, event.policy.source());
  line.number("failures", event.policy.source().failures);
  add_policy(line, event.policy);
}

inline void add_members(base::json_writer& line, const decision_event& event) {
  const decision& decided = event.decision;
  line.long_text("url", event.url);
  line.flag("allowed", decided.allowed).text("reason", to_string(decided.reason));
  if (decided.reason == decision_reason::rule) {
    line.text("directive", to_string(*decided.verdict.directive));
    line.long_text("pattern", *decided.verdict.pattern).number("line", decided.verdict.line);
    line.long_text("user_agent", decided.verdict.user_agent);
  }
  line.seconds("age_seconds", decided.age).flag("from_cache", decided.from_cache);
  line.flag("stale", decided.stale);
  if (decided.policy != nullptr) {
    add_policy(line, *decided.policy);
  }
}

inline void add_members(base::json_writer& line, const admission_event& event) {
  line.long_text("url", event.url).text("reason", to_string(event.reason));
  line.seconds("waited_seconds", event.waited).flag("allowed", event.decision.allowed);
  line.text("decision_reason", to_string(event.decision.reason));
  line.flag("needs_review", event.needs_review);
}

inline void add_members(base::json_writer& line, const policy_change_event& event) {
  constexpr std::size_t most = 32;
  const change_report& found = event.changes;
  line.flag("turned_hostile", event.turned_hostile).flag("fast", event.fast);
  line.seconds("interval_seconds", event.interval).number("changed", found.changed());
  line.number("unchanged", found.unchanged).open_list("rules");
  for (std::size_t i = 0; i < (std::min)(most, found.rules.size()); ++i) {
    const change_report::rule_change& one = found.rules[i];
    line.open().text("change", to_string(one.change)).text("directive", to_string(one.kind));
    if (one.before) {
      line.long_text("before", one.before->pattern);
    }
    if (one.after) {
      line.long_text("after", one.after->pattern);
    }
    line.close();
  }
  line.close_list().open_list("other_lines");
  for (std::size_t i = 0; i < (std::min)(most, found.lines.size()); ++i) {
    const auto& one = found.lines[i];
    line.open().text("directive", to_string(one.kind));
    if (one.before) {
      line.long_text("before", *one.before);
    }
    if (one.after) {
      line.long_text("after", *one.after);
    }
    line.close();
  }
  line.close_list();
  add_policy(line, event.after);
}

inline void add_members(base::json_writer& line, const access_revoked_event& event) {
  line.long_text("url", event.url).number("status", event.status);
}
inline void add_members(base::json_writer& line, const halt_event& event) {
  line.text("reason", to_string(event.reason)).flag("resumed", event.resumed);
}
inline void add_members(base::json_writer& line, const sign_off_event& event) {
  line.flag("given", event.given).flag("awaited", event.awaited);
}
inline void add_members(base::json_writer& line, const breaker_event& event) {
  line.text("state", to_string(event.state));
}
inline void add_members(base::json_writer& line, const drop_event& event) {
  line.flag("expired", event.expired);
}
inline void add_members(base::json_writer& line, const quarantine_event& event) {
  line.flag("released", event.released);
}
inline void add_members(base::json_writer& line, const override_event& event) {
  line.text("value", to_string(event.value));
}
inline void add_members(base::json_writer& line, const far_store_event& event) {
  line.flag("up", event.up);
  if (!event.message.empty()) {
    line.long_text("error_text", event.message);
  }
}

inline void add_members(base::json_writer& line, const ledger_event& event) {
  line.flag("up", event.up);
  if (!event.message.empty()) {
    line.long_text("error_text", event.message);
  }
}

inline void add_members(base::json_writer& /*line*/, const lost_invalidation_event& /*event*/) {}

/// Adds a list of hosts.
inline void add_hosts(base::json_writer& line, std::string_view name,
                      std::span<const std::string> hosts) {
  line.open_list(name);
  for (const std::string& host : hosts) {
    line.open().text("host", host).close();
  }
  line.close_list();
}

inline void add_members(base::json_writer& line, const exclusions_event& event) {
  add_hosts(line, "hosts", event.hosts);
}

}  // namespace observe_detail

/// Adds the members of an event to a line, without its site and its time. `JsonLog` and audit
/// trails use it.
template <std::derived_from<event> Event>
void add_event(base::json_writer& line, const Event& event) {
  observe_detail::add_members(line, event);
}

}  // namespace robots
