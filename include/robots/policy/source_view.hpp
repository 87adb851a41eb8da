#pragma once

#include <robots/http/message.hpp>

#include <chrono>
#include <string_view>

namespace robots::detail {

/// A URL in three parts, as an encoded record has it: a start such as `https://`, the host, and an
/// end such as `/robots.txt`.
struct url_view {
  std::string_view start{};
  std::string_view middle{};
  std::string_view end{};

  /// Returns true if this is the URL `url`.
  [[nodiscard]] constexpr bool is(std::string_view url) const noexcept {
    return url.size() == start.size() + middle.size() + end.size() && url.starts_with(start) &&
           url.ends_with(end) && url.substr(start.size(), middle.size()) == middle;
  }

  [[nodiscard]] friend constexpr bool operator==(const url_view&, const url_view&) = default;
};

/// The parts of `policy::last_retrieval()` that a look-up reads. This object has views into the
/// policy, so it costs no memory.
struct source_view {
  std::chrono::sys_seconds fetched_at{};  ///< as in `record_head`, like all members
  std::chrono::seconds lifetime{0};
  url_view url{};
  url_view final_url{};
  int status = 0;
  fetch_error error = fetch_error::none;
  std::string_view error_text{};
  int redirects = 0;
  int attempts = 0;
  bool has_validators = false;  ///< true if there is an `ETag` or a `Last-Modified`
};

}  // namespace robots::detail
