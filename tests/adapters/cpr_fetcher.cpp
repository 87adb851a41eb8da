#include <robots/adapters/cpr_fetcher.hpp>
#include <robots/http/message.hpp>

#include <adapters/fetcher_connection.hpp>
#include <adapters/fetcher_exchange.hpp>
#include <adapters/fetcher_helpers.hpp>
#include <cpr/session.h>
#include <doctest/doctest.h>
#include <support/certificate_authority.hpp>
#include <support/loopback_server.hpp>

#include <chrono>
#include <concepts>
#include <type_traits>

namespace {

using robots::CprFetcher;

static_assert(std::is_nothrow_move_constructible_v<CprFetcher>);
static_assert(std::copyable<CprFetcher>);

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(fetcher_plain, robots::CprFetcher);
TEST_CASE_TEMPLATE_INVOKE(fetcher_headers, robots::CprFetcher);
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
TEST_CASE_TEMPLATE_INVOKE(fetcher_options, robots::CprFetcher);

TEST_CASE("a configured session keeps its settings and cannot undo what a fetcher promises") {
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

  SUBCASE("such as the check of certificates") {
    check_failed(CprFetcher(direct(), configure).fetch(get(server.url("/robots.txt"))),
                 robots::fetch_error::tls);
  }
  SUBCASE("such as one plain exchange") {
    const CprFetcher fetcher(trusting(authority), configure);
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
