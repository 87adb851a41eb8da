#pragma once

#include <robots/base/ascii.hpp>
#include <robots/http/detail/field_value.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace robots::http_detail {

/// The value of the first parameter `charset` of a Content-Type, without quotes:
/// `parameters = *( OWS ";" OWS [ token "=" ( token / quoted-string ) ] )` (RFC 9110, sections
/// 5.6.6 and 8.3.1).
///
/// Blanks around the equals sign are passed over. A backslash in a quoted string stays, as no label
/// of a charset needs one. Linear.
[[nodiscard]] constexpr std::optional<std::string_view> charset_parameter(
    std::string_view content_type) noexcept {
  std::size_t length = length_before(content_type, ';');  // of the media type itself
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

}  // namespace robots::http_detail
