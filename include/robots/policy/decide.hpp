#pragma once

#include <robots/fetch/outcome.hpp>
#include <robots/http/site_key.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/rep/rules/verdict.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace robots::detail {

/// Returns true if the fallback policy decided because no robots.txt was available. Returns false
/// if the site has no robots.txt (`outcome::not_found`), since this answer allows everything.
[[nodiscard]] inline bool is_fallback(const policy& judged) noexcept {
  const policy_basis basis = judged.basis();
  return basis == policy_basis::deny_all || basis == policy_basis::last_good ||
         (basis == policy_basis::allow_all && judged.outcome() != outcome::not_found);
}

/// Returns the part of `url` to which the rules of a policy apply. `url` is a URL, a host with or
/// without a path, or a path with query. If the rules name hosts, returns the whole text, since
/// these rules would read a host from a path that begins with two slashes.
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
  switch (from.basis()) {
    case policy_basis::allow_all:
    case policy_basis::deny_all:
      return detail::is_fallback(from) ? decision_reason::fallback : decision_reason::no_file;
    default:
      return decision_reason::no_rule;
  }
}

}  // namespace policy_detail

/// Decides whether a crawler may fetch `url` at `now`. `used` is the policy of the site and must
/// not be null. Only this function applies a policy to a URL. Costs one `rule_set::match`.
[[nodiscard]] inline decision decide(std::shared_ptr<const policy> used, std::string_view url,
                                     time_point now) {
  const policy& rules = *used;
  decision result{.verdict = rules.match(detail::target_for(rules, url)),
                  .policy = std::move(used)};
  result.allowed = result.verdict.allowed;
  const std::optional<decision_reason> fixed_reason = rules.given_reason();
  result.reason = fixed_reason ? *fixed_reason : policy_detail::reason_of(rules, result.verdict);
  if (!fixed_reason) {
    // Another thread may have fetched the rules after `now`.
    result.age = (std::max)(now - rules.rules_fetched_at(), std::chrono::nanoseconds{0});
  }
  return result;
}

}  // namespace robots
