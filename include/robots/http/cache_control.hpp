#pragma once

#include <robots/base/ascii.hpp>
#include <robots/http/detail/delta_seconds.hpp>
#include <robots/http/detail/field_value.hpp>
#include <robots/http/message.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace robots::detail {

/// The directives of `Cache-Control` that matter to a private cache (RFC 9111, section 5.2.2).
/// `s-maxage` is for shared caches only.
struct cache_control {
  bool no_store = false;  ///< do not store
  bool no_cache = false;  ///< do not use without asking again, for all or some fields
  std::optional<std::chrono::seconds> max_age;  ///< the first one; 0 if it is not a number

  [[nodiscard]] friend bool operator==(const cache_control&, const cache_control&) = default;
};

}  // namespace robots::detail

namespace robots::http_detail {

inline void read_directives(detail::cache_control& into, std::string_view text) noexcept {
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

}  // namespace robots::http_detail

namespace robots::detail {

/// Reads all `Cache-Control` headers as one list (RFC 9110, section 5.3). Ignores the case of names
/// and the directives inside quoted values. A `max-age` that is not a number counts as 0 (RFC 9111,
/// section 4.2.1). Linear.
[[nodiscard]] inline cache_control parse_cache_control(
    const std::vector<http_header>& headers) noexcept {
  cache_control result;
  for (const http_header& header : headers) {
    if (base::equal_ignoring_case(header.name, "Cache-Control")) {
      http_detail::read_directives(result, header.value);
    }
  }
  return result;
}

}  // namespace robots::detail
