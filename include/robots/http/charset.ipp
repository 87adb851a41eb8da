#pragma once

#include <robots/base/inline.hpp>
#include <robots/http/charset.hpp>

namespace robots {

ROBOTS_INLINE utf8_text to_utf8(std::string_view body, charset written_in) {
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

ROBOTS_INLINE utf8_text to_utf8(std::string_view body, std::string_view content_type) {
  return to_utf8(body, charset_of(body, content_type));
}

ROBOTS_INLINE utf8_text to_utf8(std::string_view body, const std::vector<http_header>& headers) {
  return to_utf8(body, find_header(headers, "Content-Type").value_or(std::string_view{}));
}

}  // namespace robots
