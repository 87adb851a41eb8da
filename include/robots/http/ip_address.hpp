#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace robots::http_detail {

using ipv4_octets = std::array<std::uint8_t, 4>;
using ipv6_octets = std::array<std::uint8_t, 16>;

/// Reads a decimal number from 0 to `most`, without leading zeros.
[[nodiscard]] constexpr std::optional<std::size_t> read_number(std::string_view digits,
                                                               std::size_t most) noexcept {
  const std::optional<std::uint64_t> value = base::parse_decimal(digits);
  const bool is_padded = digits.size() > 1 && digits.front() == '0';
  return value && *value <= most && !is_padded ? std::optional{static_cast<std::size_t>(*value)}
                                               : std::nullopt;
}

/// Reads an `IPv4address` (RFC 3986, section 3.2.2): four decimal parts without leading zeros.
[[nodiscard]] constexpr std::optional<ipv4_octets> read_ipv4(std::string_view text) noexcept {
  ipv4_octets octets{};
  for (std::uint8_t& octet : octets) {
    const std::string_view part = &octet == &octets.back() ? text : text.substr(0, text.find('.'));
    const std::optional<std::size_t> value = read_number(part, 255);
    if (!value) {
      return std::nullopt;
    }
    octet = static_cast<std::uint8_t>(*value);
    text.remove_prefix((std::min)(part.size() + 1, text.size()));
  }
  return octets;
}

/// Reads an `IPv6address` (RFC 3986, section 3.2.2), without brackets and zone (RFC 6874).
[[nodiscard]] constexpr std::optional<ipv6_octets> read_ipv6(std::string_view text) noexcept {
  ipv6_octets octets{};
  std::size_t size = 0;            // number of octets read so far
  std::optional<std::size_t> gap;  // number of octets before `::`
  if (text.starts_with("::")) {
    gap = 0;
    text.remove_prefix(2);
  }
  while (!text.empty()) {
    std::size_t length = 0;
    std::uint32_t group = 0;
    while (length < text.size() && length < 5 && base::hex_value(text[length]) >= 0) {
      group = group * 16 + static_cast<std::uint32_t>(base::hex_value(text[length++]));
    }
    if (length < text.size() && text[length] == '.') {
      const std::optional<ipv4_octets> last = read_ipv4(text);
      if (!last || size + last->size() > octets.size()) {
        return std::nullopt;
      }
      std::copy(last->begin(), last->end(), &octets[size]);
      size += last->size();
      break;
    }
    if (length == 0 || length > 4 || size == octets.size()) {
      return std::nullopt;
    }
    octets[size++] = static_cast<std::uint8_t>(group >> 8U);
    octets[size++] = static_cast<std::uint8_t>(group & 0xFFU);
    text.remove_prefix(length);
    if (text.starts_with("::") && !gap) {
      gap = size;
      text.remove_prefix(2);
    } else if (text.starts_with(':') && text.size() > 1) {
      text.remove_prefix(1);
    } else if (!text.empty()) {
      return std::nullopt;
    }
  }
  // `::` stands for at least one group.
  if (gap.has_value() == (size == octets.size())) {
    return std::nullopt;
  }
  ipv6_octets spread{};
  for (std::size_t i = 0; i < size; ++i) {
    spread[gap && i >= *gap ? i + octets.size() - size : i] = octets[i];
  }
  return spread;
}

}  // namespace robots::http_detail

namespace robots::detail {

/// An IPv4 or IPv6 address, without port or zone. An IPv4 address equals its IPv4-mapped IPv6
/// address, since sockets treat both alike (RFC 4291, section 2.5.5.2).
class ip_address {
 public:
  explicit constexpr ip_address(const http_detail::ipv4_octets& octets) noexcept
      : octets_{0, 0, 0,    0,    0,         0,         0,         0,
                0, 0, 0xFF, 0xFF, octets[0], octets[1], octets[2], octets[3]} {}
  explicit constexpr ip_address(const http_detail::ipv6_octets& octets) noexcept
      : octets_(octets) {}

  /// Returns true for an IPv4 address and for an IPv4-mapped IPv6 address.
  [[nodiscard]] constexpr bool is_v4() const noexcept {
    const ip_address mapped(std::array{octets_[12], octets_[13], octets_[14], octets_[15]});
    return octets_ == mapped.octets_;
  }

  /// Returns the octets in network order. IPv4 has the octets of the IPv4-mapped address.
  [[nodiscard]] constexpr const http_detail::ipv6_octets& octets() const noexcept {
    return octets_;
  }

  [[nodiscard]] friend constexpr bool operator==(const ip_address&,
                                                 const ip_address&) noexcept = default;

 private:
  http_detail::ipv6_octets octets_;
};

/// Reads an address: `192.0.2.1`, `2001:db8::1` or `[2001:db8::1]` (RFC 3986, section 3.2.2; RFC
/// 4291, section 2.2).
///
/// Returns an empty optional for any other text, such as an address with a zone (`fe80::1%eth0`) or
/// a port. Also refuses forms of IPv4 that only some programs read (`127.1`, `0x7f.0.0.1`).
[[nodiscard]] constexpr std::optional<ip_address> parse_ip_address(std::string_view text) noexcept {
  if (text.starts_with('[')) {
    if (!text.ends_with(']') || text.size() < 2) {
      return std::nullopt;
    }
    text = text.substr(1, text.size() - 2);
  } else if (const auto v4 = http_detail::read_ipv4(text)) {
    return ip_address(*v4);
  }
  const auto v6 = http_detail::read_ipv6(text);
  return v6 ? std::optional(ip_address(*v6)) : std::nullopt;
}

/// Writes an IPv4 address with dots. Writes an IPv6 address in the form of RFC 5952, without
/// brackets. This form has no leading zeros, and `::` replaces the longest run of zero groups. If
/// several runs have this length, `::` replaces the first.
[[nodiscard]] inline std::string to_string(const ip_address& address) {
  const http_detail::ipv6_octets& octets = address.octets();
  std::string text;
  if (address.is_v4()) {
    for (std::size_t i = 12; i < octets.size(); ++i) {
      text += (text.empty() ? "" : ".") + std::to_string(octets[i]);
    }
    return text;
  }
  const auto group = [&octets](std::size_t i) {
    return static_cast<unsigned>(octets[2 * i]) << 8U | octets[2 * i + 1];
  };
  constexpr std::size_t groups = 8;
  std::size_t gap = groups;
  std::size_t gap_length = 1;
  for (std::size_t begin = 0; begin < groups; ++begin) {
    std::size_t end = begin;
    while (end < groups && group(end) == 0) {
      ++end;
    }
    if (end - begin > gap_length) {
      gap = begin;
      gap_length = end - begin;
    }
  }
  for (std::size_t i = 0; i < groups; ++i) {
    if (i == gap) {
      text += "::";
      i += gap_length - 1;
      continue;
    }
    if (!text.empty() && text.back() != ':') {
      text += ':';
    }
    std::array<char, 4> digits{};
    text.append(digits.data(),
                std::to_chars(digits.data(), digits.data() + digits.size(), group(i), 16).ptr);
  }
  return text;
}

/// Returns true if the last label of `host` is a decimal or hexadecimal number. `host` must be in
/// lower case. Resolvers read a host that ends in a number as an IPv4 address, but two resolvers
/// can read different addresses (WHATWG URL, section 3.5).
[[nodiscard]] constexpr bool ends_in_number(std::string_view host) noexcept {
  const std::string_view last = host.substr(host.rfind('.') + 1);
  if (last.starts_with("0x")) {
    return std::all_of(last.begin() + 2, last.end(),
                       [](char c) { return base::hex_value(c) >= 0; });
  }
  return last.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace robots::detail
