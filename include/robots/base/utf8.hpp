#pragma once

#include <cstddef>
#include <string_view>

namespace robots::base {

/// Returns the length of the valid UTF-8 sequence at the start of `text`, or 0 if there is none.
///
///     UTF8-2 = %xC2-DF UTF8-tail
///     UTF8-3 = %xE0 %xA0-BF UTF8-tail / %xE1-EC 2( UTF8-tail ) /
///              %xED %x80-9F UTF8-tail / %xEE-EF 2( UTF8-tail )
///     UTF8-4 = %xF0 %x90-BF 2( UTF8-tail ) / %xF1-F3 3( UTF8-tail ) /
///              %xF4 %x80-8F 2( UTF8-tail )
///
/// ASCII characters and the sequences above are valid (RFC 3629, section 4). Takes constant time.
[[nodiscard]] constexpr std::size_t utf8_sequence_length(std::string_view text) noexcept {
  const auto octet = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) {
    return 0;
  }
  const unsigned char lead = octet(0);
  if (lead < 0x80) {
    return 1;
  }
  if (lead < 0xC2 || lead > 0xF4) {
    return 0;
  }
  std::size_t length = 4;
  if (lead < 0xE0) {
    length = 2;
  } else if (lead < 0xF0) {
    length = 3;
  }
  if (text.size() < length) {
    return 0;
  }
  unsigned char least = 0x80;
  unsigned char most = 0xBF;
  switch (lead) {
    case 0xE0:
      least = 0xA0;
      break;
    case 0xED:
      most = 0x9F;
      break;
    case 0xF0:
      least = 0x90;
      break;
    case 0xF4:
      most = 0x8F;
      break;
    default:
      break;
  }
  if (octet(1) < least || octet(1) > most) {
    return 0;
  }
  const auto is_tail = [&](std::size_t i) { return i >= length || (octet(i) & 0xC0U) == 0x80; };
  return is_tail(2) && is_tail(3) ? length : 0;
}

/// Returns true if all of `text` is valid UTF-8. Takes linear time.
[[nodiscard]] constexpr bool is_utf8(std::string_view text) noexcept {
  while (const std::size_t length = utf8_sequence_length(text)) {
    text.remove_prefix(length);
  }
  return text.empty();
}

/// The byte order mark of UTF-8 (RFC 3629, section 6).
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Returns the size of a UTF-8 byte order mark at the start of `text`, or 0. The mark can be
/// encoded twice, by a program that read its octets as ISO-8859-1.
[[nodiscard]] constexpr std::size_t byte_order_mark_size(std::string_view text) noexcept {
  constexpr std::string_view twice = "\xC3\xAF\xC2\xBB\xC2\xBF";
  if (text.empty() || static_cast<unsigned char>(text.front()) < 0x80) {  // nearly all texts
    return 0;
  }
  if (text.starts_with(byte_order_mark)) {
    return byte_order_mark.size();
  }
  return text.starts_with(twice) ? twice.size() : 0;
}

/// Returns the size of a damaged UTF-8 byte order mark at the start of `text`, or 0. Some servers
/// lose octets at the end of the mark. An ASCII octet must follow the rest of the mark, which would
/// else be a part of another character.
[[nodiscard]] constexpr std::size_t damaged_mark_size(std::string_view text) noexcept {
  constexpr std::string_view mark = byte_order_mark;
  std::size_t size = 0;
  while (size < mark.size() && size < text.size() && text[size] == mark[size]) {
    ++size;
  }
  const bool is_damaged =
      size < mark.size() && (size == text.size() || static_cast<unsigned char>(text[size]) < 0x80);
  return is_damaged ? size : 0;
}

/// Returns the character of `sequence`, which must be one whole valid sequence.
[[nodiscard]] constexpr char32_t utf8_character(std::string_view sequence) noexcept {
  char32_t character = static_cast<unsigned char>(sequence.front());
  if (sequence.size() > 1) {
    character &= 0x7FU >> sequence.size();
  }
  for (const char tail : sequence.substr(1)) {
    character = (character << 6U) | (static_cast<unsigned char>(tail) & 0x3FU);
  }
  return character;
}

/// Appends a Unicode scalar value, in 1 to 4 octets (RFC 3629, section 3).
template <class Text>
constexpr void append_utf8(Text& text, char32_t character) {
  int tails = 3;
  if (character < 0x80) {
    tails = 0;
  } else if (character < 0x800) {
    tails = 1;
  } else if (character < 0x10000) {
    tails = 2;
  }
  const char32_t mark = tails == 0 ? 0 : 0xFF00U >> (tails + 1) & 0xFFU;
  text.push_back(static_cast<char>(mark | character >> 6 * tails));
  for (int shift = 6 * (tails - 1); shift >= 0; shift -= 6) {
    text.push_back(static_cast<char>(0x80U | (character >> shift & 0x3FU)));
  }
}

}  // namespace robots::base
