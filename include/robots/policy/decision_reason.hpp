#pragma once

#include <robots/base/enum_text.hpp>

#include <cstdint>
#include <string_view>

namespace robots {

/// The reason of a decision.
enum class decision_reason : std::uint8_t {
  rule,            ///< a rule of the robots.txt matched
  no_rule,         ///< no rule matched: allowed
  robots_txt,      ///< /robots.txt itself: always allowed
  no_file,         ///< there is no robots.txt: allowed
  undecided,       ///< matching stopped early (`verdict::undecided`): denied
  fallback,        ///< no robots.txt was available: the fallback policy decided
  by_hand,         ///< an override decided: see `basic_robots_cache::set_override`
  halted,          ///< the site is halted until somebody resumes it: denied; see `halt_reason`
  needs_sign_off,  ///< the site is high-risk and not signed off: denied
  excluded,        ///< the crawler's own configuration excludes the host: denied
  invalid_url,     ///< the text is not an http or https URL: denied
};

/// The name of a reason, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(decision_reason reason) noexcept {
  return base::enum_text<decision_reason::invalid_url>(
      reason, {"rule", "no_rule", "robots_txt", "no_file", "undecided", "fallback", "by_hand",
               "halted", "needs_sign_off", "excluded", "invalid_url"});
}

}  // namespace robots
