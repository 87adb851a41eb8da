#pragma once

#include <robots/base/ascii.hpp>

#include <string>
#include <string_view>

namespace robots::base {

/// Makes text safe for a terminal or a log. Writes `\xNN` for each backslash, and for each octet
/// that is not printable ASCII.
[[nodiscard]] inline std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '\\') {
      result += c;
      continue;
    }
    const auto [high, low] = hex_digits(static_cast<unsigned char>(c));
    result.append({'\\', 'x', high, low});
  }
  return result;
}

/// Replaces control characters by spaces, so that a terminal that shows the text obeys none of
/// them. Keeps all other octets: a log escapes them once, when it is written.
[[nodiscard]] inline std::string without_controls(std::string_view text) {
  std::string result{text};
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7F') {
      c = ' ';
    }
  }
  return result;
}

}  // namespace robots::base
