// CurlFetcher, alone and under a cache, against a server with every known fault.
#include "fault_cases.hpp"
#include "fetcher_helpers.hpp"
#include "support/certificate_authority.hpp"
#include "support/fault_server.hpp"
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/testing/manual_clock.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

using namespace robots::test;
using robots::CurlFetcher;
using robots::decision;
using robots::fetch_error;
using robots::fetch_request;
using robots::fetch_response;
using robots::ManualClock;

namespace {

constexpr std::size_t body_limit = 512'000;
constexpr const char* good_path = "/good";
constexpr const char* good_body = "User-agent: *\nDisallow: /good\n";

/// An HTTP or HTTPS server with one fault at /robots.txt and a correct response at /good.
class faulty_server {
 public:
  /// If `has_stray_line` is true, the headers of the response have a line without a colon.
  faulty_server(fault kind, bool secure, bool has_stray_line = false) : what_(kind) {
    const auto plan = [this, has_stray_line](const fault_request& request) {
      if (request.path == good_path) {
        return fault_plan{.body = good_body};
      }
      fault_plan faulty{.kind = what_, .body = denies_in_the_end()};
      if (has_stray_line) {
        faulty.headers = {{"a stray line\r\nX-After", "1"}};
      }
      return faulty;
    };
    if (secure) {
      server_ = std::make_unique<fault_server>(plan, authority_.issue({"127.0.0.1"}));
    } else {
      server_ = std::make_unique<fault_server>(plan);
    }
  }

  [[nodiscard]] fault_server* operator->() const noexcept { return server_.get(); }
  [[nodiscard]] robots::curl_options options() const { return trusting(authority_); }

 private:
  fault what_;
  certificate_authority authority_;
  std::unique_ptr<fault_server> server_;
};

/// Checks that `response` matches `wanted`, and that it has the whole body or reports an error.
void check_response(const fetch_response& response, const fault_case& wanted) {
  const std::string body = denies_in_the_end();
  if (wanted.error != fetch_error::none) {
    check_failed(response, wanted.error);
  } else if (wanted.truncated) {
    check_truncated(response, body_limit);
    CHECK(response.body.starts_with(body));
  } else {
    check_answered(response, wanted.status, wanted.status == 200 ? body : std::string());
  }
}

using faulty_cache = robots::basic_robots_cache<CurlFetcher, ManualClock>;

robots::cache_options strict_options() {
  robots::cache_options options{.user_agent = "FooBot/1.0",
                                .fallback = robots::fallback_policy::strict()};
  options.retry.attempts = 1;  // the requests of one attempt are counted
  return options;
}

}  // namespace

TEST_CASE("The table has a row for every fault except a stall") {
  const std::vector<fault_case> table = fault_cases();
  for (const fault fault_kind : all_faults) {
    CAPTURE(to_string(fault_kind));
    const auto rows = std::ranges::count(table, fault_kind, &fault_case::kind);
    CHECK(rows == (fault_kind == fault::stalled ? 0 : 1));
  }
}

TEST_CASE("A fault causes an error or a whole response, and does not affect the next exchange") {
  for (const bool secure : {false, true}) {
    for (const fault_case& wanted : fault_cases()) {
      CAPTURE(secure);
      CAPTURE(to_string(wanted.kind));
      const faulty_server server(wanted.kind, secure);
      const CurlFetcher fetcher(server.options());
      fetch_request request = get(server->url());
      request.max_bytes = body_limit;
      check_response(fetcher.fetch(request), wanted);
      CHECK(server->requests() == 1);
      check_answered(fetcher.fetch(get(server->url(good_path))), 200, good_body);
      CHECK(server->requests() == 2);
      CHECK(server->connections() <= 2);
    }
  }
}

TEST_CASE("A fault causes the same result if the headers have a line without a colon") {
  for (const bool secure : {false, true}) {
    for (const fault_case& wanted : fault_cases()) {
      CAPTURE(secure);
      CAPTURE(to_string(wanted.kind));
      const faulty_server server(wanted.kind, secure, true);
      const CurlFetcher fetcher(server.options());
      fetch_request request = get(server->url());
      request.max_bytes = body_limit;
      check_response(fetcher.fetch(request), wanted);
      CHECK(server->requests() <= 2);
      check_answered(fetcher.fetch(get(server->url(good_path))), 200, good_body);
    }
  }
}

TEST_CASE("A fault on a reused connection causes the same error as on a new one") {
  for (const fault_case& wanted : fault_cases()) {
    CAPTURE(to_string(wanted.kind));
    const faulty_server server(wanted.kind, false);
    robots::curl_options keeping = server.options();
    keeping.keep_connections = true;
    const CurlFetcher fetcher(keeping);
    check_answered(fetcher.fetch(get(server->url(good_path))), 200, good_body);
    fetch_request request = get(server->url());
    request.max_bytes = body_limit;
    check_response(fetcher.fetch(request), wanted);
    // RFC 9112, section 9.3.1: if a kept connection is closed, the client may repeat the request.
    const bool unanswered =
        wanted.kind == fault::reset_before_response || wanted.kind == fault::close_before_response;
    CHECK(server->requests() == (unanswered ? 3 : 2));
  }
}

TEST_CASE("A stop ends an exchange whose body stalls, and closes the connection") {
  for (const bool secure : {false, true}) {
    CAPTURE(secure);
    const faulty_server server(fault::stalled, secure);
    const CurlFetcher fetcher(server.options());
    std::stop_source stop;
    const std::jthread other([&] {
      server->wait_for_requests(1);
      stop.request_stop();
    });
    fetch_request request = get(server->url());
    request.stop = stop.get_token();
    check_failed(fetcher.fetch(request), fetch_error::cancelled);
    server->wait_until_alone();
  }
}

TEST_CASE("No fault makes a strict cache allow a URL that the site denied") {
  for (const bool secure : {false, true}) {
    for (const fault_case& wanted : fault_cases()) {
      CAPTURE(secure);
      CAPTURE(to_string(wanted.kind));
      const faulty_server server(wanted.kind, secure);
      faulty_cache cache{strict_options(), CurlFetcher{server.options()}};
      const decision answer = cache.check(server->url("/x"));
      CAPTURE(explain(answer));
      CHECK_FALSE(answer.allowed);
      CHECK(to_string(answer.reason) == (wanted.status == 200 ? "rule" : "fallback"));
      CHECK(server->requests() == wanted.requests);
      CHECK(answer.policy->last_retrieval().exchanges.size() == wanted.requests);
      // The cache keeps the result, even of a failure.
      CHECK_FALSE(cache.check(server->url("/y")).allowed);
      CHECK(server->requests() == wanted.requests);
    }
  }
}
