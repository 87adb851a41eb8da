#pragma once

#include <robots/base/utf8.hpp>
#include <robots/rep/read/detail/line.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::rep_detail {

/// The first octets of files that are not a robots.txt: archives, images, documents, programs, and
/// text in UTF-32. The first entry is gzip data that a server converted from windows-1252 to UTF-8
/// by mistake.
inline constexpr auto foreign_beginnings = [] {
  using std::literals::operator""sv;
  return std::array{"\x1F\xE2\x80\xB9"sv,
                    "\x1F\x8B"sv,
                    "\x1F\x9D"sv,
                    "PK\3\4"sv,
                    "PK\5\6"sv,
                    "PK\7\b"sv,
                    "BZh"sv,
                    "\xFD\x37zXZ"sv,
                    "\x28\xB5\x2F\xFD"sv,
                    "7z\xBC\xAF"sv,
                    "Rar!\x1A"sv,
                    "x\1"sv,
                    "x\x9C"sv,
                    "x\xDA"sv,
                    "%PDF-"sv,
                    "%!PS"sv,
                    "{\\rtf"sv,
                    "\x89PNG"sv,
                    "\xFF\xD8\xFF"sv,
                    "GIF87a"sv,
                    "GIF89a"sv,
                    "RIFF"sv,
                    "\0\0\1\0"sv,
                    "\x7F\x45LF"sv,
                    "\0asm"sv,
                    "\xCA\xFE\xBA\xBE"sv,
                    "\xFF\xFE\0\0"sv,
                    "\0\0\xFE\xFF"sv};
}();

/// The first octets of `foreign_beginnings`. Nearly all texts begin with another octet, and need no
/// more comparisons.
inline constexpr auto foreign_first_octets = [] {
  std::array<bool, 256> octets{};
  for (const std::string_view beginning : foreign_beginnings) {
    octets[static_cast<unsigned char>(beginning.front())] = true;
  }
  return octets;
}();

[[nodiscard]] constexpr bool has_foreign_beginning(std::string_view text) noexcept {
  return !text.empty() && foreign_first_octets[static_cast<unsigned char>(text.front())] &&
         std::any_of(foreign_beginnings.begin(), foreign_beginnings.end(),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

/// Returns true if `text` begins with a JSON object or array. Checks the bracket and the next
/// character (RFC 8259, section 2). So a heading such as `[Sitemap]` is not read as JSON.
[[nodiscard]] constexpr bool begins_json(std::string_view text) noexcept {
  const bool object = text.starts_with('{');
  if (!object && !text.starts_with('[')) {
    return false;
  }
  const std::size_t next = text.find_first_not_of(" \t\r\n", 1);
  const std::string_view followers = object ? "\"}" : "\"]{[";
  return next != std::string_view::npos && followers.find(text[next]) != std::string_view::npos;
}

/// The control characters that no text has: all except white space and line ends.
inline constexpr auto controls = [] {
  std::array<bool, 256> octets{};
  for (std::size_t octet = 0; octet < octets.size(); ++octet) {
    octets[octet] = octet < '\t' || ('\r' < octet && octet < ' ') || octet == 0x7F;
  }
  return octets;
}();

[[nodiscard]] constexpr bool is_control(char c) noexcept {
  return controls[static_cast<unsigned char>(c)];
}

/// Returns true if the start of `text` has too many control characters for a UTF-8 text. Accepts
/// some NUL octets, which some editors leave at the ends of lines and of the file.
[[nodiscard]] constexpr bool is_mostly_controls(std::string_view text) noexcept {
  // Most texts have no control character near their start, and need no more checks.
  bool has_control = false;
  for (const char c : text.substr(0, 64)) {
    has_control |= is_control(c);  // without a branch
  }
  if (!has_control) {
    return false;
  }
  constexpr std::size_t looked_at = 256;
  constexpr std::ptrdiff_t fewest = 4;
  const std::string_view start = text.substr(0, looked_at);
  const std::string_view filled = start.substr(0, start.find_last_not_of('\0') + 1);
  const auto size = static_cast<std::ptrdiff_t>(filled.size());
  const auto nuls = std::count(filled.begin(), filled.end(), '\0');
  const auto others = std::count_if(filled.begin(), filled.end(), is_control) - nuls;
  const bool only_nuls = filled.empty() && std::ssize(start) >= fewest;
  return only_nuls || (nuls > 1 && nuls * 4 > size) || (others >= fewest && others * 20 > size);
}

/// The kinds of content that sites send instead of a robots.txt.
enum class foreign_content : std::uint8_t {
  none,    ///< no sign of other content
  markup,  ///< HTML, XML or PHP
  other,   ///< JSON, an archive, an image, UTF-32, or mostly control characters
};

/// Recognises content that sites send instead of a robots.txt. Skips UTF-8 byte order marks, white
/// space and NUL octets, then checks the start in constant time. Does not recognise UTF-16.
[[nodiscard]] constexpr foreign_content find_foreign_content(std::string_view text) noexcept {
  if (has_foreign_beginning(text)) {
    return foreign_content::other;
  }
  const auto is_skipped = [](char c) { return is_padding(c) || is_line_end(c); };
  std::string_view first = text;
  do {
    first.remove_prefix(base::byte_order_mark_size(first));
    const auto skipped = std::find_if_not(first.begin(), first.end(), is_skipped) - first.begin();
    first.remove_prefix(static_cast<std::size_t>(skipped));
  } while (base::byte_order_mark_size(first) != 0);
  if (first.starts_with('<')) {
    return foreign_content::markup;
  }
  return begins_json(first) || is_mostly_controls(text) ? foreign_content::other
                                                        : foreign_content::none;
}

}  // namespace robots::rep_detail
