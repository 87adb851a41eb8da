// CurlFetcher against servers with faulty TLS.
#include "fetcher_helpers.hpp"
#include "support/certificate_authority.hpp"
#include "support/fault_server.hpp"
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/testing/manual_clock.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace robots::test;
using robots::CurlFetcher;
using robots::decision;
using robots::fetch_error;

namespace {

constexpr const char* host = "site.example.test";

fault_plan allows_all(const fault_request&) { return {.body = "User-agent: *\nAllow: /\n"}; }

/// A fault of a TLS server, and the error of a fetcher.
struct tls_case {
  std::string name;
  certificate identity;
  tls_fault kind = tls_fault::none;
  fetch_error error = fetch_error::tls;
};

std::vector<tls_case> tls_cases(certificate_authority& trusted, certificate_authority& unknown) {
  const certificate good = trusted.issue({host});
  return {
      {.name = "good", .identity = good, .error = fetch_error::none},
      {.name = "expired", .identity = trusted.issue({host}, expired)},
      {.name = "not yet valid", .identity = trusted.issue({host}, not_yet_valid)},
      {.name = "another name", .identity = trusted.issue({"other.example.test"})},
      {.name = "unknown authority", .identity = unknown.issue({host})},
      {.name = "self-signed", .identity = unknown.self_signed({host})},
      {.name = "old versions", .identity = good, .kind = tls_fault::old_versions_only},
      {.name = "leaves silently",
       .identity = good,
       .kind = tls_fault::leaves_silently,
       .error = fetch_error::none},
      {.name = "closes", .identity = good, .kind = tls_fault::closes_handshake},
      {.name = "resets", .identity = good, .kind = tls_fault::resets_handshake},
      {.name = "garbles", .identity = good, .kind = tls_fault::garbles_handshake},
      {.name = "plain text", .identity = good, .kind = tls_fault::speaks_plain_text},
  };
}

/// Returns options that connect to the server instead of `host`.
robots::curl_options options_for(const fault_server& server, const certificate_authority& trusted) {
  robots::curl_options options = trusting(trusted);
  options.connect_to = {server.connect_all_to(443)};
  return options;
}

}  // namespace

TEST_CASE("A server with any fault in its TLS gets no request, and the error is tls") {
  certificate_authority trusted;
  certificate_authority unknown;
  for (const tls_case& tested : tls_cases(trusted, unknown)) {
    CAPTURE(tested.name);
    const fault_server server(allows_all, tested.identity, tested.kind);
    const CurlFetcher fetcher(options_for(server, trusted));
    const auto response = fetcher.fetch(get("https://" + std::string(host) + "/robots.txt"));
    if (tested.error == fetch_error::none) {
      check_answered(response, 200, "User-agent: *\nAllow: /\n");
      continue;
    }
    check_failed(response, tested.error);
    CHECK(server.requests() == 0);
    CHECK(server.connections() == 1);
  }
}

TEST_CASE("A strict cache allows nothing after a TLS error, and names the error") {
  certificate_authority trusted;
  certificate_authority unknown;
  for (const tls_case& tested : tls_cases(trusted, unknown)) {
    CAPTURE(tested.name);
    const fault_server server(allows_all, tested.identity, tested.kind);
    robots::basic_robots_cache<CurlFetcher, robots::ManualClock> cache{
        {.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::strict()},
        CurlFetcher{options_for(server, trusted)}};
    const decision answer = cache.check("https://" + std::string(host) + "/x");
    CAPTURE(explain(answer));
    CHECK(answer.allowed == (tested.error == fetch_error::none));
    if (!answer.allowed) {
      CHECK(to_string(answer.policy->last_retrieval().outcome) == "unreachable");
      CHECK(to_string(answer.policy->last_retrieval().error) == to_string(tested.error));
      CHECK(explain(answer).find(answer.policy->last_retrieval().error_text) != std::string::npos);
    }
  }
}

TEST_CASE("A fetcher speaks HTTP/1.1 to a server that prefers HTTP/2") {
  certificate_authority trusted;
  const fault_server server(allows_all, trusted.issue({host}));
  const CurlFetcher fetcher(options_for(server, trusted));
  check_answered(fetcher.fetch(get("https://" + std::string(host) + "/robots.txt")), 200,
                 "User-agent: *\nAllow: /\n");
  CHECK(server.requests() == 1);
}

TEST_CASE("A body without a length is whole only if TLS marks its end") {
  certificate_authority trusted;
  const certificate identity = trusted.issue({host});
  const auto unsized = [](const fault_request&) {
    return fault_plan{.kind = fault::unsized_body, .body = "User-agent: *\nAllow: /\n"};
  };
  for (const bool silent : {false, true}) {
    CAPTURE(silent);
    const fault_server server(unsized, identity,
                              silent ? tls_fault::leaves_silently : tls_fault::none);
    const CurlFetcher fetcher(options_for(server, trusted));
    for (int round = 0; round < 2; ++round) {
      const auto response = fetcher.fetch(get("https://" + std::string(host) + "/robots.txt"));
      if (silent) {
        check_failed(response, fetch_error::protocol);
        constexpr std::string_view why =
            "TLS ended without close_notify, perhaps before the body did";
        const bool found_by_libcurl =
            response.error_text.find("unexpected eof") != std::string::npos;
        CHECK((found_by_libcurl ? why : response.error_text) == why);  // since libcurl 8.14
      } else {
        check_answered(response, 200, "User-agent: *\nAllow: /\n");
      }
    }
  }
}

TEST_CASE("A whole compressed body needs neither a length nor close_notify") {
  certificate_authority trusted;
  for (const fault kind : {fault::unsized_gzip, fault::cut_gzip}) {
    const fault_server server(
        [kind](const fault_request&) {
          return fault_plan{.kind = kind, .body = "User-agent: *\nAllow: /\n"};
        },
        trusted.issue({host}), tls_fault::leaves_silently);
    const CurlFetcher fetcher(options_for(server, trusted));
    const auto response = fetcher.fetch(get("https://" + std::string(host) + "/robots.txt"));
    if (kind == fault::unsized_gzip) {
      check_answered(response, 200, "User-agent: *\nAllow: /\n");
    } else {
      check_failed(response, fetch_error::protocol);
    }
  }
}

TEST_CASE("Neither a body with a length nor an empty body needs close_notify") {
  certificate_authority trusted;
  const fault_server server(
      [](const fault_request& request) {
        return request.path == "/none" ? fault_plan{.status = 204}
                                       : fault_plan{.body = std::string(request.path)};
      },
      trusted.issue({host}), tls_fault::leaves_silently);
  const CurlFetcher fetcher(options_for(server, trusted));
  check_answered(fetcher.fetch(get("https://" + std::string(host) + "/x")), 200, "/x");
  check_answered(fetcher.fetch(get("https://" + std::string(host) + "/none")), 204, "");
}
