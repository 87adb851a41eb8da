#pragma once

#include <string>
#include <string_view>

namespace robots::http_detail {

/// Returns an entity tag without `W/`, for the weak comparison (RFC 9110, section 8.8.3.2).
[[nodiscard]] constexpr std::string_view opaque_tag(std::string_view tag) noexcept {
  return tag.starts_with("W/") ? tag.substr(2) : tag;
}

}  // namespace robots::http_detail

namespace robots::detail {

/// The validators of a resource, which show whether it has changed (RFC 9110, section 8.8).
struct validators {
  std::string etag{};           ///< the `ETag` as sent, with `W/` and quotes, or empty
  std::string last_modified{};  ///< the `Last-Modified` as sent, or empty

  [[nodiscard]] bool empty() const noexcept { return etag.empty() && last_modified.empty(); }

  [[nodiscard]] friend bool operator==(const validators&, const validators&) = default;
};

/// Returns true if two entity tags are equal by the weak comparison.
[[nodiscard]] constexpr bool same_entity(std::string_view a, std::string_view b) noexcept {
  return http_detail::opaque_tag(a) == http_detail::opaque_tag(b);
}

}  // namespace robots::detail
