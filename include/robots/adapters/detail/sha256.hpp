#pragma once

#include <openssl/sha.h>

#include <string>
#include <string_view>

namespace robots::adapters_detail {

[[nodiscard]] inline const unsigned char* octets_of(std::string_view text) noexcept {
  return reinterpret_cast<const unsigned char*>(text.data());
}

/// Returns the 32 octets of the SHA-256 of `text`.
[[nodiscard]] inline std::string sha256_octets(std::string_view text) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  ::SHA256(octets_of(text), text.size(), reinterpret_cast<unsigned char*>(digest.data()));
  return digest;
}

}  // namespace robots::adapters_detail
