#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/utf8.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace robots::rep_detail {

/// The characters outside ASCII that look like a blank or like nothing (Unicode Standard, section
/// 6.2 for spaces, and section 23.2 for layout controls). Text editors and web pages insert them.
inline constexpr auto invisible_characters = std::to_array<char32_t>(
    {0x00A0, 0x00AD, 0x1680, 0x180E, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004,
     0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A, 0x200B, 0x200C, 0x200D,
     0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E,
     0x202F, 0x205F, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0x3000, 0xFEFF});

/// The text of the finding for each of `invisible_characters`, in the same order.
inline constexpr auto invisible_texts = [] {
  constexpr std::string_view pattern = "U+0000 is here, and cannot be seen: remove it";
  std::array<std::array<char, pattern.size()>, invisible_characters.size()> texts{};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::copy(pattern.begin(), pattern.end(), texts[i].begin());
    const auto [a, b] = base::hex_digits(static_cast<unsigned char>(invisible_characters[i] >> 8U));
    const auto [c, d] = base::hex_digits(static_cast<unsigned char>(invisible_characters[i]));
    texts[i][2] = a;
    texts[i][3] = b;
    texts[i][4] = c;
    texts[i][5] = d;
  }
  return texts;
}();

/// An invisible character in a text.
struct invisible_character {
  std::size_t at = 0;       ///< the place of its first octet
  std::size_t size = 0;     ///< octets; 0 if there is none
  std::string_view text{};  ///< the text of the finding
};

/// Returns the invisible character at the start of `text`, if there is one.
[[nodiscard]] constexpr invisible_character invisible_at_start(std::string_view text) noexcept {
  const std::size_t size = base::utf8_sequence_length(text);
  if (size < 2) {
    return {};
  }
  const auto known = std::find(invisible_characters.begin(), invisible_characters.end(),
                               base::utf8_character(text.substr(0, size)));
  if (known == invisible_characters.end()) {
    return {};
  }
  const auto& found =
      invisible_texts[static_cast<std::size_t>(known - invisible_characters.begin())];
  return {.size = size, .text = {found.data(), found.size()}};
}

/// Returns the first invisible character of `text`, if there is one. Takes linear time.
[[nodiscard]] constexpr invisible_character find_invisible(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) >= 0x80) {
      if (invisible_character found = invisible_at_start(text.substr(i)); found.size != 0) {
        found.at = i;
        return found;
      }
    }
  }
  return {};
}

/// Removes blanks and invisible characters from the start of `text`.
[[nodiscard]] constexpr std::string_view without_invisible_start(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t size = base::is_blank(text.front()) ? 1 : invisible_at_start(text).size;
    if (size == 0) {
      break;
    }
    text.remove_prefix(size);
  }
  return text;
}

/// Removes blanks, and the octets of U+00A0 and U+00AD in ISO-8859-1, from the start of `text`.
[[nodiscard]] constexpr std::string_view without_western_start(std::string_view text) noexcept {
  const auto is_skipped = [](char c) { return base::is_blank(c) || c == '\xA0' || c == '\xAD'; };
  return {std::find_if_not(text.begin(), text.end(), is_skipped), text.end()};
}

/// Removes blanks and invisible characters from both ends of `text`.
[[nodiscard]] constexpr std::string_view without_invisible_ends(std::string_view text) noexcept {
  text = without_invisible_start(text);
  const auto is_tail = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; };
  while (!text.empty()) {
    std::size_t last = text.size() - 1;
    while (last > 0 && is_tail(text[last])) {
      --last;
    }
    const std::string_view character = text.substr(last);
    const bool is_blank = character.size() == 1 && base::is_blank(character.front());
    if (!is_blank && invisible_at_start(character).size != character.size()) {
      break;
    }
    text.remove_suffix(character.size());
  }
  return text;
}

}  // namespace robots::rep_detail
