#pragma once

#include <robots/adapters/redis/detail/url.hpp>
#include <robots/base/decimal.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace robots::adapters_detail {

inline constexpr std::size_t redis_slots = 16'384;

/// Computes CRC-16/XMODEM, which the specification of Redis Cluster uses.
[[nodiscard]] constexpr std::uint16_t crc16(std::string_view text) noexcept {
  std::uint32_t crc = 0;
  for (const char c : text) {
    crc ^= static_cast<std::uint32_t>(static_cast<unsigned char>(c)) << 8U;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc << 1U) ^ ((crc & 0x8000U) != 0 ? 0x1021U : 0U);
    }
  }
  return static_cast<std::uint16_t>(crc);
}

/// Returns the slot of a key in a Redis Cluster. If the key has a text between its first `{` and
/// the next `}`, only this text decides the slot.
[[nodiscard]] constexpr std::size_t redis_slot(std::string_view key) noexcept {
  if (const std::size_t open = key.find('{'); open != std::string_view::npos) {
    const std::size_t close = key.find('}', open);
    if (close != std::string_view::npos && close > open + 1) {
      key = key.substr(open + 1, close - open - 1);
    }
  }
  return crc16(key) % redis_slots;
}

struct redis_redirect {
  std::size_t slot = 0;
  redis_address server;
};

/// Reads `MOVED slot host:port` and `ASK slot host:port`, which the server `from` sent. If the host
/// is missing, the result has the host of `from`.
[[nodiscard]] inline std::optional<redis_redirect> parse_redis_redirect(std::string_view text,
                                                                        const redis_address& from) {
  static_cast<void>(take_until(text, ' '));  // MOVED or ASK
  const auto slot = base::parse_decimal(take_until(text, ' '), redis_slots);
  const std::size_t colon = text.rfind(':');
  const auto port =
      colon == std::string_view::npos ? std::nullopt : redis_port(text.substr(colon + 1));
  if (!slot || *slot == redis_slots || !port) {
    return std::nullopt;
  }
  const std::string host = colon == 0 ? from.host : std::string{text.substr(0, colon)};
  return redis_redirect{.slot = static_cast<std::size_t>(*slot), .server = {host, *port}};
}

}  // namespace robots::adapters_detail
