#pragma once

#include <robots/base/printable.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <string>

namespace robots {

/// Names the rule that decided, its line and the crawler it is for, in a sentence for people:
/// `disallow "/admin", line 2, for *`. If no rule decided, the sentence says so. Octets that are
/// not printable ASCII are written as `\xNN`.
[[nodiscard]] inline std::string explain(const verdict& answer) {
  if (answer.directive && answer.pattern) {
    std::string text{to_string(*answer.directive)};
    text.append(" \"").append(base::printable(*answer.pattern)).append("\", line ");
    text.append(std::to_string(answer.line)).append(", for ");
    return text.append(base::printable(answer.user_agent));
  }
  if (answer.undecided) {
    return "the URL is too long to compare, or there are too many rules";
  }
  if (answer.exempt) {
    return "/robots.txt itself";
  }
  return answer.allowed ? "no rule matches" : "no rule decides, but the policy of the site denies";
}

}  // namespace robots
