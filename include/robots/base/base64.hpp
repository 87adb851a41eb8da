#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots::base {

/// The digits of RFC 4648, section 4.
inline constexpr std::string_view base64_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The digits of RFC 4648, section 5, for URLs and file names.
inline constexpr std::string_view base64url_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Writes three octets as four digits. The last group is shorter, and has no padding.
[[nodiscard]] inline std::string to_base64(std::string_view octets, std::string_view digits) {
  std::string text;
  text.reserve((octets.size() + 2) / 3 * 4);
  std::uint32_t bits = 0;
  unsigned count = 0;  // of bits that are not written yet
  for (const char c : octets) {
    bits = (bits << 8U) | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) {
      text += digits[(bits >> (count - 6)) & 0x3FU];
    }
  }
  if (count > 0) {
    text += digits[(bits << (6 - count)) & 0x3FU];
  }
  return text;
}

/// Returns the Base64 of `octets`, with padding (RFC 4648, section 4).
[[nodiscard]] inline std::string base64(std::string_view octets) {
  std::string text = to_base64(octets, base64_digits);
  return text.append((4 - text.size() % 4) % 4, '=');
}

/// Returns the Base64 of `octets` for URLs, without padding (RFC 7515, section 2).
[[nodiscard]] inline std::string base64url(std::string_view octets) {
  return to_base64(octets, base64url_digits);
}

/// Reads what `base64url` writes. Returns an empty optional for any other text, also for one with
/// padding or with bits that no octet has.
[[nodiscard]] inline std::optional<std::string> from_base64url(std::string_view text) {
  std::string octets;
  octets.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  unsigned count = 0;  // of bits that belong to no octet yet
  for (const char c : text) {
    const std::size_t digit = base64url_digits.find(c);
    if (digit == std::string_view::npos) {
      return std::nullopt;
    }
    bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      octets += static_cast<char>((bits >> count) & 0xFFU);
    }
  }
  const bool is_whole = count < 6 && (bits & ((1U << count) - 1)) == 0;
  return is_whole ? std::optional{std::move(octets)} : std::nullopt;
}

}  // namespace robots::base
