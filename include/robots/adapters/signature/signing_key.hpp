#pragma once

#include <robots/adapters/detail/ed25519_key.hpp>
#include <robots/adapters/detail/sha256.hpp>
#include <robots/adapters/signature/signature_error.hpp>
#include <robots/base/ascii.hpp>
#include <robots/base/base64.hpp>
#include <robots/base/json_reader.hpp>
#include <robots/base/json_writer.hpp>
#include <robots/base/utf8.hpp>

#include <openssl/crypto.h>

#include <cstddef>
#include <fstream>
#include <ios>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots {

namespace adapters_detail {

/// The maximum size of the text of a key, in octets.
inline constexpr std::size_t longest_key = 65'536;

/// Overwrites a text that holds a private key, when the text is no longer needed.
class secret_text {
 public:
  explicit secret_text(std::string& text) noexcept : text_{text} {}
  secret_text(const secret_text&) = delete;
  secret_text& operator=(const secret_text&) = delete;
  ~secret_text() { ::OPENSSL_cleanse(text_.data(), text_.size()); }

 private:
  std::string& text_;
};

/// Overwrites the members of a private JWK, when the JWK is no longer needed.
class secret_members {
 public:
  explicit secret_members(base::json_value& jwk) noexcept : jwk_{jwk} {}
  secret_members(const secret_members&) = delete;
  secret_members& operator=(const secret_members&) = delete;
  ~secret_members() {
    for (base::json_value& member : jwk_.items) {
      ::OPENSSL_cleanse(member.text.data(), member.text.size());
    }
  }

 private:
  base::json_value& jwk_;
};

/// Returns true if a member of a JWK has this text.
[[nodiscard]] inline bool has_text(const base::json_value& jwk, std::string_view name,
                                   std::string_view text) noexcept {
  const base::json_value* const member = jwk.find(name);
  return member != nullptr && member->type == base::json_type::string && member->text == text;
}

}  // namespace adapters_detail

/// A private Ed25519 key, which signs the requests of a crawler. Copies share one key. Any thread
/// may call any member.
///
///     openssl genpkey -algorithm ed25519 -out crawler.pem   # makes a key
///
/// Nothing prints or returns the private part. Messages of exceptions name the file, but have no
/// part of its text.
class signing_key {
 public:
  /// Reads a private key in PEM (RFC 7468), without a password. Throws `signature_error` for any
  /// other text.
  [[nodiscard]] static signing_key from_pem(std::string_view pem) {
    return read_pem(pem, "signing_key::from_pem: the text");
  }

  /// Reads a private key as a JSON Web Key: `kty` is `OKP`, `crv` is `Ed25519`, and `d` is the key
  /// (RFC 8037, section 2). Throws `signature_error` for any other text.
  [[nodiscard]] static signing_key from_jwk(std::string_view json) {
    return read_jwk(json, "signing_key::from_jwk: the text");
  }

  /// Reads a key from a file in one of these formats. Throws `signature_error` if the file cannot
  /// be read, or has no such key.
  [[nodiscard]] static signing_key from_file(const std::string& path) {
    if (path.find_first_of("{\r\n") != std::string::npos ||
        path.find("-----BEGIN") != std::string::npos) {
      throw signature_error{
          "signing_key::from_file got a key where it expects the name of a file: use from_pem or "
          "from_jwk"};
    }
    std::ifstream stream{path, std::ios::binary};
    std::string text(adapters_detail::longest_key + 1, '\0');
    const adapters_detail::secret_text wiped{text};
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (stream.bad() || (stream.fail() && !stream.eof())) {
      throw signature_error{path + " cannot be read: check its name and its permissions"};
    }
    std::string_view key{text.data(), static_cast<std::size_t>(stream.gcount())};
    key = base::trim(key.substr(key.starts_with(base::byte_order_mark) ? 3 : 0), base::is_space);
    return key.starts_with('{') ? read_jwk(key, path) : read_pem(key, path);
  }

  /// Returns the SHA-256 thumbprint of the public key (RFC 7638; RFC 8037, appendix A.3), which
  /// names the key in signatures (`keyid`).
  [[nodiscard]] const std::string& thumbprint() const noexcept { return thumbprint_; }

  /// Returns the public key as a JSON Web Key. Its `kid` is the thumbprint.
  [[nodiscard]] std::string public_jwk() const {
    base::json_writer jwk;
    jwk.text("kty", "OKP").text("crv", "Ed25519").text("kid", thumbprint_);
    jwk.text("x", base::base64url(key_.public_octets())).text("use", "sig");
    return std::move(jwk).finish();
  }

  /// Returns the 64 octets of the signature of `text`. Throws `signature_error` if OpenSSL fails.
  [[nodiscard]] std::string sign(std::string_view text) const {
    std::optional<std::string> signature = key_.sign(text);
    if (!signature) {
      throw signature_error{"OpenSSL cannot sign with the key: check that it supports Ed25519"};
    }
    return *std::move(signature);
  }

 private:
  using ed25519_key = adapters_detail::ed25519_key;

  explicit signing_key(ed25519_key key) : key_{std::move(key)} {
    // The members are in the order that RFC 7638, section 3, demands.
    const std::string required = "{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"" +
                                 base::base64url(key_.public_octets()) + "\"}";
    thumbprint_ = base::base64url(adapters_detail::sha256_octets(required));
  }

  /// Throws the exception for a text that is no key. `source` names the text.
  [[noreturn]] static void refuse(const std::string& source, std::string_view advice) {
    throw signature_error{source + ' ' + std::string{advice}};
  }

  static void check_size(std::string_view text, const std::string& source) {
    if (text.size() > adapters_detail::longest_key) {
      refuse(source, "has more than 65536 octets, so it is no key: check the name of the file");
    }
  }

  [[nodiscard]] static signing_key read_pem(std::string_view pem, const std::string& source) {
    check_size(pem, source);
    std::optional<ed25519_key> key = ed25519_key::from_private_pem(pem);
    if (key) {
      return signing_key{*std::move(key)};
    }
    if (pem.find("ENCRYPTED") != std::string_view::npos) {
      refuse(source,
             "is a key with a password, which nobody can type here: "
             "openssl pkey -in FILE -out OTHER removes the password");
    }
    if (ed25519_key::from_public_pem(pem)) {
      refuse(source, "is a public key, which cannot sign: give the private key");
    }
    refuse(source,
           "is no private Ed25519 key in PEM or as a JSON Web Key: "
           "openssl genpkey -algorithm ed25519 makes one");
  }

  [[nodiscard]] static signing_key read_jwk(std::string_view json, const std::string& source) {
    check_size(json, source);
    std::optional<base::json_value> jwk = base::read_json(json);
    if (!jwk || jwk->type != base::json_type::object) {
      refuse(source, "is no JSON object: a JSON Web Key begins with { and ends with }");
    }
    const adapters_detail::secret_members wiped{*jwk};
    if (jwk->find("keys") != nullptr) {
      refuse(source, "is a set of keys: give one of its keys, which signs");
    }
    if (!adapters_detail::has_text(*jwk, "kty", "OKP") ||
        !adapters_detail::has_text(*jwk, "crv", "Ed25519")) {
      refuse(source, R"(is no Ed25519 key: its "kty" must be "OKP", and its "crv" "Ed25519")");
    }
    const base::json_value* const d = jwk->find("d");
    if (d == nullptr) {
      refuse(source,
             R"(has no "d", so it is a public key, which cannot sign: give the private key)");
    }
    std::string octets = base::from_base64url(d->text).value_or("");
    const adapters_detail::secret_text wiped_octets{octets};
    std::optional<ed25519_key> key = ed25519_key::from_private_octets(octets);
    if (!key) {
      refuse(source,
             R"(has a "d" that is not 32 octets in Base64 for URLs, without padding (RFC 8037): )"
             "copy the key again, as a whole");
    }
    if (jwk->find("x") != nullptr &&
        !adapters_detail::has_text(*jwk, "x", base::base64url(key->public_octets()))) {
      refuse(source, R"(has an "x" that is not the public key of its "d": copy both from one key)");
    }
    return signing_key{*std::move(key)};
  }

  ed25519_key key_;
  std::string thumbprint_;
};

}  // namespace robots
