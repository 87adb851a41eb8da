#pragma once

#include <robots/base/enum_text.hpp>
#include <robots/base/printable.hpp>
#include <robots/fetch/breaker_options.hpp>
#include <robots/fetch/exchange.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/http/charset.hpp>
#include <robots/http/message.hpp>
#include <robots/observe/detail/guessed_lines.hpp>
#include <robots/observe/event_text.hpp>
#include <robots/observe/events.hpp>
#include <robots/observe/look_up_result.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/halt_reason.hpp>
#include <robots/policy/order_reference.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/policy_basis.hpp>
#include <robots/policy/record.hpp>
#include <robots/policy/site_override.hpp>
#include <robots/rep/diff/change_report.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/file_findings.hpp>
#include <robots/rep/rules/verdict.hpp>
#include <robots/time/clock.hpp>
#include <robots/usage/license_link.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <utility>

namespace robots::observe_detail {

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

inline void add_policy(base::json_writer& line, const policy& used) {
  line.text("basis", to_string(used.basis())).number("policy_version", used.version());
}

/// Adds the order behind an event or a decision, if there is one.
inline void add_order(base::json_writer& line, const order_reference& order) {
  if (!order.id.empty()) {
    line.text("order", to_string(order.number)).text("order_id", order.id);
    line.text("maker", order.maker);
  }
}

/// Returns a sentence about a ruling, with the order that made it.
[[nodiscard]] inline std::string with_order(std::string_view sentence,
                                            const order_reference& order) {
  return std::string{sentence} + (order.id.empty() ? "" : "; " + explain(order));
}

/// Returns a number with its noun, such as `1 rule` or `2 rules`.
[[nodiscard]] inline std::string counted(std::size_t count, const char* noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

/// A visitor that adds the members of an event to `line`, and returns a sentence for people.
struct event_text {
  base::json_writer& line;

  std::string_view operator()(const look_up_event& event) const {
    line.text("result", to_string(event.result));
    if (event.policy != nullptr) {
      add_policy(line, *event.policy);
    }
    return base::enum_text<look_up_result::joined>(
        event.result,
        {"the cache has fresh rules", "the rules in the cache are stale, but can still be used",
         "the cache has no fresh rules, so the site or the shared store is asked",
         "another call fetched the rules"});
  }

  std::string operator()(const exchange_event& event) const {
    const detail::exchange& ended = event.exchange;
    line.long_text("url", ended.url);
    add_status(line, ended.status, ended.error);
    line.seconds("duration_seconds", event.duration).number("bytes", event.bytes);
    line.number("hop", event.hop).number("attempt", event.attempt);
    return ended.error != fetch_error::none
               ? "the request got no response: " + std::string{to_string(ended.error)}
               : "the site answered with status " + std::to_string(ended.status);
  }

  std::string operator()(const parse_event& event) const {
    const file_findings found = event.policy.findings();
    const std::size_t rules = event.policy.rules().size();
    line.seconds("duration_seconds", event.duration).number("rules", rules);
    line.number("lines", found.lines.non_blank).number("malformed_lines", found.lines.malformed);
    line.flag("not_robots_txt", found.lines.not_robots_txt);
    line.text("charset", to_string(event.policy.last_retrieval().charset));
    line.flag("invalid_utf8", event.invalid_utf8).open_list("findings");
    for (const diagnostic& finding : found.diagnostics) {
      line.open().number("line", finding.line).number("column", finding.column);
      line.text("severity", to_string(finding.severity))
          .text("code", to_string(finding.code))
          .close();
    }
    line.close_list();
    add_policy(line, event.policy);
    std::string text = "robots.txt was read: " + counted(rules, "rule");
    if (found.lines.malformed > 0 || found.lines.not_robots_txt) {
      text += ", but " + policy_detail::malformed_text(found);
    } else if (const guessed_lines guessed = guessed_lines::in(found); guessed.count > 0) {
      text += ", " + counted(guessed.count, "line") + " by a guess, the first is line " +
              std::to_string(guessed.first);
    }
    return text += event.invalid_utf8 ? ", but it is not valid UTF-8" : "";
  }

  std::string operator()(const retrieval_event& event) const {
    const record_head source = event.policy.last_retrieval();
    add_source(line, source);
    line.seconds("duration_seconds", event.duration).number("attempts", source.attempts);
    line.number("redirects", source.redirects).number("bytes", event.record.body.size());
    line.flag("not_modified", source.not_modified).flag("truncated", source.truncated);
    line.seconds("lifetime_seconds", source.lifetime);
    add_policy(line, event.policy);
    return (source.not_modified ? "robots.txt has not changed: "
                                : "the retrieval of robots.txt ended: ") +
           policy_detail::outcome_text(event.policy);
  }

  template <class Far>
    requires(std::same_as<Far, far_hit_event> || std::same_as<Far, far_old_record_event>)
  std::string operator()(const Far& event) const {
    add_source(line, event.record);
    line.text("fetched_at", date_text(event.record.fetched_at));
    add_policy(line, event.policy);
    return (std::same_as<Far, far_hit_event> ? "another process had fetched robots.txt: "
                                             : "the shared store has an older robots.txt: ") +
           policy_detail::outcome_text(event.policy);
  }

  std::string operator()(const fallback_event& event) const {
    const record_head source = event.policy.last_retrieval();
    add_source(line, source);
    line.number("failures", source.failures);
    add_policy(line, event.policy);
    const std::string text =
        "there is no robots.txt to obey: " + policy_detail::outcome_text(event.policy);
    const policy_basis basis = event.policy.basis();
    if (basis == policy_basis::last_good) {
      return text + "; the last good copy is obeyed";
    }
    const bool allows = basis == policy_basis::allow_all;
    return text + (allows ? "; everything is allowed" : "; everything is denied");
  }

  std::string operator()(const decision_event& event) const {
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
    if (const order_reference* const order = decided.order()) {
      add_order(line, *order);
    }
    if (decided.policy != nullptr) {
      add_policy(line, *decided.policy);
      return explain(decided);
    }
    return std::string{decided.allowed ? "allowed: " : "not allowed: "}.append(
        to_string(decided.reason));
  }

  std::string operator()(const admission_event& event) const {
    line.long_text("url", event.url).text("reason", to_string(event.reason));
    line.seconds("waited_seconds", event.waited).flag("allowed", event.decision.allowed);
    line.text("decision_reason", to_string(event.decision.reason));
    line.flag("needs_review", event.needs_review);
    const std::string answer = explain(event.reason);
    return event.decision.policy ? answer + "; " + explain(event.decision) : answer;
  }

  /// Adds a JSON list of the first changes. A change is a `rule_change` or a `line_change`.
  void add_changes(std::string_view list, const auto& changes) const {
    constexpr std::size_t most = 32;
    line.open_list(list);
    for (const auto& change : std::span{changes}.first((std::min)(most, changes.size()))) {
      line.open();
      if constexpr (requires { change.change; }) {
        line.text("change", to_string(change.change));
      }
      line.text("directive", to_string(change.kind));
      for (const auto& [name, value] :
           {std::pair{"before", &change.before}, std::pair{"after", &change.after}}) {
        if (*value) {
          line.long_text(name, text_of(**value));
        }
      }
      line.close();
    }
    line.close_list();
  }
  static std::string_view text_of(const std::string& text) { return text; }
  static std::string_view text_of(const auto& rule) { return rule.pattern; }

  std::string operator()(const policy_change_event& event) const {
    const change_report& found = event.changes;
    line.flag("turned_hostile", event.turned_hostile).flag("fast", event.fast);
    line.seconds("interval_seconds", event.interval).number("changed", found.changed());
    line.number("unchanged", found.unchanged);
    add_changes("rules", found.rules);
    add_changes("other_lines", found.lines);
    add_policy(line, event.after);
    std::string text = "robots.txt has changed: " + counted(found.changed(), "change") + ", " +
                       counted(found.unchanged, "line") + " unchanged";
    text += event.fast ? ", faster than the limit" : "";
    return text += event.turned_hostile ? "; it denies everything now" : "";
  }

  std::string operator()(const access_revoked_event& event) const {
    line.long_text("url", event.url).number("status", event.status);
    const bool by_status = event.status == 401 || event.status == 403;
    return "the site refused a page that its robots.txt allows, with " +
           std::string{by_status ? "status " : "a challenge and status "} +
           std::to_string(event.status);
  }

  std::string operator()(const licence_demanded_event& event) const {
    line.long_text("url", event.url).number("status", event.status);
    line.long_text("challenge", event.demand.challenge).open_list("licenses");
    for (const std::string& license : event.demand.licenses) {
      line.item(license);
    }
    line.close_list();
    std::string text = "the server demands a licence, with status " + std::to_string(event.status);
    for (const std::string& license : event.demand.licenses) {
      text.append(text.ends_with('>') ? ", <" : ": <").append(base::printable(license)).append(">");
    }
    return text;
  }

  std::string operator()(const halt_event& event) const {
    line.text("reason", to_string(event.reason)).flag("resumed", event.resumed);
    add_order(line, event.order);
    if (!event.fingerprint.empty()) {
      line.long_text("fingerprint", event.fingerprint);
    }
    if (event.resumed) {
      return with_order("the site was resumed", event.order);
    }
    const std::string_view why = base::enum_text<halt_reason::unreachable>(
        event.reason,
        {"the site was halted: its robots.txt denies everything now",
         "the site was halted: it revoked access", "the site was halted: by an operator",
         "the site was halted: its robots.txt could not be fetched for too long"});
    return with_order(why, event.order);
  }

  std::string operator()(const sign_off_event& event) const {
    line.flag("given", event.given).flag("awaited", event.awaited);
    add_order(line, event.order);
    if (event.given) {
      return with_order("the site was signed off", event.order);
    }
    if (event.awaited) {
      return "the site is high-risk and waits for somebody to sign it off";
    }
    return with_order("the sign-off of the site was withdrawn", event.order);
  }

  std::string_view operator()(const breaker_event& event) const {
    line.text("state", to_string(event.state));
    return base::enum_text<breaker_state::half_open>(
        event.state, {"the circuit breaker closed: the origin answers again",
                      "the circuit breaker opened: the origin is not asked for a while",
                      "the circuit breaker lets one request through"});
  }

  std::string_view operator()(const drop_event& event) const {
    line.flag("expired", event.expired);
    return event.expired ? "the cache dropped an entry that had expired"
                         : "the cache dropped an entry to make room";
  }

  std::string operator()(const quarantine_event& event) const {
    line.flag("released", event.released);
    add_order(line, event.order);
    if (event.released) {
      return with_order("the site was released from quarantine", event.order);
    }
    return with_order("the site was put in quarantine: its files are malformed again and again",
                      event.order);
  }

  std::string operator()(const override_event& event) const {
    line.text("value", to_string(event.value));
    add_order(line, event.order);
    if (event.value == site_override::text) {
      line.number("text_bytes", event.text.size());
    }
    if (event.value == site_override::none) {
      return with_order("the override of the site was lifted", event.order);
    }
    return with_order("the site has an override: " + std::string{to_string(event.value)},
                      event.order);
  }

  std::string operator()(const order_event& event) const {
    add_order(line, event.order);
    return "the ledger has numbered an order: " + explain(event.order);
  }

  std::string operator()(const rulings_event& event) const {
    detail::add_hosts(line, "needs_sign_off", event.needs_sign_off);
    line.flag("has_own_risk", event.has_own_risk).flag("has_ledger", event.has_ledger);
    line.flag("denies_unread", event.denies_unread);
    return "a cache began with rulings; needs_sign_off has " +
           counted(event.needs_sign_off.size(), "host");
  }

  std::string operator()(const exclusions_event& event) const {
    detail::add_hosts(line, "hosts", event.hosts);
    return "the excluded hosts were replaced: there are " + std::to_string(event.hosts.size()) +
           " now";
  }

  template <class Service>
    requires(std::same_as<Service, far_store_event> || std::same_as<Service, ledger_event>)
  std::string operator()(const Service& event) const {
    line.flag("up", event.up);
    if (!event.message.empty()) {
      line.long_text("error_text", event.message);
    }
    return (std::same_as<Service, ledger_event> ? "the ledger" : "the shared store") +
           (event.up ? " answers again" : " failed: " + base::printable(event.message));
  }

  std::string_view operator()(const lost_invalidation_event& /*event*/) const {
    return "the invalidation of the site did not reach the shared store: other processes may use "
           "its old rules until these expire";
  }
};

}  // namespace robots::observe_detail

namespace robots::detail {

ROBOTS_INLINE std::string describe(base::json_writer& line, const any_event& event) {
  const observe_detail::event_text text{line};
  return event.visit([&text](const auto& typed) { return std::string{text(typed)}; });
}

ROBOTS_INLINE void add_hosts(base::json_writer& line, std::string_view name,
                             std::span<const std::string> hosts) {
  line.open_list(name);
  for (const std::string& host : hosts) {
    line.open().text("host", host).close();
  }
  line.close_list();
}

}  // namespace robots::detail
