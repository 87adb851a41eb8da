// The cache over real sockets, with CurlFetcher and a server on this machine.
#include "adapters/curl/fetcher_helpers.hpp"
#include "cache_fixture.hpp"
#include "support/certificate_authority.hpp"
#include "support/gate.hpp"
#include "support/loopback_server.hpp"
#include "support/raw_server.hpp"
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/adapters/curl/curl_options.hpp>
#include <robots/cache/basic_robots_cache.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using robots::CurlFetcher;
using robots::decision;
using robots::ManualClock;
using robots::test::certificate_authority;
using robots::test::closed_port;
using robots::test::direct;
using robots::test::foo_bot;
using robots::test::gate;
using robots::test::loopback_reply;
using robots::test::loopback_server;
using robots::test::redirect_to;
using robots::test::WatchedStorage;

namespace {

using live_cache = robots::basic_robots_cache<CurlFetcher, ManualClock, WatchedStorage>;

constexpr const char* host = "site.example.test";

/// Options with a timeout that no test here reaches, on any machine.
robots::cache_options patient() {
  robots::cache_options options = foo_bot();
  options.timeout = 60s;
  return options;
}

std::string connect_to(const closed_port& place, int its_port) {
  return std::string{host} + ':' + std::to_string(its_port) +
         ":127.0.0.1:" + std::to_string(place.number());
}

/// A site that answers by https and by http, with different rules.
struct two_servers {
  two_servers() {
    secure.get("/robots.txt", "User-agent: *\nDisallow: /secure\n");
    plain.get("/robots.txt", "User-agent: *\nDisallow: /plain\n");
  }

  certificate_authority authority;
  loopback_server secure{authority.issue({host, "127.0.0.1"})};
  loopback_server plain;
};

}  // namespace

TEST_CASE("Sixteen threads that ask for one new origin cause one request at the server") {
  constexpr std::size_t threads = 16;
  loopback_server server;
  gate& door = server.stall("/robots.txt", std::string{robots::test::rules});
  const CurlFetcher fetcher{direct()};
  WatchedStorage storage;
  live_cache cache{patient(), fetcher, {}, storage};
  std::vector<decision> result(threads);
  {
    std::vector<std::jthread> callers;
    for (decision& answer : result) {
      callers.emplace_back([&] { answer = cache.check(server.url("/private/x")); });
    }
    // All threads have missed, and one request has arrived at the server.
    storage.wait_for_misses(threads);
    door.wait_for_arrivals();
    CHECK(cache.stats().size == 0);
    door.open();
  }
  CHECK(server.requests() == 1);
  CHECK(server.connections() == 1);
  for (const decision& answer : result) {
    CHECK(to_string(answer.reason) == "rule");
    CHECK(answer.verdict.pattern == "/private");
    CHECK(answer.policy == result.front().policy);
  }
  CHECK(cache.stats().misses == 1);
  CHECK(cache.stats().hits + cache.stats().joined == threads - 1);
  CHECK(cache.check(server.url("/")).from_cache);
  CHECK(server.requests() == 1);
}

TEST_CASE("The server gets one plain request with the crawler's whole name") {
  loopback_server server;
  server.get("/robots.txt", std::string{robots::test::rules});
  live_cache cache{patient(), CurlFetcher{direct()}};
  CHECK(cache.allowed(server.url("/a/b?c")));
  const auto got = server.last_request();
  CHECK(got.target == "/robots.txt");
  CHECK(got.header("User-Agent") == foo_bot().user_agent);
  CHECK(got.header("Cookie").empty());
  CHECK(got.header("Authorization").empty());
}

TEST_CASE("A host is asked over https, and its certificate is verified") {
  two_servers servers;
  robots::curl_options options = direct();
  options.ca_file = servers.authority.ca_file();
  options.connect_to = {servers.secure.connect_to(host, 443), servers.plain.connect_to(host, 80)};
  live_cache cache{patient(), CurlFetcher{options}};
  CHECK_FALSE(cache.allowed(std::string{host} + "/secure"));
  CHECK(cache.allowed(std::string{host} + "/plain"));
  CHECK(cache.check(std::string{"https://"} + host).from_cache);
  CHECK(servers.secure.requests() == 1);
  CHECK(servers.secure.last_request().header("Host") == host);
  CHECK(servers.plain.requests() == 0);
  CHECK_FALSE(cache.allowed(std::string{"http://"} + host + "/plain"));
  CHECK(servers.plain.requests() == 1);
}

TEST_CASE("A host falls back to http if https is unavailable; an https URL does not") {
  two_servers servers;
  const closed_port nobody;
  const certificate_authority other;
  robots::curl_options options = direct();
  options.ca_file = servers.authority.ca_file();
  options.connect_to = {servers.plain.connect_to(host, 80)};

  SUBCASE("because nothing listens there") {
    options.connect_to.push_back(connect_to(nobody, 443));
  }
  SUBCASE("because of an unknown authority") {
    options.connect_to.push_back(servers.secure.connect_to(host, 443));
    options.ca_file = other.ca_file();
  }
  SUBCASE("because the server there has no TLS") {
    options.connect_to.push_back(servers.plain.connect_to(host, 443));
  }
  CAPTURE(options.connect_to.back());
  live_cache cache{patient(), CurlFetcher{options}};
  CHECK_FALSE(cache.allowed(std::string{host} + "/plain"));
  CHECK(cache.allowed(std::string{host} + "/secure"));
  CHECK(servers.plain.requests() == 1);

  const decision answer = cache.check(std::string{"https://"} + host + "/");
  CHECK_FALSE(answer.allowed);
  CHECK(to_string(answer.reason) == "fallback");
  CHECK(to_string(answer.policy->last_retrieval().outcome) == "unreachable");
  CHECK_FALSE(answer.policy->last_retrieval().error_text.empty());
  CHECK(servers.plain.requests() == 1);
  CHECK(servers.secure.requests() == 0);
}

TEST_CASE("Redirects are followed from https to http and to another port") {
  two_servers servers;
  servers.secure.get("/robots.txt", redirect_to(servers.plain.url("/rules.txt"), 301));
  servers.plain.get("/rules.txt", redirect_to("/rules/1.txt", 308));
  servers.plain.get("/rules/1.txt", "User-agent: *\nDisallow: /moved\n");
  robots::curl_options options = direct();
  options.ca_file = servers.authority.ca_file();
  live_cache cache{patient(), CurlFetcher{options}};
  const decision answer = cache.check(servers.secure.url("/moved"));
  CHECK(to_string(answer.reason) == "rule");
  CHECK(answer.policy->last_retrieval().redirects == 2);
  CHECK(answer.policy->last_retrieval().final_url == servers.plain.url("/rules/1.txt"));
  CHECK(servers.secure.requests() == 1);
  CHECK(servers.plain.requests() == 2);
}

TEST_CASE("A redirect away from http is refused, and a loop of redirects ends") {
  loopback_server server;
  live_cache cache{patient(), CurlFetcher{direct()}};
  for (const char* target : {"file:///etc/passwd", "ftp://127.0.0.1/robots.txt"}) {
    server.get("/robots.txt", redirect_to(target));
    const decision answer = cache.check(server.url());
    CHECK_FALSE(answer.allowed);
    CHECK(to_string(answer.policy->last_retrieval().outcome) == "refused");
    cache.clear();
  }
  const std::size_t before = server.requests();
  server.otherwise([](const auto& request) { return redirect_to(request.path + "x"); });
  server.get("/robots.txt", redirect_to("/x"));
  CHECK(to_string(cache.check(server.url()).policy->last_retrieval().outcome) ==
        "too_many_redirects");
  CHECK(server.requests() - before == 6);
}

TEST_CASE(
    "A redirect to an address that is not permitted is refused, and no request is sent there") {
  loopback_server open;
  loopback_server hidden;
  hidden.get("/robots.txt", "User-agent: *\nDisallow:\n");
  robots::curl_options options = direct();
  options.allowed_addresses = {"127.0.0.1"};
  options.connect_to = {std::string{host} + ":80:127.0.0.2:" + std::to_string(hidden.port())};
  for (const robots::fallback_policy& policy :
       {robots::fallback_policy::permissive(), robots::fallback_policy::rfc9309(),
        robots::fallback_policy::strict()}) {
    robots::cache_options wanted = patient();
    wanted.fallback = policy;
    live_cache cache{wanted, CurlFetcher{options}};
    for (const auto& [target, named] : std::vector<std::pair<std::string, std::string>>{
             {hidden.url("/robots.txt", "127.0.0.2"), "127.0.0.2 (loopback)"},
             {hidden.url("/robots.txt", "0.0.0.0"), "0.0.0.0 (unspecified)"},
             {hidden.url("/robots.txt", "[::ffff:127.0.0.2]"), "127.0.0.2 (loopback)"},
             {std::string{"http://"} + host + "/robots.txt", "127.0.0.2 (loopback)"},
             {"http://169.254.169.254/latest/meta-data", "169.254.169.254 (link_local)"},
             {"//[fd00:ec2::254]/latest/meta-data", "fd00:ec2::254 (private_use)"}}) {
      CAPTURE(target);
      open.get("/robots.txt", redirect_to(target));
      const decision answer = cache.check(open.url());
      CHECK_FALSE(answer.allowed);
      CHECK(to_string(answer.reason) == "fallback");
      const auto& source = answer.policy->last_retrieval();
      CHECK(to_string(source.outcome) == "refused");
      CHECK(source.redirects == 1);
      CAPTURE(source.error_text);
      CHECK(source.error_text.find(named) != std::string::npos);
      cache.clear();
    }
  }
  CHECK(hidden.connections() == 0);
  CHECK(open.requests() == 18);
}

TEST_CASE("A site at an address that is not permitted is refused") {
  loopback_server server;
  server.get("/robots.txt", "User-agent: *\nDisallow:\n");
  robots::curl_options options = direct();
  options.allowed_addresses.clear();
  options.connect_to = {server.connect_to(host, 80), server.connect_to(host, 443)};
  live_cache cache{patient(), CurlFetcher{options}};
  for (const std::string& url : {server.url(), std::string{"http://"} + host, std::string{host}}) {
    CAPTURE(url);
    const decision answer = cache.check(url);
    CHECK_FALSE(answer.allowed);
    CHECK(to_string(answer.policy->last_retrieval().outcome) == "refused");
  }
  CHECK(server.connections() == 0);
}

TEST_CASE("An endless file is read up to the limit, and its cut line does not count") {
  loopback_server server;
  server.get("/robots.txt", [](const auto&) {
    return loopback_reply{.body = "User-agent: *\nDisallow: /\nAllow: /public\n", .endless = true};
  });
  robots::cache_options options = patient();
  // The limit cuts a line after the second "Allow: /", and this part would allow everything.
  options.parse.max_bytes = 2 * std::string_view{"User-agent: *\nDisallow: /\nAllow: /"}.size() +
                            std::string_view{"public\n"}.size();
  live_cache cache{options, CurlFetcher{direct()}};
  CHECK_FALSE(cache.allowed(server.url("/x")));
  CHECK(cache.allowed(server.url("/public")));
  CHECK(cache.get(server.url())->rules().size() == 3);
}

TEST_CASE("A call that is stopped while the server is silent ends, and its result is not kept") {
  loopback_server server;
  gate& door = server.stall("/robots.txt", std::string{robots::test::rules});
  robots::cache_options options = patient();
  options.finish_abandoned = false;
  live_cache cache{options, CurlFetcher{direct()}};
  decision answer;
  {
    std::stop_source stop;
    const std::jthread caller{
        [&] { answer = cache.check(server.url(), {.stop = stop.get_token()}); }};
    door.wait_for_arrivals();
    stop.request_stop();
  }
  CHECK(to_string(answer.policy->last_retrieval().outcome) == "cancelled");
  CHECK(cache.stats().size == 0);
  while (cache.stats().retrievals == 0) {
    std::this_thread::yield();  // until the fetch has ended without a caller
  }
  door.open();
  CHECK(cache.allowed(server.url()));
  CHECK(server.requests() == 2);
}

TEST_CASE("Each status has the effect that the failure table states") {
  loopback_server server;
  server.otherwise([](const auto& request) {
    return loopback_reply{.status = std::stoi(request.host().substr(1))};
  });
  robots::curl_options options = direct();
  for (const char* status : {"404", "403", "429", "500"}) {
    options.connect_to.push_back(server.connect_to(std::string{"s"} + status, 80));
  }
  live_cache cache{patient(), CurlFetcher{options}};
  const auto outcome = [&cache](const char* url) {
    return std::string{to_string(cache.check(url).policy->last_retrieval().outcome)};
  };
  CHECK(outcome("http://s404/") == "not_found");
  CHECK(outcome("http://s403/") == "client_error");
  CHECK(outcome("http://s429/") == "too_many_requests");
  CHECK(outcome("http://s500/") == "server_error");
  CHECK(cache.stats().failures == 3);  // one of them is the 403
}

TEST_CASE("A site is asked again over the same connection if options ask for it") {
  loopback_server server;
  server.get("/robots.txt", std::string{robots::test::rules});
  robots::curl_options keeping = direct();
  keeping.keep_connections = true;
  const CurlFetcher fetcher{keeping};
  live_cache cache{patient(), fetcher};
  for (int round = 0; round < 5; ++round) {
    CHECK(cache.allowed(server.url()));
    cache.invalidate(server.url());
  }
  CHECK(server.requests() == 5);
  CHECK(server.connections() == 1);
}
