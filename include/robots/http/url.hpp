#pragma once

#include <robots/base/ascii.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace robots {

/// The five components of a URI reference (RFC 3986, section 3), as views into its text. A
/// component that is absent is not the same as one that is empty.
struct url_parts {
  std::optional<std::string_view> scheme;     ///< without its `:`
  std::optional<std::string_view> authority;  ///< without its `//`
  std::string_view path;                      ///< with its leading `/`, if any
  std::optional<std::string_view> query;      ///< without its `?`
  std::optional<std::string_view> fragment;   ///< without its `#`
};

namespace http_detail {

/// The length of `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )` at the start of `text`.
[[nodiscard]] constexpr std::size_t scheme_length(std::string_view text) noexcept {
  if (text.empty() || !base::is_alpha(text.front())) {
    return 0;
  }
  std::size_t length = 1;
  while (length < text.size()) {
    const char c = text[length];
    if (!base::is_alpha(c) && !base::is_digit(c) && c != '+' && c != '-' && c != '.') {
      break;
    }
    ++length;
  }
  return length;
}

/// Octets that neither a request line nor a log line may carry, and the backslash, which clients
/// read differently: some take it for a slash, so that they disagree on where the host ends.
[[nodiscard]] constexpr bool is_forbidden_in_url(char c) noexcept {
  const auto octet = static_cast<unsigned char>(c);
  return octet <= 0x20 || octet == 0x7F || c == '\\';
}

[[nodiscard]] constexpr bool has_forbidden_octet(std::string_view text) noexcept {
  for (const char c : text) {
    if (is_forbidden_in_url(c)) {
      return true;
    }
  }
  return false;
}

}  // namespace http_detail

/// Splits any text into the components of a URI reference (RFC 3986, appendix B). Checks nothing
/// else. Linear.
[[nodiscard]] constexpr url_parts split_url(std::string_view text) noexcept {
  url_parts parts;
  if (const std::size_t hash = text.find('#'); hash != std::string_view::npos) {
    parts.fragment = text.substr(hash + 1);
    text = text.substr(0, hash);
  }
  if (const std::size_t mark = text.find('?'); mark != std::string_view::npos) {
    parts.query = text.substr(mark + 1);
    text = text.substr(0, mark);
  }
  if (const std::size_t length = http_detail::scheme_length(text);
      length > 0 && length < text.size() && text[length] == ':') {
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

/// `path` with its `.` and `..` segments taken out (RFC 3986, section 5.2.4). Linear.
[[nodiscard]] std::string remove_dot_segments(std::string_view path);

/// The absolute URL that `reference` means where it stands in `base` (RFC 3986, section 5.2.2),
/// such as the target of a `Location` header.
///
/// The scheme comes out in lower case and may be any, so that the caller sees what it refuses; the
/// fragment is dropped; octets outside ASCII in path and query come out percent-encoded. Nothing
/// comes out when `base` has no scheme, or when either text holds a control character, a space or
/// a backslash. Linear.
[[nodiscard]] std::optional<std::string> resolve_reference(std::string_view base,
                                                           std::string_view reference);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/http/url.ipp>
#endif
