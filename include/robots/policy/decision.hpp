#pragma once

#include <robots/base/config.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/http/host.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/order_reference.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/policy_basis.hpp>
#include <robots/rep/read/file_findings.hpp>
#include <robots/rep/rules/explanation.hpp>
#include <robots/rep/rules/verdict.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

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
  bool stale = false;        ///< the entry was stale: see `look_up_result::stale_hit`

  /// Returns the Crawl-delay in force for the crawler on this site.
  [[nodiscard]] std::optional<std::chrono::milliseconds> crawl_delay() const noexcept {
    return policy ? policy->crawl_delay() : std::nullopt;
  }

  /// Returns the order of a person or an alarm that the decision follows, or null.
  [[nodiscard]] const order_reference* order() const noexcept {
    return policy ? policy->order() : nullptr;
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

[[nodiscard]] decision_reason reason_of(const policy& from, const verdict& answer) noexcept;

[[nodiscard]] std::string malformed_text(const file_findings& found);

[[nodiscard]] std::string outcome_text(const policy& from);

}  // namespace policy_detail

/// Decides whether a crawler may fetch `url` at `now`. `used` is the policy of the site and must
/// not be null. All decisions on URLs come from this function. Costs one `rule_set::match`.
[[nodiscard]] decision decide(std::shared_ptr<const policy> used, std::string_view url,
                              time_point now);

/// Returns a sentence that states the answer and its reason, such as a rule or an outcome.
[[nodiscard]] std::string explain(const decision& answer);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/policy/decision.bodies.hpp>
#endif
