#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/scheme.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace robots {

namespace http_detail {

/// The components of a URI reference (RFC 3986, section 3) before its fragment, as views of the
/// text. A missing component is an empty optional, but an empty component is an empty text.
struct url_parts {
  std::optional<std::string_view> scheme;     ///< the scheme, without the `:`
  std::optional<std::string_view> authority;  ///< the authority, without the `//`
  std::string_view path;                      ///< the path, with its leading `/` if it has one
  std::optional<std::string_view> query;      ///< the query, without the `?`
};

/// Returns true if `text` has a space, a control character or a backslash. The first two would
/// break the request line. Some clients read a backslash as a slash, and so connect to another
/// host.
[[nodiscard]] constexpr bool has_forbidden_octet(std::string_view text) noexcept {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) <= 0x20 || c == '\x7F' || c == '\\';
  });
}

/// Splits any text, without checks, into the parts of a URI reference (RFC 3986, appendix B).
[[nodiscard]] constexpr url_parts split_url(std::string_view text) noexcept {
  url_parts parts;
  text = text.substr(0, text.find('#'));
  if (const std::size_t mark = text.find('?'); mark != std::string_view::npos) {
    parts.query = text.substr(mark + 1);
    text = text.substr(0, mark);
  }
  const std::size_t length = base::scheme_length(text);
  if (length > 0 && text.substr(length).starts_with(':')) {
    parts.scheme = text.substr(0, length);
    text.remove_prefix(length + 1);
  }
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    parts.authority = text.substr(0, text.find('/'));
    text.remove_prefix(parts.authority->size());
  }
  parts.path = text;
  return parts;
}

/// Appends `text`, and percent-encodes octets outside ASCII: some servers send plain UTF-8.
inline void append_encoded(std::string& to, std::string_view text) {
  for (const char c : text) {
    const auto octet = static_cast<unsigned char>(c);
    if (octet < 0x80) {
      to += c;
    } else {
      const auto [high, low] = base::hex_digits(octet);
      to.append({'%', high, low});
    }
  }
}

/// Returns 1 for the path segment `.`, 2 for `..`, and 0 for any other. `%2e` counts as a dot, as
/// browsers and curl read it (WHATWG URL standard, section 4.1). Without the dots, it names another
/// page than the one that is sent.
[[nodiscard]] constexpr int dots_of(std::string_view segment) noexcept {
  int dots = 0;
  while (!segment.empty() && dots < 3) {
    const bool is_encoded = base::starts_with_ignoring_case(segment, "%2e");
    if (!is_encoded && segment.front() != '.') {
      return 0;
    }
    segment.remove_prefix(is_encoded ? 3 : 1);
    ++dots;
  }
  return dots < 3 ? dots : 0;
}

/// Returns `path` without `.` and `..` segments (RFC 3986, section 5.2.4). A dot can be encoded.
/// Takes linear time.
[[nodiscard]] inline std::string remove_dot_segments(std::string_view path) {
  std::string out;
  out.reserve(path.size());
  for (std::size_t slash = path.find('/');
       slash != std::string_view::npos && dots_of(path.substr(0, slash)) > 0;
       slash = path.find('/')) {
    path.remove_prefix(slash + 1);
  }
  while (!path.empty()) {
    const std::size_t end = path.find('/', path.front() == '/' ? 1 : 0);
    const std::string_view segment = path.substr(0, end);
    const bool last = end == std::string_view::npos;
    path.remove_prefix(last ? path.size() : end);
    const int dots = dots_of(segment.substr(segment.front() == '/' ? 1 : 0));
    if (dots == 2) {
      const std::size_t slash = out.rfind('/');
      out.resize(slash == std::string::npos ? 0 : slash);
    }
    if (dots == 0) {
      out += segment;
    } else if (last && segment.front() == '/') {
      out += '/';
    }
  }
  return out;
}

}  // namespace http_detail

/// Resolves `reference`, such as the value of a `Location` header, against the URL `base` (RFC
/// 3986, section 5.2.2). Returns the absolute URL. Drops the fragment. The scheme of the result can
/// be any scheme, in lower case. Octets outside ASCII in path and query are percent-encoded.
/// Returns nothing if `base` has no scheme, or if a text has controls, spaces or backslashes.
[[nodiscard]] inline std::optional<std::string> resolve_reference(std::string_view base,
                                                                  std::string_view reference) {
  if (http_detail::has_forbidden_octet(base) || http_detail::has_forbidden_octet(reference)) {
    return {};
  }
  const http_detail::url_parts from = http_detail::split_url(base);
  const http_detail::url_parts to = http_detail::split_url(reference);
  if (!from.scheme) {
    return {};
  }

  std::optional<std::string_view> authority = to.authority;
  std::optional<std::string_view> query = to.query;
  std::string path{to.path};
  if (!to.scheme && !to.authority) {
    authority = from.authority;
    if (path.empty()) {
      path = from.path;
      query = to.query ? to.query : from.query;
    } else if (path.front() != '/') {
      const bool has_no_path = from.authority && from.path.empty();
      path.insert(0, has_no_path ? "/" : from.path.substr(0, from.path.rfind('/') + 1));
    }
  }
  if (!to.path.empty()) {
    path = http_detail::remove_dot_segments(path);
  }

  std::string out;
  for (const char c : to.scheme ? *to.scheme : *from.scheme) {
    out += base::to_lower(c);
  }
  out += ':';
  if (authority) {
    out.append("//").append(*authority);
  } else if (path.starts_with("//")) {
    out += "/.";  // `//` would begin an authority (RFC 3986, section 3.3)
  }
  http_detail::append_encoded(out, path);
  if (query) {
    out += '?';
    http_detail::append_encoded(out, *query);
  }
  return out;
}

}  // namespace robots
