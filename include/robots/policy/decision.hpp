#pragma once

#include <robots/base/printable.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace robots {

/// Whether a crawler may fetch a URL, and all that the answer rests on.
struct decision {
  bool allowed = false;                                   ///< the URL may be fetched
  decision_reason reason = decision_reason::invalid_url;  ///< why
  robots::verdict verdict{};                       ///< the rule; its views live as long as `policy`
  std::shared_ptr<const robots::policy> policy{};  ///< what it rests on; never null
  std::chrono::nanoseconds age{0};                 ///< since the rules in force were fetched
  bool from_cache = false;                         ///< a kept entry answered: nothing was fetched
  bool stale = false;  ///< that entry is no longer fresh, and is being renewed

  /// The Crawl-delay in force for the crawler on this site.
  [[nodiscard]] std::optional<std::chrono::milliseconds> crawl_delay() const noexcept {
    return policy ? policy->crawl_delay() : std::nullopt;
  }
};

/// One sentence for people: the answer, the rule and its line, or the row of the failure table.
[[nodiscard]] inline std::string explain(const decision& what) {
  std::string text = what.allowed ? "allowed: " : "not allowed: ";
  const auto outcome_text = [&] {
    const record_head& source = what.policy->source();
    std::string row{to_string(source.outcome)};
    if (source.status != 0) {
      row += " (HTTP " + std::to_string(source.status) + ')';
    }
    if (!source.error_text.empty()) {
      row += " (" + detail::printable(source.error_text) + ')';
    }
    return row;
  };
  switch (what.reason) {
    case decision_reason::rule:
      text += to_string(*what.verdict.directive);
      text += " \"" + detail::printable(*what.verdict.pattern) + "\", line " +
              std::to_string(what.verdict.line) + ", for " +
              detail::printable(what.verdict.user_agent);
      break;
    case decision_reason::no_rule:
      text += "no rule matches";
      if (what.policy && what.policy->lines().not_robots_txt) {
        text += ", for the content is no robots.txt";
      }
      break;
    case decision_reason::robots_txt:
      text += "/robots.txt itself";
      break;
    case decision_reason::no_file:
      text += "no robots.txt: " + outcome_text();
      break;
    case decision_reason::fallback:
      text += "fallback: " + outcome_text();
      break;
    case decision_reason::excluded:
      text += "the host is excluded";
      break;
    case decision_reason::invalid_url:
      text += "not an http or https URL";
      break;
  }
  if (what.policy && what.policy->basis() == policy_basis::last_good) {
    text += ", by the last good copy since the newest is " + outcome_text();
  }
  return text;
}

}  // namespace robots
