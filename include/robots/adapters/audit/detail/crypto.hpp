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

/// Returns octets as hexadecimal digits in lower case.
[[nodiscard]] inline std::string hex_of(std::string_view octets) {
  std::string digits;
  for (const char octet : octets) {
    const auto [high, low] = base::hex_digits(static_cast<unsigned char>(octet));
    digits.append({base::to_lower(high), base::to_lower(low)});
  }
  return digits;
}

/// Returns the SHA-256 of `text`, as `sha256sum` prints it.
[[nodiscard]] inline std::string sha256(std::string_view text) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  ::SHA256(octets_of(text), text.size(), reinterpret_cast<unsigned char*>(digest.data()));
  return hex_of(digest);
}

/// An Ed25519 key. A private key signs, and a public key checks signatures.
class ed25519_key {
 public:
  /// Throws `audit_error` if `pem` is not a private Ed25519 key.
  [[nodiscard]] static ed25519_key private_key(std::string_view pem) {
    return ed25519_key{pem, &::PEM_read_bio_PrivateKey,
                       "audit_options: signing_key is not a private Ed25519 key"};
  }
  /// Throws `audit_error` if `pem` is not a public Ed25519 key.
  [[nodiscard]] static ed25519_key public_key(std::string_view pem) {
    return ed25519_key{pem, &::PEM_read_bio_PUBKEY,
                       "verify_audit: the key is not a public Ed25519 key"};
  }

  /// Returns the SHA-256 of the public key.
  [[nodiscard]] std::string name() const {
    std::array<unsigned char, 32> raw{};
    std::size_t size = raw.size();
    ::EVP_PKEY_get_raw_public_key(key_.get(), raw.data(), &size);
    return sha256({reinterpret_cast<const char*>(raw.data()), size});
  }

  /// Returns the signature of `text` in hexadecimal digits.
  [[nodiscard]] std::string sign(std::string_view text) const {
    const context with{::EVP_MD_CTX_new(), &::EVP_MD_CTX_free};
    std::array<unsigned char, 64> signature{};
    std::size_t size = signature.size();
    if (!with || ::EVP_DigestSignInit(with.get(), nullptr, nullptr, nullptr, key_.get()) != 1 ||
        ::EVP_DigestSign(with.get(), signature.data(), &size, octets_of(text), text.size()) != 1) {
      throw audit_error{"OpenSSL cannot sign with the key: check that it supports Ed25519"};
    }
    return hex_of({reinterpret_cast<const char*>(signature.data()), size});
  }

  [[nodiscard]] bool has_signed(std::string_view text, std::string_view signature) const {
    const context with{::EVP_MD_CTX_new(), &::EVP_MD_CTX_free};
    std::string octets;
    for (; signature.size() > 1; signature.remove_prefix(2)) {
      octets +=
          static_cast<char>(base::hex_value(signature[0]) * 16 + base::hex_value(signature[1]));
    }
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
    // Nobody can type a password here, so a key with a password is refused.
    const auto no_password = [](char*, int, int, void*) { return -1; };
    key_ = {from ? read(from.get(), nullptr, no_password, nullptr) : nullptr, &::EVP_PKEY_free};
    if (!key_ || ::EVP_PKEY_id(key_.get()) != EVP_PKEY_ED25519) {
      throw audit_error{std::string{complaint} +
                        " in PEM without a password; openssl genpkey -algorithm ed25519 makes one"};
    }
  }

  std::shared_ptr<EVP_PKEY> key_;
};

}  // namespace robots::adapters_detail
