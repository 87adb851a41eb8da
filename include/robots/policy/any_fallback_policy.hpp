#pragma once

#include <robots/policy/fallback.hpp>
#include <robots/policy/record.hpp>

#include <concepts>
#include <memory>
#include <string_view>
#include <utility>

namespace robots::detail {

/// Holds any `FallbackPolicy`, a preset or the user's own policy, for the options of a cache.
///
/// There is no default, since the user must choose. Copies share the policy.
class any_fallback_policy {
 public:
  // `same_as` comes first, so that the compiler does not check
  // `FallbackPolicy<any_fallback_policy>` when an object of this class is copied.
  template <class P>
    requires(!std::same_as<P, any_fallback_policy>) && FallbackPolicy<P>
  any_fallback_policy(P policy)  // NOLINT(google-explicit-constructor)
      : policy_{std::make_shared<const P>(std::move(policy))},
        action_{[](const void* object, const record_head& source) {
          return static_cast<const P*>(object)->action(source);
        }} {
    if constexpr (requires(const P& named) {
                    { named.name() } noexcept -> std::same_as<std::string_view>;
                  }) {
      name_ = static_cast<const P*>(policy_.get())->name();
    }
    if constexpr (requires(const P& named) {
                    { named.halts_hostile() } noexcept -> std::same_as<bool>;
                  }) {
      halts_hostile_ = static_cast<const P*>(policy_.get())->halts_hostile();
    }
  }

  // Compilers print the next declarations with the error, including the trailing comments.
  /// Deleted, since the user must choose a policy.
  any_fallback_policy() = delete;  // set .fallback, for example to fallback_policy::rfc9309()
  /// Deleted, since `P` is not a `FallbackPolicy`: it needs a member `action`.
  template <class P>
    requires(!std::same_as<P, any_fallback_policy>) && (!FallbackPolicy<P>)
  any_fallback_policy(P) = delete;  // P is not a FallbackPolicy: see policy/fallback.hpp

  /// Returns the action for `source`. If the policy throws, or returns `parse` although there is no
  /// file, the action is `deny_all`.
  [[nodiscard]] fallback_action action(const record_head& source) const noexcept {
    try {
      const fallback_action chosen = action_(policy_.get(), source);
      const bool is_possible =
          chosen != fallback_action::parse || policy_detail::has_text(source.outcome);
      return is_possible ? chosen : fallback_action::deny_all;
    } catch (...) {
      return fallback_action::deny_all;
    }
  }

  /// Returns the action for an outcome, without other details.
  [[nodiscard]] fallback_action action(outcome kind) const noexcept {
    return action(record_head{{.outcome = kind}});
  }

  /// Returns the name of the policy, or `custom` if the policy has no name.
  [[nodiscard]] std::string_view name() const noexcept { return name_; }

  /// Returns `halts_hostile` of the policy, or false if the policy has no such member.
  [[nodiscard]] bool halts_hostile() const noexcept { return halts_hostile_; }

 private:
  std::shared_ptr<const void> policy_;
  fallback_action (*action_)(const void* policy, const record_head& source);
  std::string_view name_ = "custom";
  bool halts_hostile_ = false;
};

}  // namespace robots::detail
