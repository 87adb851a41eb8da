#pragma once

#include <robots/rep/rules/rule_set.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// A rule of a rule set. `pattern` refers to the rule set.
struct listed_rule {
  rule_kind kind = rule_kind::allow;  ///< Allow or Disallow
  std::string_view pattern{};         ///< as written in the file
  std::string compared{};             ///< its normal form, without `$` and wildcards at its end
  bool anchored = false;              ///< the target must end where the pattern ends
  std::uint32_t rank = 0;             ///< the matching rule with the highest rank decides
  std::uint32_t line = 0;             ///< 1-based
};

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rep/rules/listed_rule.ipp>
#endif
