#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/enum_text.hpp>
#include <robots/http/detail/field_value.hpp>
#include <robots/http/detail/transcode.hpp>
#include <robots/http/message.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// The encoding of a text.
enum class charset : std::uint8_t {
  utf_8,         ///< also for unknown charsets: the octets do not change
  windows_1252,  ///< also for the labels ISO-8859-1 and US-ASCII
  utf_16le,      ///< UTF-16 with the lower octet first
  utf_16be,      ///< UTF-16 with the upper octet first
};

/// The name of a charset, as IANA registers it, in lower case.
[[nodiscard]] constexpr std::string_view to_string(charset value) noexcept {
  return base::enum_text<charset::utf_16be>(value,
                                            {"utf-8", "windows-1252", "utf-16le", "utf-16be"});
}

/// Returns the charset of a label, in any case, or an empty optional for an unknown one.
///
/// The labels are those of the WHATWG Encoding Standard, section 4.2, for these four charsets:
/// ISO-8859-1 and US-ASCII mean windows-1252, and `utf-16` is little-endian. Linear in the label.
[[nodiscard]] constexpr std::optional<charset> charset_of_label(std::string_view label) noexcept {
  struct entry {
    std::string_view label;
    charset meaning;
  };
  using enum charset;
  constexpr std::array<entry, 32> labels{{{"utf-8", utf_8},
                                          {"utf8", utf_8},
                                          {"unicode-1-1-utf-8", utf_8},
                                          {"unicode11utf8", utf_8},
                                          {"unicode20utf8", utf_8},
                                          {"x-unicode20utf8", utf_8},
                                          {"iso-8859-1", windows_1252},
                                          {"iso8859-1", windows_1252},
                                          {"iso88591", windows_1252},
                                          {"iso_8859-1", windows_1252},
                                          {"iso_8859-1:1987", windows_1252},
                                          {"iso-ir-100", windows_1252},
                                          {"csisolatin1", windows_1252},
                                          {"latin1", windows_1252},
                                          {"l1", windows_1252},
                                          {"cp819", windows_1252},
                                          {"ibm819", windows_1252},
                                          {"us-ascii", windows_1252},
                                          {"ascii", windows_1252},
                                          {"ansi_x3.4-1968", windows_1252},
                                          {"windows-1252", windows_1252},
                                          {"cp1252", windows_1252},
                                          {"x-cp1252", windows_1252},
                                          {"utf-16", utf_16le},
                                          {"utf-16le", utf_16le},
                                          {"unicode", utf_16le},
                                          {"csunicode", utf_16le},
                                          {"ucs-2", utf_16le},
                                          {"iso-10646-ucs-2", utf_16le},
                                          {"unicodefeff", utf_16le},
                                          {"utf-16be", utf_16be},
                                          {"unicodefffe", utf_16be}}};
  for (const entry& known : labels) {
    if (base::equal_ignoring_case(label, known.label)) {
      return known.meaning;
    }
  }
  return std::nullopt;
}

namespace http_detail {

/// Returns the value of the first parameter `charset` of a Content-Type, without quotes:
/// `parameters = *( OWS ";" OWS [ token "=" ( token / quoted-string ) ] )` (RFC 9110, sections
/// 5.6.6 and 8.3.1).
///
/// Skips blanks around the equals sign. A backslash in a quoted string is kept, since no label of a
/// charset needs one. Linear.
[[nodiscard]] constexpr std::optional<std::string_view> charset_parameter(
    std::string_view content_type) noexcept {
  std::size_t length = length_before(content_type, ';');  // of the media type
  while (length < content_type.size()) {
    content_type.remove_prefix(length + 1);
    length = length_before(content_type, ';');
    const std::string_view parameter = content_type.substr(0, length);
    const std::size_t equals = parameter.find('=');
    if (equals != std::string_view::npos &&
        base::equal_ignoring_case(trim_blanks(parameter.substr(0, equals)), "charset")) {
      return trim_blanks(unquote(trim_blanks(parameter.substr(equals + 1))));
    }
  }
  return std::nullopt;
}

}  // namespace http_detail

/// Returns the charset in which `to_utf8` reads a body with this `content_type`. The first of these
/// decides:
///
/// 1. A byte order mark: of UTF-8, or of UTF-16 in either order (WHATWG Encoding, section 6).
/// 2. NUL in every other octet: at least half of the text is ASCII in UTF-16. As RFC 9309, 2.2, has
///    no NUL in robots.txt, the text means nothing otherwise, whatever its label says.
/// 3. The `charset` of the Content-Type (RFC 9110, section 8.3.2), unless it says UTF-16 of a body
///    in which not even every tenth octet is a NUL: that would hold hardly any ASCII, and so no
///    line of robots.txt.
/// 4. UTF-8, as RFC 9309, section 2.3, demands.
///
/// It does not look for UTF-32, which WHATWG Encoding does not know. Linear.
[[nodiscard]] constexpr charset charset_of(std::string_view body,
                                           std::string_view content_type = {}) noexcept {
  if (body.starts_with("\xEF\xBB\xBF")) {
    return charset::utf_8;
  }
  if (body.starts_with("\xFF\xFE")) {
    return charset::utf_16le;
  }
  if (body.starts_with("\xFE\xFF")) {
    return charset::utf_16be;
  }
  if (const std::optional<std::endian> order = http_detail::utf16_order(body)) {
    return *order == std::endian::little ? charset::utf_16le : charset::utf_16be;
  }
  const std::optional<std::string_view> label = http_detail::charset_parameter(content_type);
  const charset labelled =
      label ? charset_of_label(*label).value_or(charset::utf_8) : charset::utf_8;
  const bool utf_16 = labelled == charset::utf_16le || labelled == charset::utf_16be;
  const auto nuls = static_cast<std::size_t>(std::count(body.begin(), body.end(), '\0'));
  return utf_16 && 10 * nuls < body.size() ? charset::utf_8 : labelled;
}

/// The result of `to_utf8`: a view of the given octets if nothing changed, else a new text.
class utf8_text {
 public:
  /// Refers to `text`, which must outlive this object.
  explicit utf8_text(std::string_view text) noexcept : given_(text) {}
  /// Owns a text that was made from another charset.
  explicit utf8_text(std::string converted) noexcept : converted_(std::move(converted)) {}

  /// Returns the text. It is valid as long as this object and the original octets. Constant time.
  [[nodiscard]] std::string_view text() const noexcept { return converted_ ? *converted_ : given_; }

  /// Returns true if the text differs from the original octets.
  [[nodiscard]] bool converted() const noexcept { return converted_.has_value(); }

 private:
  std::string_view given_;
  std::optional<std::string> converted_;
};

/// Returns the body of a robots.txt as UTF-8. Use it with `charset_of`: `parse(to_utf8(body,
/// charset_of(body, content_type)).text(), options)`.
///
/// - UTF-8, and any unknown charset: the octets do not change, whether they are valid or not.
///   `parse` skips the byte order mark. Text that is not UTF-8 is compared octet by octet, so one
///   bad octet harms nothing else.
/// - windows-1252, ISO-8859-1 and US-ASCII, line by line: a line that is valid UTF-8 does not
///   change; any other is transcoded. The reason: servers often call UTF-8 files ISO-8859-1, and
///   one file can contain both. A Latin-1 line that is valid UTF-8 by chance is rare. A line that a
///   size limit has cut does not affect other lines. In a URL, the path is percent-encoded UTF-8
///   whatever the charset of the page (WHATWG URL, section 4.4), so transcoded patterns match it.
/// - UTF-16: the mark is removed; a lone surrogate becomes U+FFFD, and an odd last octet is
///   dropped.
///
/// Never fails on content. Linear; copies only transcoded text. The result is at most three times
/// as long as `body`. A limit such as RFC 9309's 500 KiB applies to the octets that were served. So
/// cut the body at the limit. Then pass the larger of the limit and the size of the text to
/// `parse`, since the text may have grown.
[[nodiscard]] inline utf8_text to_utf8(std::string_view body, charset written_in) {
  constexpr std::string_view::size_type mark = 2;
  const auto without = [&](std::string_view bom) {
    return body.substr(body.starts_with(bom) ? mark : 0);
  };
  switch (written_in) {
    case charset::utf_16le:
      return utf8_text{http_detail::from_utf16(without("\xFF\xFE"), std::endian::little)};
    case charset::utf_16be:
      return utf8_text{http_detail::from_utf16(without("\xFE\xFF"), std::endian::big)};
    case charset::windows_1252:
      if (http_detail::first_line_not_utf8(body) != body.size()) {
        return utf8_text{http_detail::from_windows_1252(body)};
      }
      break;
    case charset::utf_8:
      break;
  }
  return utf8_text{body};
}

/// Like `to_utf8` with the charset that the body and its Content-Type state.
[[nodiscard]] inline utf8_text to_utf8(std::string_view body, std::string_view content_type = {}) {
  return to_utf8(body, charset_of(body, content_type));
}

/// Like `to_utf8` with the first Content-Type of the headers: `parse(to_utf8(response.body,
/// response.headers).text(), options)`.
[[nodiscard]] inline utf8_text to_utf8(std::string_view body,
                                       const std::vector<http_header>& headers) {
  return to_utf8(body, find_header(headers, "Content-Type").value_or(std::string_view{}));
}

}  // namespace robots
