// How an audit trail writes policies, records and options.
#pragma once

#include <robots/adapters/audit/detail/crypto.hpp>
#include <robots/base/json_writer.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/rep/rules/explanation.hpp>
#include <robots/rep/rules/verdict.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// Returns everything that a site asks of one crawler, as JSON: equal for equal lines.
[[nodiscard]] inline std::string directives_text(const policy& from) {
  base::json_writer json;
  const auto add_time = [&](std::string_view name,
                            const std::optional<std::chrono::milliseconds>& time) {
    if (time) {
      json.seconds(name, *time);
    }
  };
  const auto add_hours = [&](const visit_time& hours) {
    json.number("from_minute", hours.from.count()).number("to_minute", hours.to.count());
  };
  json.text("user_agent", from.rules().user_agent());
  add_time("crawl_delay", from.crawl_delay());
  add_time("file_delay", from.file_delay());
  std::vector<listed_rule> rules = from.rules().list();
  std::sort(rules.begin(), rules.end(), [](const listed_rule& a, const listed_rule& b) {
    return std::tie(a.line, a.kind, a.pattern) < std::tie(b.line, b.kind, b.pattern);
  });
  json.open_list("rules");
  for (const listed_rule& rule : rules) {
    json.open().text(to_string(rule.kind), rule.pattern).number("line", rule.line).close();
  }
  json.close_list();
  json.open_list("request_rates");
  for (const request_rate& rate : from.request_rates()) {
    json.open().number("requests", rate.requests).seconds("per", rate.per);
    if (rate.window) {
      add_hours(*rate.window);
    }
    json.close();
  }
  json.close_list().open_list("visit_times");
  for (const visit_time& hours : from.visit_times()) {
    json.open();
    add_hours(hours);
    json.close();
  }
  json.close_list();
  return std::move(json).finish();
}

/// Returns the result of a retrieval, for people.
inline void add_record(base::json_writer& json, const record_head& head) {
  const auto add_text = [&](std::string_view name, std::string_view text) {
    if (!text.empty()) {
      json.long_text(name, text);
    }
  };
  json.text("outcome", to_string(head.outcome)).number("status", head.status);
  if (head.error != fetch_error::none) {
    json.text("error", to_string(head.error));
  }
  add_text("error_text", head.error_text);
  json.text("url", head.url);
  if (head.final_url != head.url) {
    json.text("final_url", head.final_url).number("redirects", head.redirects);
  }
  json.text("fetched_at", date_text(head.fetched_at)).seconds("lifetime_seconds", head.lifetime);
  json.number("attempts", head.attempts).number("failures", head.failures);
  json.text("charset", to_string(head.charset));
  json.flag("truncated", head.truncated).flag("not_modified", head.not_modified);
  json.open_list("exchanges");
  for (const detail::exchange& one : head.exchanges) {
    json.open().text("url", one.url).number("status", one.status);
    if (one.error != fetch_error::none) {
      json.text("error", to_string(one.error));
    }
    json.close();
  }
  json.close_list();
}

/// Returns the part of a decision that is about its URL. These members are at the end of an entry,
/// so that they can be compared.
inline void add_verdict(base::json_writer& json, const decision& decided) {
  json.flag("allowed", decided.allowed).text("reason", to_string(decided.reason));
  if (decided.verdict.directive) {
    json.text("directive", to_string(*decided.verdict.directive))
        .text("pattern", decided.verdict.pattern.value_or(""))
        .number("line", decided.verdict.line);
  }
  json.text("user_agent", decided.verdict.user_agent);
}

/// The description of a policy in a trail.
struct audited_policy {
  std::string directives;  ///< the SHA-256 of `text`; empty if no robots.txt is obeyed
  std::string text;        ///< see `directives_text`
  std::string members;     ///< an object: the basis of the policy
  std::string id;          ///< the SHA-256 of `members`
};

[[nodiscard]] inline audited_policy audited(const policy& from) {
  audited_policy result;
  base::json_writer json;
  json.text("basis", to_string(from.basis()));
  if (const auto given = from.given_reason()) {
    json.text("reason", to_string(*given));
  }
  const bool is_last_good = from.basis() == policy_basis::last_good;
  if (is_last_good || from.basis() == policy_basis::rules) {
    result.text = directives_text(from);
    result.directives = sha256(result.text);
    json.text("directives", result.directives);
  }
  if (is_last_good) {
    json.text("last_good_fetched_at", date_text(from.rules_source().fetched_at));
  }
  add_record(json, from.source());
  result.members = std::move(json).finish();
  result.id = sha256(result.members);
  return result;
}

/// Returns the members of an entry about a policy: `about`, the id of the policy, and the members
/// that the id stands for.
[[nodiscard]] inline std::string with_policy(base::json_writer about, const audited_policy& known) {
  about.text("policy", known.id);
  std::string text = std::move(about).finish();
  text.back() = ',';
  return text.append(known.members, 1);
}

}  // namespace robots::adapters_detail
