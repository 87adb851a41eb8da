#pragma once

#include <robots/adapters/detail/sha256.hpp>
#include <robots/adapters/signature/detail/message_signature.hpp>
#include <robots/adapters/signature/signing_key.hpp>
#include <robots/base/exceptions.hpp>
#include <robots/base/refuse_value.hpp>
#include <robots/base/structured_field_writer.hpp>
#include <robots/http/message.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/site.hpp>
#include <robots/http/site_key.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// The path at which a crawler's web server has the key directory.
inline constexpr std::string_view key_directory_path =
    "/.well-known/http-message-signatures-directory";

/// The media type of a key directory.
inline constexpr std::string_view key_directory_type =
    "application/http-message-signatures-directory+json";

/// Returns the document that sites read to check the signatures of a crawler: a JSON Web Key Set
/// (RFC 7517, section 5) of the public keys. While one key replaces another, list both. Serve the
/// document over https, with the media type `key_directory_type`.
[[nodiscard]] inline std::string key_directory(const std::vector<signing_key>& keys) {
  std::string document = "{\"keys\":[";
  for (const signing_key& key : keys) {
    document.append(&key == keys.data() ? "" : ",").append(key.public_jwk());
  }
  return document += "]}";
}

/// Returns the headers for a response with `key_directory(keys)`, at the date `now`: its type, a
/// lifetime for caches, a digest, and a signature by each key. The signatures prove that the server
/// at `origin`, such as `https://example.com`, has the private keys. They expire with the copies in
/// caches, after `lifetime`, which must be from 1 second to 30 days. They begin 5 seconds before
/// `now`, as the clock of a site can be behind.
///
/// The draft of the Web Bot Auth working group recommends these signatures
/// (draft-ietf-webbotauth-httpsig-protocol, "Possession Proof on the Directory Response"). Throws
/// `std::invalid_argument` for a text that is no https origin.
[[nodiscard]] inline std::vector<http_header> key_directory_headers(
    const std::vector<signing_key>& keys, std::string_view origin, wall_time now,
    std::chrono::seconds lifetime = std::chrono::hours{24}) {
  const std::optional<robots::origin> place = detail::parse_origin(origin);
  if (!place || place->scheme != url_scheme::https) {
    base::refuse_value(origin, "is no https origin: write it like https://example.com");
  }
  base::require(lifetime >= std::chrono::seconds{1} && lifetime <= std::chrono::days{30},
                "key_directory_headers: lifetime", lifetime.count(),
                " s: use a time from 1 second to 30 days");
  const std::string served_by = to_string(*place);
  std::string digest = "sha-256=";
  base::append_field_bytes(digest, adapters_detail::sha256_octets(key_directory(keys)));
  const std::vector<adapters_detail::covered_component> components{
      {"\"@authority\";req", detail::without_scheme(served_by)}, {"\"content-digest\"", digest}};
  const std::chrono::seconds second =
      std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
  std::string inputs;
  std::string signatures;
  for (const signing_key& key : keys) {
    std::string parameters =
        ";created=" + std::to_string((second - std::chrono::seconds{5}).count()) +
        ";expires=" + std::to_string((second + lifetime).count()) + ";keyid=";
    base::append_field_string(parameters, key.thumbprint());
    parameters += ";tag=\"http-message-signatures-directory\"";
    const std::string label = "sig" + std::to_string(&key - keys.data() + 1);
    const auto signed_by = adapters_detail::sign_message(key, label, components, parameters);
    inputs.append(inputs.empty() ? "" : ", ").append(signed_by.input);
    signatures.append(signatures.empty() ? "" : ", ").append(signed_by.signature);
  }
  std::vector<http_header> headers{{"Content-Type", std::string{key_directory_type}},
                                   {"Cache-Control", "max-age=" + std::to_string(lifetime.count())},
                                   {"Content-Digest", digest}};
  if (!keys.empty()) {
    headers.push_back({"Signature-Input", inputs});
    headers.push_back({"Signature", signatures});
  }
  return headers;
}

}  // namespace robots
