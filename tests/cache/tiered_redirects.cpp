// Redirects between sites, which all processes know from the store.
#include "cache/tiered_fleet.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/site_records.hpp>

#include <doctest/doctest.h>

#include <limits>

using namespace std::chrono_literals;
using namespace robots::test::tiering;
using robots::cache_options;
using robots::decision;
using robots::outcome;
using robots::record;
using robots::ScriptedFetcher;
using robots::detail::site_records;
using robots::test::foo_bot;
using robots::test::foo_bot_that_asks_once;
using robots::test::home;
using robots::test::ok;
using robots::test::robots_url;
using robots::test::secret;

TEST_CASE("A redirect from one site to another has the same effect in every process") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  fleet crawlers;
  crawlers.web.on(robots_url, ScriptedFetcher::redirect(301, www)).on(www, ok());
  for (int worker = 0; worker < 3; ++worker) {
    const auto cache = crawlers.worker();
    const decision answer = cache->check(secret);
    CHECK_FALSE(answer.allowed);
    CHECK(answer.policy->last_retrieval().final_url == www);
    CHECK(answer.policy->last_retrieval().redirects == 1);
    CHECK(cache->allowed(home));
    CHECK_FALSE(cache->allowed("https://www.example.com/private/x"));
    CHECK(cache->stats().far_hits == (worker == 0 ? 0 : 2));
    CHECK(cache->stats().retrievals == (worker == 0 ? 2 : 0));
  }
  CHECK(crawlers.web.count() == 2);
  REQUIRE(crawlers.stored());
  CHECK(crawlers.stored()->latest.outcome == outcome::redirected);
  crawlers.clock.advance(24h);
  const auto cache = crawlers.worker();
  CHECK_FALSE(cache->allowed(secret));
  CHECK(crawlers.web.count(robots_url) == 2);
  CHECK(crawlers.web.count(www) == 2);
}

TEST_CASE("A new worker uses the last good copy of the target of a redirect") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  fleet crawlers;
  crawlers.web.on(robots_url, ScriptedFetcher::redirect(301, www))
      .on(www, ok(), ScriptedFetcher::status(503));
  CHECK(crawlers.worker(foo_bot_that_asks_once())->allowed(home));
  crawlers.clock.advance(24h);
  const auto warm = crawlers.worker(foo_bot_that_asks_once());
  CHECK(warm->allowed("https://www.example.com/"));
  CHECK(crawlers.web.count(www) == 2);
  crawlers.store.publish(
      site_key,
      [&crawlers] {
        record redirect = good_record(crawlers, "");
        redirect.outcome = outcome::redirected;
        redirect.status = 301;
        redirect.final_url = www;
        redirect.redirects = 1;
        return encode(site_records{.latest = redirect});
      }(),
      24h);
  const auto cold = crawlers.worker(foo_bot_that_asks_once());
  const decision answer = cold->check(secret);
  CHECK_FALSE(answer.allowed);
  CHECK(answer.policy->basis() == robots::policy_basis::last_good);
  CHECK(cold->allowed(home));
  CHECK(crawlers.web.count() == 3);
}

TEST_CASE("A redirect in the store to an excluded host is not followed") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  record redirect = good_record(crawlers, "");
  redirect.outcome = outcome::redirected;
  redirect.status = 301;
  redirect.final_url = "https://ads.example/robots.txt";
  crawlers.store.publish(site_key, encode(site_records{.latest = redirect}), 24h);
  cache_options options = foo_bot();
  options.excluded = {"ads.example"};
  const auto cache = crawlers.worker(options);
  CHECK(cache->allowed(home));
  CHECK(cache->stats().far_rejected > 0);
  CHECK(crawlers.web.count() == 1);
}

TEST_CASE("If the redirects in the store form a loop, the sites are asked") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  fleet crawlers;
  crawlers.web.on(robots_url, ScriptedFetcher::redirect(301, www)).on(www, ok());
  CHECK(crawlers.worker()->allowed(home));
  crawlers.store.erase("https://www.example.com");
  const auto cache = crawlers.worker();
  bool goes_round = false;
  SUBCASE("of which one redirects no longer") { crawlers.web.on(robots_url, ok()); }
  SUBCASE("even if all of them still redirect") { goes_round = true; }
  crawlers.web.on(www, ScriptedFetcher::redirect(301, robots_url));
  crawlers.clock.advance(5min);  // a failed redirect is asked for again after `failure_ttl`
  const decision answer = cache->check("https://www.example.com/private/x");
  CHECK(answer.allowed == goes_round);
  CHECK(answer.policy->last_retrieval().outcome ==
        (goes_round ? outcome::too_many_redirects : outcome::success));
  CHECK(crawlers.web.count(robots_url) == 2);
}

TEST_CASE("Redirects in the store with a wrong count are not followed") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  record redirect = good_record(crawlers, "");
  redirect.outcome = outcome::redirected;
  redirect.status = 301;
  redirect.final_url = "https://other.example/robots.txt";
  SUBCASE("with a count of 0") { redirect.redirects = 0; }
  SUBCASE("with a count that would overflow") {
    redirect.redirects = std::numeric_limits<int>::max();
  }
  crawlers.store.publish(site_key, encode(site_records{.latest = redirect}), 24h);
  const auto cache = crawlers.worker();
  CHECK(cache->allowed(home));
  CHECK(cache->stats().far_rejected > 0);
}
