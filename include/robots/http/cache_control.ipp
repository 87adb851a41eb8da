#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/inline.hpp>
#include <robots/http/cache_control.hpp>
#include <robots/http/detail/field_value.hpp>

#include <cstddef>
#include <string_view>

namespace robots {

namespace http_detail {

inline void read_directives(cache_control& into, std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t length = length_before(text, ',');
    const std::string_view directive = text.substr(0, length);
    text.remove_prefix(length < text.size() ? length + 1 : length);
    const std::size_t equals = directive.find('=');
    const std::string_view name = trim_blanks(directive.substr(0, equals));
    if (base::equal_ignoring_case(name, "no-store")) {
      into.no_store = true;
    } else if (base::equal_ignoring_case(name, "no-cache")) {
      into.no_cache = true;
    } else if (base::equal_ignoring_case(name, "max-age") && !into.max_age) {
      const std::string_view value =
          equals == std::string_view::npos ? std::string_view{} : directive.substr(equals + 1);
      into.max_age =
          parse_delta_seconds(unquote(trim_blanks(value))).value_or(std::chrono::seconds{0});
    }
  }
}

}  // namespace http_detail

ROBOTS_INLINE cache_control parse_cache_control(const std::vector<http_header>& headers) noexcept {
  cache_control result;
  for (const http_header& header : headers) {
    if (base::equal_ignoring_case(header.name, "Cache-Control")) {
      http_detail::read_directives(result, header.value);
    }
  }
  return result;
}

}  // namespace robots
