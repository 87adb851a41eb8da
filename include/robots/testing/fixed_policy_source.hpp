#pragma once

#include <robots/fetch/call_options.hpp>
#include <robots/policy/decide.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/policy_source.hpp>

#include <memory>
#include <string_view>
#include <utility>

namespace robots {

/// A source that has one policy for all sites and sends no requests. Use this class for tests, and
/// for crawlers of one site.
class FixedPolicySource {
 public:
  /// `rules` must not be null.
  explicit FixedPolicySource(std::shared_ptr<const policy> rules) : rules_(std::move(rules)) {}

  /// Returns the policy.
  [[nodiscard]] std::shared_ptr<const policy> get(std::string_view /*host_or_url*/,
                                                  const call_options& /*call*/ = {}) const {
    return rules_;
  }

  /// Returns the decision of the policy for `url`.
  [[nodiscard]] decision check(std::string_view url, const call_options& /*call*/ = {}) const {
    decision decided = decide(rules_, url, rules_->rules_fetched_at());
    decided.from_cache = true;
    return decided;
  }

 private:
  std::shared_ptr<const policy> rules_;
};

static_assert(PolicySource<FixedPolicySource>);

}  // namespace robots
