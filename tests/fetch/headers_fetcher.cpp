#include <robots/fetch/headers_fetcher.hpp>

#include <robots/fetch/origin_headers.hpp>
#include <robots/fetch/run_retrieval.hpp>
#include <robots/http/site.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using robots::fetch_error;
using robots::fetch_request;
using robots::fetch_response;
using robots::HeadersFetcher;
using robots::ManualClock;
using robots::origin_headers;
using robots::ScriptedFetcher;

/// An `AsyncFetcher` that answers at once.
struct prompt_fetcher {
  ScriptedFetcher web;
  void async_fetch(const fetch_request& request, const std::function<void(fetch_response)>& done) {
    done(web.fetch(request));
  }
};

using clocked_fetcher = HeadersFetcher<ScriptedFetcher, ManualClock>;
static_assert(robots::Fetcher<clocked_fetcher>);
static_assert(!robots::AsyncFetcher<clocked_fetcher>);
static_assert(robots::AsyncFetcher<HeadersFetcher<prompt_fetcher>>);
static_assert(!robots::Fetcher<HeadersFetcher<prompt_fetcher>>);

std::optional<std::string> sent(const fetch_request& request, std::string_view name) {
  const auto value = robots::detail::find_header(request.headers, name);
  return value ? std::optional{std::string{*value}} : std::nullopt;
}

}  // namespace

TEST_CASE("Headers for one origin do not reach another origin after a redirect") {
  ScriptedFetcher web;
  web.on("https://a.example/robots.txt",
         ScriptedFetcher::redirect(301, "https://b.example/robots.txt"));
  web.on("https://b.example/robots.txt",
         ScriptedFetcher::redirect(301, "https://a.example/rules.txt"));
  web.on("https://a.example/rules.txt", ScriptedFetcher::ok("User-agent: *\n"));
  ManualClock clock;
  clocked_fetcher fetcher{web,
                          origin_headers{}
                              .everywhere("From", "bot@foo.example")
                              .only_at("https://a.example", "Authorization", "Bearer secret"),
                          clock};
  robots::detail::retrieval_options options;
  options.user_agent = "FooBot/1.0";
  const auto result = robots::detail::run_retrieval(
      {*robots::parse_site("https://a.example"), options, clock.now()}, fetcher, clock);
  CHECK(result.outcome == robots::outcome::success);
  const std::vector<fetch_request> requests = web.requests();
  REQUIRE(requests.size() == 3);
  CHECK(sent(requests[0], "Authorization") == "Bearer secret");
  CHECK(sent(requests[1], "Authorization") == std::nullopt);
  CHECK(sent(requests[2], "Authorization") == "Bearer secret");
  for (const fetch_request& request : requests) {
    CHECK(sent(request, "From") == "bot@foo.example");
    CHECK(sent(request, "User-Agent") == "FooBot/1.0");
  }
}

TEST_CASE("An added header replaces the header of the same name in a request") {
  ScriptedFetcher web;
  HeadersFetcher fetcher{web, origin_headers{}.everywhere("user-agent", "BarBot/2.0")};
  static_cast<void>(fetcher.fetch(
      {.url = "https://a.example/", .headers = {{"User-Agent", "FooBot"}, {"Accept", "*/*"}}}));
  const std::vector<robots::http_header> expected{{"Accept", "*/*"}, {"user-agent", "BarBot/2.0"}};
  CHECK(web.requests().at(0).headers == expected);
}

TEST_CASE("The function of a HeadersFetcher gets the URL and the date of each request") {
  ScriptedFetcher web;
  ManualClock clock;
  std::vector<std::pair<std::string, robots::wall_time>> asked;
  clocked_fetcher fetcher{web,
                          [&asked](std::string_view url, robots::wall_time now) {
                            asked.emplace_back(url, now);
                            return std::vector<robots::http_header>{};
                          },
                          clock};
  const robots::wall_time begin = clock.wall_now();
  static_cast<void>(fetcher.fetch({.url = "https://a.example/"}));
  clock.advance(std::chrono::minutes{2});
  static_cast<void>(fetcher.fetch({.url = "https://b.example/x?y"}));
  REQUIRE(asked.size() == 2);
  CHECK(asked[0] == std::pair{std::string{"https://a.example/"}, begin});
  CHECK(asked[1] ==
        std::pair{std::string{"https://b.example/x?y"}, begin + std::chrono::minutes{2}});
}

TEST_CASE("A request whose headers cannot be made is not sent, and its failure shows no value") {
  ScriptedFetcher web;
  web.otherwise(ScriptedFetcher::ok(""));
  const auto answer_with = [&web](robots::header_source source) {
    return HeadersFetcher{web, std::move(source)}.fetch({.url = "https://a.example/"});
  };
  const fetch_response thrown =
      answer_with([](std::string_view, robots::wall_time) -> std::vector<robots::http_header> {
        throw std::runtime_error{"the key has expired"};
      });
  CHECK(thrown.error == fetch_error::local);
  CHECK(thrown.error_text == "the key has expired");
  for (const robots::http_header& bad :
       {robots::http_header{"X-Key", "secret\r\nHost: evil.example"},
        robots::http_header{"X Key", "secret"}, robots::http_header{"", "secret"},
        robots::http_header{"X:", "secret"}}) {
    const fetch_response refused = answer_with([&bad](std::string_view, robots::wall_time) {
      return std::vector<robots::http_header>{bad};
    });
    CAPTURE(refused.error_text);
    CHECK(refused.error == fetch_error::local);
    CHECK(refused.status == 0);
    CHECK(refused.error_text.starts_with("an added header has"));
    CHECK(refused.error_text.find("secret") == std::string::npos);
  }
  CHECK(web.count() == 0);
  CHECK_THROWS_WITH_AS(
      answer_with(nullptr),
      "HeadersFetcher: the function is empty: pass a callable such as origin_headers",
      std::invalid_argument);
}

TEST_CASE("A HeadersFetcher over an AsyncFetcher adds the same headers") {
  prompt_fetcher net;
  HeadersFetcher fetcher{net, origin_headers{}.everywhere("From", "bot@foo.example")};
  int answers = 0;
  fetcher.async_fetch({.url = "https://a.example/"}, [&](const fetch_response&) { ++answers; });
  CHECK(sent(net.web.requests().at(0), "From") == "bot@foo.example");

  HeadersFetcher broken{net, [](std::string_view, robots::wall_time) {
                          return std::vector<robots::http_header>{{"X", "\n"}};
                        }};
  broken.async_fetch({.url = "https://a.example/"}, [&](const fetch_response& response) {
    CHECK(response.error == fetch_error::local);
    ++answers;
  });
  CHECK(answers == 2);
  CHECK(net.web.count() == 1);
}
