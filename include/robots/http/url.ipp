#pragma once

#include <robots/base/inline.hpp>
#include <robots/http/url.hpp>

namespace robots {

namespace http_detail {

/// Appends `text` with every octet outside ASCII percent-encoded, as servers mean it that send
/// bare UTF-8.
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

}  // namespace http_detail

ROBOTS_INLINE std::string remove_dot_segments(std::string_view path) {
  std::string out;
  out.reserve(path.size());
  while (path.starts_with("../") || path.starts_with("./")) {
    path.remove_prefix(path.find('/') + 1);
  }
  while (!path.empty()) {
    const std::size_t end = path.find('/', path.front() == '/' ? 1 : 0);
    const std::string_view segment = path.substr(0, end);
    const bool last = end == std::string_view::npos;
    path.remove_prefix(last ? path.size() : end);
    if (segment == "/." || segment == ".") {
      if (last && segment.front() == '/') {
        out += '/';
      }
    } else if (segment == "/.." || segment == "..") {
      const std::size_t slash = out.rfind('/');
      out.resize(slash == std::string::npos ? 0 : slash);
      if (last && segment.front() == '/') {
        out += '/';
      }
    } else {
      out += segment;
    }
  }
  return out;
}

ROBOTS_INLINE std::optional<std::string> resolve_reference(std::string_view base,
                                                           std::string_view reference) {
  if (http_detail::has_forbidden_octet(base) || http_detail::has_forbidden_octet(reference)) {
    return {};
  }
  const url_parts from = split_url(base);
  const url_parts to = split_url(reference);
  if (!from.scheme) {
    return {};
  }

  std::optional<std::string_view> authority = to.authority;
  std::optional<std::string_view> query = to.query;
  std::string path;
  if (to.scheme || to.authority) {
    path = remove_dot_segments(to.path);
  } else {
    authority = from.authority;
    if (to.path.empty()) {
      path = std::string{from.path};
      if (!to.query) {
        query = from.query;
      }
    } else if (to.path.front() == '/') {
      path = remove_dot_segments(to.path);
    } else if (from.authority && from.path.empty()) {
      path = remove_dot_segments(std::string{"/"}.append(to.path));
    } else {
      const std::size_t slash = from.path.rfind('/');
      const std::size_t kept = slash == std::string_view::npos ? 0 : slash + 1;
      path = remove_dot_segments(std::string{from.path.substr(0, kept)} + std::string{to.path});
    }
  }

  std::string out;
  for (const char c : to.scheme ? *to.scheme : *from.scheme) {
    out += base::to_lower(c);
  }
  out += ':';
  if (authority) {
    out += "//";
    out += *authority;
  } else if (path.starts_with("//")) {
    out += "/.";  // or the path would be read as an authority (RFC 3986, section 3.3)
  }
  http_detail::append_encoded(out, path);
  if (query) {
    out += '?';
    http_detail::append_encoded(out, *query);
  }
  return out;
}

}  // namespace robots
