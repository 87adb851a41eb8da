// What an audit trail says of policies, records and options.
#pragma once

#include <robots/adapters/detail/audit_crypto.hpp>
#include <robots/base/json_writer.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/rep/rules/listed_rule.hpp>
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

/// All that a site asks of one crawler, as JSON: the same text for the same lines.
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

/// A policy as a trail knows it, by what it says alone: equal for policies that say the same.
struct audited_policy {
  std::string id;          ///< stands for all of it
  std::string directives;  ///< stands for `text`; empty where no robots.txt is obeyed
  std::string good;        ///< the id of the last good copy, where that holds
  std::string text;        ///< see `directives_text`
};

[[nodiscard]] inline audited_policy audited(const policy& from) {
  const auto id_of = [&from](policy_basis basis, std::string_view given, const record_head& source,
                             const std::string& rest) {
    record whole;
    static_cast<record_head&>(whole) = source;
    std::string all = encode(whole);
    for (const std::string_view part :
         {to_string(basis), given, std::string_view{rest}, from.rules().user_agent()}) {
      all.append(" ").append(part);
    }
    return sha256(all);
  };
  audited_policy result;
  const bool is_last_good = from.basis() == policy_basis::last_good;
  if (is_last_good || from.basis() == policy_basis::rules) {
    result.text = directives_text(from);
    result.directives = sha256(result.text);
  }
  if (is_last_good) {
    result.good = id_of(policy_basis::rules, {}, from.rules_source(), result.directives);
  }
  const auto given = from.given_reason();
  result.id = id_of(from.basis(), given ? to_string(*given) : "", from.source(),
                    is_last_good ? result.good : result.directives);
  return result;
}

/// A retrieval for people, and all of it but the body in base64.
inline void add_record(base::json_writer& json, const record_head& head) {
  const auto add_text = [&](std::string_view name, std::string_view text) {
    if (!text.empty()) {
      json.text(name, text);
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
  json.flag("truncated", head.truncated).flag("not_modified", head.not_modified);
  json.open_list("exchanges");
  for (const robots::exchange& each : head.exchanges) {
    json.open().text("url", each.url).number("status", each.status);
    if (each.error != fetch_error::none) {
      json.text("error", to_string(each.error));
    }
    json.close();
  }
  record bare;
  static_cast<record_head&>(bare) = head;
  json.close_list().text("record", to_base64(encode(bare)));
}

/// The record without body that `add_record` wrote; nothing if it is none.
[[nodiscard]] inline std::optional<record> read_record(std::string_view base64) {
  return decode(from_base64(base64)).record;
}

inline void add_policy(base::json_writer& json, const policy& from, const audited_policy& known) {
  json.text("policy", known.id).text("basis", to_string(from.basis()));
  if (const auto given = from.given_reason()) {
    json.text("reason", to_string(*given));
  }
  if (!known.directives.empty()) {
    json.text("directives", known.directives).number("version", from.version());
  }
  if (!known.good.empty()) {
    json.text("good", known.good);
  }
}

}  // namespace robots::adapters_detail
