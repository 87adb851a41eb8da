#pragma once

#include <robots/http/freshness.hpp>
#include <robots/http/message.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots::http_detail {

/// Returns the part of an entity tag that the weak comparison compares (RFC 9110, section 8.8.3.2).
[[nodiscard]] constexpr std::string_view opaque_tag(std::string_view tag) noexcept {
  return tag.starts_with("W/") ? tag.substr(2) : tag;
}

/// Returns true for `entity-tag = [ "W/" ] DQUOTE *etagc DQUOTE` (RFC 9110, section 8.8.3). `etagc`
/// is any octet except controls, space and the quote. Refuses a tag over 1,024 octets, since tags
/// are stored with the rules.
[[nodiscard]] inline bool is_entity_tag(std::string_view text) noexcept {
  const std::string_view tag = opaque_tag(text);
  return text.size() <= 1'024 && tag.size() >= 2 && tag.starts_with('"') && tag.ends_with('"') &&
         std::none_of(tag.begin() + 1, tag.end() - 1, [](char c) {
           const auto octet = static_cast<unsigned char>(c);
           return octet <= 0x20 || octet == 0x7F || c == '"';
         });
}

}  // namespace robots::http_detail

namespace robots::detail {

/// The validators of a resource, which show whether it has changed (RFC 9110, section 8.8).
struct validators {
  std::string etag{};           ///< the `ETag` as sent, with `W/` and quotes, or empty
  std::string last_modified{};  ///< the `Last-Modified` as sent, or empty

  /// Returns true if there is neither an entity tag nor a date.
  [[nodiscard]] bool empty() const noexcept { return etag.empty() && last_modified.empty(); }

  [[nodiscard]] friend bool operator==(const validators&, const validators&) = default;
};

/// Returns the validators in the headers of a response. Ignores malformed entity tags and dates.
/// Takes linear time.
[[nodiscard]] inline validators validators_of(const std::vector<http_header>& headers) {
  validators found;
  const std::string_view etag = find_header(headers, "ETag").value_or("");
  if (http_detail::is_entity_tag(etag)) {
    found.etag = etag;
  }
  const std::string_view date = find_header(headers, "Last-Modified").value_or("");
  if (parse_http_date(date, wall_time{})) {
    found.last_modified = date;
  }
  return found;
}

/// Returns true if two entity tags mean the same content.
[[nodiscard]] constexpr bool same_entity(std::string_view a, std::string_view b) noexcept {
  return http_detail::opaque_tag(a) == http_detail::opaque_tag(b);
}

/// Adds `If-None-Match` and `If-Modified-Since`, which ask for the content only if it has changed
/// (RFC 9110, section 13.1). Some servers know only `If-Modified-Since`.
inline void append_conditions(std::vector<http_header>& headers, const validators& known) {
  if (!known.etag.empty()) {
    headers.push_back({"If-None-Match", known.etag});
  }
  if (!known.last_modified.empty()) {
    headers.push_back({"If-Modified-Since", known.last_modified});
  }
}

}  // namespace robots::detail
