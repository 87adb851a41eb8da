#pragma once

#include <robots/rep/rules/verdict.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// Why the rules of a group apply to a crawler (RFC 9309, section 2.2.1).
enum class group_choice : std::uint8_t {
  own,       ///< a group names the crawler
  everyone,  ///< no group names it, and there is one for `*`
  none,      ///< there is neither: everything is allowed
};

/// The name of a choice, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(group_choice choice) noexcept {
  switch (choice) {
    case group_choice::own:
      return "own";
    case group_choice::everyone:
      return "everyone";
    case group_choice::none:
      return "none";
  }
  return "none";
}

/// A rule that matches a target.
struct matching_rule {
  rule_kind kind = rule_kind::allow;  ///< what it says
  std::string_view pattern{};         ///< as written in the file
  std::string compared{};             ///< its normal form, without wildcards at its end
  std::uint32_t specificity = 0;      ///< octets of the normal form, wildcard and anchor included
  std::uint32_t line = 0;             ///< 1-based
};

/// How a verdict came about. The views point into the rule set that was asked.
struct explanation {
  robots::verdict verdict{};                ///< the answer
  group_choice group = group_choice::none;  ///< whose rules were asked, and why
  std::string target{};                     ///< the normal form of the target
  /// All rules that match. The first one decides, unless the target is /robots.txt; were it gone,
  /// the next one would.
  std::vector<matching_rule> matches{};
};

}  // namespace robots
