// Orders of an operator: refresh a site, override its rules.
#include "cache_fixture.hpp"
#include "rulings/ruled_cache.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/policy/policy.hpp>

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
using robots::test::ruled_process;
using robots::test::scripted;
using robots::test::secret;
using robots::test::watched;

TEST_CASE("A refresh sends validators, and keeps the last good copy for failures") {
  scripted bot{foo_bot_that_asks_once()};
  bot.web.on(robots_url, robots::test::ok(robots::test::rules, {{"ETag", "\"a\""}}),
             ScriptedFetcher::status(304), ScriptedFetcher::status(503),
             robots::test::ok("User-agent: *\nDisallow: /"));
  CHECK(bot.cache.allowed(home));
  CHECK(bot.cache.refresh(home)->last_retrieval().not_modified);
  CHECK(bot.web.count() == 2);
  CHECK(bot.cache.check(home).from_cache);
  CHECK(to_string(bot.cache.refresh(home)->basis()) == "last_good");
  CHECK(bot.cache.allowed(home));
  CHECK_FALSE(bot.cache.refresh(home)->allows("/x"));
  CHECK_FALSE(bot.cache.allowed(home));
  CHECK(bot.web.count() == 4);
  bot.cache.invalidate(home);
  bot.web.on(robots_url, ScriptedFetcher::status(503));
  CHECK(to_string(bot.cache.refresh(home)->basis()) == "deny_all");
}

TEST_CASE("A refresh does not join a fetch that began before it") {
  watched bot;
  std::atomic<int> fetches = 0;
  bot.web.on_call(robots_url, [&](const fetch_request&) {
    if (fetches++ == 0) {
      bot.door.pass();
      return robots::test::ok("User-agent: *\nDisallow:\n");
    }
    return robots::test::ok();
  });
  std::future<bool> early =
      std::async(std::launch::async, [&] { return bot.cache.allowed(secret); });
  bot.door.wait_for_arrivals();
  CHECK_FALSE(bot.cache.refresh(home)->allows("/private/x"));
  bot.door.open();
  CHECK(early.get());
  CHECK_FALSE(bot.cache.allowed(secret));
}

TEST_CASE("A refresh waits for the new rules while other callers get the stale ones") {
  cache_options options = foo_bot();
  options.stale_while_revalidate = 1h;
  scripted bot{options};
  bot.web.on(robots_url, robots::test::ok(), robots::test::ok("User-agent: *\nDisallow: /"));
  CHECK(bot.cache.allowed(home));
  bot.clock.advance(24h);
  CHECK_FALSE(bot.cache.refresh(home)->allows("/x"));
}

TEST_CASE("An override of a site applies until it is lifted") {
  cache_options options = foo_bot();
  options.excluded = {"gov"};
  ruled_process bot{{}, options};
  bot.web.otherwise(robots::test::ok());
  robots::SiteRulings& console = bot.rulings();
  console.override_with(home, site_override::deny);
  console.override_with("nasa.gov", site_override::allow);
  const decision answer = bot.cache.check(home);
  CHECK_FALSE(answer.allowed);
  CHECK(to_string(answer.reason) == "by_hand");
  CHECK(explain(answer) == "not allowed: an override of the site decides, order 1-1 by robots-cpp");
  CHECK_FALSE(bot.cache.allowed("HTTPS://EXAMPLE.com:443/x"));
  CHECK(bot.cache.allowed("https://example.com/robots.txt"));
  CHECK(bot.cache.allowed("http://nasa.gov/x"));
  CHECK(bot.cache.allowed("https://nasa.gov/x"));
  CHECK(bot.cache.check(home, bot.cache.begin(home)).reason == answer.reason);
  CHECK(bot.cache.refresh(home) == answer.policy);
  CHECK(bot.web.count() == 0);
  CHECK(bot.cache.allowed("http://example.com/"));  // another site
  const auto orders = console.in_force();
  REQUIRE(orders.size() == 2);
  CHECK(orders[0].site == "https://example.com");
  CHECK(orders[0].value == "deny");
  CHECK(orders[1].site == "nasa.gov");

  console.override_with("http://example.com:443", site_override::deny);
  CHECK(console.in_force()[0].site == "http://example.com:443");
  console.end_override("http://example.com:443");

  console.end_override(home);
  console.end_override("nasa.gov");
  CHECK(console.in_force().empty());
  CHECK(bot.cache.allowed(home));
  CHECK_FALSE(bot.cache.allowed(secret));
  CHECK_FALSE(bot.cache.allowed("https://nasa.gov/x"));
  CHECK(to_string(bot.cache.check("no URL").reason) == "invalid_url");
}

TEST_CASE("The excluded hosts can be replaced while the cache runs") {
  using robots::decision_reason;
  robots::cache_options options = robots::test::foo_bot();
  options.excluded = {"gov"};
  scripted bot{options};
  bot.web.otherwise(robots::test::ok());
  CHECK(bot.cache.check("https://x.gov/").reason == decision_reason::excluded);
  CHECK(bot.cache.allowed("https://x.example/"));
  const std::vector<std::string> next{"example"};
  bot.cache.set_excluded(next);
  CHECK(bot.cache.check("https://x.example/").reason == decision_reason::excluded);
  CHECK(bot.cache.allowed("https://x.gov/"));
  bot.web.on("https://y.gov/robots.txt",
             ScriptedFetcher::redirect(301, "https://y.example/robots.txt"));
  CHECK_FALSE(bot.cache.allowed("https://y.gov/"));
  const std::vector<std::string> wrong{"x y"};
  CHECK_THROWS_AS(bot.cache.set_excluded(wrong), std::invalid_argument);
  CHECK(bot.cache.check("https://x.example/").reason == decision_reason::excluded);
  bot.cache.set_excluded({"gov", "mil"});
  CHECK_FALSE(bot.cache.allowed("https://example.gov/"));
  CHECK_FALSE(bot.cache.allowed("https://example.mil/"));
  bot.cache.set_excluded({});
  CHECK(bot.cache.allowed("https://x.example/"));
}

TEST_CASE("remove_expired removes the rules that cannot be used any more") {
  for (const auto& fallback :
       {robots::fallback_policy::permissive(), robots::fallback_policy::rfc9309()}) {
    CAPTURE(fallback.name());
    const bool is_permissive = fallback == robots::fallback_policy::permissive();
    scripted bot{{.user_agent = "FooBot/1.0", .fallback = fallback}};
    bot.web.otherwise(robots::test::ok());
    bot.web.on("https://tagged.example/robots.txt",
               ScriptedFetcher::ok("User-agent: *\n", {{"ETag", "\"1\""}}));
    CHECK(bot.cache.allowed("https://a.example/"));
    CHECK(bot.cache.allowed("https://b.example/"));
    CHECK(bot.cache.allowed("https://tagged.example/"));
    bot.clock.advance(std::chrono::hours{23});
    CHECK(bot.cache.remove_expired() == 0);
    bot.clock.advance(std::chrono::hours{2});
    CHECK(bot.cache.remove_expired() == (is_permissive ? 2 : 0));  // a 304 can confirm the third
    bot.clock.advance(std::chrono::days{30});
    CHECK(bot.cache.remove_expired() == (is_permissive ? 1 : 3));
    CHECK(bot.cache.stats().size == 0);
  }
}

TEST_CASE("An override during a look-up in steps applies to that look-up") {
  ruled_process bot;
  const robots::look_up known = bot.cache.begin("no URL");
  bot.web.otherwise(robots::test::ok());
  CHECK(bot.cache.allowed(home));
  const robots::look_up looking = bot.cache.begin(home);
  CHECK(bot.cache.check(home, looking).allowed);
  bot.rulings().override_with(home, site_override::deny);
  CHECK(to_string(bot.cache.check(home, looking).reason) == "by_hand");
  CHECK_FALSE(bot.cache.check(home, looking).allowed);
  CHECK_THROWS_AS(static_cast<void>(bot.cache.check(home, known)), std::invalid_argument);
}
