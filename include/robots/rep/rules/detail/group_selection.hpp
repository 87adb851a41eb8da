#pragma once

#include <robots/rep/read/detail/agent_matcher.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/rules/group_choice.hpp>

#include <algorithm>

namespace robots::rep_detail {

/// Follows the lines of a text and decides which of them apply to one crawler.
///
/// RFC 9309, section 2.2.1: groups that name the crawler are merged; when none does, those of `*`
/// apply. A rule holds for all User-agent lines of its group; any other line, such as a delay, for
/// those right above it only.
class group_selection {
 public:
  /// Takes a User-agent line. Returns true if it fits the crawler better than all lines before, so
  /// that lines that applied so far apply no longer.
  constexpr bool on_user_agent(const directive& line, agent_match match) noexcept {
    in_group_ = line.starts_group ? match : (std::max)(in_group_, match);
    right_above_ = line.starts_run ? match : (std::max)(right_above_, match);
    const bool is_more = match > found_;
    found_ = (std::max)(found_, match);
    return is_more;
  }

  /// Returns true if a line of another kind applies that stands here, as far as can be known yet.
  [[nodiscard]] constexpr bool applies(directive_kind kind) const noexcept {
    const agent_match named = is_rule(kind) ? in_group_ : right_above_;
    return named == found_ && named != agent_match::none;
  }

  /// The crawler whose groups apply.
  [[nodiscard]] constexpr group_choice choice() const noexcept {
    if (found_ >= agent_match::own) {
      return group_choice::own;
    }
    return found_ == agent_match::everyone ? group_choice::everyone : group_choice::none;
  }

 private:
  // The most that some User-agent lines are to the crawler.
  agent_match in_group_ = agent_match::none;
  agent_match right_above_ = agent_match::none;
  agent_match found_ = agent_match::none;
};

}  // namespace robots::rep_detail
