#pragma once

#include <cstdint>
#include <string_view>

namespace robots {

/// The interpretation of the protocol, for points on which implementations disagree.
enum class dialect : std::uint8_t {
  rfc9309,  ///< RFC 9309 to the letter; where it is silent, the choice that blocks least
  google,   ///< the verdicts of google/robotstxt, with its quirks
};

/// The name of a dialect, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(dialect value) noexcept {
  return value == dialect::google ? "google" : "rfc9309";
}

}  // namespace robots
