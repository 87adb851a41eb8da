#pragma once

#include <robots/base/enum_text.hpp>

#include <cstdint>
#include <string_view>

namespace robots {

/// The origin of the rules that a policy applies.
enum class policy_basis : std::uint8_t {
  rules,       ///< a robots.txt that was read
  allow_all,   ///< the site has no file, or the fallback policy allows all
  deny_all,    ///< the fallback policy denies all except /robots.txt itself
  refused,     ///< the site must not be asked; nothing is allowed, not even /robots.txt
  last_good,   ///< the last robots.txt that was read, since no newer robots.txt was available
  redirected,  ///< the robots.txt of another site: see `leads_to`
};

/// The name of a basis, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(policy_basis basis) noexcept {
  return base::enum_text<policy_basis::redirected>(
      basis, {"rules", "allow_all", "deny_all", "refused", "last_good", "redirected"});
}

}  // namespace robots
