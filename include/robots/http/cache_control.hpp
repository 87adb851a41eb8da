#pragma once

#include <robots/http/message.hpp>

#include <chrono>
#include <optional>
#include <vector>

namespace robots {

/// What `Cache-Control` says to a private cache (RFC 9111, section 5.2.2), as far as it matters
/// here. `s-maxage` is for shared caches only.
struct cache_control {
  bool no_store = false;  ///< not to be kept
  bool no_cache = false;  ///< not to be used again unasked, whether for all or some fields
  std::optional<std::chrono::seconds> max_age;  ///< the first one; 0 when it is no number

  [[nodiscard]] friend bool operator==(const cache_control&, const cache_control&) = default;
};

/// Reads all `Cache-Control` headers as one list (RFC 9110, section 5.3). Names are taken in any
/// case; a directive inside a quoted value is none; a `max-age` that is no number counts as 0, as
/// RFC 9111, section 4.2.1, advises. Linear.
[[nodiscard]] cache_control parse_cache_control(const std::vector<http_header>& headers) noexcept;

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/http/cache_control.ipp>
#endif
