#pragma once

#include <robots/base/ascii.hpp>
#include <robots/http/delta_seconds.hpp>
#include <robots/http/header.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace robots::http_detail {

/// Returns the length of `text` up to the first comma outside a quoted string.
[[nodiscard]] constexpr std::size_t length_before_comma(std::string_view text) noexcept {
  bool quoted = false;
  std::size_t i = 0;
  for (; i < text.size() && (quoted || text[i] != ','); ++i) {
    if (text[i] == '"') {
      quoted = !quoted;
    } else if (quoted && text[i] == '\\') {
      ++i;
    }
  }
  return i < text.size() ? i : text.size();
}

/// Reads all `Cache-Control` headers as one list (RFC 9110, section 5.3). Returns the lifetime: 0
/// for `no-store` or `no-cache`, else the first `max-age`. Ignores directives in quotes.
[[nodiscard]] inline std::optional<std::chrono::seconds> cache_control_lifetime(
    const std::vector<http_header>& headers) noexcept {
  std::optional<std::chrono::seconds> max_age;
  for (const http_header& header : headers) {
    const bool counts = base::equal_ignoring_case(header.name, "Cache-Control");
    std::string_view rest = counts ? std::string_view{header.value} : std::string_view{};
    while (!rest.empty()) {
      const std::size_t length = length_before_comma(rest);
      const std::string_view directive = rest.substr(0, length);
      rest.remove_prefix(length < rest.size() ? length + 1 : length);
      const std::size_t equals = directive.find('=');
      const std::string_view name = base::trim(directive.substr(0, equals), base::is_blank);
      if (base::equal_ignoring_case(name, "no-store") ||
          base::equal_ignoring_case(name, "no-cache")) {
        return std::chrono::seconds{0};
      }
      if (base::equal_ignoring_case(name, "max-age") && !max_age) {
        std::string_view value = directive.substr((std::min)(equals, directive.size() - 1) + 1);
        value = base::trim(value, base::is_blank);
        if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"')) {
          value = value.substr(1, value.size() - 2);
        }
        // A text that is not a number is read as 0 (RFC 9111, section 4.2.1).
        max_age = parse_delta_seconds(value).value_or(std::chrono::seconds{0});
      }
    }
  }
  return max_age;
}

}  // namespace robots::http_detail
