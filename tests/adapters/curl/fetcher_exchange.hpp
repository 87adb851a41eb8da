// Cases for every fetcher on libcurl: requests and responses, over real sockets.
//
// Include it after the header under test, and call each case for a fetcher with
// `TEST_CASE_TEMPLATE_INVOKE`.
#pragma once

#include <robots/adapters/curl/curl_options.hpp>
#include <robots/http/message.hpp>

#include <adapters/curl/fetcher_helpers.hpp>
#include <doctest/doctest.h>
#include <support/gzip.hpp>
#include <support/loopback_server.hpp>
#include <support/raw_server.hpp>

#include <chrono>
#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

TEST_CASE_TEMPLATE_DEFINE("A fetcher returns status, headers and body", F, fetcher_plain) {
  using namespace robots::test;
  loopback_server server;
  F fetcher(direct());

  SUBCASE("of a page") {
    server.get("/robots.txt", loopback_reply{.body = std::string(rules),
                                             .headers = {{"ETag", "\"1\""}, {"X-Pad", "  a b  "}}});
    robots::fetch_request request = get(server.url("/robots.txt?q=1"));
    request.headers = {{"User-Agent", "FooBot/1.0"}, {"If-None-Match", "\"0\""}};
    const robots::fetch_response response = fetcher.fetch(request);
    check_answered(response, 200, rules);
    CHECK(value_of(response, "etag") == "\"1\"");
    CHECK(value_of(response, "x-pad") == "a b");
    CHECK(value_of(response, "content-type") == "text/plain");
    const loopback_request got = server.last_request();
    CHECK(got.method == "GET");
    CHECK(got.target == "/robots.txt?q=1");
    CHECK(got.header("User-Agent") == "FooBot/1.0");
    CHECK(got.header("If-None-Match") == "\"0\"");

    CHECK(got.header("Accept-Encoding").find("gzip") != std::string::npos);
  }
  SUBCASE("of a response without a body") {
    server.get("/robots.txt", loopback_reply{.status = 304});
    check_answered(fetcher.fetch(get(server.url("/robots.txt"))), 304, "");
  }
  SUBCASE("of errors") {
    server.get("/robots.txt", loopback_reply{.status = 503, .body = "later"});
    check_answered(fetcher.fetch(get(server.url("/robots.txt"))), 503, "later");
    check_answered(fetcher.fetch(get(server.url("/nothing"))), 404, "");
  }
  SUBCASE("of a request with given headers") {
    const raw_server raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    robots::fetch_request request = get(raw.url());
    request.headers = {{"X-Two", "1"}, {"X-Two", " 2 "}, {"X-Empty", ""}};
    check_answered(fetcher.fetch(request), 200, "");
    CHECK(raw.last_request().starts_with("GET /robots.txt HTTP/1.1\r\n"));
    CHECK(raw.last_request().ends_with("X-Two: 1\r\nX-Two: 2\r\nX-Empty:\r\n\r\n"));
  }
  SUBCASE("without parts of an earlier response") {
    robots::fetch_request request = get(server.url());
    request.headers = {{"User-Agent", "FooBot"}, {"If-None-Match", "\"0\""}};
    static_cast<void>(fetcher.fetch(request));
    static_cast<void>(fetcher.fetch(get(server.url())));
    CHECK(server.last_request().header("User-Agent").empty());
    CHECK(server.last_request().header("If-None-Match").empty());
  }
}

TEST_CASE_TEMPLATE_DEFINE("A fetcher keeps the headers of the final response only", F,
                          fetcher_headers) {
  using namespace robots::test;
  F fetcher(direct());

  SUBCASE("in order, including repeated ones") {
    const raw_server server(
        "HTTP/1.1 200 OK\r\nB: 1\r\nA: 2\r\nb:3\t\r\nEmpty:\r\nContent-Length: 2\r\n\r\nhi");
    const robots::fetch_response response = fetcher.fetch(get(server.url()));
    check_answered(response, 200, "hi");
    std::string seen;
    for (const robots::http_header& header : response.headers) {
      seen += header.name + '=' + header.value + ' ';
    }
    CHECK(seen == "B=1 A=2 b=3 Empty= Content-Length=2 ");
  }
  SUBCASE("without a first line that begins with a blank") {
    for (const char* const line : {" Server: x\r\n", "\tContent-Length: 1\r\n"}) {
      const raw_server server("HTTP/1.1 200 OK\r\n" + std::string(line) +
                              "Content-Length: 2\r\nX-Long: a\r\n b\r\n\r\nhi");
      const robots::fetch_response response = fetcher.fetch(get(server.url()));
      check_answered(response, 200, "hi");
      CHECK(value_of(response, "X-Long") == "a b");
      CHECK(value_of(response, "Server") == "(none)");
    }
  }
  SUBCASE("without those of interim responses") {
    const raw_server server(
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
    const robots::fetch_response response = fetcher.fetch(get(server.url()));
    check_answered(response, 200, "hi");
    CHECK(value_of(response, "Link") == "(none)");
  }
  SUBCASE("without those of a trailer section") {
    const raw_server server(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nLocation: /a\r\n"
        "Cache-Control: max-age=60\r\n\r\n");
    const robots::fetch_response response = fetcher.fetch(get(server.url()));
    check_answered(response, 200, "hi");
    CHECK(value_of(response, "Location") == "(none)");
    CHECK(value_of(response, "Cache-Control") == "(none)");
  }
  SUBCASE("and reports an interim response without a final one as an error") {
    const raw_server server("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
    check_failed(fetcher.fetch(get(server.url())), robots::fetch_error::protocol);
  }
}

TEST_CASE_TEMPLATE_DEFINE("A fetcher skips lines among the headers that are no fields", F,
                          fetcher_stray_lines) {
  using namespace robots::test;
  const std::string start = "HTTP/1.1 200 OK\r\nX-A: b\r\na stray line\r\n";

  SUBCASE("and sends the same request once more, on a new connection") {
    for (const bool keeps : {false, true}) {
      for (const char* const line :
           {"a stray line\r\n", "HTTP/1.1 200 OK\r\n", "<br>\r\n", " Server\r\n", "stray\n"}) {
        CAPTURE(line);
        const raw_server server("HTTP/1.1 200 OK\r\n" + std::string(line) +
                                "X-A: b\r\nContent-Length: 2\r\n\r\nhi");
        loopback_server good;  // ends after the fetcher, whose connection it would else wait for
        good.get("/robots.txt", std::string(rules));
        robots::curl_options options = direct();
        options.keep_connections = keeps;
        F fetcher(options);
        robots::fetch_request request = get(server.url("/a%20b?c=d&e"));
        request.headers = {{"User-Agent", "FooBot/1.0"}, {"If-None-Match", "\"0\""}};
        const robots::fetch_response response = fetcher.fetch(request);
        check_answered(response, 200, "hi");
        CHECK(value_of(response, "X-A") == "b");
        CHECK(response.headers.size() == 2);
        CHECK(server.connections() == 2);
        const std::string sent = server.last_request();
        CHECK(sent.starts_with("GET /a%20b?c=d&e HTTP/1.1\r\nHost: 127.0.0.1:"));
        CHECK(
            sent.ends_with("\r\nUser-Agent: FooBot/1.0\r\nIf-None-Match: \"0\"\r\n"
                           "Connection: close\r\n\r\n"));
        // The handle of the next exchange is as good as new.
        check_answered(fetcher.fetch(get(good.url("/robots.txt"))), 200, rules);
      }
    }
  }
  SUBCASE("also behind an HTTP proxy") {
    for (const char* const line : {"a stray line\r\n", "HTTP/1.1 200 OK\r\n", " Server\r\n"}) {
      CAPTURE(line);
      const raw_server proxy("HTTP/1.1 200 OK\r\n" + std::string(line) +
                             "X-A: b\r\nContent-Length: 2\r\n\r\nhi");
      robots::curl_options options;
      options.proxy = "http://user:secret@127.0.0.1:" + std::to_string(proxy.port());
      const robots::fetch_response response =
          F(options).fetch(get("http://www.example.test/robots.txt"));
      check_answered(response, 200, "hi");
      CHECK(value_of(response, "X-A") == "b");
      CHECK(proxy.connections() == 2);
      const std::string sent = proxy.last_request();
      CHECK(sent.starts_with("GET http://www.example.test/robots.txt HTTP/1.1\r\n"));
      CHECK(sent.find("Proxy-Authorization: ") != std::string::npos);
    }
  }
  SUBCASE("but only once") {
    for (const char* const rest : {"", "X-Ha", "Content-Length: 3\r\n\r\nhi",
                                   "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nhi"}) {
      CAPTURE(rest);
      const raw_server server(start + rest);
      check_failed(F(direct()).fetch(get(server.url())), robots::fetch_error::protocol);
      CHECK(server.connections() == 2);
    }
  }
  SUBCASE("but limits their octets") {
    const raw_server server(start, raw_ending::repeat);
    check_failed(F(direct()).fetch(get(server.url())), robots::fetch_error::protocol);
  }
  SUBCASE("and keeps to the timeout of the request") {
    for (const char* const rest : {"", "Content-Length: 3\r\n\r\nhi"}) {
      const raw_server server(start + rest, raw_ending::stall);
      robots::fetch_request request = get(server.url());
      request.timeout = short_timeout;
      check_failed(F(direct()).fetch(request), robots::fetch_error::timeout);
    }
  }
  SUBCASE("and stops when the caller stops it") {
    const raw_server server(start + "Content-Length: 3\r\n\r\nhi", raw_ending::stall);
    std::stop_source stop;
    robots::fetch_request request = get(server.url());
    request.stop = stop.get_token();
    const std::jthread other([&] {
      while (server.connections() < 2) {
        std::this_thread::yield();
      }
      stop.request_stop();
    });
    check_failed(F(direct()).fetch(request), robots::fetch_error::cancelled);
  }
}

TEST_CASE_TEMPLATE_DEFINE("A fetcher limits the octets of headers", F, fetcher_header_limit) {
  using namespace robots::test;
  constexpr std::string_view start = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n";

  SUBCASE("in one long field") {
    const raw_server server(std::string(start) + "X: " + std::string(70'000, 'x') + "\r\n\r\n");
    F fetcher(direct());
    check_failed(fetcher.fetch(get(server.url())), robots::fetch_error::protocol);
  }
  SUBCASE("in many fields") {
    std::string octets(start);
    for (int i = 0; i < 5'000; ++i) {
      octets += "X-Field: sixteen octets.\r\n";
    }
    const raw_server server(octets + "\r\n");
    F fetcher(direct());
    check_failed(fetcher.fetch(get(server.url())), robots::fetch_error::protocol);
  }
  SUBCASE("in endless interim responses") {
    std::string octets;
    for (int i = 0; i < 5'000; ++i) {
      octets += "HTTP/1.1 103 Early Hints\r\n\r\n";
    }
    const raw_server server(octets + std::string(start) + "\r\n");
    F fetcher(direct());
    check_failed(fetcher.fetch(get(server.url())), robots::fetch_error::protocol);
  }
  SUBCASE("exactly at the limit") {
    const std::string octets = std::string(start) + "\r\n";
    const raw_server server(octets);
    robots::curl_options options = direct();
    options.max_header_bytes = octets.size();
    check_answered(F(options).fetch(get(server.url())), 200, "");
    options.max_header_bytes = octets.size() - 1;
    check_failed(F(options).fetch(get(server.url())), robots::fetch_error::protocol);
  }
}

TEST_CASE_TEMPLATE_DEFINE("A fetcher follows no redirect", F, fetcher_redirect) {
  using namespace robots::test;
  loopback_server server;
  server.get("/target", "never seen");
  F fetcher(direct());

  for (const std::string& location :
       {server.url("/target"), server.url("/robots.txt"), std::string("file:///etc/passwd"),
        std::string("ftp://127.0.0.1/robots.txt")}) {
    CAPTURE(location);
    server.get("/robots.txt", redirect_to(location));
    const robots::fetch_response response = fetcher.fetch(get(server.url("/robots.txt")));
    check_answered(response, 302, "");
    CHECK(value_of(response, "Location") == location);
  }
  CHECK(server.requests() == 4);
}

TEST_CASE_TEMPLATE_DEFINE("A fetcher refuses requests that it must not send", F, fetcher_refusal) {
  using namespace robots::test;
  loopback_server server;
  F fetcher(direct());
  const std::string port = std::to_string(server.port());

  SUBCASE("because of their URL") {
    for (const std::string& url : std::vector<std::string>{
             "file:///etc/passwd", "ftp://127.0.0.1:" + port + "/robots.txt",
             "gopher://127.0.0.1:" + port + "/", "dict://127.0.0.1:" + port + "/", "", "http://",
             "http://127.0.0.1:99999/", "https://[::1/", "http://127.0.0.1:" + port + "/a b",
             "http://127.0.0.1:" + port + "/a\r\nX: y",
             ("http://127.0.0.1:" + port + "/") + std::string("\0x", 2),
             "http://user@127.0.0.1:" + port + "/robots.txt",
             "http://user:secret@127.0.0.1:" + port + "/robots.txt"}) {
      CAPTURE(url);
      check_failed(fetcher.fetch(get(url)), robots::fetch_error::protocol);
    }
  }
  SUBCASE("because of their headers") {
    for (const robots::http_header& header :
         std::vector<robots::http_header>{{"X", "a\r\nY: b"},
                                          {"X\nY", "a"},
                                          {"X: a", "b"},
                                          {"", "a"},
                                          {"X", std::string("a\0b", 3)}}) {
      robots::fetch_request request = get(server.url());
      request.headers = {header};
      check_failed(fetcher.fetch(request), robots::fetch_error::protocol);
    }
  }
  CHECK(server.connections() == 0);
}

TEST_CASE_TEMPLATE_DEFINE("A fetcher keeps max_bytes of the decoded body", F, fetcher_body_limit) {
  using namespace robots::test;
  constexpr std::size_t limit = 512'000;
  loopback_server server;
  F fetcher(direct());
  robots::fetch_request request = get(server.url("/robots.txt"));
  request.max_bytes = limit;

  SUBCASE("if the body is longer by one octet") {
    server.get("/robots.txt", std::string(limit + 1, '#'));
    check_truncated(fetcher.fetch(request), limit);
  }
  SUBCASE("and the whole body if it has exactly max_bytes") {
    const std::string body(limit, '#');
    server.get("/robots.txt", body);
    check_answered(fetcher.fetch(request), 200, body);
  }
  SUBCASE("and the whole body if there is no limit") {
    const std::string body(3 * limit, '#');
    server.get("/robots.txt", body);
    request.max_bytes = 0;
    check_answered(fetcher.fetch(request), 200, body);
  }
  SUBCASE("and all headers if the body never ends") {
    server.get("/robots.txt", loopback_reply{.body = std::string(10'000, '#'),
                                             .headers = {{"ETag", "\"1\""}},
                                             .endless = true});
    const robots::fetch_response response = fetcher.fetch(request);
    check_truncated(response, limit);
    CHECK(value_of(response, "ETag") == "\"1\"");
  }
  SUBCASE("if 100 MB come as 100 kB of gzip") {
    const std::string bomb = gzip(std::string(1'000'000, '\0'), 100);
    CHECK(bomb.size() < 200'000);
    server.get("/robots.txt",
               loopback_reply{.body = bomb, .headers = {{"Content-Encoding", "gzip"}}});
    check_truncated(fetcher.fetch(request), limit);
  }
  SUBCASE("if 10 MB come as 27 octets of brotli") {
    constexpr std::string_view bomb =
        "\xcb\xff\xff\x3f\xf8\x25\x46\xe2\xb1\x40\x20\xf7\xfe\x2f\xff\x2c\x31\xf0\x4b\x00\xc4\x61"
        "\x11\x80\x8e\x23\x06";
    server.get("/robots.txt",
               loopback_reply{.body = std::string(bomb), .headers = {{"Content-Encoding", "br"}}});
    if (decodes_brotli()) {
      check_truncated(fetcher.fetch(request), limit);
    } else {
      check_failed(fetcher.fetch(request), robots::fetch_error::protocol);
    }
  }
  SUBCASE("and can make another exchange after that") {
    server.get("/robots.txt", std::string(limit + 1, '#'));
    server.get("/other", "all is well");
    check_truncated(fetcher.fetch(request), limit);
    check_answered(fetcher.fetch(get(server.url("/other"))), 200, "all is well");
  }
}

TEST_CASE_TEMPLATE_DEFINE("A fetcher decodes content", F, fetcher_decoding) {
  using namespace robots::test;
  F fetcher(direct());
  const auto fetched = [&](const std::string& fields, const std::string& body) {
    const raw_server server("HTTP/1.1 200 OK\r\n" + fields +
                            "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return fetcher.fetch(get(server.url()));
  };
  const auto check_refused = [](const robots::fetch_response& response) {
    check_failed(response, robots::fetch_error::protocol);
  };

  SUBCASE("in gzip and in both forms of deflate, under all their names") {
    check_answered(fetched("Content-Encoding: gzip\r\n", gzip(rules)), 200, rules);
    check_answered(fetched("content-encoding:X-GZip \r\n", gzip(rules)), 200, rules);
    check_answered(fetched("Content-Encoding: deflate\r\n", zlib_format(rules)), 200, rules);
    check_answered(fetched("Content-Encoding: deflate\r\n", raw_deflate(rules)), 200, rules);
  }
  SUBCASE("and does not change content without a coding") {
    check_answered(fetched("Content-Encoding: identity\r\n", std::string(rules)), 200, rules);
    check_answered(fetched("Content-Encoding:\r\n", std::string(rules)), 200, rules);
  }
  SUBCASE("in several layers") {
    const std::string twice = gzip(gzip(rules));
    check_answered(fetched("Content-Encoding: gzip, gzip\r\n", twice), 200, rules);
  }
  SUBCASE("in chunks") {
    const std::string whole = gzip(rules);
    REQUIRE(whole.size() >= 0x10);
    REQUIRE(whole.size() < 0x100);
    std::ostringstream size;
    size << std::hex << whole.size();
    const raw_server server(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n" +
        size.str() + "\r\n" + whole + "\r\n0\r\n\r\n");
    check_answered(fetcher.fetch(get(server.url())), 200, rules);
  }
  SUBCASE("but reports content that is neither text nor has a known coding") {
    const std::string octets = "\1\2\3\4\5\6\7\x0E";
    check_refused(fetched("Content-Encoding: gzip\r\n", octets));
    check_refused(fetched("Content-Encoding: nonsense\r\n", octets));
    check_refused(fetched("Content-Encoding: a, b, c, d, e, f\r\n", std::string(rules)));
  }
  SUBCASE("but reports a connection that breaks") {
    const std::string whole = gzip(rules);
    const raw_server server("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " +
                            std::to_string(whole.size()) + "\r\n\r\n" +
                            whole.substr(0, whole.size() - 1));
    check_refused(fetcher.fetch(get(server.url())));
  }
  SUBCASE("but reports a transfer coding without chunks") {
    const std::string whole = gzip(rules);
    for (const std::string& body :
         {whole, whole.substr(0, whole.size() - 1), whole.substr(0, whole.size() / 2)}) {
      const raw_server server("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n" + body);
      check_refused(fetcher.fetch(get(server.url())));
    }
    const raw_server server("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n" + whole);
    CHECK(fetcher.fetch(get(server.url())).error_text ==
          "neither a length nor chunks mark the end of the encoded body");
  }
  SUBCASE("of the final response, whatever an interim response or a trailer says") {
    const raw_server interim(
        "HTTP/1.1 103 Early Hints\r\nContent-Encoding: br\r\n\r\n"
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
    check_answered(fetcher.fetch(get(interim.url())), 200, "hi");
    const raw_server trailer(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        "2\r\nhi\r\n0\r\nContent-Encoding: gzip\r\n\r\n");
    check_answered(fetcher.fetch(get(trailer.url())), 200, "hi");
  }
  SUBCASE("and accepts an empty body with any coding") {
    check_answered(fetched("Content-Encoding: gzip\r\n", ""), 200, "");
    check_answered(fetched("Content-Encoding: br\r\n", ""), 200, "");
    const raw_server unchanged("HTTP/1.1 304 Not Modified\r\nContent-Encoding: gzip\r\n\r\n");
    check_answered(fetcher.fetch(get(unchanged.url())), 304, "");
  }
  SUBCASE("of an error, and returns only the status if the content is broken") {
    loopback_server server;
    const auto answer = [&](int status, const std::string& coding, const std::string& body) {
      server.get("/robots.txt",
                 loopback_reply{
                     .status = status, .body = body, .headers = {{"Content-Encoding", coding}}});
      return fetcher.fetch(get(server.url("/robots.txt")));
    };
    const std::string whole = gzip(rules);
    check_answered(answer(404, "gzip", whole), 404, rules);
    for (const int status : {301, 404, 503}) {
      check_answered(answer(status, "gzip", whole.substr(0, 20)), status, "");
      check_answered(answer(status, "nonsense", "\1\2\3\4\5\6\7\x0E"), status, "");
      const raw_server unmarked("HTTP/1.1 " + std::to_string(status) +
                                " Status\r\nContent-Encoding: deflate\r\n\r\n" +
                                raw_deflate(rules));
      check_answered(fetcher.fetch(get(unmarked.url())), status, "");
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("A fetcher sends no cookies", F, fetcher_cookies) {
  using namespace robots::test;
  loopback_server server;
  server.get("/robots.txt", loopback_reply{.body = std::string(rules),
                                           .headers = {{"Set-Cookie", "id=1; Path=/"}}});
  robots::curl_options keeping = direct();
  keeping.keep_connections = true;
  F fetcher(keeping);
  for (int i = 0; i < 2; ++i) {
    const robots::fetch_response response = fetcher.fetch(get(server.url("/robots.txt")));
    CHECK(value_of(response, "Set-Cookie") == "id=1; Path=/");
    CHECK(server.last_request().header("Cookie").empty());
  }
  CHECK(server.connections() == 1);
}

TEST_CASE_TEMPLATE_DEFINE("A fetcher refuses impossible options", F, fetcher_options) {
  using namespace robots::test;
  const auto refused = [](auto change) {
    robots::curl_options options = direct();
    change(options);
    CHECK_THROWS_AS(F{options}, std::invalid_argument);
  };
  refused([](robots::curl_options& o) { o.connect_timeout = std::chrono::milliseconds(0); });
  refused([](robots::curl_options& o) { o.connect_timeout = std::chrono::milliseconds(-1); });
  refused([](robots::curl_options& o) { o.max_header_bytes = 0; });
  refused([](robots::curl_options& o) { o.ca_file = "/nonexistent/ca.pem"; });
  refused([](robots::curl_options& o) { o.ca_file = "/"; });
  refused([](robots::curl_options& o) { o.ca_path = "/nonexistent"; });
  refused([](robots::curl_options& o) { o.proxy = "http://"; });
  refused([](robots::curl_options& o) { o.proxy = "no proxy"; });
  refused([](robots::curl_options& o) { o.connect_to = {"example.com:443"}; });
  refused([](robots::curl_options& o) { o.connect_timeout = std::chrono::milliseconds::min(); });
  CHECK_NOTHROW(F{});
  CHECK_NOTHROW(F{robots::curl_options{}});
}

TEST_CASE_TEMPLATE_DEFINE("A fetcher accepts the longest times", F, fetcher_long_times) {
  using std::chrono::milliseconds;
  using namespace robots::test;
  loopback_server server;
  server.get("/robots.txt", std::string(rules));
  for (const milliseconds longest : {milliseconds::max() - milliseconds(1), milliseconds::max()}) {
    robots::curl_options options = direct();
    options.connect_timeout = longest;
    F fetcher(options);
    robots::fetch_request request = get(server.url("/robots.txt"));
    check_answered(fetcher.fetch(request), 200, rules);
    request.timeout = longest;
    check_answered(fetcher.fetch(request), 200, rules);
    request.timeout = milliseconds::min();
    check_failed(fetcher.fetch(request), robots::fetch_error::timeout);
  }
}
