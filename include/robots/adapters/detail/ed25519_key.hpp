#pragma once

#include <robots/adapters/detail/sha256.hpp>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <climits>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots::adapters_detail {

/// A private Ed25519 key (RFC 8032), which signs, or a public one, which checks signatures. Copies
/// share one key. Any thread may call any member. OpenSSL wipes the memory of the key at its end.
class ed25519_key {
 public:
  /// Reads a key in PEM, without a password. Returns an empty optional for any other text.
  [[nodiscard]] static std::optional<ed25519_key> from_private_pem(std::string_view pem) {
    return from_pem(pem, &::PEM_read_bio_PrivateKey);
  }
  [[nodiscard]] static std::optional<ed25519_key> from_public_pem(std::string_view pem) {
    return from_pem(pem, &::PEM_read_bio_PUBKEY);
  }

  /// Makes a private key of the 32 octets of RFC 8032, section 5.1.5. Returns an empty optional if
  /// there are more or fewer octets.
  [[nodiscard]] static std::optional<ed25519_key> from_private_octets(std::string_view octets) {
    const error_mark mark;
    return checked(octets.size() == size
                       ? ::EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr,
                                                        octets_of(octets), octets.size())
                       : nullptr);
  }

  /// Returns the 32 octets of the public key.
  [[nodiscard]] std::string public_octets() const {
    std::string octets(size, '\0');
    std::size_t length = octets.size();
    ::EVP_PKEY_get_raw_public_key(key_.get(), reinterpret_cast<unsigned char*>(octets.data()),
                                  &length);
    return octets;
  }

  /// Returns the 64 octets of the signature of `text`, or nothing if OpenSSL cannot sign.
  [[nodiscard]] std::optional<std::string> sign(std::string_view text) const {
    const error_mark mark;
    const context with{::EVP_MD_CTX_new(), &::EVP_MD_CTX_free};
    std::string signature(64, '\0');
    std::size_t length = signature.size();
    const bool is_signed =
        with && ::EVP_DigestSignInit(with.get(), nullptr, nullptr, nullptr, key_.get()) == 1 &&
        ::EVP_DigestSign(with.get(), reinterpret_cast<unsigned char*>(signature.data()), &length,
                         octets_of(text), text.size()) == 1;
    return is_signed ? std::optional{std::move(signature)} : std::nullopt;
  }

  /// Returns true if `signature` is what the private key makes of `text`.
  [[nodiscard]] bool has_signed(std::string_view text, std::string_view signature) const {
    const error_mark mark;
    const context with{::EVP_MD_CTX_new(), &::EVP_MD_CTX_free};
    return with && ::EVP_DigestVerifyInit(with.get(), nullptr, nullptr, nullptr, key_.get()) == 1 &&
           ::EVP_DigestVerify(with.get(), octets_of(signature), signature.size(), octets_of(text),
                              text.size()) == 1;
  }

 private:
  static constexpr std::size_t size = 32;
  using context = std::unique_ptr<EVP_MD_CTX, decltype(&::EVP_MD_CTX_free)>;

  /// Removes the errors of one call from the queue of the thread. Otherwise, OpenSSL would report
  /// them to code that uses TLS in the same thread.
  struct error_mark {
    error_mark() { ::ERR_set_mark(); }
    error_mark(const error_mark&) = delete;
    error_mark& operator=(const error_mark&) = delete;
    ~error_mark() { ::ERR_pop_to_mark(); }
  };

  explicit ed25519_key(std::shared_ptr<EVP_PKEY> key) : key_{std::move(key)} {}

  template <class Read>
  [[nodiscard]] static std::optional<ed25519_key> from_pem(std::string_view pem, Read* read) {
    const error_mark mark;
    const std::unique_ptr<BIO, decltype(&::BIO_free)> from{
        pem.size() <= INT_MAX ? ::BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))
                              : nullptr,
        &::BIO_free};
    // Nobody can type a password here, so a key with a password is refused.
    const auto no_password = [](char*, int, int, void*) { return -1; };
    return checked(from ? read(from.get(), nullptr, no_password, nullptr) : nullptr);
  }

  [[nodiscard]] static std::optional<ed25519_key> checked(EVP_PKEY* read) {
    std::shared_ptr<EVP_PKEY> key{read, &::EVP_PKEY_free};
    const bool is_ed25519 = key && ::EVP_PKEY_id(key.get()) == EVP_PKEY_ED25519;
    return is_ed25519 ? std::optional{ed25519_key{std::move(key)}} : std::nullopt;
  }

  std::shared_ptr<EVP_PKEY> key_;
};

}  // namespace robots::adapters_detail
