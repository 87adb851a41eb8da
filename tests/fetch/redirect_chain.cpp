#include <robots/fetch/redirect_chain.hpp>

#include <robots/fetch/retrieval.hpp>
#include <robots/fetch/run_retrieval.hpp>
#include <robots/http/site.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

using robots::outcome;
using robots::redirect_options;
using robots::ScriptedFetcher;
using robots::detail::outcome_of;
using robots::detail::redirect_chain;
using robots::detail::redirect_problem;
using robots::detail::redirect_refusal;
using robots::detail::redirect_target;
using robots::detail::redirect_url;

namespace {

constexpr std::string_view robots_url = "https://example.com/robots.txt";

std::string url_of(std::optional<std::string_view> location) {
  const auto target = redirect_target(robots_url, location);
  const auto* const found = std::get_if<redirect_url>(&target);
  return found != nullptr ? found->url : std::string{"refused"};
}

redirect_refusal refusal_of(std::optional<std::string_view> location) {
  const auto target = redirect_target(robots_url, location);
  REQUIRE(std::holds_alternative<redirect_refusal>(target));
  return std::get<redirect_refusal>(target);
}

}  // namespace

TEST_CASE("The target of a redirect is a URL in normal form without user information") {
  CHECK(url_of("HTTP://user:pw@WWW.Example.com:80") == "http://www.example.com/");
  CHECK(url_of("//www.example.com?x") == "https://www.example.com/?x");
  CHECK(url_of("/new robots.txt") == "https://example.com/new%20robots.txt");
  CHECK(url_of("\\\\www.example.com\\robots.txt") == "https://www.example.com/robots.txt");
}

TEST_CASE("A Location that leads nowhere means that no file was found, as a loop does") {
  struct unusable_case {
    std::string_view location;
    std::string_view why;
  };
  constexpr std::array cases{
      unusable_case{"http://", "there is no host"},
      unusable_case{"//", "there is no host"},
      unusable_case{"https://?x", "there is no host"},
      unusable_case{"http://a:99999/", "the port \"99999\" is not a number from 1 to 65535"},
      unusable_case{"http://\xC3\xA4/", "the host is not ASCII"},
      unusable_case{"http://a b/", "a blank or a control character in its host"},
      unusable_case{"http://a:b\xC3/", "the port \"b\xC3\" is not"},  // escaped where it is printed
      unusable_case{"http://a:b\xC3/", "; Location: http://a:b\xC3/"},
      unusable_case{"http://a..b/", "the host \"a..b\" is neither a name nor an address"},
  };
  for (const unusable_case& one : cases) {
    CAPTURE(one.location);
    const redirect_refusal refusal = refusal_of(one.location);
    CHECK(outcome_of(refusal.problem, 0) == outcome::too_many_redirects);
    CHECK(refusal.why.starts_with("the redirect's Location cannot be used: "));
    CHECK(refusal.why.find(one.why) != std::string::npos);
  }
}

TEST_CASE("A redirect to a scheme other than http and https is refused") {
  CHECK(outcome_of(refusal_of("file:///etc/passwd").problem, 0) == outcome::refused);
  CHECK(outcome_of(refusal_of("javascript:alert( 1)").problem, 0) == outcome::refused);
}

TEST_CASE("A missing Location, or one that is too long for us, is a failure of the server") {
  CHECK(outcome_of(refusal_of(std::nullopt).problem, 0) == outcome::server_error);
  CHECK(outcome_of(refusal_of("/" + std::string(8'000, 'x')).problem, 0) == outcome::server_error);
  CHECK(url_of("/" + std::string(7'999, 'x')).size() == 8'019);
}

namespace {

std::optional<redirect_problem> problem_of(const redirect_chain& chain, std::string_view location,
                                           redirect_options limits = {}, int max_redirects = 5) {
  const auto target = redirect_target(chain.last(), location);
  const auto found = chain.refusal(std::get<redirect_url>(target), max_redirects, limits);
  return found ? std::optional{found->problem} : std::nullopt;
}

}  // namespace

TEST_CASE("A chain of redirects ends at a URL that was asked before, and at its limit") {
  redirect_chain chain{"https://example.com/a"};
  CHECK(chain.followed() == 0);
  CHECK(problem_of(chain, "/a") == redirect_problem::loop);
  CHECK(problem_of(chain, "/b", {}, 0) == redirect_problem::too_many);
  CHECK(problem_of(chain, "/b") == std::nullopt);
  chain.follow("https://example.com/b");
  CHECK(chain.followed() == 1);
  CHECK(problem_of(chain, "https://EXAMPLE.com:443/a") == redirect_problem::loop);
  CHECK(problem_of(chain, "/c", {}, 1) == redirect_problem::too_many);
  CHECK(outcome_of(redirect_problem::too_many, 4) == outcome::server_error);
  CHECK(outcome_of(redirect_problem::too_many, 5) == outcome::too_many_redirects);
}

TEST_CASE("redirect_options refuse a redirect from https to http, or to another host, by choice") {
  const redirect_chain chain{"https://example.com/a"};
  const redirect_options no_http{.refuse_http = true};
  const redirect_options one_host{.refuse_other_hosts = true};
  for (const std::string_view location :
       {"http://example.com/b", "https://www.example.com/", "https://example.com:444/"}) {
    CAPTURE(location);
    CHECK(problem_of(chain, location) == std::nullopt);
  }
  CHECK(problem_of(chain, "http://example.com/b", no_http) == redirect_problem::refused);
  CHECK(problem_of(chain, "https://www.example.com/", no_http) == std::nullopt);
  CHECK(problem_of(chain, "https://www.example.com/", one_host) == redirect_problem::refused);
  CHECK(problem_of(chain, "http://example.com/b", one_host) == std::nullopt);
  CHECK(problem_of(chain, "https://example.com:444/", one_host) == std::nullopt);
  const redirect_chain plain{"http://example.com/a"};
  CHECK(problem_of(plain, "http://example.com/b", no_http) == std::nullopt);
  CHECK(outcome_of(redirect_problem::refused, 0) == outcome::refused);
}

TEST_CASE("A retrieval follows no redirect that its limits refuse, and says why") {
  ScriptedFetcher web;
  web.on("https://example.com/robots.txt",
         ScriptedFetcher::redirect(301, "http://www.example.com/robots.txt"));
  robots::ManualClock clock;
  const auto result_with = [&](redirect_options limits) {
    robots::detail::retrieval_options options;
    options.user_agent = "FooBot";
    options.redirects = limits;
    return robots::detail::run_retrieval(
        {*robots::parse_site("https://example.com"), options, clock.now()}, web, clock);
  };
  const auto no_http = result_with({.refuse_http = true});
  CHECK(no_http.outcome == outcome::refused);
  CHECK(no_http.error_text ==
        "redirect from https to http, which redirect_options refuse: http://www.example.com");
  const auto one_host = result_with({.refuse_other_hosts = true});
  CHECK(one_host.outcome == outcome::refused);
  CHECK(one_host.error_text ==
        "redirect to another host, which redirect_options refuse: http://www.example.com");
  CHECK(web.count("http://www.example.com/robots.txt") == 0);
}
