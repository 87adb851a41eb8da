#pragma once

#include <robots/base/config.hpp>
#include <robots/base/enum_text.hpp>
#include <robots/base/printable.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/record.hpp>

#include <algorithm>
#include <utility>

namespace robots {

namespace policy_detail {

ROBOTS_INLINE decision_reason reason_of(const policy& from, const verdict& answer) noexcept {
  if (answer.directive) {
    return decision_reason::rule;
  }
  if (answer.undecided) {
    return decision_reason::undecided;
  }
  if (answer.exempt) {
    return decision_reason::robots_txt;
  }
  const policy_basis basis = from.basis();
  if (basis != policy_basis::allow_all && basis != policy_basis::deny_all) {
    return decision_reason::no_rule;
  }
  return detail::is_fallback(from) ? decision_reason::fallback : decision_reason::no_file;
}

ROBOTS_INLINE std::string malformed_text(const file_findings& found) {
  if (found.lines.not_robots_txt) {
    return "the content is not a robots.txt";
  }
  const std::string all = " of " + std::to_string(found.lines.non_blank) + " lines ";
  const std::string guessed = std::to_string(found.lines.guessed);
  if (found.lines.malformed == 0) {
    return guessed + all + "are read by a guess, since they are misspelled or have no colon";
  }
  std::string text = std::to_string(found.lines.malformed) + all + "mean nothing";
  if (found.lines.guessed != 0) {
    text += " and " + guessed + " are read by a guess";
  }
  const auto first =
      std::find_if(found.diagnostics.begin(), found.diagnostics.end(),
                   [](const diagnostic& finding) { return finding.severity == severity::error; });
  return first == found.diagnostics.end()
             ? text
             : text + ", the first error is in line " + std::to_string(first->line);
}

ROBOTS_INLINE std::string outcome_text(const policy& from) {
  const record_head source = from.last_retrieval();
  std::string row{to_string(source.outcome)};
  if (source.status != 0) {
    row += " (HTTP " + std::to_string(source.status) + ')';
  }
  if (source.outcome == outcome::unreachable && source.error == fetch_error::timeout) {
    row += ", timed out";
    if (source.attempts > 0) {
      row +=
          " after " + std::to_string(source.attempts) + (source.attempts == 1 ? " try" : " tries");
    }
  }
  if (!source.error_text.empty()) {
    row += " (" + base::printable(source.error_text) + ')';
  }
  if (source.outcome == outcome::malformed) {
    row += ": " + malformed_text(from.findings());
  }
  return row;
}

}  // namespace policy_detail

ROBOTS_INLINE decision decide(std::shared_ptr<const policy> used, std::string_view url,
                              time_point now) {
  const policy& rules = *used;
  decision result{.verdict = rules.match(detail::target_for(rules, url)),
                  .policy = std::move(used)};
  result.allowed = result.verdict.allowed;
  result.reason =
      rules.reason_for_all_urls().value_or(policy_detail::reason_of(rules, result.verdict));
  if (!rules.reason_for_all_urls()) {
    // Another thread may have fetched the rules after `now`.
    result.age = (std::max)(now - rules.rules_fetched_at(), std::chrono::nanoseconds{0});
  }
  return result;
}

ROBOTS_INLINE std::string explain(const decision& answer) {
  std::string text = answer.allowed ? "allowed: " : "not allowed: ";
  const std::string_view why = base::enum_text<decision_reason::invalid_url>(
      answer.reason,
      {"", "", "", "no robots.txt: ", "", "fallback: ", "an override of the site decides",
       "the site is halted until somebody resumes it", "the site needs a sign-off",
       "the rulings of the crawl are not read yet from their ledger", "the host is excluded",
       "not an http or https URL"});
  text += why.empty() ? explain(answer.verdict) : std::string{why};
  if (answer.reason == decision_reason::invalid_url && answer.policy) {
    const std::string problem = answer.policy->last_retrieval().error_text;
    text += problem.empty() ? "" : ": " + base::printable(problem);
  }
  if (answer.reason == decision_reason::no_file || answer.reason == decision_reason::fallback) {
    text += policy_detail::outcome_text(*answer.policy);
  }
  if (const order_reference* const order = answer.order(); order != nullptr) {
    text += ", " + explain(*order);
  }
  if (answer.policy && answer.policy->basis() == policy_basis::last_good) {
    text += ", by the last good copy since the newest is " +
            policy_detail::outcome_text(*answer.policy);
  }
  const bool by_rules =
      answer.reason == decision_reason::rule || answer.reason == decision_reason::no_rule;
  if (by_rules && answer.policy->basis() == policy_basis::rules &&
      answer.policy->outcome() == outcome::malformed) {
    text += ", though " + policy_detail::malformed_text(answer.policy->findings());
  }
  return text;
}

}  // namespace robots
