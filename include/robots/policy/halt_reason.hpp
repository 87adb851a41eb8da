#pragma once

#include <robots/base/enum_text.hpp>

#include <cstdint>
#include <string_view>

namespace robots {

/// The reason why a site is halted (the pipeline guide: "trigger an immediate pipeline halt for
/// that target").
enum class halt_reason : std::uint8_t {
  hostile,  ///< the robots.txt now denies everything, but did not before
  /// The site answered 401, 403 or a challenge to a request that its robots.txt allows, or it now
  /// refuses the robots.txt itself.
  access_revoked,
  by_hand,  ///< `basic_robots_cache::halt` was called
  /// The robots.txt could not be fetched for as long as `cache_options::halt_unreachable_after`,
  /// since the site sent no response or a server error.
  unreachable,
};

/// The name of a reason, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(halt_reason reason) noexcept {
  return base::enum_text<halt_reason::unreachable>(
      reason, {"hostile", "access_revoked", "by_hand", "unreachable"});
}

}  // namespace robots
