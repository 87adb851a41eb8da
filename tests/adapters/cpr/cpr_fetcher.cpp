#include <robots/adapters/cpr/cpr_fetcher.hpp>

#include <robots/http/message.hpp>

#include <adapters/curl/fetcher_connection.hpp>
#include <adapters/curl/fetcher_exchange.hpp>
#include <adapters/curl/fetcher_guard.hpp>
#include <adapters/curl/fetcher_helpers.hpp>
#include <cpr/session.h>
#include <doctest/doctest.h>
#include <fetch/fetcher_conformance.hpp>
#include <support/certificate_authority.hpp>
#include <support/loopback_server.hpp>
#include <support/scoped_variable.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <type_traits>

namespace {

using robots::CprFetcher;

static_assert(std::is_nothrow_move_constructible_v<CprFetcher>);
static_assert(std::copyable<CprFetcher>);

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(fetcher_plain, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_headers, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_stray_lines, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_header_limit, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_tls, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_redirect, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_refusal, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_body_limit, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_decoding, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_timeout, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_connect_timeout, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_stop, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_reuse, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_broken_peer, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_cookies, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_proxy, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_failing_proxy, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_options, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_long_times, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_guard, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_allow_list, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_guard_ipv6, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_guard_proxy, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_bad_allow_list, robots::CprFetcher);

TEST_CASE("A configured session keeps its settings and cannot break the rules of a fetcher") {
  using namespace robots::test;
  certificate_authority authority;
  loopback_server server(authority.issue({"127.0.0.1"}));
  server.get("/robots.txt", redirect_to(server.url("/target")));
  int sessions = 0;
  const auto configure = [&sessions](cpr::Session& session) {
    ++sessions;
    session.SetRedirect(cpr::Redirect(true));
    session.SetVerifySsl(cpr::VerifySsl(false));
    session.SetCookies(cpr::Cookies{{"id", "1"}});
    session.SetUserAgent(cpr::UserAgent("cpr"));
    session.SetBody(cpr::Body("a body"));
    session.SetTimeout(cpr::Timeout(std::chrono::milliseconds(1)));
    session.SetRange(cpr::Range(0, 1));
  };

  SUBCASE("it cannot switch off the check of certificates") {
    check_failed(CprFetcher(direct(), configure).fetch(get(server.url("/robots.txt"))),
                 robots::fetch_error::tls);
  }
  SUBCASE("it cannot follow redirects or send cookies") {
    robots::curl_options keeping = trusting(authority);
    keeping.keep_connections = true;
    const CprFetcher fetcher(keeping, configure);
    for (int i = 0; i < 3; ++i) {
      check_answered(fetcher.fetch(get(server.url("/robots.txt"))), 302, "");
      const loopback_request got = server.last_request();
      CHECK(got.method == "GET");
      CHECK(got.header("Cookie").empty());
      CHECK(got.header("User-Agent").empty());
      CHECK(got.header("Content-Length").empty());
      CHECK(got.header("Range") == "bytes=0-1");
    }
    CHECK(sessions == 1);
    CHECK(server.connections() == 1);
  }
}

TEST_CASE("No setting of a session gets past the guard") {
  using namespace robots::test;
  loopback_server server;
  server.get("/robots.txt", std::string(rules));
  const std::string port = std::to_string(server.port());
  const std::string url = server.url("/robots.txt", "www.example.test");

  SUBCASE("by a name that the session resolves itself") {
    const auto configure = [&server](cpr::Session& session) {
      session.SetResolves(
          {cpr::Resolve("www.example.test", "127.0.0.1",
                        std::set<std::uint16_t>{static_cast<std::uint16_t>(server.port())})});
    };
    check_refused(CprFetcher(allowing({}), configure).fetch(get(url)), "127.0.0.1 (loopback)");
    CHECK(server.connections() == 0);
    check_answered(CprFetcher(allowing({"127.0.0.1"}), configure).fetch(get(url)), 200, rules);
  }
  SUBCASE("by a socket of another family") {
    const auto configure = [](cpr::Session& session) {
      session.SetUnixSocket(cpr::UnixSocket("/nonexistent/socket"));
    };
    check_refused(CprFetcher(allowing({}), configure).fetch(get(server.url())), "127.0.0.1");
    check_failed(CprFetcher(unguarded(), configure).fetch(get(server.url())),
                 robots::fetch_error::connect);
  }
  SUBCASE("by a callback that opens sockets") {
    const auto configure = [](cpr::Session& session) {
      const auto open = +[](void*, curlsocktype, curl_sockaddr* place) -> curl_socket_t {
        return ::socket(place->family, place->socktype, place->protocol);
      };
      curl_easy_setopt(session.GetCurlHolder()->handle, CURLOPT_OPENSOCKETFUNCTION, open);
    };
    check_refused(CprFetcher(allowing({}), configure).fetch(get(server.url())), "127.0.0.1");
  }
  SUBCASE("by connections shared with sessions that have no guard") {
    // The URL has a name, since an address is refused before a shared connection is looked up.
    const std::unique_ptr<CURLSH, CURLSHcode (*)(CURLSH*)> share(curl_share_init(),
                                                                 &curl_share_cleanup);
    curl_share_setopt(share.get(), CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT);
    const auto configure = [&share](cpr::Session& session) {
      curl_easy_setopt(session.GetCurlHolder()->handle, CURLOPT_SHARE, share.get());
    };
    const auto led = [&server](robots::curl_options options) {
      options.connect_to = {server.connect_to("www.example.test", server.port())};
      options.keep_connections = true;
      return options;
    };
    const CprFetcher open(led(unguarded()), configure);
    check_answered(open.fetch(get(url)), 200, rules);
    check_answered(open.fetch(get(url)), 200, rules);
    CHECK(server.connections() == 1);
    const CprFetcher guarded(led(allowing({})), configure);
    check_refused(guarded.fetch(get(url)), "127.0.0.1 (loopback)");
    CHECK(server.connections() == 1);
    CHECK(server.requests() == 2);
    check_answered(CprFetcher(led(allowing({"127.0.0.1"})), configure).fetch(get(url)), 200, rules);
  }
  SUBCASE("by a proxy") {
    server.otherwise([](const loopback_request& request) {
      return loopback_reply{.body = "by proxy: " + request.target};
    });
    const auto configure = [&port](cpr::Session& session) {
      session.SetProxies(cpr::Proxies{{"http", "127.0.0.1:" + port}});
    };
    robots::curl_options options = allowing({});
    options.proxy.reset();
    check_refused(CprFetcher(options, configure).fetch(get("http://www.example.test/")),
                  "127.0.0.1 (loopback)");
    CHECK(server.connections() == 0);
    options.allowed_addresses = {"127.0.0.1"};
    const CprFetcher fetcher(options, configure);
    check_answered(fetcher.fetch(get("http://www.example.test/")), 200,
                   "by proxy: http://www.example.test/");
    check_refused(fetcher.fetch(get("http://10.0.0.1/")), "10.0.0.1 (private_use)");
    CHECK(server.requests() == 1);
  }
  SUBCASE("by exemptions from a proxy of the options") {
    server.otherwise([](const loopback_request& request) {
      return loopback_reply{.body = "by proxy: " + request.target};
    });
    const auto configure = [](cpr::Session& session) {
      curl_easy_setopt(session.GetCurlHolder()->handle, CURLOPT_NOPROXY, "*");
    };
    const scoped_variable no_exemption("no_proxy", "");
    const scoped_variable nor_here("NO_PROXY", "");
    check_answered(CprFetcher(by_proxy(server), configure).fetch(get("http://localhost.test/")),
                   200, "by proxy: http://localhost.test/");
  }
}

TEST_CASE("CprFetcher keeps the promises of a Fetcher") {
  robots::test::fetcher_conformance([] { return CprFetcher{robots::test::direct()}; });
}

TEST_CASE("A session that accepts codings does not decode before the fetcher") {
  using namespace robots::test;
  fetcher_conformance([] {
    return CprFetcher{direct(), [](cpr::Session& session) {
                        session.SetAcceptEncoding(cpr::AcceptEncoding{
                            cpr::AcceptEncodingMethods::gzip, cpr::AcceptEncodingMethods::deflate});
                      }};
  });
}
