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
  by_hand,         ///< an override decided (`basic_robots_cache::set_override`)
  halted,          ///< denied, since the site is halted until `resume`; see `halt_reason`
  needs_sign_off,  ///< denied, since the site is high-risk and not signed off
  excluded,        ///< denied, since the crawler's own configuration excludes the host
  invalid_url,     ///< denied, since the text is not an http or https URL
};

/// The name of a reason, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(decision_reason reason) noexcept {
  return base::enum_text<decision_reason::invalid_url>(
      reason, {"rule", "no_rule", "robots_txt", "no_file", "undecided", "fallback", "by_hand",
               "halted", "needs_sign_off", "excluded", "invalid_url"});
}

/// The reason why a site is halted (source: the pipeline guide).
enum class halt_reason : std::uint8_t {
  hostile,  ///< the robots.txt now denies everything, but did not before
  /// The site answered 401, 403 or a challenge to a request that its robots.txt allows, or it now
  /// refuses the robots.txt itself.
  access_revoked,
  by_hand,  ///< `basic_robots_cache::halt` was called
  /// For the time `cache_options::halt_unreachable_after`, each fetch of the robots.txt failed: the
  /// site sent a server error or no response.
  unreachable,
};

/// The name of a reason, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(halt_reason reason) noexcept {
  return base::enum_text<halt_reason::unreachable>(
      reason, {"hostile", "access_revoked", "by_hand", "unreachable"});
}

/// An operator's order for a site (the pipeline guide: "manual override signals").
enum class site_override : std::uint8_t {
  none,   ///< there is no override, so the robots.txt decides
  allow,  ///< everything is allowed
  deny,   ///< everything except /robots.txt is denied
};

/// The name of an override, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(site_override value) noexcept {
  return base::enum_text<site_override::deny>(value, {"none", "allow", "deny"});
}

}  // namespace robots
