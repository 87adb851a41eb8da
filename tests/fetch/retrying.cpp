// Retrievals: failures, conditional requests, limits.
#include "fetch/retrieval_state.hpp"
#include <robots/fetch/origin_breakers.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <variant>

using namespace std::chrono_literals;
using robots::fetch_error;
using robots::fetch_request;
using robots::fetch_response;
using robots::outcome;
using robots::time_point;
using robots::detail::retrieval;
using robots::detail::retrieval_options;
using robots::detail::retrieval_result;
using robots::detail::retry_wait;
using robots::test::asked;
using robots::test::http_url;
using robots::test::https_url;
using robots::test::result;
using web = robots::ScriptedFetcher;

namespace {

constexpr time_point start{1h};

retrieval_options options() {
  retrieval_options result;
  result.user_agent = "FooBot";
  result.seed = 42;
  return result;
}

retrieval begin(std::string_view site = "https://example.com", retrieval_options with = options(),
                robots::detail::known_copy known = {}) {
  return retrieval{robots::parse_site(site).value(), std::move(with), start, std::move(known)};
}

bool waits(const retrieval& work) { return std::holds_alternative<retry_wait>(work.next()); }

time_point until(const retrieval& work) { return std::get<retry_wait>(work.next()).until; }

void go_on(retrieval& work) { work.on_wait_over(until(work)); }

fetch_response after(int status, std::string retry_after) {
  return web::status(status, {{"Retry-After", std::move(retry_after)}});
}

}  // namespace

TEST_CASE("5xx, 429 and network errors are tried again, three times in all") {
  for (const fetch_response& failure :
       {web::status(500), web::status(599), web::status(429), web::failure(fetch_error::timeout),
        web::failure(fetch_error::connect), web::failure(fetch_error::tls),
        web::failure(fetch_error::protocol)}) {
    retrieval work = begin();
    for (int attempt = 1; attempt < 3; ++attempt) {
      work.on_response(failure, start);
      REQUIRE(waits(work));
      CHECK(until(work) >= start);
      CHECK(until(work) <= start + attempt * 1s);
      go_on(work);
      CHECK(asked(work) == https_url);
    }
    work.on_response(failure, start);
    CHECK(result(work).attempts == 3);
    CHECK(result(work).exchanges.size() == 3);
    CHECK(result(work).status == failure.status);
    CHECK(result(work).error == failure.error);
  }
}

TEST_CASE("Any other outcome is final") {
  for (const int status : {200, 204, 304, 400, 401, 403, 404, 410, 418, 199, 300, 600, 999}) {
    retrieval work = begin();
    work.on_response(web::status(status), start);
    CAPTURE(status);
    CHECK(result(work).attempts == 1);
  }
  for (const fetch_error error :
       {fetch_error::cancelled, fetch_error::refused_address, fetch_error::connection_refused}) {
    retrieval work = begin();
    work.on_response(web::failure(error), start);
    CHECK(result(work).attempts == 1);
  }
}

TEST_CASE("A later try can succeed") {
  retrieval work = begin();
  work.on_response(web::status(503), start);
  go_on(work);
  work.on_response(web::ok("x"), start);
  CHECK(result(work).outcome == outcome::success);
  CHECK(result(work).attempts == 2);
  CHECK(result(work).body == "x");
  CHECK(result(work).exchanges[0].status == 503);
}

TEST_CASE("The next try does not begin before the wait is over") {
  retrieval work = begin();
  work.on_response(after(503, "10"), start);
  const time_point when = until(work);
  CHECK(when == start + 10s);
  work.on_wait_over(when - 1ns);
  CHECK(waits(work));
  work.on_response(web::ok("nobody asked"), when);
  CHECK(waits(work));
  work.on_wait_over(when);
  CHECK(asked(work) == https_url);
  work.on_wait_over(when);
  CHECK(asked(work) == https_url);
}

TEST_CASE("Retry-After is obeyed in both forms, and a too long Retry-After ends the retrieval") {
  constexpr const char* noon = "Sun, 06 Nov 1994 12:00:00 GMT";
  constexpr const char* soon = "Sun, 06 Nov 1994 12:00:20 GMT";
  retrieval work = begin();
  fetch_response dated = after(429, soon);
  dated.headers.push_back({"Date", noon});
  work.on_response(dated, start);
  CHECK(until(work) == start + 20s);
  go_on(work);
  work.on_response(after(503, "31"), start);
  CHECK(result(work).outcome == outcome::server_error);
  CHECK(result(work).attempts == 2);

  retrieval_options patient = options();
  patient.retry.max_retry_after = 31s;
  work = begin("https://example.com", patient);
  work.on_response(after(503, "31"), start);
  CHECK(until(work) == start + 31s);
}

TEST_CASE("A Retry-After with a fraction or a unit is obeyed, and one that cannot be read, too") {
  retrieval work = begin();
  work.on_response(after(503, "20.5"), start);
  CHECK(until(work) == start + 21s);
  go_on(work);
  work.on_response(after(429, "25 seconds"), start);
  CHECK(until(work) == start + 25s);

  retrieval_options patient = options();
  patient.retry.max_retry_after = 60s;
  work = begin("https://example.com", patient);
  work.on_response(after(503, "soon"), start);
  CHECK(until(work) == start + 60s);
}

TEST_CASE("Waits are spread evenly over a range, which is half of the limit by default") {
  double share = 0.0;
  SUBCASE("of half the limit") { share = robots::retry_options{}.jitter; }
  SUBCASE("of the whole limit") { share = 1.0; }
  double least = 2.0;
  double most = -1.0;
  double sum = 0.0;
  constexpr int rounds = 2'000;
  for (int i = 0; i < rounds; ++i) {
    retrieval_options with = options();
    with.seed = static_cast<std::uint64_t>(i);
    with.retry.jitter = share;
    retrieval work = begin("https://example.com", with);
    work.on_response(web::status(500), start);
    const double wait = std::chrono::duration<double>(until(work) - start).count();
    least = std::min(least, wait);
    most = std::max(most, wait);
    sum += wait;
  }
  CHECK(least >= 1.0 - share);
  CHECK(least < 1.0 - share + 0.01);
  CHECK(most <= 1.0);
  CHECK(most > 0.99);
  CHECK(sum / rounds == doctest::Approx(1.0 - share / 2).epsilon(0.04));
}

TEST_CASE("If a host without a scheme cannot be reached, both origins are asked again") {
  retrieval work = begin("example.com");
  work.on_response(web::failure(fetch_error::connect), start);
  CHECK(asked(work) == http_url);
  work.on_response(web::failure(fetch_error::connect), start);
  go_on(work);
  CHECK(asked(work) == https_url);
  work.on_response(web::failure(fetch_error::connect), start);
  work.on_response(web::status(503), start);
  go_on(work);
  CHECK(asked(work) == http_url);  // the origin that answered
  work.on_response(web::ok(""), start);
  CHECK(result(work).outcome == outcome::success);
  CHECK(result(work).exchanges.size() == 5);
}

TEST_CASE("A host whose ports refuse connections is not asked again") {
  const fetch_response closed = web::failure(fetch_error::connection_refused);
  retrieval work = begin("example.com");
  work.on_response(closed, start);
  CHECK(asked(work) == http_url);
  work.on_response(closed, start);
  CHECK(result(work).outcome == outcome::unreachable);
  CHECK(result(work).error == fetch_error::connection_refused);
  CHECK(result(work).attempts == 1);
  CHECK(result(work).exchanges.size() == 2);

  work = begin();
  work.on_response(web::redirect(301, "/moved"), start);
  work.on_response(closed, start);
  CHECK(result(work).outcome == outcome::unreachable);

  work = begin();
  work.on_response(web::status(503), start);
  go_on(work);
  work.on_response(closed, start);
  CHECK(result(work).outcome == outcome::unreachable);
  CHECK(result(work).attempts == 2);
}

TEST_CASE("A host is asked again unless both of its origins refuse connections") {
  const fetch_response closed = web::failure(fetch_error::connection_refused);
  for (const fetch_error other :
       {fetch_error::timeout, fetch_error::resolve, fetch_error::connect, fetch_error::protocol}) {
    for (const bool is_https_closed : {true, false}) {
      retrieval work = begin("example.com");
      work.on_response(is_https_closed ? closed : web::failure(other), start);
      work.on_response(is_https_closed ? web::failure(other) : closed, start);
      REQUIRE(waits(work));
      go_on(work);
      CHECK(asked(work) == https_url);
      work.on_response(closed, start);
      work.on_response(closed, start);
      CHECK(result(work).attempts == 2);
    }
  }
}

TEST_CASE("After a redirect, the URL that failed is requested again") {
  retrieval work = begin();
  work.on_response(web::redirect(301, "/moved"), start);
  work.on_response(web::status(503), start);
  go_on(work);
  CHECK(asked(work) == "https://example.com/moved");
  work.on_response(web::failure(fetch_error::connect), start);
  go_on(work);
  CHECK(asked(work) == "https://example.com/moved");
  work.on_response(web::ok("x"), start);
  CHECK(result(work).redirects == 1);
  CHECK(result(work).exchanges.size() == 4);
}

TEST_CASE("A retrieval that is cancelled during a wait ends with the result of the last try") {
  retrieval work = begin();
  work.on_response(web::status(503, {{"X", "1"}}), start);
  work.cancel("enough", start);
  CHECK(result(work).outcome == outcome::server_error);
  CHECK(result(work).status == 503);
  CHECK(result(work).attempts == 1);
  CHECK(robots::detail::find_header(result(work).headers, "X") == "1");
}

TEST_CASE("A known file is requested with its validators, from its URL") {
  const robots::detail::known_copy known{.url = "https://example.com/moved",
                                         .validators = {.etag = "\"1\"", .last_modified = ""}};
  retrieval work = begin("https://example.com", options(), known);
  CHECK_FALSE(
      robots::detail::find_header(std::get<fetch_request>(work.next()).headers, "If-None-Match"));
  work.on_response(web::redirect(301, "/moved"), start);
  CHECK(robots::detail::find_header(std::get<fetch_request>(work.next()).headers,
                                    "If-None-Match") == "\"1\"");
  work.on_response(web::status(304), start);
  CHECK(result(work).outcome == outcome::success);
  CHECK(result(work).not_modified);
  CHECK(result(work).body.empty());
}

TEST_CASE("A 304 for a request without validators is a failure") {
  retrieval work = begin();
  work.on_response(web::status(304), start);
  CHECK(result(work).outcome == outcome::server_error);
  CHECK_FALSE(result(work).not_modified);
  const robots::detail::known_copy elsewhere{.url = std::string{http_url},
                                             .validators = {.etag = "\"1\""}};
  work = begin("https://example.com", options(), elsewhere);
  work.on_response(web::status(304), start);
  CHECK(result(work).outcome == outcome::server_error);
}

TEST_CASE("An origin whose breaker is open is not asked") {
  retrieval_options with = options();
  with.breakers = std::make_shared<robots::detail::origin_breakers>(
      robots::breaker_options{.failures = 2, .cooldown = 1h});
  retrieval work = begin("https://example.com", with);
  work.on_response(web::status(500), start);
  go_on(work);
  work.on_response(web::failure(fetch_error::timeout), start);
  go_on(work);
  CHECK(result(work).outcome == outcome::unreachable);  // this failure opened the breaker
  CHECK(result(work).exchanges.size() == 2);

  work = begin("https://example.com", with);
  CHECK(result(work).outcome == outcome::circuit_open);
  CHECK(result(work).exchanges.empty());
  CHECK(result(work).error_text == "the circuit breaker of https://example.com is open");

  work = begin("example.com", with);
  CHECK(asked(work) == http_url);
  work = retrieval{robots::parse_site("https://example.com").value(), with, start + 1h};
  CHECK(asked(work) == https_url);
  work.cancel("left", start + 1h);
  work = retrieval{robots::parse_site("https://example.com").value(), with, start + 1h};
  CHECK(asked(work) == https_url);
  work.on_response(web::status(404), start + 1h);
  CHECK(with.breakers->open() == 0);
}

TEST_CASE("A failure after a redirect counts only against the redirecting origin") {
  constexpr const char* crash = "https://victim.example/crash";
  for (const fetch_response& failure :
       {web::status(500), web::failure(fetch_error::timeout), web::failure(fetch_error::connect)}) {
    retrieval_options with = options();
    with.retry.attempts = 1;
    with.breakers = std::make_shared<robots::detail::origin_breakers>(
        robots::breaker_options{.failures = 2, .cooldown = 1h});
    for (int i = 0; i < 2; ++i) {
      retrieval work = begin("https://stranger.example", with);
      work.on_response(web::redirect(301, crash), start);
      CHECK(asked(work) == crash);
      work.on_response(failure, start);
    }
    CHECK(with.breakers->admits("https://victim.example", start));
    CHECK(asked(begin("https://victim.example", with)) == "https://victim.example/robots.txt");
    CHECK_FALSE(with.breakers->admits("https://stranger.example", start + 1h - 1ns));
    CHECK(result(begin("stranger.example", with)).outcome == outcome::circuit_open);
  }
}

TEST_CASE("A breaker blocks the file of its origin, not the redirects of other origins to it") {
  retrieval_options with = options();
  with.retry.attempts = 1;
  with.breakers = std::make_shared<robots::detail::origin_breakers>(
      robots::breaker_options{.failures = 1, .cooldown = 1h});
  retrieval work = begin("https://cdn.example", with);
  work.on_response(web::status(500), start);
  CHECK(result(begin("https://cdn.example", with)).outcome == outcome::circuit_open);

  constexpr const char* shared = "https://cdn.example/shared/robots.txt";
  work = begin("https://example.com", with);
  work.on_response(web::redirect(301, shared), start);
  CHECK(asked(work) == shared);
  work.on_response(web::ok("x"), start);
  CHECK(result(work).outcome == outcome::success);
  // The answer does not close the breaker.
  CHECK(result(begin("https://cdn.example", with)).outcome == outcome::circuit_open);
}

TEST_CASE("If a retrieval is dropped before its end, the next retrieval can send the probe") {
  retrieval_options with = options();
  with.retry.attempts = 1;
  with.breakers = std::make_shared<robots::detail::origin_breakers>(
      robots::breaker_options{.failures = 1, .cooldown = 1h});
  begin("https://example.com", with).on_response(web::status(500), start);
  const auto later = [&with] {
    return retrieval{robots::parse_site("https://example.com").value(), with, start + 1h};
  };
  {
    retrieval probe = later();
    CHECK(asked(probe) == https_url);
    CHECK(result(later()).outcome == outcome::circuit_open);
    probe.on_response(web::redirect(301, "/moved"), start + 1h);
    CHECK(result(later()).outcome == outcome::circuit_open);
    const retrieval moved = std::move(probe);
  }
  CHECK(asked(later()) == https_url);
}

TEST_CASE("After https has answered, http is not asked, whatever the next tries do") {
  retrieval work = begin("example.com");
  work.on_response(web::status(503), start);
  go_on(work);
  CHECK(asked(work) == https_url);
  work.on_response(web::failure(fetch_error::timeout), start);
  go_on(work);
  CHECK(asked(work) == https_url);
  work.on_response(web::failure(fetch_error::connect), start);
  CHECK(result(work).outcome == outcome::unreachable);
  CHECK(result(work).url == https_url);
}

TEST_CASE("If 5xx responses opened the breaker of an https origin, the http origin is not asked") {
  retrieval_options with = options();
  with.breakers = std::make_shared<robots::detail::origin_breakers>(
      robots::breaker_options{.failures = 2, .cooldown = 1h});
  retrieval work = begin("example.com", with);
  work.on_response(web::status(500), start);
  go_on(work);
  work.on_response(web::status(500), start);
  go_on(work);
  CHECK(result(work).outcome == outcome::server_error);
  work = begin("example.com", with);
  CHECK(result(work).outcome == outcome::circuit_open);
  CHECK(result(work).url == https_url);

  // A probe without an answer leads to http.
  work = retrieval{robots::parse_site("example.com").value(), with, start + 1h};
  work.on_response(web::failure(fetch_error::connect), start + 1h);
  CHECK(asked(work) == http_url);
  CHECK(asked(begin("example.com", with)) == http_url);
}

TEST_CASE("The body of a redirect is ignored") {
  retrieval work = begin();
  for (int i = 0; i < 5; ++i) {
    fetch_response moved = web::redirect(301, "/" + std::to_string(i));
    moved.body = std::string(70'000, 'x');
    moved.truncated = true;
    work.on_response(moved, start);
    CHECK(std::get<fetch_request>(work.next()).max_bytes == 512'000);
  }
  work.on_response(web::ok("x"), start);
  CHECK(result(work).outcome == outcome::success);
  CHECK(result(work).body == "x");
}

TEST_CASE("After a 429, the next try waits for the base delay, with any random number") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    retrieval_options with = options();
    with.seed = seed;
    retrieval work = begin("https://example.com", with);
    for (int attempt = 1; attempt < 3; ++attempt) {
      work.on_response(seed % 2 == 0 ? web::status(429) : after(429, "0"), start);
      CHECK(until(work) >= start + 1s);
      CHECK(until(work) <= start + attempt * 1s);
      go_on(work);
    }
  }
}

TEST_CASE("No retrieval exceeds its number of exchanges, whatever servers answer") {
  std::mt19937 random{7};
  for (int round = 0; round < 5'000; ++round) {
    retrieval_options with = options();
    with.retry.attempts = 1 + static_cast<int>(random() % 4);
    with.max_redirects = static_cast<int>(random() % 6);
    const bool bare = random() % 2 == 0;
    retrieval work = begin(bare ? "example.com" : "http://example.com", with);
    time_point time = start;
    std::size_t requests = 0;
    std::size_t steps = 0;
    while (!std::holds_alternative<retrieval_result>(work.next())) {
      REQUIRE(++steps < 100);
      if (waits(work)) {
        time = until(work);
        work.on_wait_over(time);
        continue;
      }
      ++requests;
      switch (random() % 6) {
        case 0:
          work.on_response(web::failure(fetch_error::connect), time);
          break;
        case 5:
          work.on_response(web::failure(fetch_error::connection_refused), time);
          break;
        case 1:
          work.on_response(web::status(500 + static_cast<int>(random() % 100)), time);
          break;
        case 2:
          work.on_response(web::status(429), time);
          break;
        case 3:
          work.on_response(web::redirect(302, "/" + std::to_string(random() % 1'000)), time);
          break;
        default:
          work.on_response(random() % 4 == 0 ? web::ok("") : web::status(502), time);
      }
    }
    const std::size_t budget = static_cast<std::size_t>(with.retry.attempts) * (bare ? 2 : 1) +
                               static_cast<std::size_t>(with.max_redirects);
    CHECK(requests <= budget);
    CHECK(requests == result(work).exchanges.size());
  }
}
