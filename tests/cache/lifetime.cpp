// The lifetime of answers: headers of the site set it, within the limits of the options.
#include "cache_fixture.hpp"
#include <robots/cache/basic_robots_cache.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using robots::cache_options;
using robots::decision;
using robots::fallback_policy;
using robots::fetch_response;
using robots::http_header;
using robots::ScriptedFetcher;
using robots::test::foo_bot;
using robots::test::foo_bot_that_asks_once;
using robots::test::home;
using robots::test::robots_url;
using robots::test::scripted;
using robots::test::secret;

namespace {

/// Checks that `answer` is used for exactly `lifetime`, to the nanosecond.
void check_lifetime(const fetch_response& answer, std::chrono::seconds lifetime,
                    const cache_options& options = foo_bot()) {
  scripted bot{options};
  bot.web.on(robots_url, answer);
  CHECK_FALSE(bot.cache.check(home).from_cache);
  CAPTURE(lifetime.count());
  bot.clock.advance(lifetime - 1ns);
  const decision last = bot.cache.check(home);
  CHECK(last.from_cache);
  CHECK(last.age == lifetime - 1ns);
  CHECK(bot.web.count() == 1);
  bot.clock.advance(1ns);
  const decision anew = bot.cache.check(home);
  CHECK_FALSE(anew.from_cache);
  CHECK(bot.web.count() == 2);
}

fetch_response with(std::vector<http_header> headers) { return robots::test::ok("", headers); }

constexpr const char* noon = "Sun, 06 Nov 1994 12:00:00 GMT";
constexpr const char* two_o_clock = "Sun, 06 Nov 1994 14:00:00 GMT";
constexpr const char* next_week = "Sun, 13 Nov 1994 12:00:00 GMT";
constexpr const char* far_future = "Fri, 31 Dec 2999 23:59:59 GMT";

}  // namespace

TEST_CASE("An answer without headers is used for a day") {
  check_lifetime(with({}), 24h);
  check_lifetime(ScriptedFetcher::status(404), 24h);
  check_lifetime(ScriptedFetcher::status(403), 24h);
}

TEST_CASE("max-age and Expires set the lifetime") {
  check_lifetime(with({{"Cache-Control", "max-age=3600"}}), 1h);
  check_lifetime(with({{"cache-control", "public, MAX-AGE=\"7200\""}}), 2h);
  check_lifetime(with({{"Date", noon}, {"Expires", two_o_clock}}), 2h);
  check_lifetime(ScriptedFetcher::status(404, {{"Cache-Control", "max-age=3600"}}), 1h);
}

TEST_CASE("max-age overrides Expires, and Age is subtracted") {
  check_lifetime(
      with({{"Cache-Control", "max-age=3600"}, {"Date", noon}, {"Expires", two_o_clock}}), 1h);
  check_lifetime(with({{"Cache-Control", "max-age=3600"}, {"Age", "600"}}), 50min);
}

TEST_CASE("No header makes a lifetime shorter than min_ttl") {
  check_lifetime(with({{"Cache-Control", "max-age=0"}}), 5min);
  check_lifetime(with({{"Cache-Control", "no-store"}}), 5min);
  check_lifetime(with({{"Cache-Control", "no-cache"}}), 5min);
  check_lifetime(with({{"Expires", "0"}}), 5min);
  check_lifetime(with({{"Date", two_o_clock}, {"Expires", noon}}), 5min);
  check_lifetime(with({{"Cache-Control", "max-age=60"}, {"Age", "4000000000"}}), 5min);
}

TEST_CASE("No header makes a lifetime longer than max_ttl") {
  check_lifetime(with({{"Cache-Control", "max-age=86401"}}), 24h);
  check_lifetime(with({{"Cache-Control", "max-age=99999999999999999999999999"}}), 24h);
  check_lifetime(with({{"Date", noon}, {"Expires", next_week}}), 24h);
}

TEST_CASE("Options set the limits of a lifetime") {
  cache_options options = foo_bot();
  options.min_ttl = 10s;
  options.default_ttl = 1min;
  options.max_ttl = 48h;
  check_lifetime(with({}), 1min, options);
  check_lifetime(with({{"Cache-Control", "max-age=20"}}), 20s, options);
  check_lifetime(with({{"Cache-Control", "max-age=5"}}), 10s, options);
  check_lifetime(with({{"Cache-Control", "max-age=999999"}}), 48h, options);
  options.default_ttl = 1s;
  check_lifetime(with({}), 10s, options);
}

TEST_CASE("max_ttl overrides a longer default_ttl and a longer min_ttl") {
  cache_options options = foo_bot();
  options.max_ttl = 1s;
  check_lifetime(with({}), 1s, options);
  options.max_ttl = 1h;
  check_lifetime(with({}), 1h, options);
  options.max_ttl = 24h;
  options.default_ttl = 48h;
  check_lifetime(with({}), 24h, options);
}

TEST_CASE("The headers of the last response set the lifetime, not those of a redirect") {
  scripted bot;
  fetch_response moved = ScriptedFetcher::redirect(301, "/r");
  moved.headers.push_back({"Cache-Control", "max-age=3600"});
  bot.web.on(robots_url, moved);
  bot.web.on("https://example.com/r", with({{"Cache-Control", "max-age=7200"}}));
  static_cast<void>(bot.cache.check(home));
  bot.clock.advance(2h - 1s);
  CHECK(bot.cache.check(home).from_cache);
  bot.clock.advance(1s);
  CHECK_FALSE(bot.cache.check(home).from_cache);
}

TEST_CASE("A failure is remembered for failure_ttl, with any Cache-Control") {
  const auto failed = ScriptedFetcher::status(500, {{"Cache-Control", "max-age=86400"}});
  cache_options options = foo_bot_that_asks_once();
  check_lifetime(failed, 5min, options);
  options.failure_ttl = 30s;
  check_lifetime(failed, 30s, options);
  options.failure_ttl = 10min;
  options.min_ttl = options.default_ttl = options.max_ttl = 1min;
  check_lifetime(failed, 1min, options);
}

TEST_CASE("By default each failure in a row is remembered twice as long, up to an hour") {
  scripted bot;
  bot.web.otherwise(ScriptedFetcher::failure(robots::fetch_error::connect));
  for (const std::chrono::seconds longest : {5min, 10min, 20min, 40min, 60min, 60min}) {
    CAPTURE(longest.count());
    const decision failed = bot.cache.check(home);
    CHECK_FALSE(failed.from_cache);
    bot.clock.advance(9 * longest / 10 - 1s);  // the random part is at most a tenth
    CHECK(bot.cache.check(home).from_cache);
    bot.clock.advance(longest / 10 + 1s);
  }
}

TEST_CASE("A server gets no request for the time of its Retry-After") {
  for (const int status : {429, 503}) {
    for (const auto fallback :
         {fallback_policy::permissive(), fallback_policy::rfc9309(), fallback_policy::strict()}) {
      const auto after = [status](std::string value) {
        return ScriptedFetcher::status(status, {{"Retry-After", std::move(value)}});
      };
      const cache_options options = foo_bot_that_asks_once(fallback);
      check_lifetime(after("3600"), 1h, options);
      check_lifetime(after("1"), 5min, options);
      check_lifetime(after("0"), 5min, options);
      check_lifetime(after("-5"), 5min, options);
      check_lifetime(after("soon"), 5min, options);
      check_lifetime(after("99999999999999999999"), 24h, options);
      check_lifetime(after(noon), 5min, options);
      check_lifetime(after(far_future), 24h, options);
    }
  }
}

TEST_CASE("During Retry-After, the last good copy applies; without a copy, nothing is allowed") {
  scripted bot;
  bot.web.on(robots_url, robots::test::ok(),
             ScriptedFetcher::status(429, {{"Retry-After", "3600"}}));
  CHECK(bot.cache.allowed(home));
  bot.clock.advance(24h);
  CHECK(bot.cache.allowed(home));
  bot.clock.advance(1h - 1s);
  const decision answer = bot.cache.check(secret);
  CHECK(to_string(answer.policy->last_retrieval().outcome) == "too_many_requests");
  CHECK(to_string(answer.policy->basis()) == "last_good");
  CHECK(answer.from_cache);
  CHECK(bot.web.count() == 2);

  bot.web.on("https://new.example/robots.txt",
             ScriptedFetcher::status(429, {{"Retry-After", "3600"}}));
  CHECK_FALSE(bot.cache.allowed("https://new.example/"));
  bot.clock.advance(1h - 1s);
  CHECK_FALSE(bot.cache.allowed("https://new.example/"));
  CHECK(bot.web.count("https://new.example/robots.txt") == 1);
}

TEST_CASE("The last good copy applies for as long as last_good_for says") {
  cache_options options = foo_bot_that_asks_once();
  options.last_good_for = 36h;
  scripted bot{options};
  bot.web.on(robots_url, robots::test::ok(), ScriptedFetcher::status(500));
  CHECK(bot.cache.allowed(home));
  bot.clock.advance(36h - 1s);
  CHECK(bot.cache.allowed(home));
  bot.clock.advance(5min);
  CHECK_FALSE(bot.cache.allowed(home));
}

TEST_CASE("With last_good_for of zero, a stale copy is never used") {
  cache_options options = foo_bot();
  options.last_good_for = 0s;
  scripted bot{options};
  bot.web.on(robots_url, robots::test::ok(), ScriptedFetcher::status(500));
  CHECK(bot.cache.allowed(home));
  bot.clock.advance(24h - 1s);
  CHECK(bot.cache.check(home).from_cache);
  bot.clock.advance(1s);
  CHECK_FALSE(bot.cache.allowed(home));
}

TEST_CASE("The longest lifetimes never expire") {
  using std::chrono::seconds;
  cache_options options = foo_bot();
  options.default_ttl = options.max_ttl = seconds::max();
  options.last_good_for = seconds::max();

  SUBCASE("for an answer") {
    scripted bot{options};
    bot.web.on(robots_url, robots::test::ok());
    CHECK(bot.cache.allowed(home));
    bot.clock.advance(std::chrono::hours{24 * 365 * 100});
    CHECK(bot.cache.check(home).from_cache);
  }
  SUBCASE("for the last good copy") {
    options.default_ttl = options.max_ttl = 24h;
    scripted bot{options};
    bot.web.on(robots_url, robots::test::ok(), ScriptedFetcher::status(500));
    CHECK(bot.cache.allowed(home));
    bot.clock.advance(std::chrono::hours{24 * 365});
    CHECK(to_string(bot.cache.check(home).policy->basis()) == "last_good");
  }
  SUBCASE("for a failure") {
    options.failure_ttl = seconds::max();
    scripted bot{options};
    bot.web.on(robots_url, ScriptedFetcher::status(500));
    CHECK_FALSE(bot.cache.allowed(home));
    bot.clock.advance(std::chrono::hours{24 * 365});
    CHECK(bot.cache.check(home).from_cache);
  }
}
