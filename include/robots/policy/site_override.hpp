#pragma once

#include <robots/base/enum_text.hpp>

#include <cstdint>
#include <string_view>

namespace robots {

/// An operator's order for a site (the pipeline guide: "manual override signals").
enum class site_override : std::uint8_t {
  none,   ///< there is no override, so the robots.txt decides
  allow,  ///< everything is allowed
  deny,   ///< everything except /robots.txt is denied
  text,   ///< a fixed robots.txt decides: see `SiteRulings::override_with_text`
};

/// The name of an override, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(site_override value) noexcept {
  return base::enum_text<site_override::text>(value, {"none", "allow", "deny", "text"});
}

}  // namespace robots
