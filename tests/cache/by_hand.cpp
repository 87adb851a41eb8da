// What somebody does to a cache by hand: asks a site again, tells what holds for it.
#include "cache_fixture.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/policy/site_override.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <string>

using namespace std::chrono_literals;
using robots::cache_options;
using robots::decision;
using robots::fetch_request;
using robots::ScriptedFetcher;
using robots::site_override;
using robots::test::foo_bot;
using robots::test::foo_bot_that_asks_once;
using robots::test::home;
using robots::test::robots_url;
using robots::test::scripted;
using robots::test::secret;
using robots::test::watched;

TEST_CASE("a refresh asks again by validators, and keeps the last good copy for worse times") {
  scripted at{foo_bot_that_asks_once()};
  at.web.on(robots_url, robots::test::ok(robots::test::rules, {{"ETag", "\"a\""}}),
            ScriptedFetcher::status(304), ScriptedFetcher::status(503),
            robots::test::ok("User-agent: *\nDisallow: /"));
  CHECK(at.cache.allowed(home));
  CHECK(at.cache.refresh(home)->source().not_modified);
  CHECK(at.web.count() == 2);
  CHECK(at.cache.check(home).from_cache);
  CHECK(to_string(at.cache.refresh(home)->basis()) == "last_good");
  CHECK(at.cache.allowed(home));
  CHECK_FALSE(at.cache.refresh(home)->allows("/x"));
  CHECK_FALSE(at.cache.allowed(home));
  CHECK(at.web.count() == 4);
  at.cache.invalidate(home);
  at.web.on(robots_url, ScriptedFetcher::status(503));
  CHECK(to_string(at.cache.refresh(home)->basis()) == "deny_all");
}

TEST_CASE("A refresh does not join a fetch that began before it") {
  watched at;
  std::atomic<int> fetches = 0;
  at.web.on_call(robots_url, [&](const fetch_request&) {
    if (fetches++ == 0) {
      at.door.pass();
      return robots::test::ok("User-agent: *\nDisallow:\n");
    }
    return robots::test::ok();
  });
  std::future<bool> early =
      std::async(std::launch::async, [&] { return at.cache.allowed(secret); });
  at.door.wait_for_arrivals();
  CHECK_FALSE(at.cache.refresh(home)->allows("/private/x"));
  at.door.open();
  CHECK(early.get());
  CHECK_FALSE(at.cache.allowed(secret));
}

TEST_CASE("a refresh waits for the new rules where others are served the stale ones") {
  cache_options options = foo_bot();
  options.stale_while_revalidate = 1h;
  scripted at{options};
  at.web.on(robots_url, robots::test::ok(), robots::test::ok("User-agent: *\nDisallow: /"));
  CHECK(at.cache.allowed(home));
  at.clock.advance(24h);
  CHECK_FALSE(at.cache.refresh(home)->allows("/x"));
}

TEST_CASE("what was told of a site by hand holds until it is lifted") {
  cache_options options = foo_bot();
  options.excluded = {"gov"};
  scripted at{options};
  at.web.otherwise(robots::test::ok());
  robots::cache_controls& console = at.cache;  // which need not know what cache it is
  console.set_override(home, site_override::deny);
  console.set_override("nasa.gov", site_override::allow);
  const decision made = at.cache.check(home);
  CHECK_FALSE(made.allowed);
  CHECK(to_string(made.reason) == "by_hand");
  CHECK(explain(made) == "not allowed: the site was told by hand");
  CHECK_FALSE(at.cache.allowed("HTTPS://EXAMPLE.com:443/x"));
  CHECK(at.cache.allowed("https://example.com/robots.txt"));
  CHECK(at.cache.allowed("http://nasa.gov/x"));
  CHECK(at.cache.allowed("https://nasa.gov/x"));
  CHECK(at.cache.check(home, at.cache.begin(home)).reason == made.reason);
  CHECK(at.cache.refresh(home) == made.policy);
  CHECK(at.web.count() == 0);
  CHECK(at.cache.allowed("http://example.com/"));  // another site
  const auto told = at.cache.overrides();
  REQUIRE(told.size() == 2);
  CHECK(told[0].first == "https://example.com");
  CHECK(to_string(told[0].second) == "deny");
  CHECK(told[1].first == "nasa.gov");

  at.cache.set_override(home, site_override::none);
  at.cache.set_override("nasa.gov", site_override::none);
  CHECK(at.cache.overrides().empty());
  CHECK(at.cache.allowed(home));
  CHECK_FALSE(at.cache.allowed(secret));
  CHECK_FALSE(at.cache.allowed("https://nasa.gov/x"));
  CHECK(to_string(at.cache.check("no URL").reason) == "invalid_url");
  CHECK_THROWS_AS(at.cache.set_override("no URL", site_override::deny), std::invalid_argument);
}

TEST_CASE("The excluded hosts can be replaced while the cache runs") {
  using robots::decision_reason;
  robots::cache_options options = robots::test::foo_bot();
  options.excluded = {"gov"};
  scripted at{options};
  at.web.otherwise(robots::test::ok());
  CHECK(at.cache.check("https://x.gov/").reason == decision_reason::excluded);
  CHECK(at.cache.allowed("https://x.example/"));
  const std::vector<std::string> next{"example"};
  at.cache.set_excluded(next);
  CHECK(at.cache.check("https://x.example/").reason == decision_reason::excluded);
  CHECK(at.cache.allowed("https://x.gov/"));
  at.web.on("https://y.gov/robots.txt",
            ScriptedFetcher::redirect(301, "https://y.example/robots.txt"));
  CHECK_FALSE(at.cache.allowed("https://y.gov/"));
  const std::vector<std::string> wrong{"x y"};
  CHECK_THROWS_AS(at.cache.set_excluded(wrong), std::invalid_argument);
  CHECK(at.cache.check("https://x.example/").reason == decision_reason::excluded);
  at.cache.set_excluded({});
  CHECK(at.cache.allowed("https://x.example/"));
}

TEST_CASE("Rules that nothing can use any more are removed") {
  for (const auto& fallback :
       {robots::fallback_policy::permissive(), robots::fallback_policy::rfc9309()}) {
    CAPTURE(fallback.name());
    const bool is_permissive = fallback == robots::fallback_policy::permissive();
    scripted at{{.user_agent = "FooBot/1.0", .fallback = fallback}};
    at.web.otherwise(robots::test::ok());
    at.web.on("https://tagged.example/robots.txt",
              ScriptedFetcher::ok("User-agent: *\n", {{"ETag", "\"1\""}}));
    CHECK(at.cache.allowed("https://a.example/"));
    CHECK(at.cache.allowed("https://b.example/"));
    CHECK(at.cache.allowed("https://tagged.example/"));
    at.clock.advance(std::chrono::hours{23});
    CHECK(at.cache.remove_expired() == 0);
    at.clock.advance(std::chrono::hours{2});
    CHECK(at.cache.remove_expired() == (is_permissive ? 2 : 0));  // a 304 may confirm the third
    at.clock.advance(std::chrono::days{30});
    CHECK(at.cache.remove_expired() == (is_permissive ? 1 : 3));
    CHECK(at.cache.stats().size == 0);
  }
}

TEST_CASE("what is told of a site while it is looked up in steps holds for that look-up, too") {
  scripted at;
  const robots::look_up known = at.cache.begin("no URL");
  at.web.otherwise(robots::test::ok());
  CHECK(at.cache.allowed(home));
  const robots::look_up looking = at.cache.begin(home);
  CHECK(at.cache.check(home, looking).allowed);
  at.cache.set_override(home, site_override::deny);
  CHECK(to_string(at.cache.check(home, looking).reason) == "by_hand");
  CHECK_FALSE(at.cache.check(home, looking).allowed);
  CHECK_THROWS_AS(static_cast<void>(at.cache.check(home, known)), std::invalid_argument);
}
