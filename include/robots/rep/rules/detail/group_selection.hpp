#pragma once

#include <robots/base/ascii.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/product_token.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace robots::rep_detail {

/// The quality of a match between a User-agent line and a crawler, from worst to best. Values above
/// `own` rank several names of a crawler: an earlier name has a higher value.
enum class agent_match : std::size_t { none, everyone, own };

/// Decides whether a User-agent line names a crawler.
///
/// Compares product tokens without regard to case (RFC 9309, section 2.2.1). The name in a line
/// ends at the first character that the RFC forbids. If the crawler's token has such a character
/// (`MJ12bot`), the name ends at a blank or slash.
class agent_matcher {
 public:
  constexpr explicit agent_matcher(std::string_view user_agent) noexcept
      : token_(product_token(user_agent)) {
    if (token_ == "*") {
      token_ = {};
    }
  }

  /// Returns the crawler's token as the caller wrote it, or an empty text if only `*` applies.
  [[nodiscard]] constexpr std::string_view token() const noexcept { return token_; }

  [[nodiscard]] constexpr agent_match compare(std::string_view value) const noexcept {
    if (!value.empty() && value.front() == '*' && (value.size() == 1 || base::is_blank(value[1]))) {
      return agent_match::everyone;
    }
    if (token_.empty() || !base::starts_with_ignoring_case(value, token_)) {
      return agent_match::none;
    }
    const bool ends = value.size() == token_.size() || ends_token(value[token_.size()]);
    return ends ? agent_match::own : agent_match::none;
  }

 private:
  [[nodiscard]] constexpr bool ends_token(char c) const noexcept {
    const bool is_rfc_token = std::all_of(token_.begin(), token_.end(), is_product_token_char);
    return is_rfc_token ? !is_product_token_char(c) : base::is_blank(c) || c == '/';
  }

  std::string_view token_;
};

/// Decides which lines of a text apply to a crawler, line by line.
///
/// Groups that name the crawler are merged. If there are none, the groups of `*` apply (RFC 9309,
/// section 2.2.1). A rule applies to all User-agent lines of its group. Any other line, such as a
/// delay, applies only to the User-agent lines directly above it.
class group_selection {
 public:
  /// Returns true if a User-agent line matches the crawler better than all earlier lines. Then the
  /// lines collected so far must be dropped.
  constexpr bool on_user_agent(const directive& line, agent_match match) noexcept {
    in_group_ = line.starts_group ? match : (std::max)(in_group_, match);
    right_above_ = line.starts_run ? match : (std::max)(right_above_, match);
    const bool is_more = match > found_;
    found_ = (std::max)(found_, match);
    return is_more;
  }

  /// Returns true if a line of `kind`, other than User-agent, now applies to the crawler. A later
  /// User-agent line can match better.
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
