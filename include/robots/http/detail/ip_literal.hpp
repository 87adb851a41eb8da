// Reads the octets of an IP address from text.
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

/// Reads an `IPv4address` (RFC 3986, section 3.2.2): four decimal parts without leading zeros.
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

/// The groups of an IPv6 address that were read so far, and the position of `::`.
class ipv6_groups {
 public:
  /// Adds one group of 16 bits. Returns false if there are already eight.
  [[nodiscard]] constexpr bool add(std::uint32_t value) noexcept {
    if (size_ == octets_.size()) {
      return false;
    }
    octets_[size_++] = static_cast<std::uint8_t>(value >> 8U);
    octets_[size_++] = static_cast<std::uint8_t>(value & 0xFFU);
    return true;
  }

  /// Adds `::`. Returns false if there is already one.
  [[nodiscard]] constexpr bool add_gap() noexcept {
    if (gap_) {
      return false;
    }
    gap_ = size_;
    return true;
  }

  /// Returns the address, or an empty optional if there are too few groups or `::` stands for no
  /// group.
  [[nodiscard]] constexpr std::optional<ipv6_octets> finish() const noexcept {
    if (gap_.has_value() == (size_ == octets_.size())) {
      return std::nullopt;
    }
    ipv6_octets spread{};
    const std::size_t missing = octets_.size() - size_;
    for (std::size_t i = 0; i < size_; ++i) {
      spread[gap_ && i >= *gap_ ? i + missing : i] = octets_[i];
    }
    return spread;
  }

 private:
  ipv6_octets octets_{};
  std::size_t size_ = 0;
  std::optional<std::size_t> gap_;
};

/// Reads an `IPv6address` (RFC 3986, section 3.2.2), without brackets and without a zone (RFC
/// 6874).
[[nodiscard]] constexpr std::optional<ipv6_octets> read_ipv6(std::string_view text) noexcept {
  ipv6_groups groups;
  if (text.starts_with("::")) {
    static_cast<void>(groups.add_gap());
    text.remove_prefix(2);
  }
  while (!text.empty()) {
    std::size_t length = 0;
    std::uint32_t value = 0;
    while (length < text.size() && length < 5 && base::hex_value(text[length]) >= 0) {
      value = value * 16 + static_cast<std::uint32_t>(base::hex_value(text[length++]));
    }
    if (length < text.size() && text[length] == '.') {
      const std::optional<ipv4_octets> last = read_ipv4(text);
      const auto group = [&last](std::size_t i) {
        return std::uint32_t{(*last)[i]} << 8U | (*last)[i + 1];
      };
      const bool fits = last && groups.add(group(0)) && groups.add(group(2));
      return fits ? groups.finish() : std::nullopt;
    }
    if (length == 0 || length > 4 || !groups.add(value)) {
      return std::nullopt;
    }
    text.remove_prefix(length);
    if (text.empty()) {
      break;
    }
    if (text.starts_with("::")) {
      if (!groups.add_gap()) {
        return std::nullopt;
      }
      text.remove_prefix(2);
    } else if (text.starts_with(':') && text.size() > 1) {
      text.remove_prefix(1);
    } else {
      return std::nullopt;
    }
  }
  return groups.finish();
}

}  // namespace robots::http_detail
