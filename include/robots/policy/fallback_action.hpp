#pragma once

#include <robots/base/enum_text.hpp>

#include <cstdint>
#include <string_view>

namespace robots {

/// The action of a crawler after an outcome.
enum class fallback_action : std::uint8_t {
  parse,               ///< obey the rules of the file
  allow_all,           ///< act as if there were no robots.txt
  deny_all,            ///< act as if everything were disallowed
  last_good_or_deny,   ///< obey the last robots.txt that was read; without a recent file, deny all
  last_good_or_allow,  ///< obey the last robots.txt that was read; without a recent file, allow all
};

/// The name of an action, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(fallback_action action) noexcept {
  return base::enum_text<fallback_action::last_good_or_allow>(
      action, {"parse", "allow_all", "deny_all", "last_good_or_deny", "last_good_or_allow"});
}

}  // namespace robots
