#pragma once

#include <robots/base/utf8.hpp>

#include <bit>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace robots::http_detail {

/// UTF-16 as UTF-8, at most 3 octets for every 2 (RFC 2781, section 2.2).
///
/// Each surrogate without its other half becomes U+FFFD. An odd last octet, as a cut leaves it, is
/// dropped. A byte order mark is a character like any other. Linear.
template <class Text = std::string>
[[nodiscard]] constexpr Text from_utf16(std::string_view octets, std::endian order) {
  constexpr char32_t replacement = 0xFFFD;
  const std::size_t high = order == std::endian::big ? 0 : 1;
  const auto unit = [&](std::size_t i) -> char32_t {
    const auto octet = [&](std::size_t at) { return static_cast<unsigned char>(octets[at]); };
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

/// The byte order of a text that can only be UTF-16: at least half of its code units are ASCII, so
/// that their upper octet is NUL, and NUL is at least four times as rare in the other place.
/// Linear.
///
/// Every octet in which robots.txt is written is ASCII, and UTF-8 has no use for NUL in it (RFC
/// 9309, section 2.2: `UTF8-char-noctl`).
[[nodiscard]] constexpr std::optional<std::endian> utf16_order(std::string_view octets) noexcept {
  octets = octets.substr(0, octets.size() / 2 * 2);  // an odd last octet tells nothing
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

}  // namespace robots::http_detail
