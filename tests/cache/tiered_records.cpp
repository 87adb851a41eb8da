// Which records a process shares, and which records of others it uses.
#include "cache/tiered_fleet.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/site_records.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <string_view>

using namespace std::chrono_literals;
using namespace robots::test::tiering;
using robots::cache_options;
using robots::decision;
using robots::fetch_response;
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

TEST_CASE("An invalid record in the store is ignored") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  const auto refuses = [&crawlers](std::string_view value) {
    crawlers.store.publish(site_key, value, 24h);
    const auto cache = crawlers.worker();
    CHECK_FALSE(cache->allowed(secret));
    CHECK(cache->allowed(home));
    CHECK(cache->stats().far_rejected > 0);
    CHECK(cache->stats().far_hits == 0);
    CHECK(cache->stats().retrievals == 1);
  };
  const auto allows_all = [&crawlers](auto change) {
    site_records records{.latest = good_record(crawlers, "User-agent: *\nAllow: /\n")};
    change(records);
    return encode(records);
  };
  const std::string whole = allows_all([](site_records&) {});
  crawlers.store.publish(site_key, whole, 24h);
  CHECK(crawlers.worker()->allowed(secret));  // a whole record is used
  CHECK(crawlers.web.count() == 0);

  refuses("");
  refuses("PING");
  refuses(std::string(100'000, '\xFF'));
  refuses(whole.substr(0, whole.size() / 2));
  refuses(whole + '\0');
  std::string other_version = whole;
  ++other_version.front();
  refuses(other_version);
  refuses(robots::detail::encode(good_record(crawlers)));  // not the record of a site
  refuses(allows_all([](site_records& records) {
    records.latest.url = records.latest.final_url = "https://evil.example/robots.txt";
  }));
  refuses(allows_all([](site_records& records) { records.latest.final_url = "no URL"; }));
  refuses(allows_all([](site_records& records) { records.latest.fetched_at += 61s; }));
  refuses(allows_all([](site_records& records) { records.latest.not_modified = true; }));
  refuses(allows_all([](site_records& records) {
    records.last_good = records.latest;
    records.last_good->url = "https://evil.example/robots.txt";
    records.latest.outcome = outcome::server_error;
  }));
  for (const outcome own :
       {outcome::unreachable, outcome::too_many_redirects, outcome::refused, outcome::cancelled,
        outcome::circuit_open, outcome::quarantined, outcome::challenged}) {
    refuses(allows_all([own](site_records& records) { records.latest.outcome = own; }));
  }
  refuses(allows_all([](site_records& records) {
    records.latest.outcome = outcome::server_error;
    records.latest.status = 301;
  }));
}

TEST_CASE("A worker does not use a shared file that is older than its own file") {
  fleet crawlers;
  crawlers.web.on(robots_url,
                  ok("User-agent: *\nDisallow: /\n", {{"Cache-Control", "max-age=3600"}}));
  crawlers.store.publish(site_key, encode(site_records{.latest = good_record(crawlers)}), 24h);
  crawlers.clock.advance(1min);
  const auto cache = crawlers.worker();
  crawlers.store.fail("it is down");
  CHECK_FALSE(cache->allowed(home));
  crawlers.store.recover();
  SUBCASE("and asks the site again") { crawlers.clock.advance(2h); }
  SUBCASE("even if the site then fails") {
    crawlers.web.on(robots_url, ScriptedFetcher::status(503));
    crawlers.clock.advance(2h);
    CHECK_FALSE(cache->allowed(home));
    crawlers.clock.advance(2h);
  }
  CHECK_FALSE(cache->allowed(home));
  CHECK(cache->stats().far_hits == 0);
  CHECK_FALSE(crawlers.worker()->allowed(home));
}

TEST_CASE("A record from a machine whose clock is a little ahead is used") {
  fleet crawlers;
  record sample = good_record(crawlers);
  sample.fetched_at += 60s;
  crawlers.store.publish(site_key, encode(site_records{.latest = sample}), 24h);
  const auto cache = crawlers.worker();
  CHECK_FALSE(cache->allowed(secret));
  CHECK(cache->check(secret).age == 0s);
  CHECK(crawlers.web.count() == 0);
}

TEST_CASE("A worker uses a shared record no longer than its own options allow") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok());
  record sample = good_record(crawlers);
  sample.lifetime = std::chrono::years{1};
  crawlers.clock.advance(25h);
  crawlers.store.publish(site_key, encode(site_records{.latest = sample}), std::chrono::days{300});
  CHECK(crawlers.worker()->allowed(home));
  CHECK(crawlers.web.count() == 1);
}

TEST_CASE("A failure is shared together with the last good copy, which other workers then use") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok(), ScriptedFetcher::status(503));
  CHECK(crawlers.worker(foo_bot_that_asks_once())->allowed(home));
  crawlers.clock.advance(24h);
  for (int worker = 0; worker < 3; ++worker) {
    const auto cache = crawlers.worker(foo_bot_that_asks_once());
    const decision answer = cache->check(secret);
    CHECK_FALSE(answer.allowed);
    CHECK(answer.policy->basis() == robots::policy_basis::last_good);
    CHECK(answer.age == 24h);
    CHECK(cache->allowed(home));
    CHECK(answer.policy->last_retrieval().failures == 1);
  }
  CHECK(crawlers.web.count() == 2);
  crawlers.clock.advance(5min);
  CHECK(crawlers.worker(foo_bot_that_asks_once())->check(home).policy->last_retrieval().failures ==
        2);
  CHECK(crawlers.stored()->last_good);
  CHECK(crawlers.web.count() == 3);
}

TEST_CASE("Workers share the time for which a site has answered with 5xx") {
  fleet crawlers;
  crawlers.web.on(robots_url, ScriptedFetcher::status(503));
  robots::cache_options options = foo_bot_that_asks_once();
  options.no_file_after = 48h;
  for (int day = 0; day < 2; ++day) {
    CHECK_FALSE(crawlers.worker(options)->allowed(home));
    crawlers.clock.advance(24h);
  }
  CHECK(crawlers.worker(options)->allowed(home));
  CHECK_FALSE(crawlers.worker(foo_bot_that_asks_once())->allowed(home));  // the option is its own
  CHECK(crawlers.stored()->latest.failing_for == 48h);
  CHECK(crawlers.web.count() == 3);
}

TEST_CASE("After a failure, a worker sends the validators of another worker's last good copy") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok(robots::test::rules, {{"ETag", "\"1\""}}),
                  ScriptedFetcher::status(503), ScriptedFetcher::status(304));
  CHECK(crawlers.worker(foo_bot_that_asks_once())->allowed(home));
  crawlers.clock.advance(24h);
  CHECK(crawlers.worker(foo_bot_that_asks_once())->allowed(home));
  crawlers.clock.advance(5min);
  const decision answer = crawlers.worker(foo_bot_that_asks_once())->check(secret);
  CHECK_FALSE(answer.allowed);
  CHECK(answer.policy->last_retrieval().not_modified);
  CHECK(answer.policy->basis() == robots::policy_basis::rules);
  CHECK(crawlers.web.count() == 3);
  REQUIRE(crawlers.stored());
  CHECK(crawlers.stored()->latest.body == robots::test::rules);
  CHECK_FALSE(crawlers.stored()->last_good);
}

TEST_CASE("A 304 renews the whole record for all") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok(robots::test::rules, {{"ETag", "\"1\""}}),
                  ScriptedFetcher::status(304, {{"Cache-Control", "max-age=7200"}}));
  CHECK(crawlers.worker()->allowed(home));
  crawlers.clock.advance(24h);
  CHECK_FALSE(crawlers.worker()->allowed(secret));
  CHECK(robots::detail::find_header(crawlers.web.requests().back().headers, "If-None-Match") ==
        "\"1\"");
  crawlers.clock.advance(1h);
  const auto cold = crawlers.worker();
  const decision answer = cold->check(secret);
  CHECK_FALSE(answer.allowed);
  CHECK(answer.age == 1h);
  CHECK(crawlers.web.count() == 2);
  CHECK(crawlers.stored()->latest.validators.etag == "\"1\"");
  CHECK(crawlers.stored()->latest.lifetime == 2h);
}

TEST_CASE("A worker whose file the store has lost requests the whole file, to share it") {
  fleet crawlers;
  crawlers.web.on(robots_url, ok(robots::test::rules, {{"ETag", "\"1\""}}));
  const auto cache = crawlers.worker();
  CHECK(cache->allowed(home));
  crawlers.store.clear();
  crawlers.clock.advance(24h);
  CHECK(cache->allowed(home));
  CHECK_FALSE(robots::detail::find_header(crawlers.web.requests().back().headers, "If-None-Match"));
  CHECK(crawlers.stored());
}

TEST_CASE("A breaker that opens in one worker is not shared, and the lease is released") {
  fleet crawlers;
  crawlers.web.on(robots_url, ScriptedFetcher::status(503));
  cache_options options = foo_bot();
  options.breaker.failures = 1;
  options.failure_ttl = 0s;
  const auto cache = crawlers.worker(options);
  CHECK_FALSE(cache->allowed(home));
  REQUIRE(crawlers.stored());
  CHECK(crawlers.stored()->latest.outcome == outcome::server_error);
  crawlers.clock.advance(1s);
  CHECK(cache->check(home).policy->last_retrieval().outcome == outcome::circuit_open);
  CHECK(crawlers.stored()->latest.outcome == outcome::server_error);
  CHECK(crawlers.store.try_lease(lease_key, 1s));
}

TEST_CASE("A worker that gets no response from a site does not share that failure") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  using enum robots::fetch_error;
  for (const robots::fetch_error error : {resolve, connect, tls, timeout, refused_address, protocol,
                                          other, connection_refused, proxy, local}) {
    CAPTURE(to_string(error));
    fleet asked;
    asked.web.on(robots_url, ScriptedFetcher::failure(error), ok());
    CHECK_FALSE(asked.worker(foo_bot_that_asks_once())->allowed(home));
    CHECK_FALSE(asked.stored());
    CHECK(asked.worker(foo_bot_that_asks_once())->allowed(home));

    fleet redirected;
    redirected.web.on(robots_url, ScriptedFetcher::redirect(301, www))
        .on(www, ScriptedFetcher::failure(error), ok());
    CHECK_FALSE(redirected.worker(foo_bot_that_asks_once())->allowed(home));
    REQUIRE(redirected.stored());
    CHECK(redirected.stored()->latest.outcome == outcome::redirected);
    CHECK_FALSE(redirected.stored("https://www.example.com"));
    CHECK(redirected.worker(foo_bot_that_asks_once())->allowed(home));
  }
}

TEST_CASE("A bot wall's page is not shared, and the store's last good copy stays in force") {
  robots::fetch_response wall = ok("<html><title>Just a moment...</title></html>\n");
  SUBCASE("if the status shows the wall") { wall.status = 202; }
  SUBCASE("if only the file that was there shows the wall") {}
  fleet crawlers;
  crawlers.web.on(robots_url, ok(), wall, wall, ok());
  CHECK_FALSE(crawlers.worker(foo_bot_that_asks_once())->allowed(secret));
  crawlers.clock.advance(24h);
  for (int worker = 0; worker < 2; ++worker) {
    const decision answer = crawlers.worker(foo_bot_that_asks_once())->check(secret);
    CHECK_FALSE(answer.allowed);
    CHECK(answer.policy->basis() == robots::policy_basis::last_good);
    CHECK(to_string(answer.policy->outcome()) == "challenged");
    REQUIRE(crawlers.stored());
    CHECK(crawlers.stored()->latest.outcome == outcome::success);
    CHECK(crawlers.stored()->latest.body == robots::test::rules);
  }
  CHECK(to_string(crawlers.worker(foo_bot_that_asks_once())->check(secret).policy->outcome()) ==
        "success");
}

TEST_CASE("A worker that must not follow a redirect does not share that refusal") {
  fleet crawlers;
  cache_options options = foo_bot();
  std::string target = "https://example.com/of/robots.txt";
  SUBCASE("because it excludes the host") {
    target = "https://ads.example/robots.txt";
    options.excluded = {"ads.example"};
  }
  SUBCASE("because it follows none") { options.max_redirects = 0; }
  SUBCASE("because it refuses other hosts") {
    target = "https://www.example.com/of/robots.txt";
    options.redirects.refuse_other_hosts = true;
  }
  crawlers.web.on(robots_url, ScriptedFetcher::redirect(301, target)).on(target, ok());
  CHECK_FALSE(crawlers.worker(options)->allowed(home));
  CHECK_FALSE(crawlers.stored());
  CHECK(crawlers.worker()->allowed(home));
  CHECK(crawlers.stored());
}

TEST_CASE("A worker that follows fewer redirects than another one does not share its limit") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  constexpr const char* cdn = "https://cdn.example/robots.txt";
  fleet crawlers;
  crawlers.web.on(robots_url, ScriptedFetcher::redirect(301, www))
      .on(www, ScriptedFetcher::redirect(301, cdn))
      .on(cdn, ok());
  cache_options options = foo_bot();
  options.max_redirects = 1;
  CHECK_FALSE(crawlers.worker(options)->allowed(home));
  REQUIRE(crawlers.stored());
  CHECK(crawlers.stored()->latest.outcome == outcome::redirected);
  CHECK(crawlers.worker()->allowed(home));
  CHECK_FALSE(crawlers.worker()->allowed(secret));
}

TEST_CASE("A worker that refuses other hosts does not follow the redirect of another worker") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  fleet crawlers;
  crawlers.web.on(robots_url, ScriptedFetcher::redirect(301, www)).on(www, ok());
  CHECK(crawlers.worker()->allowed(home));
  cache_options options = foo_bot();
  options.redirects.refuse_other_hosts = true;
  const decision refused = crawlers.worker(options)->check(home);
  CHECK_FALSE(refused.allowed);
  CHECK(
      explain(refused) ==
      "not allowed: fallback: refused (HTTP 301) (redirect to another host, which redirect_options "
      "refuse: https://www.example.com)");
  CHECK(crawlers.worker()->allowed(home));
}

TEST_CASE("A worker does not use a shared file that was cut below its own limit") {
  fleet crawlers;
  const std::string file = std::string{robots::test::rules} + "# " + std::string(3'000, 'x') +
                           "\nUser-agent: *\nDisallow: /late\n";
  const char* const late = "https://example.com/late";
  crawlers.web.on(robots_url, ok(file, {{"ETag", "\"1\""}}));
  cache_options options = foo_bot();
  options.parse.max_bytes = 2'000;
  CHECK(crawlers.worker(options)->allowed(late));
  REQUIRE(crawlers.stored());
  CHECK(crawlers.stored()->latest.truncated);
  SUBCASE("while the file is fresh") {}
  SUBCASE("or to ask whether it has changed") { crawlers.clock.advance(24h); }
  const auto reads_all = crawlers.worker();
  CHECK_FALSE(reads_all->allowed(late));
  CHECK(reads_all->stats().far_rejected > 0);
  CHECK(crawlers.web.count() == 2);
  CHECK_FALSE(robots::detail::find_header(crawlers.web.requests().back().headers, "If-None-Match"));
  CHECK_FALSE(crawlers.worker()->allowed(late));
  CHECK(crawlers.worker(options)->allowed(late));  // it reads only the start of the file
  CHECK(crawlers.web.count() == 2);
}

TEST_CASE("A worker does not use a last good copy that was cut below its own limit") {
  fleet crawlers;
  const std::string file = std::string{robots::test::rules} + "# " + std::string(3'000, 'x') +
                           "\nUser-agent: *\nDisallow: /late\n";
  const char* const late = "https://example.com/late";
  crawlers.web.on(robots_url, ok(file), ScriptedFetcher::status(503));
  cache_options options = foo_bot();
  options.parse.max_bytes = 2'000;
  CHECK(crawlers.worker(options)->allowed(late));
  crawlers.clock.advance(24h);
  CHECK(crawlers.worker(options)->allowed(late));
  REQUIRE(crawlers.stored());
  CHECK(crawlers.stored()->last_good);
  CHECK_FALSE(crawlers.worker()->allowed(late));
}
