#include <robots/adapters/signature/key_directory.hpp>

#include "adapters/signature/test_key.hpp"
#include <robots/base/json_reader.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using robots::key_directory;
using robots::key_directory_headers;
using robots::signing_key;

/// The second that the draft's example has as `created`. The headers begin 5 seconds earlier.
constexpr robots::wall_time served_date{std::chrono::seconds{1'735'689'605}};

signing_key other_key() {
  return signing_key::from_jwk(
      R"({"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"})");
}

std::string header(const std::vector<robots::http_header>& headers, std::string_view name) {
  return std::string{robots::detail::find_header(headers, name).value_or("")};
}

}  // namespace

TEST_CASE("The key directory is that of the draft's example") {
  CHECK(key_directory({robots::test::test_key()}) ==
        "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":"
        "\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\",\"x\":"
        "\"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs\",\"use\":\"sig\"}]}");
}

TEST_CASE("The key directory lists all keys, or none, as JSON") {
  CHECK(key_directory({}) == "{\"keys\":[]}");
  const auto read = robots::base::read_json(key_directory({robots::test::test_key(), other_key()}));
  REQUIRE(read);
  REQUIRE(read->find("keys")->items.size() == 2);
  CHECK(read->find("keys")->items[1].find("kid")->text == other_key().thumbprint());
  CHECK(read->find("keys")->items[1].find("d") == nullptr);
}

TEST_CASE("The digest of a key directory is that of the draft's example, and its headers agree") {
  const auto headers = key_directory_headers({robots::test::test_key()},
                                             "https://Signature-Agent.test/", served_date, 1h);
  CHECK(header(headers, "Content-Type") == "application/http-message-signatures-directory+json");
  CHECK(header(headers, "Cache-Control") == "max-age=3600");
  CHECK(header(headers, "Content-Digest") ==
        "sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:");
  CHECK(
      header(headers, "Signature-Input") ==
      "sig1=(\"@authority\";req \"content-digest\");created=1735689600;expires=1735693205;keyid="
      "\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";tag=\"http-message-signatures-directory\"");
}

TEST_CASE("The signature of a key directory is that of the draft's example") {
  const std::vector<robots::adapters_detail::covered_component> components{
      {"\"@authority\";req", "signature-agent.test"},
      {"\"content-digest\"", "sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:"}};
  const auto signed_text = robots::adapters_detail::sign_message(
      robots::test::test_key(), "binding", components,
      ";created=1735689600;expires=4889289600;keyid="
      "\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";tag=\"http-message-signatures-directory\"");
  CHECK(signed_text.signature ==
        "binding=:l6P8R67tm3kujAxbHWio7ll01qrEZ0dKD/WWlGhNYEmTnFZM8Wt0VQ9zqGfvo7T/UMkBxsigzChM1Gpz7"
        "gOVBg==:");
}

TEST_CASE("Each key signs the directory, so that a new key can replace an old one") {
  const auto headers = key_directory_headers({robots::test::test_key(), other_key()},
                                             "https://a.example:8443", served_date);
  const std::string input = header(headers, "Signature-Input");
  CHECK(input.find("sig1=") == 0);
  CHECK(input.find(", sig2=(\"@authority\";req") != std::string::npos);
  CHECK(input.find(other_key().thumbprint()) != std::string::npos);
  CHECK(header(headers, "Signature").find("sig2=:") != std::string::npos);
  CHECK(key_directory_headers({}, "https://a.example", served_date).size() == 3);
}

TEST_CASE("A key directory that is not served over https, or for no sensible time, is refused") {
  const std::vector<signing_key> keys{robots::test::test_key()};
  for (const char* origin : {"http://a.example", "a.example", "", "https://", "ftp://a.example"}) {
    CHECK_THROWS_AS(static_cast<void>(key_directory_headers(keys, origin, served_date)),
                    std::invalid_argument);
  }
  for (const std::chrono::seconds lifetime : {0s, -1s, std::chrono::seconds{31 * 24h}}) {
    CHECK_THROWS_AS(
        static_cast<void>(key_directory_headers(keys, "https://a.example", served_date, lifetime)),
        std::invalid_argument);
  }
}
