// Fetchers over libcurl in a process that forks.
#include "support/certificate_authority.hpp"
#include "support/forked_child.hpp"
#include "support/loopback_server.hpp"
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/adapters/curl/curl_multi_fetcher.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>

using namespace robots::test;
using namespace std::chrono_literals;

TEST_CASE("A CurlFetcher of the parent fetches nothing in a child, and keeps its TLS connection") {
  certificate_authority authority;
  loopback_server server{authority.issue({"127.0.0.1"})};
  server.get("/page", "text");
  robots::curl_options options;
  options.proxy = "";
  options.allowed_addresses = {"127.0.0.0/8"};
  options.keep_connections = true;
  options.ca_file = authority.ca_file();
  auto fetcher = std::make_unique<robots::CurlFetcher>(options);
  const robots::fetch_request page{.url = server.url("/page"), .timeout = 20s};
  CHECK(fetcher->fetch(page).status == 200);
  CHECK(in_forked_child([&] {
          std::string said = refusal_of([&] { (void)fetcher->fetch(page); });
          fetcher.reset();
          const robots::CurlFetcher own{options};
          expect(own.fetch(page).status == 200);
          return said;
        }) == made_before_fork("CurlFetcher"));
  // The destructor of the child's copy must not end the TLS connection of the parent.
  CHECK(fetcher->fetch(page).status == 200);
  CHECK(server.connections() == 2);
}

TEST_CASE("A curl_multi_fetcher with an exchange of the parent is destroyed in a child") {
  loopback_server server;
  gate& gate = server.stall("/page", "text");
  robots::curl_options options;
  options.proxy = "";
  options.allowed_addresses = {"127.0.0.0/8"};
  auto web = std::make_unique<robots::curl_multi_fetcher>(options);
  int status = 0;
  const robots::fetch_request page{.url = server.url("/page"), .timeout = 20s};
  web->async_fetch(page, [&](const robots::fetch_response& response) { status = response.status; });
  web->run_once(0ms);
  CHECK(in_forked_child([&] {
          std::string said = refusal_of([&] { web->async_fetch(page, [](const auto&) {}); });
          expect(refusal_of([&] { web->run_once(); }) == said);
          web.reset();
          return said;
        }) == made_before_fork("a fetcher over libcurl"));
  gate.open();
  while (web->in_flight() != 0) {
    web->run_once(1s);
  }
  CHECK(status == 200);
}
