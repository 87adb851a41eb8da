// Cases for every fetcher on libcurl: addresses that it connects to, and addresses that it refuses,
// over real sockets.
//
// Include it after the header under test, and call each case for a fetcher with
// `TEST_CASE_TEMPLATE_INVOKE`.
#pragma once

#include <robots/adapters/curl/curl_options.hpp>
#include <robots/http/message.hpp>

#include <adapters/curl/fetcher_helpers.hpp>
#include <doctest/doctest.h>
#include <support/loopback_server.hpp>
#include <support/raw_server.hpp>
#include <support/scoped_variable.hpp>

#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::test {

/// Returns options that ignore the proxies of the machine and permit only `addresses`.
inline curl_options allowing(std::vector<std::string> addresses) {
  curl_options options;
  options.proxy = "";
  options.allowed_addresses = std::move(addresses);
  return options;
}

inline curl_options unguarded() {
  curl_options options = allowing({});
  options.guard_addresses = false;
  return options;
}

inline curl_options by_proxy(const loopback_server& proxy) {
  curl_options options;
  options.proxy = "127.0.0.1:" + std::to_string(proxy.port());
  return options;
}

/// Checks that `response` is a refused address, and that its text contains `named`.
inline void check_refused(const fetch_response& response, std::string_view named) {
  check_failed(response, fetch_error::refused_address);
  CAPTURE(response.error_text);
  CAPTURE(named);
  CHECK(response.error_text.find(named) != std::string::npos);
  CHECK(response.error_text.find("allowed_addresses") != std::string::npos);
}

/// Hosts that libcurl reads as 127.0.0.1.
inline constexpr std::initializer_list<const char*> spellings_of_127_0_0_1{
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f.0.0.1",
    "0x7f000001",
    "0X7F.1",
    "0177.0.0.1",
    "017700000001",
    "0177.0x0.0.1",
    "%31%32%37.1",
    "127%2e0.0.1",
    "[::ffff:127.0.0.1]",
    "[::FFFF:7f00:1]",
    "[0:0:0:0:0:ffff:127.0.0.1]"};

/// Returns a server on ::1, or null if the machine has no IPv6.
inline std::unique_ptr<loopback_server> ipv6_server() {
  try {
    return std::make_unique<loopback_server>(loopback::ipv6);
  } catch (const std::runtime_error&) {
    MESSAGE("this machine has no IPv6");
    return nullptr;
  }
}

}  // namespace robots::test

TEST_CASE_TEMPLATE_DEFINE("A fetcher connects to no address outside the internet", F,
                          fetcher_guard) {
  using namespace robots::test;
  loopback_server server;
  server.get("/robots.txt", std::string(rules));
  const F fetcher(allowing({}));
  const auto fetch = [&](const std::string& host) {
    return fetcher.fetch(get(server.url("/robots.txt", host)));
  };

  SUBCASE("in any spelling") {
    for (const char* const host : spellings_of_127_0_0_1) {
      CAPTURE(host);
      check_refused(fetch(host), "127.0.0.1 (loopback)");
    }
    check_refused(fetch("127.0.0.2"), "127.0.0.2 (loopback)");
    check_refused(fetch("[::127.0.0.1]"), "::7f00:1 (loopback)");
    check_refused(fetch("0.0.0.0"), "0.0.0.0 (unspecified)");
    check_refused(fetch("0"), "0.0.0.0 (unspecified)");
    check_refused(fetch("[::]"), ":: (unspecified)");
    check_refused(fetch("[::ffff:0.0.0.0]"), "0.0.0.0 (unspecified)");
  }
  SUBCASE("under a name") {
    for (const char* const host : {"localhost", "LocalHost", "localhost.", "x.localhost"}) {
      CAPTURE(host);
      const robots::fetch_response response = fetch(host);
      CHECK((response.error == robots::fetch_error::refused_address ||
             response.error == robots::fetch_error::resolve));
    }
    check_refused(fetch("localhost"), "(loopback)");
  }
  SUBCASE("in a text that only some programs read as an address") {
    for (const char* const host :
         {"127.0.0.1.", "0x7f.1.", "127.0.0.1..", "127.0.0.256", "4294967297", "1.2.3.4.5", "0x",
          "\xE2\x91\xA0\xE2\x91\xA1\xE2\x91\xA6.0.0.1",
          "127\xE3\x80\x82"
          "0\xE3\x80\x82"
          "0.1",
          "[::1%25lo]", "[::ffff:127.0.0.1%25lo]", "%00127.0.0.1", "127.0.0.1%00.example.test",
          "127.0.0.1%20", "127.0.0.1%2f", "example.test@127.0.0.1"}) {
      CAPTURE(host);
      CHECK(fetch(host).error != robots::fetch_error::none);
    }
  }
  SUBCASE("before a fragment, a query or a path that looks like another host") {
    const std::string setup = "http://127.0.0.1:" + std::to_string(server.port());
    for (const char* const rest : {"#@example.test/", "?@example.test/", "/@example.test/", ""}) {
      CAPTURE(rest);
      check_refused(fetcher.fetch(get(setup + rest)), "127.0.0.1 (loopback)");
    }
  }
  SUBCASE("of any kind") {
    for (const char* const host : {"10.0.0.1",        "100.64.0.1",
                                   "169.254.169.254", "172.16.0.1",
                                   "192.168.0.1",     "192.0.2.1",
                                   "198.18.0.1",      "224.0.0.1",
                                   "240.0.0.1",       "255.255.255.255",
                                   "[::1]",           "[fc00::1]",
                                   "[fd00:ec2::254]", "[fe80::1]",
                                   "[fe80::1%25lo]",  "[fec0::1]",
                                   "[ff02::1]",       "[64:ff9b::7f00:1]",
                                   "[64:ff9b:1::1]",  "[2001:db8::1]",
                                   "[2002:7f00:1::]", "[2001:0:808:808::80ff:fffe]"}) {
      CAPTURE(host);
      check_refused(fetch(host), " is not in ");
    }
  }
  SUBCASE("that connect_to has instead of the host") {
    robots::curl_options options = allowing({});
    options.connect_to = {server.connect_to("www.example.test", 80),
                          server.connect_to("8.8.8.8", 80)};
    const F sent(options);
    check_refused(sent.fetch(get("http://www.example.test/robots.txt")), "127.0.0.1 (loopback)");
    check_refused(sent.fetch(get("http://8.8.8.8/robots.txt")), "127.0.0.1 (loopback)");
  }
  CHECK(server.connections() == 0);
}

TEST_CASE_TEMPLATE_DEFINE("A fetcher connects to permitted addresses", F, fetcher_allow_list) {
  using namespace robots::test;
  loopback_server server;
  server.get("/robots.txt", std::string(rules));

  SUBCASE("in any spelling") {
    const F fetcher(allowing({"127.0.0.1"}));
    for (const char* const host : spellings_of_127_0_0_1) {
      CAPTURE(host);
      check_answered(fetcher.fetch(get(server.url("/robots.txt", host))), 200, rules);
    }
    check_refused(fetcher.fetch(get(server.url("/robots.txt", "0.0.0.0"))), "0.0.0.0");
    check_refused(fetcher.fetch(get(server.url("/robots.txt", "127.0.0.2"))), "127.0.0.2");
  }
  SUBCASE("that connect_to has instead of the host") {
    robots::curl_options options = allowing({"127.0.0.1"});
    options.connect_to = {server.connect_to("www.example.test", 80),
                          server.connect_to("10.0.0.1", 80)};
    const F fetcher(options);
    check_answered(fetcher.fetch(get("http://www.example.test/robots.txt")), 200, rules);
    check_answered(fetcher.fetch(get("http://10.0.0.1/robots.txt")), 200, rules);
  }
  SUBCASE("of a name that also has a refused address") {
    const F fetcher(allowing({"127.0.0.1"}));
    check_answered(fetcher.fetch(get(server.url("/robots.txt", "localhost"))), 200, rules);
  }
  SUBCASE("with handles that no other fetcher shares") {
    robots::curl_options keeping = allowing({"127.0.0.1"});
    keeping.keep_connections = true;
    const F allowed(keeping);
    keeping.allowed_addresses = {};
    const F guarded(keeping);
    for (int i = 0; i < 3; ++i) {
      check_answered(allowed.fetch(get(server.url("/robots.txt"))), 200, rules);
      check_refused(guarded.fetch(get(server.url("/robots.txt"))), "127.0.0.1");
    }
    CHECK(server.connections() == 1);
  }
  SUBCASE("and to all addresses without a guard") {
    const F fetcher(unguarded());
    check_answered(fetcher.fetch(get(server.url("/robots.txt"))), 200, rules);
    check_answered(fetcher.fetch(get(server.url("/robots.txt", "localhost"))), 200, rules);
    check_answered(fetcher.fetch(get(server.url("/robots.txt", "0.0.0.0"))), 200, rules);
  }
}

TEST_CASE_TEMPLATE_DEFINE("A fetcher distinguishes IPv6 from IPv4", F, fetcher_guard_ipv6) {
  using namespace robots::test;
  const std::unique_ptr<loopback_server> server = ipv6_server();
  if (!server) {
    return;
  }
  server->get("/robots.txt", std::string(rules));
  const std::string url = server->url("/robots.txt");
  const std::string by_name = server->url("/robots.txt", "localhost");
  for (const char* const host : {"[::1]", "[0:0:0:0:0:0:0:1]", "[::0001]", "[::]", "localhost"}) {
    CAPTURE(host);
    check_refused(F(allowing({})).fetch(get(server->url("/robots.txt", host))), " is not in ");
  }
  check_refused(F(allowing({"127.0.0.0/8"})).fetch(get(url)), "::1 (loopback)");
  // The fetcher may try the other address of the name, but no server listens there.
  const robots::fetch_response tried = F(allowing({"127.0.0.0/8"})).fetch(get(by_name));
  check_failed(tried, robots::fetch_error::connection_refused);
  CHECK(tried.error_text.find("::1 (loopback) is not in") != std::string::npos);
  CHECK(server->connections() == 0);

  check_answered(F(allowing({"::1"})).fetch(get(url)), 200, rules);
  check_answered(F(allowing({"::1"})).fetch(get(by_name)), 200, rules);
  check_answered(F(allowing({"::/127"})).fetch(get(server->url("/robots.txt", "[::]"))), 200,
                 rules);
}

TEST_CASE_TEMPLATE_DEFINE("A fetcher checks the host of a URL before it asks a proxy", F,
                          fetcher_guard_proxy) {
  using namespace robots::test;
  loopback_server proxy;
  proxy.otherwise([](const loopback_request& request) {
    return loopback_reply{.body = "by proxy: " + request.target};
  });
  const std::string url = "http://www.example.test/robots.txt";
  const scoped_variable no_exemption("no_proxy", "");
  const scoped_variable nor_here("NO_PROXY", "");

  SUBCASE("but not the address of the proxy") {
    robots::curl_options keeping = by_proxy(proxy);
    keeping.keep_connections = true;
    const F fetcher(keeping);
    check_answered(fetcher.fetch(get(url)), 200, "by proxy: " + url);
    CHECK(fetcher.fetch(get("http://www.example.test./robots.txt")).status == 200);
    check_refused(fetcher.fetch(get("http://127.0.0.1/")), "127.0.0.1 (loopback)");
    CHECK(proxy.connections() == 1);
  }
  SUBCASE("and refuses addresses, and names that can be addresses") {
    const F fetcher(by_proxy(proxy));
    for (const char* const scheme : {"http://", "https://"}) {
      for (const char* const host : spellings_of_127_0_0_1) {
        CAPTURE(host);
        check_failed(fetcher.fetch(get(scheme + std::string(host))),
                     robots::fetch_error::refused_address);
      }
      for (const char* const host : {"localhost",
                                     "LOCALHOST",
                                     "localhost.",
                                     "x.localhost",
                                     "127.0.0.1.",
                                     "127.0.0.1..",
                                     "0x7f.1.",
                                     "0x7F000001.",
                                     "127.0.0.256",
                                     "1.2.3.4.5",
                                     "0x",
                                     "example.1",
                                     "0.0.0.0",
                                     "10.0.0.1",
                                     "169.254.169.254",
                                     "[::1]",
                                     "[::]",
                                     "[fe80::1%25eth0]",
                                     "[fd00:ec2::254]",
                                     "[64:ff9b::7f00:1]",
                                     "\xE2\x91\xA0\xE2\x91\xA1\xE2\x91\xA6.0.0.1",
                                     "127\xE3\x80\x82"
                                     "0\xE3\x80\x82"
                                     "0.1",
                                     "%E2%91%A0.example.test"}) {
        CAPTURE(host);
        check_failed(fetcher.fetch(get(scheme + std::string(host) + "/robots.txt")),
                     robots::fetch_error::refused_address);
      }
    }
    CHECK(proxy.connections() == 0);
  }
  SUBCASE("and accepts permitted addresses and public addresses") {
    robots::curl_options options = by_proxy(proxy);
    options.allowed_addresses = {"10.0.0.0/8", "127.0.0.1"};
    const F fetcher(options);
    for (const char* const setup : {"http://10.0.0.1/", "http://localhost/", "http://8.8.8.8/",
                                    "http://[2606:4700:4700::1111]/"}) {
      check_answered(fetcher.fetch(get(setup)), 200, std::string("by proxy: ") + setup);
    }
    check_refused(fetcher.fetch(get("http://[::1]/")), "::1 (loopback)");
  }
  SUBCASE("unless there is no guard") {
    robots::curl_options options = by_proxy(proxy);
    options.guard_addresses = false;
    check_answered(F(options).fetch(get("http://127.0.0.1/")), 200, "by proxy: http://127.0.0.1/");
  }
  SUBCASE("and the address of a proxy from the environment") {
    const scoped_variable variable("http_proxy", *by_proxy(proxy).proxy);
    robots::curl_options options;
    check_refused(F(options).fetch(get(url)), "127.0.0.1 (loopback)");
    CHECK(proxy.connections() == 0);
    options.allowed_addresses = {"127.0.0.1"};
    const F fetcher(options);
    check_answered(fetcher.fetch(get(url)), 200, "by proxy: " + url);
    check_refused(fetcher.fetch(get("http://10.0.0.1/")), "10.0.0.1 (private_use)");
    check_refused(F(allowing({})).fetch(get(proxy.url())), "127.0.0.1 (loopback)");
  }
  SUBCASE("and reports a proxy that refuses connections as another error than a refused address") {
    const closed_port nobody;
    const scoped_variable variable("http_proxy", "127.0.0.1:" + std::to_string(nobody.number()));
    robots::curl_options options;
    options.allowed_addresses = {"127.0.0.1"};
    check_failed(F(options).fetch(get(url)), robots::fetch_error::connect);
    options.proxy = "127.0.0.1:" + std::to_string(nobody.number());
    check_failed(F(options).fetch(get(url)), robots::fetch_error::proxy);
  }
  SUBCASE("and checks the address if no_proxy exempts the host") {
    loopback_server server;
    server.get("/robots.txt", std::string(rules));
    const scoped_variable variable("http_proxy", "8.8.8.8:1");
    const scoped_variable exempt("no_proxy", "direct.test,127.0.0.0/8");
    robots::curl_options options;
    options.connect_to = {server.connect_to("www.direct.test", 80)};
    const F fetcher(options);
    check_refused(fetcher.fetch(get("http://www.direct.test/robots.txt")), "127.0.0.1 (loopback)");
    check_refused(fetcher.fetch(get(server.url("/robots.txt"))), "127.0.0.1 (loopback)");
    CHECK(server.connections() == 0);
    options.allowed_addresses = {"127.0.0.1"};
    check_answered(F(options).fetch(get("http://www.direct.test/robots.txt")), 200, rules);
    CHECK(server.connections() == 1);
  }
  SUBCASE("and ignores no_proxy for the proxy of the options") {
    const scoped_variable exempt("no_proxy", "*");
    check_answered(F(by_proxy(proxy)).fetch(get(url)), 200, "by proxy: " + url);
  }
}

TEST_CASE_TEMPLATE_DEFINE("A fetcher refuses a list with an entry that is not an address", F,
                          fetcher_bad_allow_list) {
  using namespace robots::test;
  for (const char* const text : {"", "localhost", "127.0.0.1:80", "127.0.0.1/8", "0x7f.1"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(F{allowing({text})}, std::invalid_argument);
    robots::curl_options options = unguarded();
    options.allowed_addresses = {text};
    CHECK_THROWS_AS(F{options}, std::invalid_argument);
  }
}
