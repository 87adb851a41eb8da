#pragma once

#include <cstdint>
#include <string_view>

namespace robots {

/// The interpretation of the protocol where implementations disagree.
enum class dialect : std::uint8_t {
  rfc9309,  ///< RFC 9309 to the letter; if the RFC is silent, the choice that blocks least
  google,   ///< the verdicts of google/robotstxt, with its quirks
};

/// Returns the name of the enumerator.
[[nodiscard]] constexpr std::string_view to_string(dialect value) noexcept {
  return value == dialect::google ? "google" : "rfc9309";
}

}  // namespace robots
