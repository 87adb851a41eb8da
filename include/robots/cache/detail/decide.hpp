#pragma once

#include <robots/fetch/outcome.hpp>
#include <robots/http/site_key.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/rep/rules/detail/normal_target.hpp>
#include <robots/rep/rules/verdict.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

namespace robots::detail {

/// What a look-up came to.
struct found {
  std::shared_ptr<const robots::policy> policy{};
  bool from_cache = false;
  bool stale = false;  // no longer fresh, and being renewed
  decision_reason refusal = decision_reason::invalid_url;
  time_point now{};  // when an entry of the cache was found
};

[[nodiscard]] inline decision_reason reason_of(const policy& from, std::string_view url,
                                               const verdict& what) noexcept {
  if (what.directive) {
    return decision_reason::rule;
  }
  if (what.allowed && targets_robots_txt(url)) {
    return decision_reason::robots_txt;
  }
  const bool no_file = from.source().outcome == outcome::not_found;
  switch (from.basis()) {
    case policy_basis::allow_all:
      return no_file ? decision_reason::no_file : decision_reason::fallback;
    case policy_basis::deny_all:
      return decision_reason::fallback;
    default:
      return decision_reason::no_rule;
  }
}

/// The decision on `url` by what was found. `clock` is read where the look-up has not told the
/// time.
template <Clock C>
[[nodiscard]] decision decide(std::string_view url, found at, C& clock) {
  decision result{.reason = at.refusal,
                  .policy = std::move(at.policy),
                  .from_cache = at.from_cache,
                  .stale = at.stale};
  const policy& rules = *result.policy;
  const std::string_view target = target_of(url);
  result.verdict = rules.match(target);
  result.allowed = result.verdict.allowed;
  if (rules.basis() != policy_basis::refused) {
    result.reason = reason_of(rules, target, result.verdict);
    const time_point now = at.from_cache ? at.now : clock.now();
    // What another thread has just stored may be younger than this look-up.
    result.age = std::max(now - rules.rules_source().fetched_at, std::chrono::nanoseconds{0});
  }
  return result;
}

}  // namespace robots::detail
