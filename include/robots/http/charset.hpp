#pragma once

#include <robots/base/enum_text.hpp>
#include <robots/base/utf8.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace robots::detail {

enum class charset : std::uint8_t {
  utf_8,     ///< UTF-8, or any charset except UTF-16; never converted
  utf_16le,  ///< UTF-16 with the lower octet first
  utf_16be,  ///< UTF-16 with the upper octet first
};

/// Returns the IANA name of a charset, in lower case.
[[nodiscard]] constexpr std::string_view to_string(charset value) noexcept {
  return base::enum_text<charset::utf_16be>(value, {"utf-8", "utf-16le", "utf-16be"});
}

/// Returns UTF-16 if a text begins with a byte order mark of UTF-16 (WHATWG Encoding, section 6).
/// Otherwise returns UTF-8, even after a byte order mark of UTF-32 (RFC 9309, section 2.3).
[[nodiscard]] constexpr charset charset_of(std::string_view text) noexcept {
  if (text.starts_with("\xFF\xFE") && text.substr(2, 2) != std::string_view{"\0\0", 2}) {
    return charset::utf_16le;
  }
  return text.starts_with("\xFE\xFF") ? charset::utf_16be : charset::utf_8;
}

}  // namespace robots::detail

namespace robots {

/// Converts UTF-16 to UTF-8, and drops the byte order mark. Returns an empty optional for any other
/// text: use that text as it is, since rules are compared octet by octet.
///
/// An unpaired surrogate becomes U+FFFD. If the number of octets is odd, the last octet is dropped.
/// Takes linear time. Two octets become at most three (RFC 2781, section 2.2). Apply a limit, such
/// as RFC 9309's 500 KiB, to `text`, and then parse the whole result.
[[nodiscard]] inline std::optional<std::string> to_utf8(std::string_view text) {
  using detail::charset;
  const charset written_in = detail::charset_of(text);
  if (written_in == charset::utf_8) {
    return std::nullopt;
  }
  constexpr char32_t replacement = 0xFFFD;
  const std::size_t high = written_in == charset::utf_16be ? 0 : 1;
  const auto octet = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto unit = [&](std::size_t i) {
    return char32_t{octet(i + high)} << 8U | octet(i + 1 - high);
  };
  const auto leads = [](char32_t c) { return c >= 0xD800 && c < 0xDC00; };
  const auto trails = [](char32_t c) { return c >= 0xDC00 && c < 0xE000; };

  std::string result;
  result.reserve(text.size() / 2);
  const std::size_t end = text.size() / 2 * 2;
  for (std::size_t i = 2; i < end; i += 2) {
    const char32_t first = unit(i);
    if (!leads(first)) {
      base::append_utf8(result, trails(first) ? replacement : first);
    } else if (i + 2 < end && trails(unit(i + 2))) {
      base::append_utf8(result, 0x10000 + ((first - 0xD800) << 10U) + (unit(i + 2) - 0xDC00));
      i += 2;
    } else {
      base::append_utf8(result, replacement);
    }
  }
  return result;
}

}  // namespace robots
