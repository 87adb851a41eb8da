#pragma once

#include <robots/rep/read/detail/agent_matcher.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/rules/group_choice.hpp>

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
  constexpr bool on_user_agent(const directive& line, agent_match match) noexcept {
    if (line.starts_group) {
      in_group_ = {};
    }
    if (line.starts_run) {
      right_above_ = {};
    }
    in_group_.add(match);
    right_above_.add(match);
    everyone_found_ = everyone_found_ || match == agent_match::everyone;
    const bool first = match == agent_match::own && !own_found_;
    own_found_ = own_found_ || first;
    return first;
  }

  /// Whether a line of another kind applies that stands here, as far as can be known yet.
  [[nodiscard]] constexpr bool applies(directive_kind kind) const noexcept {
    const named& whom = is_rule(kind) ? in_group_ : right_above_;
    return whom.own || (whom.everyone && !own_found_);
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

  named in_group_;
  named right_above_;
  bool own_found_ = false;
  bool everyone_found_ = false;
};

}  // namespace robots::detail
