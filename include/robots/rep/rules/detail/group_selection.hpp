#pragma once

#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/product_token.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <algorithm>

namespace robots::rep_detail {

/// Decides for each line of a text, in file order, if the line applies to a crawler.
///
/// Groups that name the crawler are merged. If there are none, the groups of `*` apply (RFC 9309,
/// section 2.2.1). A rule applies to all User-agent lines of its group. Any other line, such as a
/// delay, applies only to the User-agent lines directly above it.
class group_selection {
 public:
  /// Returns true if a User-agent line matches the crawler better than all earlier lines. In this
  /// case, the caller must drop all lines collected so far.
  constexpr bool on_user_agent(const directive& line, agent_match match) noexcept {
    in_group_ = line.starts_group ? match : (std::max)(in_group_, match);
    right_above_ = line.starts_run ? match : (std::max)(right_above_, match);
    const bool is_more = match > found_;
    found_ = (std::max)(found_, match);
    return is_more;
  }

  /// Returns true if a line of `kind` at the current place applies to the crawler. `kind` is not
  /// User-agent. If a later User-agent line matches better, the line no longer applies.
  [[nodiscard]] constexpr bool applies(directive_kind kind) const noexcept {
    const agent_match named = is_rule(kind) ? in_group_ : right_above_;
    return named == found_ && named != agent_match::none;
  }

  [[nodiscard]] constexpr group_choice choice() const noexcept {
    if (found_ >= agent_match::own) {
      return group_choice::own;
    }
    return found_ == agent_match::everyone ? group_choice::everyone : group_choice::none;
  }

 private:
  agent_match in_group_ = agent_match::none;     // best match so far in the current group
  agent_match right_above_ = agent_match::none;  // best match in the lines directly above
  agent_match found_ = agent_match::none;        // best match in all lines so far
};

}  // namespace robots::rep_detail
