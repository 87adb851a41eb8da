#pragma once

#include <robots/adapters/signature/signing_key.hpp>

#include <string_view>

namespace robots::test {

// The key `test-key-ed25519` of RFC 9421, appendix B.1.4.
inline constexpr std::string_view private_pem =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF\n"
    "-----END PRIVATE KEY-----\n";
inline constexpr std::string_view public_pem =
    "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=\n"
    "-----END PUBLIC KEY-----\n";
inline constexpr std::string_view private_d = "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU";
inline constexpr std::string_view public_x = "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs";
inline constexpr std::string_view thumbprint = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";

[[nodiscard]] inline signing_key test_key() { return signing_key::from_pem(private_pem); }

}  // namespace robots::test
