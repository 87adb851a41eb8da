#pragma once

#include <string>
#include <string_view>

namespace robots::base {

/// Text from the world, made fit for a terminal or a log: with a backslash and every octet that is
/// not printable ASCII as `\xNN`. Nothing moves the cursor, and each octet can be told.
[[nodiscard]] inline std::string printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '\\') {
      result += c;
      continue;
    }
    const auto octet = static_cast<unsigned char>(c);
    result += "\\x";
    result += digits[octet >> 4U];
    result += digits[octet & 0x0FU];
  }
  return result;
}

}  // namespace robots::base
