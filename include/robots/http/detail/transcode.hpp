// Converts text in other charsets to UTF-8.
#pragma once

#include <robots/base/utf8.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace robots::http_detail {

/// Converts UTF-16 to UTF-8, at most 3 octets for every 2 (RFC 2781, section 2.2).
///
/// A surrogate without its other half becomes U+FFFD. An odd last octet, which a cut can leave, is
/// dropped. A byte order mark is treated like any other character. Linear.
template <class Text = std::string>
[[nodiscard]] constexpr Text from_utf16(std::string_view octets, std::endian order) {
  constexpr char32_t replacement = 0xFFFD;
  const std::size_t high = order == std::endian::big ? 0 : 1;
  const auto unit = [&](std::size_t i) -> char32_t {
    const auto octet = [&](std::size_t index) { return static_cast<unsigned char>(octets[index]); };
    return (char32_t{octet(i + high)} << 8U) | octet(i + 1 - high);
  };
  const auto leads = [](char32_t c) { return c >= 0xD800 && c < 0xDC00; };
  const auto trails = [](char32_t c) { return c >= 0xDC00 && c < 0xE000; };

  Text text;
  text.reserve(octets.size() / 2);
  const std::size_t end = octets.size() / 2 * 2;
  for (std::size_t i = 0; i < end; i += 2) {
    const char32_t first = unit(i);
    if (!leads(first)) {
      base::append_utf8(text, trails(first) ? replacement : first);
    } else if (i + 2 < end && trails(unit(i + 2))) {
      base::append_utf8(text, 0x10000 + ((first - 0xD800) << 10U) + (unit(i + 2) - 0xDC00));
      i += 2;
    } else {
      base::append_utf8(text, replacement);
    }
  }
  return text;
}

/// Returns the byte order of a text that can only be UTF-16. At least half of its code units must
/// be ASCII, so that their upper octet is NUL, and NUL must be four times as rare in the other
/// octet. Linear.
///
/// The reason: robots.txt is written in ASCII octets, and UTF-8 never has NUL in it (RFC 9309,
/// section 2.2: `UTF8-char-noctl`).
[[nodiscard]] constexpr std::optional<std::endian> utf16_order(std::string_view octets) noexcept {
  octets = octets.substr(0, octets.size() / 2 * 2);  // an odd last octet means nothing
  std::size_t even = 0;
  std::size_t odd = 0;
  for (std::size_t i = octets.find('\0'); i != std::string_view::npos;
       i = octets.find('\0', i + 1)) {
    ++(i % 2 == 0 ? even : odd);
  }
  const auto decides = [&](std::size_t high, std::size_t low) {
    return high > 0 && high >= octets.size() / 2 - high && high / 4 >= low;
  };
  if (decides(odd, even)) {
    return std::endian::little;
  }
  return decides(even, odd) ? std::optional{std::endian::big} : std::nullopt;
}

/// Returns the character of an octet in windows-1252, by the WHATWG Encoding Standard. It differs
/// from ISO-8859-1 in 0x80 to 0x9F. The five free octets of windows-1252 are the C1 controls of
/// ISO-8859-1.
[[nodiscard]] constexpr char32_t windows_1252_character(char octet) noexcept {
  constexpr std::array<char16_t, 32> upper{
      0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
      0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
      0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};
  const auto value = static_cast<unsigned char>(octet);
  return value >= 0x80 && value < 0xA0 ? char32_t{upper[value - 0x80U]} : char32_t{value};
}

/// Returns the length of the first line with its line end. CR and LF each end a line.
[[nodiscard]] constexpr std::size_t line_length(std::string_view text) noexcept {
  const std::size_t end = text.find_first_of("\r\n");
  return end == std::string_view::npos ? text.size() : end + 1;
}

/// Returns the start of the first line that is not valid UTF-8, or `text.size()`. Linear.
[[nodiscard]] constexpr std::size_t first_line_not_utf8(std::string_view text) noexcept {
  std::size_t index = 0;
  while (index < text.size()) {
    const std::string_view line = text.substr(index, line_length(text.substr(index)));
    if (!base::is_utf8(line)) {
      break;
    }
    index += line.size();
  }
  return index;
}

/// Converts windows-1252 to UTF-8, at most 3 octets for each: a line that is valid UTF-8 does not
/// change, any other is transcoded. Linear.
template <class Text = std::string>
[[nodiscard]] constexpr Text from_windows_1252(std::string_view octets) {
  Text text;
  text.reserve(octets.size());
  while (!octets.empty()) {
    const std::string_view good = octets.substr(0, first_line_not_utf8(octets));
    text.insert(text.end(), good.begin(), good.end());
    octets.remove_prefix(good.size());
    const std::string_view line = octets.substr(0, line_length(octets));
    for (const char octet : line) {
      base::append_utf8(text, windows_1252_character(octet));
    }
    octets.remove_prefix(line.size());
  }
  return text;
}

}  // namespace robots::http_detail
