// RedisStore over TLS.
#include <robots/adapters/redis/redis_tls.hpp>

#include "support/certificate_authority.hpp"
#include "support/raw_server.hpp"
#include "support/redis_server.hpp"
#include <robots/adapters/redis/redis_store.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace robots::test;
using robots::redis_options;
using robots::redis_tls;
using robots::RedisStore;
using namespace std::chrono_literals;

namespace {

/// A redis-server that listens for TLS on a free port.
struct tls_server {
  explicit tls_server(const certificate_authority& trusted, const certificate& own,
                      const std::string& clients = "no")
      : server{{"--tls-port", std::to_string(port), "--tls-cert-file", own.certificate_file,
                "--tls-key-file", own.key_file, "--tls-ca-cert-file", trusted.ca_file(),
                "--tls-auth-clients", clients}} {}

  [[nodiscard]] std::string url(const std::string& host = "127.0.0.1") const {
    return "rediss://" + host + ':' + std::to_string(port);
  }

  int port = closed_port().number();
  redis_server server;
};

void check_refused(const std::string& url, const redis_tls& tls, const char* why) {
  RedisStore store{redis_options{.url = url, .tls = tls}};
  CHECK_THROWS_WITH_AS(static_cast<void>(store.load("key")), doctest::Contains(why),
                       robots::store_error);
}

}  // namespace

TEST_CASE("RedisStore uses TLS with a server whose certificate is trusted and names the host") {
  certificate_authority authority;
  const tls_server server{authority, authority.issue({"127.0.0.1", "localhost"})};
  const redis_tls tls{{.ca_file = authority.ca_file()}};
  for (const std::string host : {"127.0.0.1", "localhost"}) {
    RedisStore store{redis_options{.url = server.url(host), .tls = tls}};
    const std::string large(std::size_t{1} << 20U, 'x');
    store.publish("key", large, 1h);
    CHECK((store.load("key") == large));
    const std::vector<std::string> keys(1'000, "other");
    CHECK(store.load_all(keys).size() == keys.size());
  }
}

TEST_CASE("RedisStore refuses a server that it cannot trust") {
  certificate_authority authority;
  const certificate_authority other;
  const redis_tls tls{{.ca_file = authority.ca_file()}};
  check_refused(tls_server{other, authority.issue({"example.com"})}.url(), tls, "mismatch");
  check_refused(tls_server{other, authority.issue({"127.0.0.1"}, expired)}.url(), tls, "expired");
  check_refused(tls_server{other, authority.self_signed({"127.0.0.1"})}.url(), tls, "self");
  check_refused(tls_server{other, authority.issue({"127.0.0.1"})}.url(), redis_tls{}, "issuer");
  const redis_server plain;
  check_refused("rediss://" + plain.address(), tls, "TLS");
}

TEST_CASE("RedisStore sends its own certificate if the server asks for one") {
  certificate_authority authority;
  const certificate own = authority.issue({"crawler"});
  const tls_server server{authority, authority.issue({"127.0.0.1"}), "yes"};
  RedisStore store{redis_options{.url = server.url(),
                                 .tls = redis_tls{{.ca_file = authority.ca_file(),
                                                   .certificate_file = own.certificate_file,
                                                   .key_file = own.key_file}}}};
  store.publish("key", "value", 1h);
  CHECK(store.load("key") == "value");
  RedisStore without{
      redis_options{.url = server.url(), .tls = redis_tls{{.ca_file = authority.ca_file()}}}};
  CHECK_THROWS_AS(static_cast<void>(without.load("key")), robots::store_error);
}

TEST_CASE("A TLS handshake takes no longer than the timeouts") {
  const raw_server server{"", raw_ending::stall};
  RedisStore store{redis_options{.url = "rediss://127.0.0.1:" + std::to_string(server.port()),
                                 .connect_timeout = 200ms,
                                 .tls = redis_tls{}}};
  CHECK_THROWS_WITH_AS(static_cast<void>(store.load("key")),
                       doctest::Contains("does not speak TLS in time"), robots::store_error);
}

TEST_CASE("redis_tls refuses missing files") {
  const auto makes = [](const redis_tls::files& paths) { redis_tls{paths}; };
  CHECK_THROWS_AS(makes({.ca_file = "/nowhere"}), std::invalid_argument);
  CHECK_THROWS_AS(makes({.certificate_file = "/nowhere", .key_file = "/nowhere"}),
                  std::invalid_argument);
}
