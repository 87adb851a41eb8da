#pragma once

#include <robots/base/ascii.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// One HTTP header field.
struct http_header {
  std::string name{};   ///< field name, in any case (RFC 9110, section 5.1)
  std::string value{};  ///< field value, without white space at either end

  [[nodiscard]] friend bool operator==(const http_header&, const http_header&) = default;
};

}  // namespace robots

namespace robots::detail {

/// Returns the value of the first header `name`, without blanks at its ends (RFC 9110, section
/// 5.5). Returns an empty optional if there is no such header.
[[nodiscard]] inline std::optional<std::string_view> find_header(
    const std::vector<http_header>& headers, std::string_view name) noexcept {
  for (const http_header& header : headers) {
    if (base::equal_ignoring_case(header.name, name)) {
      return base::trim(header.value, base::is_blank);
    }
  }
  return std::nullopt;
}

/// Returns true if a text can be the value of a header: it has no control character other than a
/// tab (RFC 9110, section 5.5).
[[nodiscard]] inline bool is_header_value(std::string_view value) noexcept {
  return std::none_of(value.begin(), value.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == '\x7F';
  });
}

/// Returns the reason why a header cannot be sent, or an empty text. The name must be a token (RFC
/// 9110, section 5.6.2). The reason does not quote the value.
[[nodiscard]] inline std::string_view header_problem(const http_header& header) noexcept {
  const auto is_token_octet = [](char c) {
    return base::is_alpha(c) || base::is_digit(c) ||
           std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
  };
  if (header.name.empty() || !std::all_of(header.name.begin(), header.name.end(), is_token_octet)) {
    return "has a name that is empty, or has an octet other than letters, digits and "
           "!#$%&'*+-.^_`|~";
  }
  return is_header_value(header.value) ? "" : "has a control character in its value";
}

}  // namespace robots::detail
