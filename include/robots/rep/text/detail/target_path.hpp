#pragma once

#include <robots/base/scheme.hpp>

#include <cstddef>
#include <string_view>

namespace robots::rep_detail {

/// Path and query of a target.
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

/// Returns path and query as google/robotstxt reads them. Skips `//` at the start. Reads the text
/// up to `/`, `?` or `;` as the host, even if the URL has no scheme. The result ends at a NUL
/// octet.
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

/// Returns path and query of `target`, an absolute URL or a path with query. Drops the fragment.
///
/// Any other target is read as a path without its first slash: `admin/users` means `/admin/users`
/// (source: WEB::ROBOTS). If `lenient` is true, `admin` in this example is a host, as in
/// google/robotstxt.
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
  std::size_t path = authority;  // faster than `find_first_of`, which calls a function per octet
  while (path < target.size() && target[path] != '/' && target[path] != '?') {
    ++path;
  }
  return path_from(target, path < target.size() ? path : std::string_view::npos);
}

}  // namespace robots::rep_detail
