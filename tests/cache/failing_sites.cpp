// Sites that fail: when the cache asks them again, and what it decides until then.
#include "cache_fixture.hpp"
#include "rulings/ruled_cache.hpp"
#include <robots/cache/basic_robots_cache.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

using namespace std::chrono_literals;
using robots::cache_options;
using robots::decision;
using robots::fallback_action;
using robots::fallback_policy;
using robots::fetch_error;
using robots::outcome;
using robots::record_head;
using robots::ScriptedFetcher;
using robots::test::foo_bot;
using robots::test::foo_bot_that_asks_once;
using robots::test::home;
using robots::test::outcome_of;
using robots::test::robots_url;
using robots::test::ruled_process;
using robots::test::scripted;
using robots::test::secret;

namespace {

/// The library's defaults, with a fixed seed.
cache_options usual(fallback_policy fallback = fallback_policy::rfc9309()) {
  return {.user_agent = "FooBot/1.0", .fallback = fallback, .seed = 1};
}

constexpr std::string_view no_robots_txt = "a\nb\nc\nd\ne\nf\n";

}  // namespace

TEST_CASE("A failure is tried again within the call, and the decision has the number of tries") {
  scripted bot{usual()};
  bot.web.on(robots_url, ScriptedFetcher::status(503),
             ScriptedFetcher::failure(fetch_error::timeout), robots::test::ok());
  const robots::time_point began = bot.clock.now();
  const decision answer = bot.cache.check(secret);
  CHECK(outcome_of(answer) == "success");
  CHECK(answer.policy->last_retrieval().attempts == 3);
  CHECK(answer.policy->last_retrieval().exchanges.size() == 3);
  CHECK(bot.web.count() == 3);
  CHECK(bot.clock.now() - began <= 3s);
  CHECK(bot.clock.now() > began);
}

TEST_CASE(
    "A fetcher that cancels without a stop request is called no more often than one that fails") {
  scripted bot{usual()};
  bot.web.otherwise(ScriptedFetcher::failure(fetch_error::cancelled));
  const robots::call_options limits{.deadline = bot.clock.now() + 1h};
  for (int call = 0; call < 3; ++call) {
    CHECK(outcome_of(bot.cache.check(secret, limits)) == "unreachable");
  }
  CHECK(bot.web.count() == 3);
}

TEST_CASE("A wait that would outlast the deadline does not begin, and the failure is kept") {
  cache_options options = usual();
  options.background_threads = 0;
  scripted bot{options};
  bot.web.on(robots_url, ScriptedFetcher::status(503, {{"Retry-After", "20"}}));
  const robots::time_point began = bot.clock.now();
  const decision answer = bot.cache.check(home, {.deadline = began + 10s});
  CHECK(outcome_of(answer) == "server_error");
  CHECK(bot.clock.now() == began);
  CHECK(bot.web.count() == 1);
  CHECK(bot.cache.check(home).from_cache);
}

TEST_CASE(
    "If a caller's deadline ends the retries, the failure is kept until the next planned try") {
  cache_options options = usual();
  options.background_threads = 0;
  scripted bot{options};
  bot.web.on(robots_url, ScriptedFetcher::status(503, {{"Retry-After", "20"}}), robots::test::ok());
  CHECK(outcome_of(bot.cache.check(home, {.deadline = bot.clock.now() + 1ms})) == "server_error");
  bot.clock.advance(20s - 1ns);
  CHECK(bot.cache.check(home).from_cache);
  bot.clock.advance(1ns);
  CHECK(outcome_of(bot.cache.check(home)) == "success");
  CHECK(bot.web.count() == 2);
}

TEST_CASE("Each failure in a row is remembered for longer, and a success resets that") {
  cache_options options = foo_bot_that_asks_once();
  options.max_failure_ttl = 1h;
  scripted bot{options};
  bot.web.on(robots_url, ScriptedFetcher::status(500));
  for (const auto lifetime : {5min, 10min, 20min, 40min, 60min, 60min}) {
    CHECK_FALSE(bot.cache.check(home).from_cache);
    bot.clock.advance(lifetime - 1ns);
    CHECK(bot.cache.check(home).from_cache);
    bot.clock.advance(1ns);
  }
  CHECK(bot.cache.get(home)->last_retrieval().failures == 7);
  bot.clock.advance(1h);
  bot.web.on(robots_url, robots::test::ok(), ScriptedFetcher::status(500));
  CHECK(bot.cache.get(home)->last_retrieval().failures == 0);
  bot.clock.advance(24h);
  CHECK(bot.cache.get(home)->last_retrieval().failures == 1);
  bot.clock.advance(5min);
  CHECK_FALSE(bot.cache.check(home).from_cache);
}

TEST_CASE("Failures are forgotten at different times, so that sites are not asked together") {
  cache_options options = usual();
  options.retry.attempts = 1;
  scripted bot{options};
  bot.web.otherwise(ScriptedFetcher::status(500));
  constexpr int sites = 50;
  const auto url = [](int i) { return "https://s" + std::to_string(i) + ".example/"; };
  for (int i = 0; i < sites; ++i) {
    CHECK_FALSE(bot.cache.allowed(url(i)));
  }
  bot.clock.advance(4min + 45s);
  int stored = 0;
  for (int i = 0; i < sites; ++i) {
    stored += bot.cache.check(url(i)).from_cache ? 1 : 0;
  }
  CHECK(stored > sites / 5);
  CHECK(stored < sites * 4 / 5);
}

TEST_CASE("After five failures in a row, an origin gets no request for a minute, then one probe") {
  cache_options options = usual();
  options.failure_ttl = options.max_failure_ttl = 1s;
  scripted bot{options};
  bot.web.on(robots_url, ScriptedFetcher::failure(fetch_error::connect));
  CHECK(outcome_of(bot.cache.check(home)) == "unreachable");
  bot.clock.advance(1s);
  const decision opened = bot.cache.check(home);
  CHECK(outcome_of(opened) == "unreachable");
  CHECK(bot.web.count() == 5);
  CHECK(bot.cache.stats().open_breakers == 1);

  bot.clock.advance(1s);
  const decision refused = bot.cache.check(home);
  CHECK(outcome_of(refused) == "circuit_open");
  CHECK_FALSE(refused.allowed);
  CHECK(explain(refused) ==
        "not allowed: fallback: circuit_open (the circuit breaker of https://example.com is open)");
  CHECK(bot.web.count() == 5);
  CHECK(bot.cache.check(home).from_cache);

  bot.clock.advance(60s);
  CHECK(outcome_of(bot.cache.check(home)) == "unreachable");
  CHECK(bot.web.count() == 6);  // the probe: no second try
  bot.clock.advance(60s);
  bot.web.on(robots_url, robots::test::ok());
  CHECK(bot.cache.allowed(home));
  CHECK(bot.cache.stats().open_breakers == 0);
}

TEST_CASE("Under strict, a 404 by http does not allow a host that fails by https") {
  scripted bot{usual(fallback_policy::strict())};
  bot.web.on(robots_url, ScriptedFetcher::status(503));
  bot.web.on("http://example.com/robots.txt", ScriptedFetcher::status(404));
  for (int i = 0; i < 4; ++i) {
    CHECK_FALSE(bot.cache.allowed("example.com/x"));
    bot.clock.advance(1h);
  }
  CHECK(bot.web.count("http://example.com/robots.txt") == 0);
}

TEST_CASE("An open breaker is not a failure of the site, and the last good copy remains in force") {
  cache_options options = usual();
  options.failure_ttl = options.max_failure_ttl = 1s;
  scripted bot{options};
  bot.web.on(robots_url, robots::test::ok(), ScriptedFetcher::status(500));
  CHECK(bot.cache.allowed(home));
  bot.clock.advance(24h);
  CHECK(bot.cache.get(home)->last_retrieval().failures == 1);
  bot.clock.advance(1s);
  CHECK(bot.cache.get(home)->last_retrieval().failures == 2);
  bot.clock.advance(1s);
  const decision answer = bot.cache.check(secret);
  CHECK(outcome_of(answer) == "circuit_open");
  CHECK(answer.policy->last_retrieval().failures == 2);
  CHECK(to_string(answer.policy->basis()) == "last_good");
  CHECK(to_string(answer.reason) == "rule");
}

TEST_CASE("A site whose files are malformed several times goes into quarantine until released") {
  ruled_process bot{{}, usual(fallback_policy::strict())};
  bot.web.on(robots_url, robots::test::ok(no_robots_txt));
  for (std::size_t i = 1; i <= 3; ++i) {
    CHECK(outcome_of(bot.cache.check(home)) == (i == 3 ? "quarantined" : "malformed"));
    CHECK(bot.web.count() == i);
    CHECK(bot.cache.stats().quarantined == (i == 3 ? 1 : 0));
    bot.clock.advance(24h);
  }
  const decision held = bot.cache.check(home);
  CHECK_FALSE(held.allowed);
  CHECK(outcome_of(held) == "quarantined");
  CHECK(to_string(held.reason) == "fallback");
  CHECK(explain(held) ==
        "not allowed: fallback: quarantined (HTTP 200) (its files are malformed again and again; "
        "check the site, then end its quarantine), order 1-1 by an alarm of robots-cpp");
  CHECK(bot.rulings().in_force().front().site == "https://example.com");
  bot.cache.invalidate(home);
  bot.clock.advance(std::chrono::days{365});
  CHECK_FALSE(bot.cache.allowed(home));
  CHECK(bot.web.count() == 3);

  bot.web.on(robots_url, robots::test::ok());
  CHECK(bot.rulings().end_quarantine("example.com").size() == 1);
  CHECK(bot.cache.allowed(home));
  CHECK(bot.rulings().in_force().empty());
}

TEST_CASE("Quarantine applies to a host and its origin, even in calls whose deadline has passed") {
  const std::string_view origin = "https://example.com/";
  const std::string_view bare = "example.com";
  for (const auto& [first, second] : {std::pair{origin, bare}, std::pair{bare, origin}}) {
    cache_options options =
        usual(fallback_policy::strict().with(outcome::cancelled, fallback_action::allow_all));
    ruled_process bot{{.quarantine_after = 1}, options};
    bot.web.on(robots_url, robots::test::ok(no_robots_txt));
    CHECK_FALSE(bot.cache.allowed(first));
    bot.clock.advance(24h);
    CHECK(outcome_of(bot.cache.check(second)) == "quarantined");
    CHECK(outcome_of(bot.cache.check(first, {.deadline = bot.clock.now()})) == "quarantined");
    CHECK(bot.web.count() == 1);
    // A quarantine of a host covers both schemes.
    CHECK(outcome_of(bot.cache.check("http://example.com/")) ==
          (first == bare ? "quarantined" : "unreachable"));
    bot.rulings().end_quarantine(second);
    CHECK(bot.rulings().in_force().empty());
    CHECK_FALSE(bot.cache.allowed(second));
    CHECK(bot.web.count(robots_url) == 2);
  }
}

TEST_CASE("A good or missing file resets the count of malformed files") {
  for (const auto& between : {robots::test::ok(), ScriptedFetcher::status(404)}) {
    ruled_process bot{{}, usual(fallback_policy::strict())};
    bot.web.on(robots_url, robots::test::ok(no_robots_txt), robots::test::ok(no_robots_txt),
               between, robots::test::ok(no_robots_txt));
    for (int i = 0; i < 5; ++i) {
      static_cast<void>(bot.cache.get(home));
      bot.clock.advance(24h);
    }
    CHECK(bot.rulings().in_force().empty());
    static_cast<void>(bot.cache.get(home));
    CHECK(bot.is_quarantined());
  }
}

TEST_CASE("If malformed files are parsed, no site is quarantined") {
  for (const auto fallback : {fallback_policy::permissive(), fallback_policy::rfc9309()}) {
    ruled_process bot{{}, usual(fallback)};
    bot.web.on(robots_url, robots::test::ok(no_robots_txt));
    for (int i = 0; i < 6; ++i) {
      CHECK(bot.cache.allowed(home));
      bot.clock.advance(24h);
    }
    CHECK(bot.web.count() == 6);
    CHECK(bot.rulings().in_force().empty());
  }
}

TEST_CASE("A fallback policy of the user decides with all details of the failure") {
  struct Patient {
    [[nodiscard]] fallback_action action(const record_head& head) const {
      if (head.outcome == outcome::success) {
        return fallback_action::parse;
      }
      return head.failures < 3 && head.url.starts_with("https://") ? fallback_action::allow_all
                                                                   : fallback_action::deny_all;
    }
  };
  scripted bot{foo_bot_that_asks_once(Patient{})};
  bot.web.otherwise(ScriptedFetcher::status(500));
  for (int i = 1; i <= 4; ++i) {
    CHECK(bot.cache.allowed(home) == (i < 3));
    bot.clock.advance(5min);
  }
  CHECK_FALSE(bot.cache.allowed("http://example.com/"));
  CHECK(bot.cache.options().fallback.name() == "custom");
}

TEST_CASE("The last good copy applies after any outcome for which the user chooses it") {
  const auto last_good = fallback_action::last_good_or_deny;
  scripted bot{foo_bot(fallback_policy::strict()
                           .with(outcome::malformed, last_good)
                           .with(outcome::client_error, last_good))};
  constexpr const char* elsewhere = "https://www.example.com/robots.txt";
  bot.web.on(robots_url, robots::test::ok(), robots::test::ok(no_robots_txt),
             ScriptedFetcher::redirect(301, elsewhere));
  bot.web.on(elsewhere, ScriptedFetcher::status(403));
  for (const std::string_view outcome : {"success", "malformed", "client_error"}) {
    CHECK_FALSE(bot.cache.allowed(secret));
    const decision answer = bot.cache.check(home);
    CHECK(answer.allowed);
    CHECK(outcome_of(answer) == outcome);
    bot.clock.advance(24h);
  }
  CHECK_FALSE(bot.cache.allowed("https://www.example.com/"));  // the copy belongs to another site
}

TEST_CASE("Options of retry and breaker that make no sense are refused") {
  const auto refused = [](auto change) {
    cache_options options = usual();
    change(options);
    CHECK_THROWS_AS(scripted{options}, std::invalid_argument);
  };
  refused([](cache_options& o) { o.retry.attempts = 0; });
  refused([](cache_options& o) { o.breaker.failures = -1; });
  refused([](cache_options& o) { o.failure_jitter = 1.1; });
  refused([](cache_options& o) { o.max_failure_ttl = -1s; });
  refused([](cache_options& o) { o.stale_while_revalidate = -1s; });
}
