#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/scheme.hpp>
#include <robots/http/url.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// The value of a `Location` header, as browsers read it. Servers write what browsers accept: paths
/// with spaces or plain UTF-8, backslashes, line breaks. RFC 3986 allows none of these.
///
///     "\\www.example.com\new file.txt "
///        as_browsers_read  -->  "//www.example.com/new%20file.txt"
///        resolve_reference -->  "https://www.example.com/new%20file.txt"
namespace robots::http_detail {

/// The characters that a path and the query of an http URL encode besides octets outside the
/// printable ASCII: the path percent-encode set and the special-query percent-encode set of the
/// WHATWG URL standard. A backslash stays in a query there. Here it is encoded, which means the
/// same, since `resolve_reference` takes none.
inline constexpr std::string_view encoded_in_path = "\"<>^`{}\\";
inline constexpr std::string_view encoded_in_query = "\"<>'\\";

inline void append_encoded(std::string& to, std::string_view text, std::string_view encoded) {
  for (const char c : text) {
    const auto octet = static_cast<unsigned char>(c);
    if (octet > 0x20 && octet < 0x7F && encoded.find(c) == std::string_view::npos) {
      to += c;
    } else {
      const auto [high, low] = base::hex_digits(octet);
      to.append({'%', high, low});
    }
  }
}

/// Removes spaces and control characters at both ends, every tab and line break, and the fragment.
[[nodiscard]] inline std::string without_blanks(std::string_view location) {
  std::string text;
  const auto is_dropped = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
  for (const char c : base::trim(location, is_dropped)) {
    if (c == '#') {
      break;
    }
    if (c != '\t' && c != '\n' && c != '\r') {
      text += c;
    }
  }
  return text;
}

/// Returns `location` as a reference that `resolve_reference` resolves against the http or https
/// URL `base` to the URL that a browser requests (WHATWG URL standard, section 4.4). A host is left
/// as it is.
[[nodiscard]] inline std::string as_browsers_read(std::string_view base,
                                                  std::string_view location) {
  const std::string text = without_blanks(location);
  const std::size_t mark = text.find('?');
  std::string before_query = text.substr(0, mark);
  const std::size_t length = base::scheme_length(before_query);
  const bool has_scheme = length > 0 && before_query.substr(length).starts_with(':');
  const std::string scheme = has_scheme ? before_query.substr(0, length) : std::string{};
  std::string_view rest = std::string_view{before_query}.substr(has_scheme ? length + 1 : 0);
  const bool is_http = !has_scheme || base::equal_ignoring_case(scheme, "http") ||
                       base::equal_ignoring_case(scheme, "https");
  std::string read;
  std::string slashes;
  if (is_http) {
    for (const char c : rest) {
      slashes += c == '\\' ? '/' : c;
    }
    rest = slashes;
    const std::size_t base_length = base::scheme_length(base);
    const bool names_host =
        rest.starts_with("//") ||
        (has_scheme && !base::equal_ignoring_case(scheme, base.substr(0, base_length)));
    if (names_host) {
      // Browsers ignore further slashes before a host, and missing ones after another scheme.
      const std::size_t begin = rest.find_first_not_of('/');
      rest.remove_prefix(begin == std::string_view::npos ? rest.size() : begin);
      const std::string_view authority = rest.substr(0, rest.find('/'));
      rest.remove_prefix(authority.size());
      read = has_scheme ? scheme + "://" : std::string{"//"};
      read += authority;
    } else if (has_scheme && !rest.empty() && !rest.starts_with('/')) {
      read = "./";  // `https:a:b` names the path `a:b`, which has no scheme
    }
  } else {
    read = scheme + ':';
  }
  append_encoded(read, rest, encoded_in_path);
  if (mark != std::string::npos) {
    read += '?';
    append_encoded(read, std::string_view{text}.substr(mark + 1), encoded_in_query);
  }
  return read;
}

}  // namespace robots::http_detail

namespace robots {

/// Returns the absolute URL that the `Location` header of a response to a request for `base` names.
/// `base` is an http or https URL. The URL is without its fragment, and its scheme can be any
/// scheme. Returns nothing if the host has a blank or a control character. Its host can still be
/// invalid: see `parse_site`. Takes linear time.
[[nodiscard]] inline std::optional<std::string> resolve_location(std::string_view base,
                                                                 std::string_view location) {
  return resolve_reference(base, http_detail::as_browsers_read(base, location));
}

}  // namespace robots
