#pragma once

#include <cstdint>
#include <string_view>

namespace robots {

/// The reading of the protocol that decides where implementations disagree.
enum class dialect : std::uint8_t {
  rfc9309,  ///< RFC 9309 to the letter; where it says nothing, the choice that blocks least
  google,   ///< the verdicts of google/robotstxt, including its quirks
};

/// The name of a dialect, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(dialect value) noexcept {
  return value == dialect::google ? "google" : "rfc9309";
}

}  // namespace robots
