#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/enum_text.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/http/host.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/rep/read/file_findings.hpp>
#include <robots/rep/rules/explanation.hpp>
#include <robots/rep/rules/verdict.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots {

/// The answer to the question whether a crawler may fetch a URL, with the facts behind it.
struct decision {
  bool allowed = false;                                   ///< the URL may be fetched
  decision_reason reason = decision_reason::invalid_url;  ///< the reason for `allowed`
  robots::verdict verdict{};  ///< the rule that decided; valid as long as `policy`
  std::shared_ptr<const robots::policy> policy{};  ///< the policy that decided; never null
  std::chrono::nanoseconds age{0};                 ///< time since the rules in force were fetched
  /// True if the decision came from a cache entry. Then nothing was fetched, or the site confirmed
  /// the entry (`revalidated`).
  bool from_cache = false;
  bool revalidated = false;  ///< the site was asked for this decision and sent a 304
  bool stale = false;        ///< the entry was stale and is being renewed

  /// Returns the Crawl-delay in force for the crawler on this site.
  [[nodiscard]] std::optional<std::chrono::milliseconds> crawl_delay() const noexcept {
    return policy ? policy->crawl_delay() : std::nullopt;
  }
};

}  // namespace robots

namespace robots::detail {

/// Returns true if the fallback policy decided. Returns false for a policy that allows everything
/// after `outcome::not_found`, since a missing file is no failure.
[[nodiscard]] inline bool is_fallback(const policy& judged) noexcept {
  const policy_basis basis = judged.basis();
  return basis == policy_basis::deny_all || basis == policy_basis::last_good ||
         (basis == policy_basis::allow_all && judged.outcome() != outcome::not_found);
}

/// Returns the part of `url` to which the rules of a policy apply. `url` is a URL, a host with or
/// without a path, or a path with query. For `dialect::google`, the `a` in the path `//a/b` counts
/// as a host.
[[nodiscard]] inline std::string_view target_for(const policy& used,
                                                 std::string_view url) noexcept {
  return url.starts_with('/') || used.rules().reads_hosts() ? url : target_of(url);
}

}  // namespace robots::detail

namespace robots {

namespace policy_detail {

[[nodiscard]] inline decision_reason reason_of(const policy& from, const verdict& answer) noexcept {
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
  return basis != policy_basis::allow_all && basis != policy_basis::deny_all
             ? decision_reason::no_rule
         : detail::is_fallback(from) ? decision_reason::fallback
                                     : decision_reason::no_file;
}

[[nodiscard]] inline std::string malformed_text(const file_findings& found) {
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

[[nodiscard]] inline std::string outcome_text(const policy& from) {
  const record_head source = from.source();
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

/// Decides whether a crawler may fetch `url` at `now`. `used` is the policy of the site and must
/// not be null. All decisions on URLs come from this function. Costs one `rule_set::match`.
[[nodiscard]] inline decision decide(std::shared_ptr<const policy> used, std::string_view url,
                                     time_point now) {
  const policy& rules = *used;
  decision result{.verdict = rules.match(detail::target_for(rules, url)),
                  .policy = std::move(used)};
  result.allowed = result.verdict.allowed;
  result.reason = rules.given_reason().value_or(policy_detail::reason_of(rules, result.verdict));
  if (!rules.given_reason()) {
    // Another thread may have fetched the rules after `now`.
    result.age = (std::max)(now - rules.rules_fetched_at(), std::chrono::nanoseconds{0});
  }
  return result;
}

/// Returns a sentence that states the answer and its reason, such as a rule or an outcome.
[[nodiscard]] inline std::string explain(const decision& answer) {
  std::string text = answer.allowed ? "allowed: " : "not allowed: ";
  const std::string_view why = base::enum_text<decision_reason::invalid_url>(
      answer.reason,
      {"", "", "", "no robots.txt: ", "", "fallback: ", "an override of the site decides",
       "the site is halted until somebody resumes it", "the site needs a sign-off",
       "the rulings of the crawl are not read yet from their ledger", "the host is excluded",
       "not an http or https URL"});
  text += why.empty() ? explain(answer.verdict) : std::string{why};
  if (answer.reason == decision_reason::invalid_url && answer.policy) {
    const std::string problem = answer.policy->source().error_text;
    text += problem.empty() ? "" : ": " + base::printable(problem);
  }
  if (answer.reason == decision_reason::no_file || answer.reason == decision_reason::fallback) {
    text += policy_detail::outcome_text(*answer.policy);
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
