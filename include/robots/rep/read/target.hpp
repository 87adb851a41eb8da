#pragma once

#include <robots/base/url_head.hpp>

#include <cstddef>
#include <string_view>

namespace robots::rep_detail {

/// The path and query of a URL. Rules are compared with this part.
struct target_path {
  std::string_view text{};     ///< path and query, as written
  bool leading_slash = false;  ///< true if a `/` is missing before `text`, as for `http://host?q`
};

[[nodiscard]] constexpr target_path path_from(std::string_view url, std::size_t start) noexcept {
  if (start == std::string_view::npos) {
    return {.text = {}, .leading_slash = true};
  }
  return {.text = url.substr(start), .leading_slash = url[start] != '/'};
}

/// Returns path and query as google/robotstxt reads them. google/robotstxt skips `//` at the start,
/// and expects a host at the start of a text without a scheme. It also ends the host at `;`, and
/// ends the text at a NUL octet.
[[nodiscard]] constexpr target_path lenient_path(std::string_view url) noexcept {
  constexpr auto npos = std::string_view::npos;
  const std::size_t search = url.starts_with("//") ? 2 : 0;
  const auto early = url.find_first_of("/?;", search);
  auto authority = url.find("://", search);
  authority = authority == npos || early < authority ? search : authority + 3;
  const auto start = url.find_first_of("/?;", authority);
  const auto fragment = url.find('#', search);
  if (start == npos || fragment < start) {
    return path_from(url, npos);
  }
  target_path path = path_from(url.substr(0, fragment), start);
  path.text = path.text.substr(0, path.text.find('\0'));
  return path;
}

/// Returns path and query of a target, which is an absolute URL (`scheme://...`) or a path with
/// query. Drops the fragment.
///
/// Any other target is a path without its slash: `admin/users` means `/admin/users` (WEB::ROBOTS),
/// and `example.com/admin` means `/example.com/admin`. Write `https://` before a host. If `lenient`
/// is true, such a target is a host with a path, as for google/robotstxt. Takes linear time, and
/// never throws.
[[nodiscard]] constexpr target_path path_and_query(std::string_view target,
                                                   bool lenient = false) noexcept {
  if (lenient) {
    return lenient_path(target);
  }
  target = target.substr(0, target.find('#'));
  const std::size_t authority = base::scheme_prefix(target);
  if (authority == 0) {
    return {.text = target, .leading_slash = !target.starts_with('/')};
  }
  std::size_t path = authority;  // `find_first_of` would call a function per octet
  while (path < target.size() && target[path] != '/' && target[path] != '?') {
    ++path;
  }
  return path_from(target, path < target.size() ? path : std::string_view::npos);
}

}  // namespace robots::rep_detail
