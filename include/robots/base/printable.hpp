#pragma once

#include <robots/base/ascii.hpp>

#include <string>
#include <string_view>

namespace robots::base {

/// Makes text from the web safe for a terminal or a log. A backslash, and every octet that is not
/// printable ASCII, becomes `\xNN`. The result does not move the cursor, and shows each octet.
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

}  // namespace robots::base
