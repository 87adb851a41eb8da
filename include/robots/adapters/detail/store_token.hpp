#pragma once

#include <robots/base/ascii.hpp>
#include <robots/store/shared_store.hpp>

#include <unistd.h>

#include <array>
#include <string>

namespace robots::adapters_detail {

/// Returns sixteen random hexadecimal digits, which identify a lease, a store or a ledger. Throws
/// `store_error` if the operating system cannot supply random numbers.
[[nodiscard]] inline std::string store_token() {
  std::array<unsigned char, 8> octets{};
  if (::getentropy(octets.data(), octets.size()) != 0) {
    throw store_error{
        "the system has no random numbers for a lease: permit getrandom in the sandbox"};
  }
  std::string token;
  for (const unsigned char octet : octets) {
    const auto [high, low] = base::hex_digits(octet);
    token.append({high, low});
  }
  return token;
}

}  // namespace robots::adapters_detail
