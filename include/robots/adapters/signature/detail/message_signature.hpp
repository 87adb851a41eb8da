#pragma once

#include <robots/adapters/signature/signing_key.hpp>
#include <robots/base/structured_field_writer.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace robots::adapters_detail {

// A signature of a message (RFC 9421) covers some components of the message:
//
//     components --> signature base --> Ed25519 --> Signature:       LABEL=:...:
//         |              ^
//         +--> parameters +--------------------> Signature-Input: LABEL=("@authority"
//         ...);created=...
//
// The base has one line for each component, and the parameters as its last line. So both cannot be
// changed without the key.

/// A component that a signature covers.
struct covered_component {
  std::string_view identifier;  ///< as in the base: `"@authority"`, with the quotes
  std::string_view value;       ///< the value of the component in the message
};

/// The members that a signature adds to the fields Signature-Input and Signature.
struct message_signature {
  std::string input;
  std::string signature;
};

/// Returns the value of the last line of the base: `("@authority");created=1`. `parameters` are
/// written already, each with its `;`.
[[nodiscard]] inline std::string signature_parameters(
    const std::vector<covered_component>& components, std::string_view parameters) {
  std::string value = "(";
  for (const covered_component& component : components) {
    value.append(value.size() > 1 ? " " : "").append(component.identifier);
  }
  return value.append(")").append(parameters);
}

/// Returns the text that is signed (RFC 9421, section 2.5).
[[nodiscard]] inline std::string signature_base(const std::vector<covered_component>& components,
                                                std::string_view parameters) {
  std::string lines;
  for (const covered_component& component : components) {
    lines.append(component.identifier).append(": ").append(component.value).append("\n");
  }
  return lines.append("\"@signature-params\": ")
      .append(signature_parameters(components, parameters));
}

/// Signs the components of a message (RFC 9421, section 3.1). Throws `signature_error` if OpenSSL
/// fails.
[[nodiscard]] inline message_signature sign_message(
    const signing_key& key, std::string_view label,
    const std::vector<covered_component>& components, std::string_view parameters) {
  message_signature result;
  result.input.append(label).append("=").append(signature_parameters(components, parameters));
  result.signature.append(label).append("=");
  base::append_field_bytes(result.signature, key.sign(signature_base(components, parameters)));
  return result;
}

}  // namespace robots::adapters_detail
