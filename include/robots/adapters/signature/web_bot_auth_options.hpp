#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace robots {

/// The forms of the header `Signature-Agent` that are in use. Each names the place of the keys.
enum class signature_agent_form : std::uint8_t {
  key_set,      ///< `sig1="https://a.example/keys.json"`: the URL of the key set, as in draft -01
  origin,       ///< `sig1="https://a.example"`: the origin, whose directory has the keys
  bare_origin,  ///< `"https://a.example"`: the same, as a text without a label
};

/// The options of `web_bot_auth`.
struct web_bot_auth_options {
  /// The https URL of the crawler's key set. An origin, such as `https://a.example`, stands for its
  /// directory: `https://a.example/.well-known/http-message-signatures-directory`.
  std::string agent;

  /// The form of `Signature-Agent`. The default is the form of the working group's draft
  /// (draft-ietf-webbotauth-httpsig-protocol-01). The other forms have no path, so for them `agent`
  /// must be an origin, or the URL of its directory.
  signature_agent_form form = signature_agent_form::key_set;

  /// The name of the signature in the headers. A crawler behind a proxy that signs, too, needs
  /// another name than the proxy. It must be a key of RFC 9651, section 3.1.2: lower case letters,
  /// digits, `_`,
  /// `-`, `.`, and `*`.
  std::string label = "sig1";

  /// The time for which a signature is valid. A program that sees a signature can use it at the
  /// same host until it expires. The lifetime must be above `renew_before`. Together with
  /// `backdated_by`, it must be at most 24 hours.
  std::chrono::seconds lifetime = std::chrono::minutes{5};

  /// A signature is used again until this long before it expires, so that it is still valid when
  /// the request arrives. The time must not be negative.
  std::chrono::seconds renew_before{30};

  /// The time by which `created` is before the date of the request. Sites refuse a signature from
  /// the future, and the clock of a site can be behind. The time must not be negative.
  std::chrono::seconds backdated_by{5};

  /// If true, each request has a signature with a random `nonce`. Then no signature is used again,
  /// since sites may refuse a nonce that they have seen (RFC 9421, section 7.2.2).
  bool nonce = false;

  /// If true, requests by http are signed, too. Anyone on the way can read such a signature, and
  /// use it at the same host.
  bool sign_http = false;

  /// The maximum number of hosts whose signatures are remembered. One takes about 700 octets. With
  /// more hosts at once, further requests are signed each time. With 0, all are.
  std::size_t max_hosts = 10'000;
};

}  // namespace robots
