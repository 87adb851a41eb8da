#pragma once

#include <robots/base/config.hpp>
#include <robots/base/utf8.hpp>
#include <robots/http/charset.hpp>

#include <array>
#include <cstddef>

namespace robots::detail {

/// The characters of the octets from 0x80 to 0x9F in windows-1252 (WHATWG Encoding Standard, index
/// windows-1252). All other octets have the value of their character.
inline constexpr auto windows_1252_characters = std::to_array<char32_t>(
    {0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
     0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
     0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178});

ROBOTS_INLINE std::string from_windows_1252(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    const auto octet = static_cast<unsigned char>(c);
    const std::size_t place = octet - std::size_t{0x80};
    base::append_utf8(result, octet >= 0x80 && place < windows_1252_characters.size()
                                  ? windows_1252_characters[place]
                                  : char32_t{octet});
  }
  return result;
}

}  // namespace robots::detail

namespace robots {

namespace detail {

ROBOTS_INLINE std::string from_utf16(std::string_view text, charset written_in) {
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
  for (std::size_t i = charset_of(text) == charset::utf_8 ? 0 : 2; i < end; i += 2) {
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

}  // namespace detail

ROBOTS_INLINE std::optional<std::string> to_utf8(std::string_view text,
                                                 detail::charset written_in) {
  switch (written_in) {
    case detail::charset::utf_16le:
    case detail::charset::utf_16be:
      return detail::from_utf16(text, written_in);
    case detail::charset::windows_1252:
      return detail::from_windows_1252(text);
    case detail::charset::utf_8:
      break;
  }
  return std::nullopt;
}

ROBOTS_INLINE std::optional<std::string> to_utf8(std::string_view text) {
  return to_utf8(text, detail::charset_of(text));
}

}  // namespace robots
