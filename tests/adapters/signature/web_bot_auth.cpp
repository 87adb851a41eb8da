#include <robots/adapters/signature/web_bot_auth.hpp>

#include "adapters/signature/test_key.hpp"
#include <robots/adapters/detail/ed25519_key.hpp>
#include <robots/base/structured_field.hpp>
#include <robots/testing/manual_clock.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using robots::http_header;
using robots::signature_agent_form;
using robots::web_bot_auth;
using robots::web_bot_auth_options;

constexpr robots::wall_time now{std::chrono::seconds{1'735'689'605}};
constexpr std::string_view directory_url =
    "https://bot.example/.well-known/http-message-signatures-directory";

web_bot_auth_options for_bot() { return {.agent = "https://bot.example"}; }

web_bot_auth signer(web_bot_auth_options options = for_bot()) {
  return web_bot_auth{robots::test::test_key(), std::move(options)};
}

std::string value_of(const std::vector<http_header>& headers, std::string_view name) {
  return std::string{robots::detail::find_header(headers, name).value_or("")};
}

/// Collects the members of a Dictionary, and the parameters of its last member.
struct field_members {
  std::map<std::string, std::string> members;
  std::map<std::string, std::string> parameters;

  void on_member(std::string_view key, const robots::base::field_value& value) {
    members[std::string{key}] = value.text;
  }
  void on_parameter(std::string_view key, const robots::base::field_value& value) {
    parameters[std::string{key}] = value.text;
  }
};

field_members read(const std::string& field) {
  field_members found;
  REQUIRE(robots::base::read_dictionary_field(field, found));
  return found;
}

/// Returns true if the headers have a signature of the test key for a request to `authority`. Makes
/// the base of the text of the headers, as a site does.
bool is_signed_for(const std::vector<http_header>& headers, std::string_view authority) {
  const std::string agent = value_of(headers, "Signature-Agent");
  const std::string input = value_of(headers, "Signature-Input");
  const std::string signature = value_of(headers, "Signature");
  const std::string parameters = input.substr(input.find('=') + 1);
  const std::string agent_component =
      parameters.substr(14, parameters.find(')') - 14);  // after `("@authority" `
  const std::string agent_value = agent.substr(agent.find('"'));
  const std::string base = "\"@authority\": " + std::string{authority} + '\n' + agent_component +
                           ": " + agent_value + "\n\"@signature-params\": " + parameters;
  const auto key = robots::adapters_detail::ed25519_key::from_public_pem(robots::test::public_pem);
  const std::string digits = signature.substr(signature.find(':') + 1);
  std::string url_digits = digits.substr(0, digits.find('='));
  for (char& c : url_digits) {
    c = c == '+' ? '-' : c == '/' ? '_' : c;
  }
  return key->has_signed(base, robots::base::from_base64url(url_digits).value_or(""));
}

}  // namespace

TEST_CASE("The headers of a request are those that the draft of the working group describes") {
  const auto headers = signer()("https://example.com/path?query", now);
  REQUIRE(headers.size() == 3);
  CHECK(value_of(headers, "Signature-Agent") == "sig1=\"" + std::string{directory_url} + '"');
  CHECK(value_of(headers, "Signature-Input") ==
        "sig1=(\"@authority\" \"signature-agent\";key=\"sig1\");created=1735689600;keyid="
        "\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=1735689905;"
        "tag=\"web-bot-auth\"");
  CHECK(is_signed_for(headers, "example.com"));
}

// The vector NV-04 of the negative vectors for draft -02, which is valid until 02:00.
TEST_CASE("The headers are those of a public vector of signed requests") {
  web_bot_auth_options options{.agent = "https://signature-agent.test"};
  options.form = signature_agent_form::origin;
  options.lifetime = 1h;
  options.backdated_by = 0s;
  const auto headers = signer(options)("https://example.com/", now - 5s);
  CHECK(value_of(headers, "Signature-Agent") == "sig1=\"https://signature-agent.test\"");
  CHECK(value_of(headers, "Signature-Input") ==
        "sig1=(\"@authority\" \"signature-agent\";key=\"sig1\");created=1735689600;keyid="
        "\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";expires=1735693200;"
        "tag=\"web-bot-auth\"");
  CHECK(value_of(headers, "Signature") ==
        "sig1=:PGCXcZbx5FaCr8JzBK0Rcs/h+eV0s+o6JhsQpiWfoBZnvREvjbmZexFna9jGiNfvbXfZ4Q/nO7wDc9RJzF8S"
        "Dw==:");
}

TEST_CASE("Each form of Signature-Agent names the keys, and is signed") {
  struct form {
    signature_agent_form chosen;
    std::string_view agent;
    std::string_view sent;
    std::string_view component;
  };
  const std::vector<form> forms{
      {signature_agent_form::key_set, "https://Bot.example/keys.json?v=1",
       "sig1=\"https://bot.example/keys.json?v=1\"", "\"signature-agent\";key=\"sig1\""},
      {signature_agent_form::key_set, "https://bot.example:443/",
       "sig1=\"https://bot.example/.well-known/http-message-signatures-directory\"",
       "\"signature-agent\";key=\"sig1\""},
      {signature_agent_form::origin, "https://bot.example", "sig1=\"https://bot.example\"",
       "\"signature-agent\";key=\"sig1\""},
      {signature_agent_form::bare_origin, directory_url, "\"https://bot.example\"",
       "\"signature-agent\""}};
  for (const form& one : forms) {
    web_bot_auth_options options{.agent = std::string{one.agent}};
    options.form = one.chosen;
    const auto headers = signer(options)("https://example.com/", now);
    CHECK(value_of(headers, "Signature-Agent") == one.sent);
    CHECK(read(value_of(headers, "Signature-Input")).members["sig1"] ==
          "(\"@authority\" " + std::string{one.component} + ')');
    CHECK(is_signed_for(headers, "example.com"));
  }
}

TEST_CASE("The label names the signature in all three headers") {
  web_bot_auth_options options = for_bot();
  options.label = "crawler-2";
  const auto headers = signer(options)("https://example.com/", now);
  for (const char* name : {"Signature-Agent", "Signature-Input", "Signature"}) {
    CHECK(read(value_of(headers, name)).members.contains("crawler-2"));
  }
  CHECK(is_signed_for(headers, "example.com"));
}

TEST_CASE("A signature is for one host and port only") {
  const web_bot_auth sign = signer();
  const auto headers = sign("https://example.com/", now);
  CHECK(is_signed_for(headers, "example.com"));
  for (const std::string_view other : {"www.example.com", "example.com:8443", "example.co", ""}) {
    CHECK_FALSE(is_signed_for(headers, other));
  }
  const auto next = sign("https://www.example.com/", now);
  CHECK(is_signed_for(next, "www.example.com"));
  CHECK(value_of(next, "Signature") != value_of(headers, "Signature"));
}

TEST_CASE("The signed authority is the host that clients send, in the form of RFC 9421, 2.2.3") {
  const std::map<std::string, std::string> authorities{
      {"https://Example.COM/A", "example.com"},
      {"https://example.com:443/", "example.com"},
      {"https://example.com:8443?q", "example.com:8443"},
      {"https://user:secret@example.com/", "example.com"},
      {"https://ex%61mple.com/", "example.com"},
      {"https://example.com./", "example.com."},
      {"https://example.com.:8443/", "example.com.:8443"},
      {"https://[2001:DB8:0::1]/", "[2001:db8::1]"},
      {"HTTPS://127.0.0.1:444/", "127.0.0.1:444"}};
  for (const auto& [url, authority] : authorities) {
    INFO(url);
    CHECK(is_signed_for(signer()(url, now), authority));
  }
}

TEST_CASE("Requests by http are signed only if an option says so, since anyone can read them") {
  CHECK(signer()("http://example.com/", now).empty());
  web_bot_auth_options options = for_bot();
  options.sign_http = true;
  CHECK(is_signed_for(signer(options)("http://example.com/", now), "example.com"));
  CHECK(is_signed_for(signer(options)("http://example.com:443/", now), "example.com:443"));
}

TEST_CASE("A text that is no http or https URL gets no headers, and no exception") {
  web_bot_auth_options options = for_bot();
  options.sign_http = true;
  const web_bot_auth sign = signer(options);
  for (const std::string_view url :
       {"", "example.com", "ftp://example.com/", "https://", "https://a b/", "https://\xFF/",
        "https://a.example\\b/", "//example.com", "https://example.com:99999/", "https://a..b/"}) {
    CHECK(sign(url, now).empty());
  }
}

TEST_CASE("A signature is used again until shortly before it expires") {
  robots::ManualClock clock{now};
  const web_bot_auth sign = signer();
  const auto first = sign("https://example.com/a", clock.wall_now());
  CHECK(sign("https://EXAMPLE.com/b?c", clock.wall_now()) == first);
  clock.advance(270s - 1ns);
  CHECK(sign("https://example.com/", clock.wall_now()) == first);
  clock.advance(1ns);  // 30 s before it expires
  const auto second = sign("https://example.com/", clock.wall_now());
  CHECK(second != first);
  const field_members input = read(value_of(second, "Signature-Input"));
  CHECK(input.parameters.at("created") == "1735689870");
  CHECK(input.parameters.at("expires") == "1735690175");
  CHECK(is_signed_for(second, "example.com"));
  CHECK(sign("https://example.com/", clock.wall_now()) == second);
}

TEST_CASE("A signature from the future is not used after the clock was put back") {
  const web_bot_auth sign = signer();
  const auto later = sign("https://example.com/", now + 24h);
  const auto earlier = sign("https://example.com/", now);
  CHECK(read(value_of(earlier, "Signature-Input")).parameters.at("created") == "1735689600");
  CHECK(sign("https://example.com/", now + 1s) == earlier);
  CHECK(earlier != later);
}

TEST_CASE("With a nonce, no two requests have the same signature") {
  web_bot_auth_options options = for_bot();
  options.nonce = true;
  const web_bot_auth sign = signer(options);
  std::set<std::string> nonces;
  for (int i = 0; i < 20; ++i) {
    const auto headers = sign("https://example.com/", now);
    CHECK(is_signed_for(headers, "example.com"));
    const std::string nonce = read(value_of(headers, "Signature-Input")).parameters.at("nonce");
    CHECK(nonce.size() == 88);  // 64 octets
    nonces.insert(nonce);
  }
  CHECK(nonces.size() == 20);
}

TEST_CASE("A full table of hosts costs a signature, and is free again when signatures expire") {
  web_bot_auth_options options = for_bot();
  options.max_hosts = 1;
  const web_bot_auth sign = signer(options);
  const auto first = sign("https://a.example/", now);
  CHECK(sign("https://b.example/", now) != sign("https://b.example/", now + 1s));
  CHECK(sign("https://a.example/", now + 1s) == first);
  const auto second = sign("https://b.example/", now + 271s);  // the place of a.example is free
  CHECK(sign("https://b.example/", now + 272s) == second);

  options.max_hosts = 0;
  const web_bot_auth never = signer(options);
  CHECK(is_signed_for(never("https://a.example/", now), "a.example"));
  CHECK(never("https://a.example/", now) != never("https://a.example/", now + 1s));
}

TEST_CASE("The first and the last date that a clock can have are signed") {
  const web_bot_auth sign = signer();
  for (const robots::wall_time when : {(robots::wall_time::min)(), (robots::wall_time::max)()}) {
    CHECK(is_signed_for(sign("https://example.com/", when), "example.com"));
  }
}

TEST_CASE("Threads share the signatures of a signer and of its copies") {
  const web_bot_auth sign = signer();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([copy = sign, &wrong] {
      for (int i = 0; i < 200; ++i) {
        const std::string host = "h" + std::to_string(i % 8) + ".example";
        const auto headers = copy("https://" + host + "/", now + std::chrono::seconds{i * 3});
        wrong += is_signed_for(headers, host) ? 0 : 1;
      }
    });
  }
  for (std::thread& one : threads) {
    one.join();
  }
  CHECK(wrong == 0);
}

TEST_CASE("An agent that is no https URL, or that the form cannot name, is refused") {
  for (const std::string_view agent :
       {"", "bot.example", "http://bot.example", "https://", "https://bot.example/#keys",
        "https://me@bot.example", "https://bot.example/\"", "https://bot.example/a b",
        "https://b\xC3\xB6t.example", "https://bot.example/\n"}) {
    web_bot_auth_options options{.agent = std::string{agent}};
    CHECK_THROWS_AS(signer(options), std::invalid_argument);
  }
  for (const auto form : {signature_agent_form::origin, signature_agent_form::bare_origin}) {
    web_bot_auth_options options{.agent = "https://bot.example/keys.json"};
    options.form = form;
    CHECK_THROWS_WITH_AS(
        signer(options),
        "\"https://bot.example/keys.json\" has a path that this form of Signature-Agent cannot "
        "name: serve the keys at /.well-known/http-message-signatures-directory, or use "
        "signature_agent_form::key_set",
        std::invalid_argument);
  }
}

TEST_CASE("Options out of range are refused, and the message names the option and its value") {
  for (const char* label : {"", "Sig1", "1a", "a b", "a\"", "a=b"}) {
    web_bot_auth_options options = for_bot();
    options.label = label;
    CHECK_THROWS_AS(signer(options), std::invalid_argument);
  }
  web_bot_auth_options options = for_bot();
  options.lifetime = 30s;
  CHECK_THROWS_WITH_AS(
      signer(options),
      "web_bot_auth_options: lifetime is 30 s: use more than renew_before and, with backdated_by, "
      "at most 24 hours",
      std::invalid_argument);
  options.lifetime = 31s;
  CHECK_NOTHROW(signer(options));
  options.lifetime = 24h;
  CHECK_THROWS_AS(signer(options), std::invalid_argument);  // with `backdated_by`, more than a day
  options = for_bot();
  options.renew_before = -1s;
  CHECK_THROWS_AS(signer(options), std::invalid_argument);
  options = for_bot();
  options.backdated_by = -1s;
  CHECK_THROWS_AS(signer(options), std::invalid_argument);
  options.backdated_by = std::chrono::seconds::max();
  CHECK_THROWS_AS(signer(options), std::invalid_argument);
}
