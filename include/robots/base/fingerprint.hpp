#pragma once

#include <cstdint>
#include <string_view>

namespace robots::base {

/// FNV-1a over the octets of `text`: not against those who would forge one, but the same on every
/// machine and for ever, so that it may be stored.
[[nodiscard]] constexpr std::uint64_t fingerprint(std::string_view text) noexcept {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  }
  return hash;
}

/// One number for two in this order.
[[nodiscard]] constexpr std::uint64_t combined(std::uint64_t first, std::uint64_t second) noexcept {
  for (int octet = 0; octet < 8; ++octet) {
    first = (first ^ (second & 0xFFU)) * 0x100000001B3U;
    second >>= 8U;
  }
  return first;
}

}  // namespace robots::base
