#pragma once

#include <robots/base/ascii.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots::http_detail {

using ipv4_octets = std::array<std::uint8_t, 4>;
using ipv6_octets = std::array<std::uint8_t, 16>;

/// Reads an `IPv4address` (RFC 3986, section 3.2.2), which has four decimal parts without leading
/// zeros.
[[nodiscard]] constexpr std::optional<ipv4_octets> read_ipv4(std::string_view text) noexcept {
  ipv4_octets octets{};
  for (std::size_t part = 0; part < octets.size(); ++part) {
    if (part > 0) {
      if (!text.starts_with('.')) {
        return std::nullopt;
      }
      text.remove_prefix(1);
    }
    std::size_t length = 0;
    int value = 0;
    while (length < text.size() && length < 3 && base::is_digit(text[length])) {
      value = value * 10 + (text[length++] - '0');
    }
    if (length == 0 || value > 255 || (length > 1 && text.front() == '0')) {
      return std::nullopt;
    }
    octets[part] = static_cast<std::uint8_t>(value);
    text.remove_prefix(length);
  }
  return text.empty() ? std::optional(octets) : std::nullopt;
}

/// Reads an `IPv6address` (RFC 3986, section 3.2.2), without brackets and without a zone (RFC
/// 6874).
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
      for (const std::uint8_t octet : *last) {
        octets[size++] = octet;
      }
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
