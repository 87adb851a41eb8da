#pragma once

#include <robots/http/detail/host_name.hpp>
#include <robots/rep/detail/ascii.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots {

namespace detail {

enum class key_octet : unsigned char { other, name, dot, colon, end };

inline constexpr std::array<key_octet, 256> key_octets = [] {
  std::array<key_octet, 256> table{};
  for (const char c : std::string_view{"abcdefghijklmnopqrstuvwxyz0123456789-_"}) {
    table[static_cast<unsigned char>(c)] = key_octet::name;
  }
  for (const char c : std::string_view{"/?#"}) {
    table[static_cast<unsigned char>(c)] = key_octet::end;
  }
  table['.'] = key_octet::dot;
  table[':'] = key_octet::colon;
  return table;
}();

[[nodiscard]] constexpr key_octet key_octet_of(char c) noexcept {
  return key_octets[static_cast<unsigned char>(c)];
}

}  // namespace detail

/// The start of `url` that is its site's key as it stands, so that a cache looks a URL up without
/// building a string.
///
/// Whatever comes out equals `parse_site(url)->key()`. Nothing comes out when the URL is not in
/// normal form up to its path (upper case, user information, default or padded port, IPv6 literal,
/// percent-encoding, no scheme, a dot at the end) or names no site: ask `parse_site` then. One pass
/// up to the path, without allocation.
[[nodiscard]] constexpr std::optional<std::string_view> site_key_prefix(
    std::string_view url) noexcept {
  const bool secure = url.starts_with("https://");
  if (!secure && !url.starts_with("http://")) {
    return std::nullopt;
  }
  const std::size_t host = secure ? 8 : 7;
  std::size_t label = host;
  std::size_t at = host;
  auto ends = detail::key_octet::end;
  const auto bad_label = [&] { return at == label || at - label > detail::max_label_length; };

  for (; at < url.size(); ++at) {
    const detail::key_octet kind = detail::key_octet_of(url[at]);
    if (kind == detail::key_octet::name) {
      continue;
    }
    if (kind != detail::key_octet::dot) {
      ends = kind;
      break;
    }
    if (bad_label()) {
      return std::nullopt;
    }
    label = at + 1;
  }
  if (ends == detail::key_octet::other || bad_label()) {
    return std::nullopt;
  }
  if (detail::is_digit(url[label])) {
    const std::string_view name = url.substr(host, at - host);
    if (detail::ends_in_number(name) && !detail::is_ipv4(name)) {
      return std::nullopt;
    }
  }
  if (at - host > detail::max_host_length) {
    return std::nullopt;
  }
  if (ends == detail::key_octet::end) {
    return url.substr(0, at);
  }

  const std::size_t port = ++at;
  std::uint32_t value = 0;
  for (; at < url.size() && detail::is_digit(url[at]) && at - port < 5; ++at) {
    value = value * 10 + static_cast<std::uint32_t>(url[at] - '0');
  }
  if (at == port || url[port] == '0' || value > 65535 || value == (secure ? 443U : 80U)) {
    return std::nullopt;
  }
  if (at < url.size() && detail::key_octet_of(url[at]) != detail::key_octet::end) {
    return std::nullopt;
  }
  return url.substr(0, at);
}

}  // namespace robots
