#pragma once

#include <cstdint>
#include <string_view>

namespace robots {

/// What somebody tells of a site by hand (the pipeline guide: "manual override signals").
enum class site_override : std::uint8_t {
  none,   ///< nothing: its robots.txt holds
  allow,  ///< everything is allowed
  deny,   ///< all but /robots.txt is denied
};

/// The name of an override, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(site_override what) noexcept {
  switch (what) {
    case site_override::none:
      return "none";
    case site_override::allow:
      return "allow";
    case site_override::deny:
      return "deny";
  }
  return "none";
}

}  // namespace robots
