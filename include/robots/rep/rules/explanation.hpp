#pragma once

#include <robots/base/printable.hpp>
#include <robots/rep/read/product_token.hpp>
#include <robots/rep/rules/rule_set.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// Names the deciding rule, its line, and the crawler: `disallow "/admin", line 2, for *`. If no
/// rule decided, says why. Octets that are not printable ASCII are written as `\xNN`.
[[nodiscard]] inline std::string explain(const verdict& answer) {
  std::string text;
  if (answer.directive && answer.pattern) {
    text = to_string(*answer.directive);
    text.append(" \"").append(base::printable(*answer.pattern)).append("\", line ");
    text.append(std::to_string(answer.line)).append(", for ");
    text.append(base::printable(answer.user_agent));
  } else if (answer.undecided && is_target(answer.user_agent)) {
    text = "\"" + base::printable(answer.user_agent) +
           "\" is a path or a URL, not a user agent: the target is the first argument";
  } else if (answer.undecided) {
    text = "the URL is too long to compare, or there are too many rules";
  } else if (answer.exempt) {
    text = "/robots.txt itself";
  } else {
    text =
        answer.allowed ? "no rule matches" : "no rule decides, but the policy of the site denies";
  }
  if (answer.nameless) {
    text += "; the user agent names no crawler, so only groups of * apply: give a product token";
  }
  return text;
}

/// A rule of a rule set, valid as long as the set.
struct listed_rule {
  rule_kind kind = rule_kind::allow;  ///< Allow or Disallow
  std::string_view pattern{};         ///< the pattern, as written in the file
  std::string compared{};         ///< the normal form of the pattern, without wildcards at the end
  bool anchored = false;          ///< true if `compared` ends with the anchor `$`
  std::uint32_t specificity = 0;  ///< octets of the normal form, including each `*` and the anchor
  std::uint32_t rank = 0;         ///< the matching rule with the highest rank decides
  std::uint32_t line = 0;         ///< the line number, 1-based
};

/// The reasons for a verdict, valid as long as the rule set.
struct explanation {
  robots::verdict verdict{};                ///< the answer
  group_choice group = group_choice::none;  ///< the groups that apply
  std::string target{};                     ///< the normal form of the target
  /// All matching rules, by descending rank. The first rule decides, except for /robots.txt. If the
  /// comparison takes too many steps, the list is incomplete. If the target is too long, the list
  /// is empty.
  std::vector<listed_rule> matches{};
};

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rep/rules/explanation.bodies.hpp>
#endif
