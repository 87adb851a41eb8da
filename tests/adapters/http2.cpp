// CurlFetcher and a cache over HTTP/2, spoken by nghttpd, which speaks nothing else: to a client
// that does not offer h2 it gives no answer, so that each answer here came over HTTP/2.
#include "fetcher_helpers.hpp"
#include "support/certificate_authority.hpp"
#include "support/nghttpd.hpp"
#include <robots/adapters/curl_fetcher.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/time/manual_clock.hpp>

#include <curl/curl.h>
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

using namespace robots::test;
using robots::CurlFetcher;
using robots::decision;
using robots::fetch_request;
using robots::fetch_response;

namespace {

struct http2_server {
  http2_server() { at.put("robots.txt", rules); }

  certificate_authority authority;
  nghttpd at{ROBOTS_NGHTTPD, authority.issue({"127.0.0.1", "*.example.test"})};
};

using http2_cache = robots::basic_robots_cache<CurlFetcher, robots::ManualClock>;

http2_cache strict_cache(const CurlFetcher& fetcher) {
  return http2_cache{{.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::strict()},
                     fetcher};
}

bool skipped() {
  if (libcurl_knows(CURL_VERSION_HTTP2)) {
    return false;
  }
  MESSAGE("skipped: this libcurl knows no HTTP/2");
  return true;
}

}  // namespace

TEST_CASE("a fetcher speaks HTTP/2 to a server that does") {
  if (skipped()) {
    return;
  }
  const http2_server server;
  const CurlFetcher fetcher(trusting(server.authority));
  fetch_request request = get(server.at.url());
  request.headers = {{"User-Agent", "FooBot/1.0"}};
  const fetch_response response = fetcher.fetch(request);
  check_answered(response, 200, rules);
  CHECK(value_of(response, "Content-Length") == std::to_string(rules.size()));
  check_answered(fetcher.fetch(get(server.at.url())), 200, rules);
  CHECK(fetcher.fetch(get(server.at.url("/nothing"))).status == 404);
  CHECK(fetcher.connections_opened() == 1);
  CHECK(server.at.said("The negotiated protocol: h2") == 1);
  CHECK(server.at.said(":path: /robots.txt") == 2);
  CHECK(server.at.said("user-agent: FooBot/1.0") == 1);

  request.max_bytes = 10;
  check_truncated(fetcher.fetch(request), 10);
}

TEST_CASE("a client that offers HTTP/1.1 alone gets no answer from this server") {
  const http2_server server;
  const robots::adapters_detail::curl_easy easy = robots::adapters_detail::make_curl_easy();
  curl_easy_setopt(easy.get(), CURLOPT_URL, server.at.url().c_str());
  curl_easy_setopt(easy.get(), CURLOPT_CAINFO, server.authority.ca_file().c_str());
  curl_easy_setopt(easy.get(), CURLOPT_PROXY, "");
  curl_easy_setopt(easy.get(), CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  CHECK(curl_easy_perform(easy.get()) != CURLE_OK);
}

TEST_CASE("a cache works over HTTP/2, asked by many threads for many sites") {
  if (skipped()) {
    return;
  }
  constexpr std::size_t threads = 16;
  constexpr std::size_t sites = 20;
  const http2_server server;
  robots::curl_options options = trusting(server.authority);
  options.connect_to = {server.at.connect_all_to(443)};
  const CurlFetcher fetcher(options);
  http2_cache cache = strict_cache(fetcher);
  std::atomic<std::size_t> wrong = 0;
  {
    std::vector<std::jthread> callers;
    for (std::size_t i = 0; i < threads; ++i) {
      callers.emplace_back([&cache, &wrong] {
        for (std::size_t site = 0; site < sites; ++site) {
          const std::string host = "https://s" + std::to_string(site) + ".example.test";
          const decision open = cache.check(host + "/open");
          const decision closed = cache.check(host + "/private/x");
          if (!open.allowed || closed.allowed || to_string(closed.reason) != "rule") {
            ++wrong;
          }
        }
      });
    }
  }
  CHECK(wrong == 0);
  CHECK(cache.stats().retrievals == sites);
  CHECK(server.at.said(":path: /robots.txt") == sites);
  CHECK(server.at.said("The negotiated protocol: h2") == fetcher.connections_opened());
}

TEST_CASE("where an HTTP/2 server has no robots.txt, a strict cache allows") {
  if (skipped()) {
    return;
  }
  certificate_authority authority;
  const nghttpd server(ROBOTS_NGHTTPD, authority.issue({"127.0.0.1"}));
  http2_cache cache = strict_cache(CurlFetcher(trusting(authority)));
  const decision made = cache.check(server.url("/x"));
  CHECK(made.allowed);
  CHECK(to_string(made.policy->source().outcome) == "not_found");
}
