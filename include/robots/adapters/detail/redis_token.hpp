#pragma once

#include <robots/store/shared_store.hpp>

#include <unistd.h>

#include <array>
#include <string>

namespace robots::adapters_detail {

/// Sixteen hexadecimal digits that no other process has.
[[nodiscard]] inline std::string redis_token() {
  std::array<unsigned char, 8> octets{};
  if (::getentropy(octets.data(), octets.size()) != 0) {
    throw store_error{"Redis: the system has no random numbers"};
  }
  std::string token;
  for (const unsigned char octet : octets) {
    token += "0123456789abcdef"[octet >> 4U];
    token += "0123456789abcdef"[octet & 0xFU];
  }
  return token;
}

}  // namespace robots::adapters_detail
