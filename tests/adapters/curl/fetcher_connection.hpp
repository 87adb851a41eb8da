// Cases for every fetcher on libcurl: connections, timeouts, stops and failures, over real sockets.
//
// Include it after the header under test, and call each case for a fetcher with
// `TEST_CASE_TEMPLATE_INVOKE`.
#pragma once

#include <robots/adapters/curl/curl_options.hpp>
#include <robots/http/message.hpp>

#include <adapters/curl/fetcher_helpers.hpp>
#include <doctest/doctest.h>
#include <support/certificate_authority.hpp>
#include <support/loopback_server.hpp>
#include <support/raw_server.hpp>

#include <chrono>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

TEST_CASE_TEMPLATE_DEFINE("A fetcher accepts a server whose certificate it can verify", F,
                          fetcher_tls) {
  using namespace robots::test;
  certificate_authority authority;

  SUBCASE("with an address or a name of the certificate") {
    loopback_server server(authority.issue({"127.0.0.1", "localhost", "*.example.test"}));
    server.get("/robots.txt", std::string(rules));
    robots::curl_options options = trusting(authority);
    options.connect_to = {server.connect_to("www.example.test", 443)};
    F fetcher(options);
    check_answered(fetcher.fetch(get(server.url("/robots.txt"))), 200, rules);
    check_answered(fetcher.fetch(get("https://www.example.test/robots.txt")), 200, rules);
    CHECK(server.last_request().header("Host") == "www.example.test");
  }
  SUBCASE("but not without a trusted authority") {
    loopback_server server(authority.issue({"127.0.0.1"}));
    check_failed(F(direct()).fetch(get(server.url())), robots::fetch_error::tls);
    const certificate_authority other;
    check_failed(F(trusting(other)).fetch(get(server.url())), robots::fetch_error::tls);
    CHECK(server.requests() == 0);
  }
  SUBCASE("but not with another name") {
    loopback_server server(authority.issue({"other.example.test"}));
    check_failed(F(trusting(authority)).fetch(get(server.url())), robots::fetch_error::tls);
    CHECK(server.requests() == 0);
  }
  SUBCASE("but not after it has expired") {
    loopback_server server(authority.issue({"127.0.0.1"}, expired));
    check_failed(F(trusting(authority)).fetch(get(server.url())), robots::fetch_error::tls);
    CHECK(server.requests() == 0);
  }
  SUBCASE("but not without TLS") {
    const raw_server server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n\r\n\r\n");
    const std::string url = "https" + server.url().substr(std::string_view("http").size());
    check_failed(F(trusting(authority)).fetch(get(url)), robots::fetch_error::tls);
  }
}

TEST_CASE_TEMPLATE_DEFINE("A fetcher ends within its timeout", F, fetcher_timeout) {
  using namespace robots::test;
  loopback_server server;
  F fetcher(direct());

  SUBCASE("when the server is silent") {
    gate& silence = server.stall("/robots.txt", "late");
    robots::fetch_request request = get(server.url("/robots.txt"));
    request.timeout = short_timeout;
    check_failed(fetcher.fetch(request), robots::fetch_error::timeout);
    silence.open();
    request.timeout = {};
    check_answered(fetcher.fetch(request), 200, "late");
  }
  SUBCASE("when the body stalls in the middle") {
    const raw_server raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", raw_ending::stall);
    robots::fetch_request request = get(raw.url());
    request.timeout = short_timeout;
    check_failed(fetcher.fetch(request), robots::fetch_error::timeout);
  }
  SUBCASE("when the body never ends") {
    server.get("/robots.txt", loopback_reply{.body = "#", .endless = true});
    robots::fetch_request request = get(server.url("/robots.txt"));
    request.timeout = short_timeout;
    check_failed(fetcher.fetch(request), robots::fetch_error::timeout);
  }
  SUBCASE("without a request if no time is left") {
    robots::fetch_request request = get(server.url());
    request.timeout = std::chrono::milliseconds(-1);
    check_failed(fetcher.fetch(request), robots::fetch_error::timeout);
    CHECK(server.connections() == 0);
  }
}

TEST_CASE_TEMPLATE_DEFINE("A fetcher has a separate timeout for connecting", F,
                          fetcher_connect_timeout) {
  using namespace robots::test;
  certificate_authority authority;

  const raw_server server("", raw_ending::stall);
  robots::curl_options options = trusting(authority);
  options.connect_timeout = short_timeout;
  robots::fetch_request request =
      get("https" + server.url().substr(std::string_view("http").size()));
  SUBCASE("with a timeout for the exchange") {
    request.timeout = std::chrono::hours(1);
    check_failed(F(options).fetch(request), robots::fetch_error::connect);
  }
  SUBCASE("without any other timeout") {
    check_failed(F(options).fetch(request), robots::fetch_error::connect);
  }
  SUBCASE("that the timeout for the exchange limits") {
    options.connect_timeout = std::chrono::hours(1);
    request.timeout = short_timeout;
    check_failed(F(options).fetch(request), robots::fetch_error::timeout);
  }
}

TEST_CASE_TEMPLATE_DEFINE("A fetcher stops on request", F, fetcher_stop) {
  using namespace robots::test;
  loopback_server server;
  F fetcher(direct());
  std::stop_source source;

  SUBCASE("before it begins, without a request") {
    source.request_stop();
    robots::fetch_request request = get(server.url());
    request.stop = source.get_token();
    check_failed(fetcher.fetch(request), robots::fetch_error::cancelled);
    CHECK(server.connections() == 0);
  }
  SUBCASE("while the server is silent") {
    gate& silence = server.stall("/robots.txt", "late");
    robots::fetch_request request = get(server.url("/robots.txt"));
    request.stop = source.get_token();
    const std::jthread other([&] {
      silence.wait_for_arrivals();
      source.request_stop();
    });
    check_failed(fetcher.fetch(request), robots::fetch_error::cancelled);
    silence.open();
    request.stop = {};
    check_answered(fetcher.fetch(request), 200, "late");
  }
  SUBCASE("in the middle of a body") {
    raw_server raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", raw_ending::stall);
    robots::fetch_request request = get(raw.url());
    request.stop = source.get_token();
    const std::jthread other([&] {
      raw.wait_until_sent();
      source.request_stop();
    });
    check_failed(fetcher.fetch(request), robots::fetch_error::cancelled);
  }
  SUBCASE("in an endless body") {
    server.get("/robots.txt", loopback_reply{.body = "#", .endless = true});
    robots::fetch_request request = get(server.url("/robots.txt"));
    request.stop = source.get_token();
    const std::jthread other([&] { source.request_stop(); });
    check_failed(fetcher.fetch(request), robots::fetch_error::cancelled);
  }
}

TEST_CASE_TEMPLATE_DEFINE("A fetcher reuses its connections if the options ask for it", F,
                          fetcher_reuse) {
  using namespace robots::test;
  certificate_authority authority;
  loopback_server server(authority.issue({"127.0.0.1"}));
  server.get("/robots.txt", std::string(rules));
  robots::curl_options keeping = trusting(authority);
  keeping.keep_connections = true;
  const F fetcher(keeping);

  SUBCASE("call after call") {
    for (int i = 0; i < 10; ++i) {
      const F copy = fetcher;
      check_answered(copy.fetch(get(server.url("/robots.txt"))), 200, rules);
    }
    CHECK(server.requests() == 10);
    CHECK(server.connections() == 1);
  }
  SUBCASE("with at most one for each thread") {
    const auto fetch_25 = [&] {
      for (int i = 0; i < 25; ++i) {
        if (fetcher.fetch(get(server.url("/robots.txt"))).body != rules) {
          return;
        }
      }
    };
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 4; ++i) {
        threads.emplace_back(fetch_25);
      }
    }
    CHECK(server.requests() == 100);
    CHECK(server.connections() <= 4);
  }
  SUBCASE("but not if max_idle_handles is 0") {
    keeping.max_idle_handles = 0;
    const F forgetful(keeping);
    for (int i = 0; i < 3; ++i) {
      check_answered(forgetful.fetch(get(server.url("/robots.txt"))), 200, rules);
    }
    CHECK(server.connections() == 3);
  }
  SUBCASE("but not by default") {
    const F fetching(trusting(authority));
    for (int i = 0; i < 3; ++i) {
      check_answered(fetching.fetch(get(server.url("/robots.txt"))), 200, rules);
    }
    CHECK(server.connections() == 3);
  }
}

TEST_CASE_TEMPLATE_DEFINE("A fetcher reports the mistake of a peer", F, fetcher_broken_peer) {
  using namespace robots::test;
  using robots::fetch_error;
  loopback_server good;
  F fetcher(direct());

  SUBCASE("that speaks another protocol") {
    const raw_server server("SSH-2.0-OpenSSH_9.2\r\n");
    check_failed(fetcher.fetch(get(server.url())), fetch_error::protocol);
  }
  SUBCASE("that speaks HTTP/0.9") {
    const raw_server server("User-agent: *\nDisallow: /\n");
    check_failed(fetcher.fetch(get(server.url())), fetch_error::protocol);
  }
  SUBCASE("that closes without an answer, after one request") {
    const raw_server server("");
    check_failed(fetcher.fetch(get(server.url())), fetch_error::protocol);
    CHECK(server.connections() == 1);
  }
  SUBCASE("that closes within the headers") {
    const raw_server server("HTTP/1.1 200 OK\r\nContent-Le");
    const robots::fetch_response response = fetcher.fetch(get(server.url()));
    check_failed(response, fetch_error::protocol);
  }
  SUBCASE("with a body shorter than Content-Length") {
    const raw_server server("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    check_failed(fetcher.fetch(get(server.url())), fetch_error::protocol);
  }
  SUBCASE("without the last chunk") {
    const raw_server server("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n");
    check_failed(fetcher.fetch(get(server.url())), fetch_error::protocol);
  }
  SUBCASE("that resets the connection") {
    const raw_server server("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
                            raw_ending::reset);
    check_failed(fetcher.fetch(get(server.url())), fetch_error::protocol);
  }
  SUBCASE("that does not listen") {
    const closed_port port;
    check_failed(fetcher.fetch(get(port.url())), fetch_error::connection_refused);
  }
  SUBCASE("whose name does not resolve") {
    // The resolver refuses a label over 63 octets without a network (RFC 1035, section 2.3.4).
    const std::string nowhere = std::string(64, 'a') + ".invalid";
    check_failed(fetcher.fetch(get("http://" + nowhere + "/robots.txt")), fetch_error::resolve);
  }
  good.get("/robots.txt", std::string(rules));
  check_answered(fetcher.fetch(get(good.url("/robots.txt"))), 200, rules);
}

TEST_CASE_TEMPLATE_DEFINE("A fetcher uses the proxy of its options", F, fetcher_proxy) {
  using namespace robots::test;
  loopback_server proxy;
  proxy.otherwise([](const loopback_request& request) {
    return loopback_reply{.body = "by proxy: " + request.target};
  });
  robots::curl_options options;
  options.proxy = "127.0.0.1:" + std::to_string(proxy.port());
  const std::string url = "http://www.example.test/robots.txt";
  check_answered(F(options).fetch(get(url)), 200, "by proxy: " + url);
}

TEST_CASE_TEMPLATE_DEFINE("A fetcher names a proxy that fails, but never its password", F,
                          fetcher_failing_proxy) {
  using namespace robots::test;
  const raw_server proxy("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
  const closed_port closed;
  const auto check = [](const std::string& place, const std::string& url) {
    CAPTURE(place);
    robots::curl_options options;
    options.proxy = place;
    const robots::fetch_response response = F(options).fetch(get(url));
    check_failed(response, robots::fetch_error::proxy);
    CHECK(response.error_text.find("the proxy ") != std::string::npos);
    CHECK(response.error_text.find("127.0.0.1") != std::string::npos);
    CHECK(response.error_text.find("secret") == std::string::npos);
  };
  const std::string wants = "http://user:secret@127.0.0.1:" + std::to_string(proxy.port());
  check(wants, "http://www.example.test/robots.txt");
  check(wants, "https://www.example.test/robots.txt");
  check("http://user:secret@127.0.0.1:" + std::to_string(closed.number()),
        "http://www.example.test/robots.txt");
  check("ftp://user:secret@127.0.0.1", "http://www.example.test/robots.txt");
  for (const char* const place :
       {"http://user:secret@:3128", "user:secret@", "http://user:secret@a b:1"}) {
    robots::curl_options options;
    options.proxy = place;
    try {
      static_cast<void>(F(options));
      FAIL("the proxy has no host");
    } catch (const std::invalid_argument& error) {
      CHECK(std::string_view(error.what()).find("secret") == std::string_view::npos);
    }
  }
}
