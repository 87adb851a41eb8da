#pragma once

#include <robots/fetch/outcome.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/policy/fallback_action.hpp>
#include <robots/policy/record.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

namespace robots::detail {

/// Holds any `FallbackPolicy`, a preset or the user's own policy. Copies share the policy.
class any_fallback_policy {
 public:
  // The compiler must not check `FallbackPolicy<any_fallback_policy>`, so `same_as` comes first.
  template <class P>
    requires(!std::same_as<P, any_fallback_policy>) && FallbackPolicy<P>
  any_fallback_policy(P policy) {  // NOLINT(google-explicit-constructor)
    const auto shared = std::make_shared<const P>(std::move(policy));
    action_ = [shared](const record_head& source) { return shared->action(source); };
    if constexpr (requires(const P& named) {
                    { named.name() } noexcept -> std::same_as<std::string_view>;
                  }) {
      name_ = shared->name();
    }
    if constexpr (requires(const P& named) {
                    { named.halts_hostile() } noexcept -> std::same_as<bool>;
                  }) {
      halts_hostile_ = shared->halts_hostile();
    }
    if constexpr (requires(const P& named) {
                    { named.counts_guessed_lines() } noexcept -> std::same_as<bool>;
                  }) {
      counts_guessed_lines_ = shared->counts_guessed_lines();
    }
  }

  // If the policy is missing or invalid, the compiler prints one of the next two declarations. The
  // comment at the end of that declaration says what to do.
  /// Deleted, since the user must choose a policy.
  any_fallback_policy() = delete;  // set .fallback, for example to fallback_policy::rfc9309()
  /// Deleted, since `P` is not a `FallbackPolicy`: it needs a member `action`.
  template <class P>
    requires(!std::same_as<P, any_fallback_policy>) && (!FallbackPolicy<P>)
  any_fallback_policy(P) = delete;  // P is not a FallbackPolicy: see policy/fallback.hpp

  /// Returns the action. Returns `deny_all` if the policy throws or chooses `parse` without a file.
  [[nodiscard]] fallback_action action(const record_head& source) const noexcept {
    try {
      const fallback_action chosen = action_(source);
      const bool is_possible = chosen != fallback_action::parse || detail::has_text(source.outcome);
      return is_possible ? chosen : fallback_action::deny_all;
    } catch (...) {
      return fallback_action::deny_all;
    }
  }

  /// Returns the name of the policy, or `custom` if the policy has no name.
  [[nodiscard]] std::string_view name() const noexcept { return name_; }

  /// Returns `halts_hostile` of the policy, or false if the policy has no such member.
  [[nodiscard]] bool halts_hostile() const noexcept { return halts_hostile_; }

  /// Returns `counts_guessed_lines` of the policy, or false if the policy has no such member.
  [[nodiscard]] bool counts_guessed_lines() const noexcept { return counts_guessed_lines_; }

 private:
  std::function<fallback_action(const record_head&)> action_;
  std::string_view name_ = "custom";
  bool halts_hostile_ = false;
  bool counts_guessed_lines_ = false;
};

}  // namespace robots::detail
