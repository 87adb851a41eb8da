// The functions of OpenSSL that an audit trail uses.
#pragma once

#include <robots/adapters/audit/audit_options.hpp>
#include <robots/base/ascii.hpp>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace robots::adapters_detail {

[[nodiscard]] inline const unsigned char* octets_of(std::string_view text) noexcept {
  return reinterpret_cast<const unsigned char*>(text.data());
}

/// Returns the SHA-256 of `text`, as `sha256sum` prints it.
[[nodiscard]] inline std::string sha256(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  ::SHA256(octets_of(text), text.size(), digest.data());
  std::string digits;
  for (const unsigned char octet : digest) {
    const auto [high, low] = base::hex_digits(octet);
    digits.append({base::to_lower(high), base::to_lower(low)});
  }
  return digits;
}

/// Encodes octets as base64 (RFC 4648, section 4).
[[nodiscard]] inline std::string to_base64(std::string_view octets) {
  std::string text(4 * ((octets.size() + 2) / 3) + 1, '\0');
  const int size = ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     octets_of(octets), static_cast<int>(octets.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

/// Decodes the output of `to_base64`. Returns an empty text for any other input.
[[nodiscard]] inline std::string from_base64(std::string_view text) {
  std::string octets(3 * (text.size() / 4) + 3, '\0');
  const int size = ::EVP_DecodeBlock(reinterpret_cast<unsigned char*>(octets.data()),
                                     octets_of(text), static_cast<int>(text.size()));
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  octets.resize(size < 0 ? 0 : static_cast<std::size_t>(size) - padding);
  return to_base64(octets) == text ? octets : std::string{};
}

/// An Ed25519 key: private to sign, or public to check signatures.
class ed25519_key {
 public:
  /// Reads a key from a PEM text. Throws `audit_error` if there is no such key.
  [[nodiscard]] static ed25519_key private_key(std::string_view pem) {
    return ed25519_key{pem, &::PEM_read_bio_PrivateKey, "signing_key: no private Ed25519 key"};
  }
  /// Reads a key from a PEM text. Throws `audit_error` if there is no such key.
  [[nodiscard]] static ed25519_key public_key(std::string_view pem) {
    return ed25519_key{pem, &::PEM_read_bio_PUBKEY, "no public Ed25519 key"};
  }

  /// Returns the SHA-256 of the public key.
  [[nodiscard]] std::string name() const {
    std::array<unsigned char, 32> raw{};
    std::size_t size = raw.size();
    ::EVP_PKEY_get_raw_public_key(key_.get(), raw.data(), &size);
    return sha256({reinterpret_cast<const char*>(raw.data()), size});
  }

  [[nodiscard]] std::string sign(std::string_view text) const {
    const context with{::EVP_MD_CTX_new(), &::EVP_MD_CTX_free};
    std::array<unsigned char, 64> signature{};
    std::size_t size = signature.size();
    if (!with || ::EVP_DigestSignInit(with.get(), nullptr, nullptr, nullptr, key_.get()) != 1 ||
        ::EVP_DigestSign(with.get(), signature.data(), &size, octets_of(text), text.size()) != 1) {
      throw audit_error{"OpenSSL cannot sign with the key"};
    }
    return to_base64({reinterpret_cast<const char*>(signature.data()), size});
  }

  [[nodiscard]] bool has_signed(std::string_view text, std::string_view signature) const {
    const context with{::EVP_MD_CTX_new(), &::EVP_MD_CTX_free};
    const std::string octets = from_base64(signature);
    return with && ::EVP_DigestVerifyInit(with.get(), nullptr, nullptr, nullptr, key_.get()) == 1 &&
           ::EVP_DigestVerify(with.get(), octets_of(octets), octets.size(), octets_of(text),
                              text.size()) == 1;
  }

 private:
  using context = std::unique_ptr<EVP_MD_CTX, decltype(&::EVP_MD_CTX_free)>;

  template <class Read>
  ed25519_key(std::string_view pem, Read read, const char* complaint) {
    const std::unique_ptr<BIO, decltype(&::BIO_free)> from{
        ::BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &::BIO_free};
    // Nobody can type a password, so a key with a password is refused.
    const auto no_password = [](char*, int, int, void*) { return -1; };
    key_ = {from ? read(from.get(), nullptr, no_password, nullptr) : nullptr, &::EVP_PKEY_free};
    if (!key_ || ::EVP_PKEY_id(key_.get()) != EVP_PKEY_ED25519) {
      throw audit_error{std::string{complaint} + " in PEM without a password"};
    }
  }

  std::shared_ptr<EVP_PKEY> key_;
};

}  // namespace robots::adapters_detail
