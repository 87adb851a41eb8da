#include <robots/adapters/signature/detail/message_signature.hpp>

#include "adapters/signature/test_key.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::adapters_detail::covered_component;
using robots::adapters_detail::sign_message;
using robots::adapters_detail::signature_base;

}  // namespace

TEST_CASE("The base and the signature are those of RFC 9421, appendix B.2.6") {
  const std::vector<covered_component> components{{"\"date\"", "Tue, 20 Apr 2021 02:07:55 GMT"},
                                                  {"\"@method\"", "POST"},
                                                  {"\"@path\"", "/foo"},
                                                  {"\"@authority\"", "example.com"},
                                                  {"\"content-type\"", "application/json"},
                                                  {"\"content-length\"", "18"}};
  const std::string_view parameters = ";created=1618884473;keyid=\"test-key-ed25519\"";
  const auto signed_text =
      sign_message(robots::test::test_key(), "sig-b26", components, parameters);
  CHECK(signed_text.input ==
        "sig-b26=(\"date\" \"@method\" \"@path\" \"@authority\" \"content-type\" "
        "\"content-length\");created=1618884473;keyid=\"test-key-ed25519\"");
  CHECK(signed_text.signature ==
        "sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPp"
        "BKRCw==:");
}

// The examples of draft-ietf-webbotauth-httpsig-protocol-01 have a Dictionary, and a String alone.
TEST_CASE("The base and the signature are those of the draft's examples") {
  struct example {
    std::string_view agent_identifier;
    std::string_view parameters;
    std::string_view signature;
  };
  const std::vector<example> examples{
      {"\"signature-agent\";key=\"agent2\"",
       ";created=1735689600;keyid=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";"
       "expires=4889289600;nonce=\"n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLyS"
       "rAWsv0hQtFioQb6E1YsauiA==\";tag=\"web-bot-auth\"",
       "sig2=:RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCC"
       "g==:"},
      {"\"signature-agent\"",
       ";created=1735689600;keyid=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";"
       "expires=1735693200;nonce=\"e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DC"
       "T9RUKAJ0qVkU0mEeLElW1qg==\";tag=\"web-bot-auth\"",
       "sig2=:jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWB"
       "A==:"}};
  for (const example& one : examples) {
    const std::vector<covered_component> components{
        {"\"@authority\"", "example.com"},
        {one.agent_identifier, "\"https://signature-agent.test\""}};
    const auto signed_text =
        sign_message(robots::test::test_key(), "sig2", components, one.parameters);
    CHECK(signed_text.signature == one.signature);
    const std::string agent{one.agent_identifier};
    CHECK(signature_base(components, one.parameters) ==
          "\"@authority\": example.com\n" + agent +
              ": \"https://signature-agent.test\"\n\"@signature-params\": (\"@authority\" " +
              agent + ')' + std::string{one.parameters});
  }
}
