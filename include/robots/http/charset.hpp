#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/config.hpp>
#include <robots/base/enum_text.hpp>
#include <robots/base/utf8.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace robots::detail {

enum class charset : std::uint8_t {
  utf_8,         ///< UTF-8, or an unknown charset; never converted
  utf_16le,      ///< UTF-16 with the lower octet first
  utf_16be,      ///< UTF-16 with the upper octet first
  windows_1252,  ///< windows-1252, which browsers also use for ISO-8859-1
};

/// Returns the IANA name of a charset, in lower case.
[[nodiscard]] constexpr std::string_view to_string(charset value) noexcept {
  return base::enum_text<charset::windows_1252>(value,
                                                {"utf-8", "utf-16le", "utf-16be", "windows-1252"});
}

/// Returns UTF-16 if a text begins with a byte order mark of UTF-16 (WHATWG Encoding, section 6).
/// Otherwise returns UTF-8, even after a byte order mark of UTF-32 (RFC 9309, section 2.3).
[[nodiscard]] constexpr charset charset_of(std::string_view text) noexcept {
  if (text.starts_with("\xFF\xFE") && text.substr(2, 2) != std::string_view{"\0\0", 2}) {
    return charset::utf_16le;
  }
  return text.starts_with("\xFE\xFF") ? charset::utf_16be : charset::utf_8;
}

/// Returns the value of the parameter `charset` of a Content-Type header (RFC 9110, section 8.3.2),
/// without quotes, or an empty text.
[[nodiscard]] constexpr std::string_view named_charset(std::string_view content_type) noexcept {
  constexpr std::string_view mark = "charset=";
  const auto found = std::search(content_type.begin(), content_type.end(), mark.begin(), mark.end(),
                                 [](char a, char b) { return base::to_lower(a) == b; });
  if (found == content_type.end()) {
    return {};
  }
  const std::string_view value{found + static_cast<std::ptrdiff_t>(mark.size()),
                               content_type.end()};
  return base::trim(value.substr(0, value.find_first_of(";,")),
                    [](char c) { return base::is_blank(c) || c == '"' || c == '\''; });
}

/// Returns the charset of UTF-16 without a byte order mark. A robots.txt in UTF-16 has words in
/// ASCII, in which every second octet is NUL, before or after the octet of the character. Returns
/// UTF-8 if there are too few such words, so that the label of the text is wrong. The words can
/// follow a long comment in another script, whose octets are no valid UTF-8. Takes linear time.
[[nodiscard]] constexpr charset utf16_by_content(std::string_view text) noexcept {
  constexpr std::size_t least_pairs = 8;  // fewer than in `Disallow: /`
  std::array<std::size_t, 2> pairs{};     // ASCII characters in a row, for both orders of octets
  for (std::size_t i = 2; i < text.size(); ++i) {
    pairs[i % 2] += text[i] == '\0' && text[i - 2] == '\0' ? 1U : 0U;
  }
  const auto [fewer, most] = std::minmax(pairs[0], pairs[1]);
  const bool is_mostly_ascii = most * 8 >= text.size();
  const bool is_utf16 =
      most > 2 * fewer && (is_mostly_ascii || (most >= least_pairs && !base::is_utf8(text)));
  if (!is_utf16) {
    return charset::utf_8;
  }
  return pairs[0] > pairs[1] ? charset::utf_16be : charset::utf_16le;
}

/// Returns the charset of a text with this Content-Type. A byte order mark decides first. Then the
/// header decides, unless the text shows that the header is wrong: many servers name a charset for
/// all files. A text that is valid UTF-8, or begins with a damaged mark of UTF-8, is not read as
/// ISO-8859-1. `truncated` says if the end of the text is missing.
///
/// The labels are those of the WHATWG Encoding Standard, section 4.2.
[[nodiscard]] constexpr charset charset_of(std::string_view text, std::string_view content_type,
                                           bool truncated) noexcept {
  const charset marked = charset_of(text);
  const std::string_view label = named_charset(content_type);
  if (marked != charset::utf_8 || label.empty() || text.starts_with(base::byte_order_mark)) {
    return marked;
  }
  const auto is_one_of = [label](auto... names) {
    return (base::equal_ignoring_case(label, names) || ...);
  };
  if (is_one_of("utf-16", "utf-16le", "utf-16be", "ucs-2", "unicode", "iso-10646-ucs-2")) {
    return utf16_by_content(text);
  }
  const bool is_western =
      is_one_of("iso-8859-1", "iso8859-1", "iso_8859-1", "iso88591", "latin1", "latin-1", "l1",
                "windows-1252", "cp1252", "x-cp1252", "us-ascii", "ascii");
  const std::string_view whole = truncated ? text.substr(0, text.rfind('\n') + 1) : text;
  const bool is_utf8 = base::damaged_mark_size(text) != 0 || base::is_utf8(whole);
  return is_western && !is_utf8 ? charset::windows_1252 : charset::utf_8;
}

[[nodiscard]] std::string from_windows_1252(std::string_view text);

}  // namespace robots::detail

namespace robots {

namespace detail {

/// Converts a text in UTF-16 without its byte order mark, if it has one.
[[nodiscard]] std::string from_utf16(std::string_view text, charset written_in);

}  // namespace detail

/// Converts a text to UTF-8, and drops a byte order mark of UTF-16. Returns an empty optional for
/// UTF-8: use that text as it is, since rules are compared octet by octet.
///
/// An unpaired surrogate becomes U+FFFD. If the number of octets is odd, the last octet is dropped.
/// Takes linear time. An octet becomes at most three octets (RFC 2781, section 2.2). Apply a limit,
/// such as RFC 9309's 500 KiB, to `text`, and then parse the whole result.
[[nodiscard]] std::optional<std::string> to_utf8(std::string_view text, detail::charset written_in);

/// Converts a text that begins with a byte order mark of UTF-16. Returns an empty optional for any
/// other text.
[[nodiscard]] std::optional<std::string> to_utf8(std::string_view text);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/http/charset.bodies.hpp>
#endif
