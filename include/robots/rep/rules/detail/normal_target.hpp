#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/config.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/text/detail/normal_form.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

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
  std::size_t path = authority;  // faster than `find_first_of`, which calls a function per octet
  while (path < target.size() && target[path] != '/' && target[path] != '?') {
    ++path;
  }
  return path_from(target, path < target.size() ? path : std::string_view::npos);
}

/// The maximum size of a target's normal form, in octets. Rule sets do not compare longer targets,
/// since servers accept only shorter ones.
inline constexpr std::size_t max_normal_target = 65'536;

/// Passes each octet of the normal form of a target to `put`.
template <class Put>
constexpr void write_target(const target_path& path, const normal_form& form, Put put) {
  if (path.leading_slash) {
    put('/');
  }
  write_normal(path.text, form, put);
}

/// Calls `use` with the normal form of a target, cut after `max_normal_target + 1` octets. This
/// function is not inlined, since its buffer is large and most targets do not need it.
template <class Use>
ROBOTS_NOINLINE constexpr auto use_rewritten(const target_path& path, const normal_form& form,
                                             Use use) {
  std::array<char, max_normal_target + 1> buffer;  // NOLINT(*-member-init): filled below
  std::size_t size = 0;
  const auto put = [&](char c) {
    if (size < buffer.size()) {
      buffer[size++] = c;
    }
  };
  write_target(path, form, put);
  return use(std::string_view{buffer.data(), size});
}

/// Calls `use` with the normal form of `target`, and returns the result of `use`. If the normal
/// form exceeds `max_normal_target` octets, `use` may get only the start of the normal form. Most
/// targets are in normal form already, and are not copied.
template <class Use>
constexpr auto with_normal_target(std::string_view target, const dialect_traits& traits, Use use) {
  const target_path path = path_and_query(target, traits.lenient_targets);
  if (path.leading_slash || !is_normal(path.text, *traits.target_form)) {
    return use_rewritten(path, *traits.target_form, use);
  }
  return use(path.text);
}

/// Returns the whole normal form of `target`.
[[nodiscard]] constexpr std::vector<char> normal_target(std::string_view target,
                                                        const dialect_traits& traits) {
  std::vector<char> octets;
  write_target(path_and_query(target, traits.lenient_targets), *traits.target_form,
               [&](char c) { octets.push_back(c); });
  return octets;
}

/// Returns true if the normal form `target` is too long for rule sets.
[[nodiscard]] constexpr bool is_too_long(std::string_view target) noexcept {
  return target.size() > max_normal_target;
}

/// Returns true if a pattern matches a target. Both can have any length.
[[nodiscard]] constexpr bool matches_target(const compiled_pattern& pattern,
                                            std::string_view target, const dialect_traits& traits) {
  return with_normal_target(target, traits, [&](std::string_view text) {
    if (!is_too_long(text)) {
      return matches(pattern, text);
    }
    const std::vector<char> whole = normal_target(target, traits);
    return matches(pattern, std::string_view{whole.data(), whole.size()});
  });
}

/// Returns true if no rule applies to `target`, which is in normal form. RFC 9309, section 2.2.2:
/// "The /robots.txt URI is implicitly allowed."
[[nodiscard]] constexpr bool is_exempt(std::string_view target,
                                       const dialect_traits& traits) noexcept {
  constexpr std::string_view path = "/robots.txt";
  return traits.robots_txt_always_allowed && begins_with(target, path) &&
         (target.size() == path.size() || target[path.size()] == '?');
}

}  // namespace robots::rep_detail
