#pragma once

#include <robots/rep/read/detail/agent_matcher.hpp>
#include <robots/rep/rules/explanation.hpp>

namespace robots::detail {

/// Follows the groups of a text for one crawler (RFC 9309, section 2.2.1): groups that name it are
/// merged; when none does, those of `*` apply.
class group_selection {
 public:
  constexpr void on_user_agent(agent_match match, bool starts_group) noexcept {
    if (starts_group) {
      own_ = everyone_ = false;
    }
    own_ = own_ || match == agent_match::own;
    everyone_ = everyone_ || match == agent_match::everyone;
    own_found_ = own_found_ || own_;
    everyone_found_ = everyone_found_ || everyone_;
  }

  /// The group being read names the crawler.
  [[nodiscard]] constexpr bool own() const noexcept { return own_; }
  /// The group being read is one that could still apply to the crawler.
  [[nodiscard]] constexpr bool relevant() const noexcept {
    return own_ || (everyone_ && !own_found_);
  }
  /// Some group read so far names the crawler.
  [[nodiscard]] constexpr bool own_found() const noexcept { return own_found_; }
  /// Whose groups apply.
  [[nodiscard]] constexpr group_choice choice() const noexcept {
    if (own_found_) {
      return group_choice::own;
    }
    return everyone_found_ ? group_choice::everyone : group_choice::none;
  }

 private:
  bool own_ = false;
  bool everyone_ = false;
  bool own_found_ = false;
  bool everyone_found_ = false;
};

}  // namespace robots::detail
