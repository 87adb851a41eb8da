#include <robots/adapters/signature/signing_key.hpp>

#include "adapters/signature/test_key.hpp"
#include "support/temporary_folder.hpp"
#include <robots/base/base64.hpp>

#include <doctest/doctest.h>
#include <openssl/err.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::signature_error;
using robots::signing_key;
using robots::test::private_d;
using robots::test::private_pem;
using robots::test::public_x;

std::string jwk_with(std::string_view members) {
  return R"({"kty":"OKP","crv":"Ed25519",)" + std::string{members} + '}';
}

std::string private_jwk() {
  return jwk_with("\"d\":\"" + std::string{private_d} + "\",\"x\":\"" + std::string{public_x} +
                  '"');
}

/// Returns the message of the exception for a text that is no key, or an empty text.
template <class Read>
std::string refusal(const Read& read) {
  try {
    static_cast<void>(read());
  } catch (const signature_error& refused) {
    return refused.what();
  }
  return {};
}

std::string refusal_of_jwk(const std::string& json) {
  return refusal([&json] { return signing_key::from_jwk(json); });
}

std::string refusal_of_pem(std::string_view pem) {
  return refusal([pem] { return signing_key::from_pem(pem); });
}

void write(const std::filesystem::path& path, std::string_view text) {
  std::ofstream{path, std::ios::binary} << text;
}

}  // namespace

TEST_CASE("The thumbprint of a key is that of RFC 8037, appendix A.3") {
  // The key of RFC 8037, appendix A.1.
  const auto key =
      signing_key::from_jwk(jwk_with("\"d\":\"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A\","
                                     "\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\""));
  CHECK(key.thumbprint() == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
}

TEST_CASE("The same key is read from PEM and from a JWK, and signs the same") {
  const auto from_pem = signing_key::from_pem(private_pem);
  const auto from_jwk = signing_key::from_jwk(private_jwk());
  const auto without_x = signing_key::from_jwk(jwk_with("\"d\":\"" + std::string{private_d} + '"'));
  CHECK(from_pem.thumbprint() == robots::test::thumbprint);
  CHECK(from_jwk.thumbprint() == robots::test::thumbprint);
  CHECK(without_x.thumbprint() == robots::test::thumbprint);
  CHECK(from_pem.sign("text") == from_jwk.sign("text"));
  CHECK(from_pem.sign("text") != from_pem.sign("Text"));
}

TEST_CASE("The public JWK has the thumbprint as its kid, and no private part") {
  const std::string jwk = robots::test::test_key().public_jwk();
  CHECK(jwk ==
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\","
        "\"kid\":\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\","
        "\"x\":\"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs\",\"use\":\"sig\"}");
}

TEST_CASE("The signature of RFC 9421, appendix B.2.6, is made again") {
  const std::string_view base =
      "\"date\": Tue, 20 Apr 2021 02:07:55 GMT\n\"@method\": POST\n\"@path\": /foo\n"
      "\"@authority\": example.com\n\"content-type\": application/json\n\"content-length\": 18\n"
      "\"@signature-params\": (\"date\" \"@method\" \"@path\" \"@authority\" \"content-type\" "
      "\"content-length\");created=1618884473;keyid=\"test-key-ed25519\"";
  CHECK(robots::base::base64(robots::test::test_key().sign(base)) ==
        "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==");
}

TEST_CASE("A text that is no private key is refused, with a message that says how to change it") {
  const std::string_view rsa =
      "-----BEGIN PRIVATE KEY-----\n"
      "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgp2aAtR7gHn8Lz3ty\n"
      "-----END PRIVATE KEY-----\n";
  const std::string_view encrypted =
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIGbMFcG\n-----END ENCRYPTED PRIVATE KEY-----\n";
  CHECK(refusal_of_pem("").find("openssl genpkey -algorithm ed25519") != std::string::npos);
  CHECK(refusal_of_pem(rsa).find("openssl genpkey") != std::string::npos);
  CHECK(refusal_of_pem(encrypted).find("openssl pkey") != std::string::npos);
  CHECK(refusal_of_pem(robots::test::public_pem).find("public key") != std::string::npos);
  CHECK(refusal_of_pem(std::string(70'000, 'x')).find("65536") != std::string::npos);

  CHECK(refusal_of_jwk("{").find("JSON object") != std::string::npos);
  CHECK(refusal_of_jwk("[]").find("JSON object") != std::string::npos);
  CHECK(refusal_of_jwk("{\"keys\":[" + private_jwk() + "]}").find("set of keys") !=
        std::string::npos);
  CHECK(refusal_of_jwk(R"({"kty":"EC","crv":"P-256","d":"AA"})").find("OKP") != std::string::npos);
  CHECK(refusal_of_jwk(R"({"kty":5,"crv":["Ed25519"],"d":"AA"})").find("OKP") != std::string::npos);
  CHECK(refusal_of_jwk(jwk_with("\"x\":\"" + std::string{public_x} + '"')).find("public key") !=
        std::string::npos);
  for (const std::string_view d : {R"("d":"")", R"("d":7)", R"("d":"AAAA")", R"("d":"=")"}) {
    CHECK(refusal_of_jwk(jwk_with(d)).find("32 octets") != std::string::npos);
  }
  CHECK(refusal_of_jwk(jwk_with("\"d\":\"" + std::string{private_d} + "=\"")).find("padding") !=
        std::string::npos);
  CHECK(refusal_of_jwk(std::string(70'000, ' ')).find("65536") != std::string::npos);
}

TEST_CASE("A JWK whose x is not the public key of its d is refused: sites could not find the key") {
  const std::string other = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
  for (const std::string& x : {'"' + other + '"', std::string{"7"}}) {
    const std::string message =
        refusal_of_jwk(jwk_with("\"d\":\"" + std::string{private_d} + "\",\"x\":" + x));
    CHECK(message.find("is not the public key") != std::string::npos);
  }
}

TEST_CASE("Damage at any octet of a key gives a key or an exception without a part of the key") {
  const auto has_secret = [](std::string_view message) {
    return message.find(private_d.substr(0, 6)) != std::string_view::npos ||
           message.find("n4N") != std::string_view::npos ||
           message.find("MC4CAQ") != std::string_view::npos;
  };
  for (const bool is_pem : {true, false}) {
    const std::string whole = is_pem ? std::string{private_pem} : private_jwk();
    for (std::size_t i = 0; i < whole.size(); ++i) {
      std::vector<std::string> damaged{whole.substr(0, i), whole.substr(i)};
      for (const char c : {'\0', '"', '\xFF', 'A'}) {
        damaged.push_back(whole);
        damaged.back()[i] = c;
      }
      for (const std::string& text : damaged) {
        const std::string message = is_pem ? refusal_of_pem(text) : refusal_of_jwk(text);
        CHECK_FALSE(has_secret(message));
      }
    }
  }
}

TEST_CASE("A text that is no key leaves no error in the queue of OpenSSL") {
  CHECK(::ERR_peek_error() == 0);
  CHECK_FALSE(refusal_of_pem("no key").empty());
  CHECK_FALSE(refusal_of_jwk(jwk_with(R"("d":"AAAA")")).empty());
  CHECK(::ERR_peek_error() == 0);
}

TEST_CASE("A file holds a key in PEM or a JWK, with blanks and a byte order mark around it") {
  const robots::test::temporary_folder folder;
  const std::filesystem::path path = folder.path() / "key";
  const std::string pem{private_pem};
  for (const std::string& text :
       {pem, private_jwk(), "\xEF\xBB\xBF\r\n " + private_jwk() + "\n\n", "\n" + pem,
        "a comment\n" + std::string{robots::test::public_pem} + pem}) {
    write(path, text);
    CHECK(signing_key::from_file(path.string()).thumbprint() == robots::test::thumbprint);
  }
}

TEST_CASE("A file without a key is refused, and the message names the file") {
  const robots::test::temporary_folder folder;
  const std::string path = (folder.path() / "key").string();
  const auto refused = [](const std::string& file) {
    return refusal([&file] { return signing_key::from_file(file); });
  };
  CHECK(refused(path) == path + " cannot be read: check its name and its permissions");
  CHECK(refused(folder.path().string()).find("cannot be read") != std::string::npos);
  for (const std::string secret : {"-----BEGIN PRIVATE KEY-----", R"({"d":"c2VjcmV0"})", "a\nb"}) {
    const std::string text = refused(secret);
    CHECK(text.find("use from_pem or from_jwk") != std::string::npos);
    CHECK(text.find(secret) == std::string::npos);
  }
  for (const std::string& text :
       {std::string{}, std::string{"{}"}, std::string(70'000, ' '), std::string(70'000, '{')}) {
    write(path, text);
    CHECK(refused(path).starts_with(path + ' '));
  }
}
