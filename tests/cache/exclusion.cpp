// Hosts that the crawler's own configuration excludes.
#include "cache_fixture.hpp"
#include <robots/cache/basic_robots_cache.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <string>

using namespace std::chrono_literals;
using robots::cache_options;
using robots::decision;
using robots::explain;
using robots::fallback_policy;
using robots::policy;
using robots::ScriptedFetcher;
using robots::test::foo_bot;
using robots::test::home;
using robots::test::reason_of;
using robots::test::robots_url;
using robots::test::scripted;

TEST_CASE("An excluded host is never fetched and never allowed, and the decision says so") {
  cache_options options = foo_bot(fallback_policy::permissive());
  options.excluded = {"gov",
                      ".MIL",
                      "*.test",
                      "gov.uk",
                      "example.org",
                      "10.0.0.1",
                      "[::1]",
                      "with-port.example:8080",
                      "[2606:4700:0::1112]"};
  scripted bot{options};
  bot.web.otherwise(robots::test::ok(""));

  for (const char* url : {"https://nasa.gov/",
                          "http://nasa.gov:8080/x",
                          "https://NASA.GOV/",
                          "https://gov/",
                          "https://nasa.gov./",
                          "https://nasa.g%6Fv/",
                          "https://user@nasa.gov/",
                          "https://example.com@nasa.gov/",
                          "nasa.gov",
                          "nasa.gov:80",
                          "https://army.mil/",
                          "https://a.test/",
                          "https://a.gov.uk/",
                          "https://example.org/",
                          "https://www.example.org/",
                          "https://10.0.0.1/",
                          "https://[::1]/",
                          "http://[::1]:81/",
                          "http://[0:0::1]/",
                          "https://[::ffff:10.0.0.1]/",
                          "https://[::FFFF:0a00:1]/",
                          "https://[2606:4700::1112]/",
                          "https://[2606:4700::0.0.17.18]/",
                          "https://with-port.example/",
                          "https://nasa.gov/robots.txt",
                          "nasa.gov/robots.txt",
                          "https://example.org/robots.txt"}) {
    CAPTURE(std::string{url});
    const decision answer = bot.cache.check(url);
    CHECK_FALSE(answer.allowed);
    CHECK_FALSE(answer.verdict.allowed);
    CHECK(reason_of(answer) == "excluded");
    CHECK(explain(answer) == "not allowed: the host is excluded");
    CHECK(answer.age == 0s);
    CHECK(to_string(answer.policy->basis()) == "refused");
    CHECK_FALSE(bot.cache.allowed(url));
    const auto found = bot.cache.get(url);
    REQUIRE(found);
    CHECK_FALSE(found->allows("/x"));
  }
  CHECK(bot.web.count() == 0);
  CHECK(bot.cache.stats().excluded == 3 * 27);
  CHECK(bot.cache.stats().denied == 3 * 27);
  CHECK(bot.cache.stats().exclusion_rate() == 1.0);

  for (const char* url : {"https://mygov/", "https://gov.example.com/", "https://uk/",
                          "https://myexample.org/", "https://110.0.0.1/", "https://[::11]/"}) {
    CAPTURE(std::string{url});
    CHECK(bot.cache.allowed(url));
  }
  CHECK(bot.web.count() == 6);
}

TEST_CASE("The policy of an excluded host allows nothing, not even /robots.txt") {
  cache_options options = foo_bot();
  options.excluded = {"gov"};
  scripted bot{options};
  CHECK_FALSE(bot.cache.get("https://nasa.gov/")->allows("https://nasa.gov/robots.txt"));
  CHECK_FALSE(bot.cache.get("not a host")->allows("/robots.txt"));
}

TEST_CASE("An excluded host is not fetched after a redirect either") {
  cache_options options = foo_bot(fallback_policy::permissive());
  options.excluded = {"gov"};
  scripted bot{options};
  const std::string hidden = "https://www.nasa.gov/robots.txt";
  bot.web.on(robots_url, ScriptedFetcher::redirect(301, hidden));
  bot.web.on(hidden, robots::test::ok(""));
  const decision answer = bot.cache.check(home);
  CHECK(bot.web.count(hidden) == 0);
  CHECK_FALSE(answer.allowed);
  CHECK(to_string(answer.policy->last_retrieval().outcome) == "refused");
}
