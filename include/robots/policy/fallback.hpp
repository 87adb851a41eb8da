#pragma once

#include <robots/fetch/outcome.hpp>
#include <robots/policy/fallback_action.hpp>
#include <robots/policy/record.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace robots {

/// A policy for the cases in which no robots.txt is available.
///
/// It returns the same action for the same record, and does not block. Any thread may call
/// `action`. Only `outcome::success` and `outcome::malformed` have a file to `parse`. If `action`
/// returns `parse` for another outcome, or throws, everything is denied.
///
/// Example: `p.action(head)` returns the action for the `record_head` `head`. Model:
/// `fallback_policy`. Write your own model if more than the outcome matters, such as the host.
template <class P>
concept FallbackPolicy =
    std::copy_constructible<P> && requires(const P& policy, const record_head& source) {
      { policy.action(source) } -> std::same_as<fallback_action>;
    };

/// A table with the action of a crawler for each outcome.
///
/// | outcome                     | `permissive` | `rfc9309`         | `strict`          |
/// |-----------------------------|--------------|-------------------|-------------------|
/// | `success`                   | parse        | parse             | parse             |
/// | `not_found`                 | allow all    | allow all         | allow all         |
/// | `client_error`              | allow all    | allow all         | deny all          |
/// | `licence_demanded`          | allow all    | allow all         | deny all          |
/// | `too_many_requests`         | allow all    | last good or deny | last good or deny |
/// | `server_error`              | allow all    | last good or deny | last good or deny |
/// | `unreachable`, `cancelled`  | allow all    | last good or deny | last good or deny |
/// | `too_many_redirects`        | allow all    | allow all         | deny all          |
/// | `refused`                   | deny all     | deny all          | deny all          |
/// | `malformed`                 | parse        | parse             | deny all          |
/// | `circuit_open`              | allow all    | last good or deny | last good or deny |
/// | `quarantined`               | deny all     | deny all          | deny all          |
/// | `redirected`                | (the target of the redirect decides)                |
/// | `challenged`                | allow all    | last good or allow | last good or deny |
///
/// `rfc9309` does what RFC 9309, section 2.3.1, asks of a crawler. `permissive` is the error table
/// of the crawler SPYDER. `strict` denies by default, as the pipeline guide asks, for crawlers that
/// must prove that each request was allowed. There is no default, since the user must choose.
class fallback_policy {
 public:
  /// Returns the table in which most failures allow everything.
  [[nodiscard]] static constexpr fallback_policy permissive() noexcept {
    using enum fallback_action;
    return {"permissive",
            {parse, allow_all, allow_all, allow_all, allow_all, allow_all, allow_all, deny_all,
             parse, allow_all, allow_all, deny_all, deny_all, allow_all, allow_all}};
  }

  /// The table of RFC 9309, section 2.3.1.
  [[nodiscard]] static constexpr fallback_policy rfc9309() noexcept {
    using enum fallback_action;
    return {"rfc9309",
            {parse, allow_all, allow_all, last_good_or_deny, last_good_or_deny, last_good_or_deny,
             allow_all, deny_all, parse, last_good_or_deny, last_good_or_deny, deny_all, deny_all,
             last_good_or_allow, allow_all}};
  }

  /// Only rules of a robots.txt, or the answer that there is no robots.txt, allow a URL. With
  /// `cache_options::no_file_after`, a long time of failures counts as this answer.
  [[nodiscard]] static constexpr fallback_policy strict() noexcept {
    using enum fallback_action;
    fallback_policy changed{"strict",
                            {parse, allow_all, deny_all, last_good_or_deny, last_good_or_deny,
                             last_good_or_deny, deny_all, deny_all, deny_all, last_good_or_deny,
                             last_good_or_deny, deny_all, deny_all, last_good_or_deny, deny_all}};
    changed.halts_hostile_ = true;
    changed.counts_guessed_lines_ = true;
    return changed;
  }

  /// Returns the action for `kind`. Takes constant time.
  [[nodiscard]] constexpr fallback_action action(outcome kind) const noexcept {
    return actions_[static_cast<std::size_t>(kind)];
  }
  /// Returns the action for the outcome of a record. A `FallbackPolicy` must have this function.
  [[nodiscard]] constexpr fallback_action action(const record_head& source) const noexcept {
    return action(source.outcome);
  }

  /// Returns this policy with another action for one outcome. The name of a changed policy is
  /// `custom`. Throws `std::invalid_argument` if `action` is `parse`, but there is no file to parse
  /// after `kind`.
  [[nodiscard]] constexpr fallback_policy with(outcome kind, fallback_action action) const {
    if (action == fallback_action::parse && !detail::has_text(kind)) {
      throw std::invalid_argument{"fallback_policy::with: there is no robots.txt to parse after " +
                                  std::string{to_string(kind)} +
                                  ": use allow_all, deny_all or last_good_or_deny"};
    }
    fallback_policy changed = *this;
    fallback_action& row = changed.actions_[static_cast<std::size_t>(kind)];
    if (row != action) {
      row = action;
      changed.name_ = "custom";
    }
    return changed;
  }

  /// Returns true for `strict`, even if `with` has changed an action. If the option `halt_hostile`
  /// is empty, the result decides whether the cache halts a site that begins to deny everything.
  [[nodiscard]] constexpr bool halts_hostile() const noexcept { return halts_hostile_; }

  /// Returns true for `strict`, even if `with` has changed an action. If the option
  /// `malformed_limit::guessed_lines` is empty, the result decides whether lines such as `Disalow:
  /// /a` count as malformed.
  [[nodiscard]] constexpr bool counts_guessed_lines() const noexcept {
    return counts_guessed_lines_;
  }

  /// Returns `permissive`, `rfc9309`, `strict` or `custom`.
  [[nodiscard]] constexpr std::string_view name() const noexcept { return name_; }

  [[nodiscard]] friend constexpr bool operator==(const fallback_policy&,
                                                 const fallback_policy&) = default;

 private:
  using actions = std::array<fallback_action, outcome_count>;

  constexpr fallback_policy(std::string_view name, const actions& rows) noexcept
      : name_{name}, actions_{rows} {}

  std::string_view name_;
  actions actions_;
  bool halts_hostile_ = false;
  bool counts_guessed_lines_ = false;
};

}  // namespace robots
