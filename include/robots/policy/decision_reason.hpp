#pragma once

#include <robots/base/enum_text.hpp>

#include <cstdint>
#include <string_view>

namespace robots {

/// The reason of a decision.
enum class decision_reason : std::uint8_t {
  rule,        ///< a rule of the robots.txt matched
  no_rule,     ///< no rule matched, which allows
  robots_txt,  ///< /robots.txt itself, which is always allowed
  no_file,     ///< there is no robots.txt, which allows
  undecided,   ///< the rules were not compared to the end (`verdict::undecided`), which denies
  fallback,    ///< the robots.txt could not be had: the fallback policy decided
  by_hand,     ///< an override holds: see `basic_robots_cache::set_override`
  halted,      ///< the site is halted until somebody resumes it, which denies: see `halt_reason`
  needs_sign_off,  ///< the site is high-risk and nobody has signed it off yet, which denies
  excluded,        ///< the host is excluded by the crawler's own configuration, which denies
  invalid_url,     ///< the text is no http or https URL, which denies
};

/// The name of a reason, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(decision_reason reason) noexcept {
  return base::enum_text<decision_reason::invalid_url>(
      reason, {"rule", "no_rule", "robots_txt", "no_file", "undecided", "fallback", "by_hand",
               "halted", "needs_sign_off", "excluded", "invalid_url"});
}

}  // namespace robots
