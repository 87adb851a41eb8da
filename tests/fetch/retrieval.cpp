#include <robots/fetch/retrieval.hpp>

#include "fetch/retrieval_state.hpp"
#include <robots/http/url.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

using namespace std::chrono_literals;
using robots::fetch_error;
using robots::fetch_request;
using robots::fetch_response;
using robots::outcome;
using robots::detail::retrieval;
using robots::detail::retrieval_options;
using robots::detail::retrieval_result;
using robots::test::asked;
using robots::test::result;
using web = robots::ScriptedFetcher;

namespace {

constexpr robots::time_point now{};

retrieval_options single_try() {
  retrieval_options result;
  result.user_agent = "FooBot/1.0 (+https://foo.example/bot)";
  result.retry.attempts = 1;
  return result;
}

retrieval retrieval_of(std::string_view host_or_url, retrieval_options with = single_try()) {
  return retrieval{robots::parse_site(host_or_url).value(), std::move(with), now};
}

}  // namespace

TEST_CASE("A request has the user agent, the accepted media types and the limits") {
  retrieval_options with = single_try();
  with.timeout = 3s;
  with.max_bytes = 1000;
  const retrieval work = retrieval_of("https://example.com/x", with);
  const auto& request = std::get<fetch_request>(work.next());
  CHECK(request.url == "https://example.com/robots.txt");
  CHECK(robots::detail::find_header(request.headers, "user-agent") == with.user_agent);
  CHECK(robots::detail::find_header(request.headers, "accept") == "text/plain, */*;q=0.1");
  CHECK(request.timeout == 3s);
  CHECK(request.max_bytes == 1000);
}

TEST_CASE("Options that cannot be used are refused at construction") {
  CHECK_THROWS_AS(retrieval_of("example.com", {}), std::invalid_argument);
}

TEST_CASE("A 200 is a success with its body") {
  retrieval work = retrieval_of("example.com");
  CHECK(asked(work) == "https://example.com/robots.txt");
  work.on_response(web::ok("User-agent: *\n", {{"ETag", "\"1\""}}), now);
  CHECK(asked(work) == "nothing");
  CHECK(result(work).outcome == outcome::success);
  CHECK(result(work).status == 200);
  CHECK(result(work).body == "User-agent: *\n");
  CHECK(result(work).url == "https://example.com/robots.txt");
  CHECK(result(work).final_url == "https://example.com/robots.txt");
  CHECK(result(work).redirects == 0);
  CHECK(result(work).exchanges.size() == 1);
  CHECK(robots::detail::find_header(result(work).headers, "etag") == "\"1\"");
  CHECK_FALSE(result(work).truncated);
}

TEST_CASE("Every status has its outcome") {
  for (int status = -1; status < 1000; ++status) {
    retrieval work = retrieval_of("example.com");
    work.on_response(web::status(status), now);
    CAPTURE(status);
    REQUIRE(std::holds_alternative<retrieval_result>(work.next()) == (status != 0));
    if (status != 0 && status != 407) {  // 407 is no answer of the site
      CHECK(result(work).outcome == robots::detail::outcome_of(status));
      CHECK(result(work).status == status);
    }
  }
}

TEST_CASE("The body of a failure is not kept") {
  retrieval work = retrieval_of("example.com");
  fetch_response response = web::status(503);
  response.body = "<html>";
  response.truncated = true;
  work.on_response(response, now);
  CHECK(result(work).body.empty());
  CHECK_FALSE(result(work).truncated);
}

TEST_CASE("A host without a scheme falls back to http if https cannot be reached") {
  for (const fetch_error error :
       {fetch_error::resolve, fetch_error::connect, fetch_error::tls, fetch_error::timeout,
        fetch_error::protocol, fetch_error::other, fetch_error::connection_refused}) {
    CAPTURE(to_string(error));
    retrieval work = retrieval_of("example.com");
    work.on_response(web::failure(error), now);
    CHECK(asked(work) == "http://example.com/robots.txt");
    work.on_response(web::ok(""), now);
    CHECK(result(work).outcome == outcome::success);
    CHECK(result(work).url == "http://example.com/robots.txt");
    REQUIRE(result(work).exchanges.size() == 2);
    CHECK(result(work).exchanges[0].url == "https://example.com/robots.txt");
    CHECK(result(work).exchanges[0].error == error);
    CHECK(result(work).exchanges[1].status == 200);
  }
}

TEST_CASE("A host does not fall back to http after https has answered") {
  for (const int status : {200, 404, 403, 429, 500, 304}) {
    retrieval work = retrieval_of("example.com");
    work.on_response(web::status(status), now);
    CHECK(asked(work) == "nothing");
  }
}

TEST_CASE("A host does not fall back to http if the call was cancelled or the address refused") {
  retrieval work = retrieval_of("example.com");
  work.on_response(web::failure(fetch_error::cancelled), now);
  CHECK(result(work).outcome == outcome::cancelled);
  work = retrieval_of("example.com");
  work.on_response(web::failure(fetch_error::refused_address), now);
  CHECK(result(work).outcome == outcome::refused);
}

TEST_CASE("A URL is requested with its own scheme only") {
  for (const std::string_view url : {"https://example.com/", "http://example.com/"}) {
    retrieval work = retrieval_of(url);
    work.on_response(web::failure(fetch_error::connect), now);
    CHECK(result(work).outcome == outcome::unreachable);
    CHECK(result(work).status == 0);
    CHECK(result(work).error == fetch_error::connect);
    CHECK(result(work).error_text == "scripted: connect");
  }
}

TEST_CASE("A host that cannot be reached by any scheme is unreachable") {
  retrieval work = retrieval_of("example.com");
  work.on_response(web::failure(fetch_error::tls), now);
  work.on_response(web::failure(fetch_error::connect), now);
  CHECK(result(work).outcome == outcome::unreachable);
  CHECK(result(work).error == fetch_error::connect);
  CHECK(result(work).exchanges.size() == 2);
}

TEST_CASE("The file at the end of redirects applies to the first origin") {
  for (const int status : {301, 302, 303, 307, 308}) {
    CAPTURE(status);
    retrieval work = retrieval_of("example.com");
    work.on_response(web::redirect(status, "//WWW.example.com:443/a/../r.txt?x#f"), now);
    CHECK(asked(work) == "https://www.example.com/r.txt?x");
    const auto& request = std::get<fetch_request>(work.next());
    CHECK(robots::detail::find_header(request.headers, "User-Agent") == single_try().user_agent);
    work.on_response(web::redirect(status, "s"), now);
    CHECK(asked(work) == "https://www.example.com/s");
    work.on_response(web::ok("x"), now);
    CHECK(result(work).outcome == outcome::success);
    CHECK(result(work).url == "https://example.com/robots.txt");
    CHECK(result(work).final_url == "https://www.example.com/s");
    CHECK(result(work).redirects == 2);
    CHECK(result(work).exchanges.size() == 3);
  }
}

TEST_CASE("A redirect never sends credentials, and can lead from https to http") {
  retrieval work = retrieval_of("https://example.com");
  work.on_response(web::redirect(302, "http://user:pw@other.example"), now);
  CHECK(asked(work) == "http://other.example/");
}

TEST_CASE("Five redirects are followed, and a sixth is not") {
  for (const int count : {5, 6}) {
    retrieval work = retrieval_of("https://example.com");
    for (int i = 0; i < count; ++i) {
      REQUIRE(asked(work) != "nothing");
      work.on_response(web::redirect(301, "/" + std::to_string(i)), now);
    }
    if (count == 5) {
      CHECK(asked(work) == "https://example.com/4");
      work.on_response(web::status(404), now);
      CHECK(result(work).outcome == outcome::not_found);
      CHECK(result(work).redirects == 5);
    } else {
      CHECK(result(work).outcome == outcome::too_many_redirects);
      CHECK(result(work).error_text == "more than 5 redirects");
      CHECK(result(work).status == 301);
    }
  }
}

TEST_CASE("Redirects can be turned off") {
  retrieval_options with = single_try();
  with.max_redirects = 0;
  retrieval work = retrieval_of("example.com", with);
  work.on_response(web::redirect(301, "/x"), now);
  CHECK(result(work).outcome == outcome::server_error);
  CHECK(result(work).error_text == "more than 0 redirects");
}

TEST_CASE("A limit below five redirects never has the outcome too_many_redirects") {
  for (const int limit : {0, 1, 4, 5, 6}) {
    CAPTURE(limit);
    retrieval_options with = single_try();
    with.max_redirects = limit;
    retrieval work = retrieval_of("https://example.com", with);
    for (int i = 0; i <= limit; ++i) {
      work.on_response(web::redirect(301, "/" + std::to_string(i)), now);
    }
    CHECK(result(work).outcome ==
          (limit < 5 ? outcome::server_error : outcome::too_many_redirects));
  }
}

TEST_CASE("A loop of redirects is found at once") {
  retrieval work = retrieval_of("https://example.com");
  work.on_response(web::redirect(302, "/a"), now);
  work.on_response(web::redirect(302, "HTTPS://example.com:443/robots.txt#again"), now);
  CHECK(result(work).outcome == outcome::too_many_redirects);
  CHECK(result(work).exchanges.size() == 2);
  work = retrieval_of("https://example.com");
  work.on_response(web::redirect(302, ""), now);
  CHECK(result(work).outcome == outcome::too_many_redirects);
}

TEST_CASE("A redirect to another scheme is refused") {
  for (const std::string_view location :
       {"file:///etc/passwd", "ftp://example.com/robots.txt", "gopher://x/", "javascript:alert(1)",
        "data:text/plain,Allow", "example.org:80/robots.txt"}) {
    CAPTURE(location);
    retrieval work = retrieval_of("example.com");
    work.on_response(web::redirect(302, std::string{location}), now);
    CHECK(result(work).outcome == outcome::refused);
    CHECK(result(work).status == 302);
    CHECK_FALSE(result(work).error_text.empty());
  }
}

TEST_CASE("A Location that browsers can read is followed") {
  retrieval work = retrieval_of("example.com");
  work.on_response(web::redirect(301, " /a b\t\xC3\xA4 "), now);
  CHECK(asked(work) == "https://example.com/a%20b%C3%A4");
  work.on_response(web::redirect(301, "\\\\www.example.com\\x"), now);
  CHECK(asked(work) == "https://www.example.com/x");
}

TEST_CASE("A redirect whose Location cannot be used means that no file was found") {
  for (const std::string_view location :
       {"http://", "//", "http://a b/", "http://a:99999/", "http://\xC3\xA4/", "http://a..b/"}) {
    CAPTURE(location);
    retrieval work = retrieval_of("example.com");
    work.on_response(web::redirect(301, std::string{location}), now);
    CHECK(result(work).outcome == outcome::too_many_redirects);
    CHECK(result(work).status == 301);
  }
}

TEST_CASE("A redirect without a Location counts as a server error") {
  retrieval work = retrieval_of("example.com");
  work.on_response(web::status(301), now);
  CHECK(result(work).outcome == outcome::server_error);
  CHECK(result(work).error_text == "the redirect has no Location");
}

TEST_CASE("A redirect target that cannot be reached does not lead to http") {
  retrieval work = retrieval_of("example.com");
  work.on_response(web::redirect(302, "https://other.example/"), now);
  work.on_response(web::failure(fetch_error::connect), now);
  CHECK(result(work).outcome == outcome::unreachable);
  CHECK(result(work).final_url == "https://other.example/");
  CHECK(result(work).redirects == 1);
}

TEST_CASE("An address that is refused after a redirect has the outcome refused") {
  retrieval work = retrieval_of("example.com");
  work.on_response(web::redirect(302, "http://127.0.0.1/"), now);
  work.on_response(web::failure(fetch_error::refused_address), now);
  CHECK(result(work).outcome == outcome::refused);
}

TEST_CASE(
    "A redirect back to https is followed after the fallback to http, which happens only once") {
  retrieval work = retrieval_of("example.com");
  work.on_response(web::failure(fetch_error::tls), now);
  work.on_response(web::redirect(301, "https://example.com/robots.txt"), now);
  CHECK(asked(work) == "https://example.com/robots.txt");
  work.on_response(web::failure(fetch_error::tls), now);
  CHECK(result(work).outcome == outcome::unreachable);
  CHECK(result(work).exchanges.size() == 3);
}

TEST_CASE("A truncated body is reported as truncated, and a body that is too long is cut") {
  retrieval_options with = single_try();
  with.max_bytes = 4;
  retrieval work = retrieval_of("example.com", with);
  work.on_response(web::ok("123456"), now);
  CHECK(result(work).body == "1234");
  CHECK(result(work).truncated);
  work = retrieval_of("example.com", with);
  fetch_response response = web::ok("1234");
  response.truncated = true;
  work.on_response(response, now);
  CHECK(result(work).truncated);
}

TEST_CASE("A response that violates the rules of a fetcher is a failure") {
  retrieval work = retrieval_of("https://example.com");
  work.on_response(fetch_response{}, now);
  CHECK(result(work).outcome == outcome::unreachable);
  CHECK(result(work).error == fetch_error::other);
  work = retrieval_of("https://example.com");
  fetch_response both = web::ok("x");
  both.error = fetch_error::timeout;
  work.on_response(both, now);
  CHECK(result(work).outcome == outcome::unreachable);
  CHECK(result(work).status == 0);
  CHECK(result(work).body.empty());
}

TEST_CASE("A retrieval that has ended does not change") {
  retrieval work = retrieval_of("example.com");
  work.on_response(web::status(404), now);
  work.on_response(web::ok("late"), now);
  work.cancel("late", now);
  CHECK(result(work).outcome == outcome::not_found);
  const robots::detail::retrieval_step step = std::move(work).next();
  CHECK(std::get<retrieval_result>(step).exchanges.size() == 1);
}

TEST_CASE("A failure of the proxy or of this process is no answer of the site") {
  const auto failed_with = [](fetch_response response) {
    retrieval_options with = single_try();
    with.retry.attempts = 3;
    retrieval work = retrieval_of("example.com", with);
    work.on_response(std::move(response), now);
    CHECK(result(work).outcome == outcome::unreachable);
    CHECK(result(work).status == 0);
    CHECK(result(work).exchanges.size() == 1);
    return result(work);
  };
  CHECK(failed_with(web::failure(fetch_error::proxy)).error == fetch_error::proxy);
  CHECK(failed_with(web::failure(fetch_error::local)).error == fetch_error::local);
  const retrieval_result refused = failed_with(web::status(407));
  CHECK(refused.error == fetch_error::proxy);
  CHECK(refused.error_text == "a proxy on the way wants credentials (HTTP 407)");
}

TEST_CASE("A body that a fetcher did not decode is no robots.txt") {
  const auto answered = [](std::string coding, std::string body) {
    retrieval work = retrieval_of("https://example.com");
    fetch_response response{.status = 200, .body = std::move(body)};
    response.headers = {{"Content-Encoding", std::move(coding)}};
    work.on_response(std::move(response), now);
    return result(work);
  };
  const retrieval_result coded = answered("gzip", "\x1F\x8B\x08\x02more");
  CHECK(coded.outcome == outcome::unreachable);
  CHECK(coded.error == fetch_error::protocol);
  CHECK(coded.error_text ==
        "the body is still coded as its Content-Encoding says: the fetcher must decode it");
  CHECK(coded.body.empty());
  const retrieval_result text = answered("gzip", "User-agent: *\nDisallow: /\n");
  CHECK(text.outcome == outcome::success);
  CHECK(text.body == "User-agent: *\nDisallow: /\n");
}

TEST_CASE("A cancelled retrieval has the outcome cancelled, and lists only its own exchanges") {
  retrieval work = retrieval_of("example.com");
  work.cancel("enough", now);
  CHECK(result(work).outcome == outcome::cancelled);
  CHECK(result(work).error == fetch_error::cancelled);
  CHECK(result(work).error_text == "enough");
  CHECK(result(work).exchanges.empty());
}

TEST_CASE("Every retrieval ends, and requests only valid http URLs, whatever servers answer") {
  std::mt19937 random{2331};
  for (int round = 0; round < 5'000; ++round) {
    retrieval work = retrieval_of("example.com");
    int exchanges = 0;
    while (const auto* request = std::get_if<fetch_request>(&work.next())) {
      REQUIRE(++exchanges <= 7);
      CHECK(robots::detail::parse_origin(request->url).has_value());
      CHECK_FALSE(robots::http_detail::has_forbidden_octet(request->url));
      fetch_response response;
      response.status = static_cast<int>(random() % 700);
      if (random() % 4 != 0) {
        response.status = 302;
      }
      if (random() % 8 == 0) {
        response.error = static_cast<fetch_error>(random() % 9);
      }
      std::string location = random() % 2 == 0 ? "/" : "http://";
      for (std::size_t n = random() % 6; n > 0; --n) {
        location += static_cast<char>(random() % 2 == 0 ? random() & 0xFFU : 'a' + random() % 26);
      }
      if (random() % 16 != 0) {
        response.headers.push_back({"location", location});
      }
      work.on_response(response, now);
    }
    CHECK(static_cast<int>(result(work).exchanges.size()) == exchanges);
  }
}
