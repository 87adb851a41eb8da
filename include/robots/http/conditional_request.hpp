#pragma once

#include <robots/http/header.hpp>
#include <robots/http/http_date.hpp>
#include <robots/http/validators.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace robots::http_detail {

/// Returns true for `entity-tag = [ "W/" ] DQUOTE *etagc DQUOTE` (RFC 9110, section 8.8.3). Returns
/// false for a tag of more than 1,024 octets, so that the cache stores no huge tag.
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

/// Returns the validators in the headers of a response. Ignores malformed entity tags and dates.
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

/// Adds `If-None-Match` and `If-Modified-Since`, which ask for the content only if it has changed
/// (RFC 9110, section 13.1). Adds both, since some servers know only `If-Modified-Since`.
inline void append_conditions(std::vector<http_header>& headers, const validators& known) {
  if (!known.etag.empty()) {
    headers.push_back({"If-None-Match", known.etag});
  }
  if (!known.last_modified.empty()) {
    headers.push_back({"If-Modified-Since", known.last_modified});
  }
}

}  // namespace robots::detail
