#pragma once

#include <robots/rep/rules/group_choice.hpp>
#include <robots/rep/rules/rule_set.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// The reasons for a verdict. The views refer to the rule set that was asked.
struct explanation {
  /// A rule that matches a target.
  struct matching_rule {
    rule_kind kind = rule_kind::allow;  ///< Allow or Disallow
    std::string_view pattern{};         ///< as written in the file
    std::string compared{};             ///< its normal form, without wildcards at its end
    std::uint32_t specificity = 0;      ///< octets of the normal form with wildcards and anchor
    std::uint32_t line = 0;             ///< 1-based
  };

  robots::verdict verdict{};                ///< the answer
  group_choice group = group_choice::none;  ///< the groups that apply
  std::string target{};                     ///< the normal form of the target
  /// All rules that match. The first one decides, unless the target is /robots.txt. If the first
  /// one were deleted, the next one would decide. Incomplete if the steps of a question are used
  /// up; empty if the target is too long.
  std::vector<matching_rule> matches{};
};

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rep/rules/explanation.ipp>
#endif
