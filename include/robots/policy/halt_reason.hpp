#pragma once

#include <robots/base/enum_text.hpp>

#include <cstdint>
#include <string_view>

namespace robots {

/// The reason why a site is halted (source: the pipeline guide).
enum class halt_reason : std::uint8_t {
  hostile,  ///< the robots.txt now denies everything, but did not before
  /// The site refused a URL that its robots.txt allows (with 401, 403 or a challenge), or the site
  /// began to refuse the robots.txt itself (with 401 or 403).
  access_revoked,
  by_hand,  ///< `SiteRulings::halt` was called
  /// Every fetch of the robots.txt has failed for at least
  /// `rulings_options::halt_unreachable_after`: the site sent a server error, or did not respond.
  unreachable,
};

/// The name of a reason, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(halt_reason reason) noexcept {
  return base::enum_text<halt_reason::unreachable>(
      reason, {"hostile", "access_revoked", "by_hand", "unreachable"});
}

}  // namespace robots
