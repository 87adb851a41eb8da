#pragma once

#include <cstdint>
#include <string_view>

namespace robots {

/// Why a decision is what it is.
enum class decision_reason : std::uint8_t {
  rule,         ///< a rule of the robots.txt matched
  no_rule,      ///< no rule matched, which allows
  robots_txt,   ///< /robots.txt itself, which is always allowed
  no_file,      ///< there is no robots.txt, which allows
  undecided,    ///< the rules were not compared to the end (`verdict::undecided`), which denies
  fallback,     ///< the robots.txt could not be had: the fallback policy decided
  by_hand,      ///< somebody has told so of the site: see `basic_robots_cache::set_override`
  excluded,     ///< the host is excluded by the crawler's own configuration, which denies
  invalid_url,  ///< the text is no http or https URL, which denies
};

/// The name of a reason, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(decision_reason reason) noexcept {
  switch (reason) {
    case decision_reason::rule:
      return "rule";
    case decision_reason::no_rule:
      return "no_rule";
    case decision_reason::robots_txt:
      return "robots_txt";
    case decision_reason::no_file:
      return "no_file";
    case decision_reason::undecided:
      return "undecided";
    case decision_reason::fallback:
      return "fallback";
    case decision_reason::by_hand:
      return "by_hand";
    case decision_reason::excluded:
      return "excluded";
    case decision_reason::invalid_url:
      return "invalid_url";
  }
  return "invalid_url";
}

}  // namespace robots
