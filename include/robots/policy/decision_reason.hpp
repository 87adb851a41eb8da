#pragma once

#include <robots/base/enum_text.hpp>

#include <cstdint>
#include <string_view>

namespace robots {

/// The reason of a decision.
enum class decision_reason : std::uint8_t {
  rule,            ///< a rule of the robots.txt matched
  no_rule,         ///< no rule matched, so the URL is allowed
  robots_txt,      ///< the URL is /robots.txt itself, which is always allowed
  no_file,         ///< there is no robots.txt, so the URL is allowed
  undecided,       ///< matching stopped early (`verdict::undecided`), so the URL is denied
  fallback,        ///< no robots.txt was available, so the fallback policy decided
  by_hand,         ///< an override decided (`SiteRulings::override_with`)
  halted,          ///< denied, since the site is halted until `resume`; see `halt_reason`
  needs_sign_off,  ///< denied, since the site is high-risk and not signed off
  unread,          ///< denied, since the ledger of rulings is not read yet (`without_ledger`)
  excluded,        ///< denied, since the crawler's own configuration excludes the host
  invalid_url,     ///< denied, since the text is not an http or https URL
};

/// The name of a reason, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(decision_reason reason) noexcept {
  return base::enum_text<decision_reason::invalid_url>(
      reason, {"rule", "no_rule", "robots_txt", "no_file", "undecided", "fallback", "by_hand",
               "halted", "needs_sign_off", "unread", "excluded", "invalid_url"});
}

}  // namespace robots
