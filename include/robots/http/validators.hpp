#pragma once

#include <robots/http/message.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// What tells whether a resource is still the one that was fetched (RFC 9110, section 8.8).
struct validators {
  std::string etag{};           ///< as sent, `W/` and quotes included; empty when there is none
  std::string last_modified{};  ///< as sent; empty when there is none that is a date

  /// Whether there is nothing to ask by.
  [[nodiscard]] bool empty() const noexcept { return etag.empty() && last_modified.empty(); }

  [[nodiscard]] friend bool operator==(const validators&, const validators&) = default;
};

/// The validators in the headers of a response. What is no entity tag, or no date, is left out.
/// Linear.
[[nodiscard]] validators validators_of(const std::vector<http_header>& headers);

/// Whether two entity tags may stand for one content: the weak comparison of RFC 9110, section
/// 8.8.3.2.
[[nodiscard]] constexpr bool same_entity(std::string_view a, std::string_view b) noexcept {
  const auto opaque = [](std::string_view tag) {
    return tag.starts_with("W/") ? tag.substr(2) : tag;
  };
  return opaque(a) == opaque(b);
}

/// Adds the headers that ask for a response only if the resource has changed: `If-None-Match`
/// and `If-Modified-Since` (RFC 9110, section 13.1), the second for servers that do not know the
/// first.
void append_conditions(std::vector<http_header>& headers, const validators& known);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/http/validators.ipp>
#endif
