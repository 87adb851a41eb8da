#pragma once

#include <cstdint>
#include <string_view>

namespace robots {

/// Whose reading of the protocol decides where implementations disagree.
enum class dialect : std::uint8_t {
  rfc9309,  ///< RFC 9309 to the letter; where it is silent, the choice that blocks least by
            ///< accident
  google,   ///< the verdicts of google/robotstxt, its quirks included
};

/// The name of a dialect, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(dialect value) noexcept {
  return value == dialect::google ? "google" : "rfc9309";
}

}  // namespace robots
