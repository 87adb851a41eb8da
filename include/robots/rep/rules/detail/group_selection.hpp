#pragma once

#include <robots/rep/read/detail/agent_matcher.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/rules/explanation.hpp>

namespace robots::detail {

/// Follows the lines of a text and tells which of them apply to one crawler.
///
/// RFC 9309, section 2.2.1: groups that name the crawler are merged; when none does, those of `*`
/// apply. A rule holds for all User-agent lines of its group; any other line, such as a delay, for
/// those right above it only.
class group_selection {
 public:
  /// Takes a User-agent line. Returns whether it is the first that names the crawler: lines that
  /// applied so far were those of `*`, and apply no longer.
  constexpr bool on_user_agent(agent_match match, bool starts_group) noexcept {
    if (starts_group) {
      in_group_ = {};
    }
    if (starts_group || run_is_over_) {
      right_above_ = {};
      run_is_over_ = false;
    }
    in_group_.add(match);
    right_above_.add(match);
    everyone_found_ = everyone_found_ || match == agent_match::everyone;
    const bool first = match == agent_match::own && !own_found_;
    own_found_ = own_found_ || first;
    return first;
  }

  /// Takes any other line. Returns whether it applies, as far as can be known yet.
  constexpr bool on_other(directive_kind kind) noexcept {
    if (is_rule(kind)) {
      return applies_to(in_group_);
    }
    run_is_over_ = run_is_over_ || is_for_crawler(kind);
    return applies_to(right_above_);
  }

  /// Some line read so far names the crawler.
  [[nodiscard]] constexpr bool own_found() const noexcept { return own_found_; }

  /// Whose groups apply.
  [[nodiscard]] constexpr group_choice choice() const noexcept {
    if (own_found_) {
      return group_choice::own;
    }
    return everyone_found_ ? group_choice::everyone : group_choice::none;
  }

 private:
  /// Whom some User-agent lines name.
  struct named {
    bool own = false;
    bool everyone = false;

    constexpr void add(agent_match match) noexcept {
      own = own || match == agent_match::own;
      everyone = everyone || match == agent_match::everyone;
    }
  };

  [[nodiscard]] constexpr bool applies_to(const named& whom) const noexcept {
    return whom.own || (whom.everyone && !own_found_);
  }

  named in_group_;
  named right_above_;  // since the last line for them
  bool run_is_over_ = false;
  bool own_found_ = false;
  bool everyone_found_ = false;
};

}  // namespace robots::detail
