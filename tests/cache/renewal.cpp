// Rules over time: conditional requests, renewal, stale use, replacement, versions.
#include "cache_fixture.hpp"
#include "rulings/ruled_cache.hpp"
#include "support/gate.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/rep/rules/compile.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using robots::cache_options;
using robots::decision;
using robots::fallback_policy;
using robots::fetch_request;
using robots::fetch_response;
using robots::http_header;
using robots::ManualClock;
using robots::ScriptedFetcher;
using robots::test::foo_bot;
using robots::test::foo_bot_that_asks_once;
using robots::test::gate;
using robots::test::home;
using robots::test::outcome_of;
using robots::test::robots_url;
using robots::test::scripted;
using robots::test::secret;

namespace {

constexpr const char* date = "Sun, 06 Nov 1994 08:49:37 GMT";

fetch_response tagged(std::string_view body, std::string etag) {
  return robots::test::ok(body, {{"ETag", std::move(etag)}});
}

std::string sent(const scripted& bot, std::string_view name) {
  return std::string{
      robots::detail::find_header(bot.web.requests().back().headers, name).value_or("nothing")};
}

/// Options of a crawler that uses stale rules for `allowance` while they are renewed.
cache_options stale_for(std::chrono::seconds allowance,
                        fallback_policy fallback = fallback_policy::rfc9309()) {
  cache_options options = foo_bot(fallback);
  options.stale_while_revalidate = allowance;
  return options;
}

/// Asks until a thread has renewed the policy. Returns the first decision that is not stale.
template <class Cache>
decision renewed_decision(Cache& cache, std::string_view url) {
  for (;;) {
    if (decision answer = cache.check(url); !answer.stale) {
      return answer;
    }
    std::this_thread::yield();
  }
}

}  // namespace

TEST_CASE("A file with validators is requested with them, and a 304 renews it without parsing") {
  scripted bot;
  bot.web.on(robots_url,
             robots::test::ok(robots::test::rules, {{"ETag", "W/\"1\""}, {"Last-Modified", date}}),
             ScriptedFetcher::status(304));
  const decision first = bot.cache.check(secret);
  CHECK(sent(bot, "If-None-Match") == "nothing");
  bot.clock.advance(24h);
  const decision again = bot.cache.check(secret);
  CHECK(sent(bot, "If-None-Match") == "W/\"1\"");
  CHECK(sent(bot, "If-Modified-Since") == date);
  CHECK_FALSE(again.allowed);
  CHECK(again.verdict.line == 2);
  CHECK(again.age == 0ns);
  CHECK(again.policy->last_retrieval().not_modified);
  CHECK(again.policy->last_retrieval().status == 304);
  CHECK(outcome_of(again) == "success");
  CHECK(again.policy->version() == first.policy->version());
  CHECK(again.policy->fingerprint() == first.policy->fingerprint());
  CHECK(bot.cache.stats().not_modified == 1);
  CHECK(bot.cache.stats().failures == 0);
  // The next renewal sends the validators of the file again.
  bot.clock.advance(24h - 1ns);
  CHECK(bot.cache.check(secret).from_cache);
  bot.clock.advance(1ns);
  CHECK(bot.cache.check(secret).revalidated);
  CHECK(sent(bot, "If-None-Match") == "W/\"1\"");
}

TEST_CASE(
    "After a 304, the rules are from the cache, and the decision says that the site was asked") {
  scripted bot;
  bot.web.on(robots_url, tagged("User-agent: *\nDisallow: /private\n", "\"1\""),
             ScriptedFetcher::status(304), ScriptedFetcher::status(503));
  const auto check = [&](bool from_cache, bool revalidated) {
    const robots::decision answer = bot.cache.check(secret);
    CHECK(answer.from_cache == from_cache);
    CHECK(answer.revalidated == revalidated);
  };
  check(false, false);
  check(true, false);
  bot.clock.advance(24h);
  check(true, true);
  check(true, false);
  bot.clock.advance(24h);
  check(false, false);
}

TEST_CASE(
    "A 304 can change the lifetime; after a 304 with another entity tag, no entity tag is sent") {
  scripted bot;
  bot.web.on(
      robots_url,
      robots::test::ok(robots::test::rules, {{"ETag", "\"1\""}, {"Cache-Control", "max-age=7200"}}),
      ScriptedFetcher::status(304),
      ScriptedFetcher::status(304, {{"ETag", "\"2\""}, {"Cache-Control", "max-age=600"}}),
      ScriptedFetcher::status(304));
  CHECK(bot.cache.allowed(home));
  const auto check_lifetime = [&bot](std::chrono::seconds lifetime) {
    bot.clock.advance(lifetime - 1ns);
    CHECK(bot.cache.check(home).from_cache);
    bot.clock.advance(1ns);
    const robots::decision asked = bot.cache.check(home);
    CHECK((asked.revalidated || !asked.from_cache));
  };
  check_lifetime(2h);
  check_lifetime(2h);  // the first 304 has no lifetime
  CHECK(sent(bot, "If-None-Match") == "\"1\"");
  check_lifetime(10min);
  CHECK(sent(bot, "If-None-Match") == "nothing");
}

TEST_CASE("A malformed file that is parsed is still malformed after a 304") {
  scripted bot;
  bot.web.on(robots_url, tagged("a\nb\nc\nd\ne\nDisallow: /x\n", "\"1\""),
             ScriptedFetcher::status(304));
  CHECK(outcome_of(bot.cache.check(home)) == "malformed");
  bot.clock.advance(24h);
  const decision again = bot.cache.check(home);
  CHECK(again.policy->last_retrieval().not_modified);
  CHECK(outcome_of(again) == "malformed");
}

TEST_CASE("A changed validator leads to the new file") {
  scripted bot;
  bot.web.on(robots_url, tagged(robots::test::rules, "\"1\""), tagged("", "\"2\""),
             ScriptedFetcher::status(304));
  CHECK_FALSE(bot.cache.allowed(secret));
  bot.clock.advance(24h);
  CHECK(bot.cache.allowed(secret));
  bot.clock.advance(24h);
  CHECK(bot.cache.allowed(secret));
  CHECK(sent(bot, "If-None-Match") == "\"2\"");
}

TEST_CASE("A 304 for a request without validators is a failure, and denies under strict") {
  scripted bot{foo_bot(fallback_policy::strict())};
  bot.web.on(robots_url, ScriptedFetcher::status(304));
  const decision answer = bot.cache.check(home);
  CHECK_FALSE(answer.allowed);
  CHECK(outcome_of(answer) == "server_error");
}

TEST_CASE(
    "After failures, requests have the validators of the last good copy, and a 304 restores it") {
  scripted bot{foo_bot_that_asks_once()};
  bot.web.on(robots_url, tagged(robots::test::rules, "\"1\""), ScriptedFetcher::status(503),
             ScriptedFetcher::status(304));
  CHECK(bot.cache.allowed(home));
  bot.clock.advance(24h);
  CHECK(to_string(bot.cache.check(home).policy->basis()) == "last_good");
  bot.clock.advance(5min);
  const decision back = bot.cache.check(secret);
  CHECK(sent(bot, "If-None-Match") == "\"1\"");
  CHECK(to_string(back.policy->basis()) == "rules");
  CHECK_FALSE(back.allowed);
  CHECK(back.policy->last_retrieval().failures == 0);
  CHECK(back.age == 0ns);
}

TEST_CASE("A request has no validators of a forgotten copy") {
  scripted bot;
  bot.web.on(robots_url, tagged(robots::test::rules, "\"1\""));
  CHECK(bot.cache.allowed(home));
  bot.cache.invalidate(home);
  CHECK(bot.cache.allowed(home));
  CHECK(sent(bot, "If-None-Match") == "nothing");
  bot.web.on(robots_url, ScriptedFetcher::status(404), ScriptedFetcher::status(404));
  bot.cache.clear();
  CHECK(bot.cache.allowed(secret));
  bot.clock.advance(24h);
  CHECK(bot.cache.allowed(secret));
  CHECK(sent(bot, "If-None-Match") == "nothing");
}

TEST_CASE("A 404 or 410 after a good copy removes it") {
  for (const int gone : {404, 410}) {
    scripted bot;
    bot.web.on(robots_url, tagged(robots::test::rules, "\"1\""), ScriptedFetcher::status(gone),
               ScriptedFetcher::status(503));
    CHECK_FALSE(bot.cache.allowed(secret));
    bot.clock.advance(24h);
    CHECK(bot.cache.allowed(secret));
    bot.clock.advance(24h);
    CHECK(to_string(bot.cache.check(secret).policy->basis()) == "deny_all");
  }
}

TEST_CASE("A new cache fetches again, without validators") {
  scripted before;
  before.web.on(robots_url, tagged(robots::test::rules, "\"1\""));
  CHECK(before.cache.allowed(home));
  robots::basic_robots_cache<ScriptedFetcher, ManualClock> after{foo_bot(), before.web,
                                                                 before.clock};
  CHECK(after.allowed(home));
  CHECK(before.web.count() == 2);
  CHECK(sent(before, "If-None-Match") == "nothing");
}

TEST_CASE("While a stale policy is renewed, callers get it at once, and one thread renews") {
  gate door;
  scripted bot{stale_for(1h)};
  bot.web.on(robots_url, robots::test::ok());
  CHECK_FALSE(bot.cache.allowed(secret));
  bot.web.on_call(robots_url, robots::test::behind(door, robots::test::ok("")));

  bot.clock.advance(25h - 1ns);
  for (int i = 0; i < 5; ++i) {
    const decision answer = bot.cache.check(secret);
    CHECK_FALSE(answer.allowed);
    CHECK(answer.from_cache);
    CHECK(answer.stale);
    CHECK(answer.age == 25h - 1ns);
    CHECK_FALSE(bot.cache.allowed(secret));
  }
  door.wait_for_arrivals();
  CHECK(bot.web.count() == 2);
  CHECK(bot.cache.stats().stale_hits == 10);
  door.open();
  const decision renewed = renewed_decision(bot.cache, secret);
  CHECK(renewed.allowed);
  CHECK(renewed.from_cache);
  CHECK(bot.web.count() == 2);
}

TEST_CASE("A decision is stale if the redirect or the rules at its end are stale") {
  constexpr const char* other = "https://other.example/";
  for (const bool is_redirect_newer : {false, true}) {
    CAPTURE(is_redirect_newer);
    scripted bot{stale_for(2h)};
    bot.web.on(robots_url, ScriptedFetcher::redirect(301, "https://other.example/robots.txt"));
    bot.web.on("https://other.example/robots.txt", robots::test::ok());
    static_cast<void>(bot.cache.get(is_redirect_newer ? other : secret));
    bot.clock.advance(2h);
    static_cast<void>(is_redirect_newer ? bot.cache.get(secret) : bot.cache.refresh(other));
    CHECK_FALSE(bot.cache.check(secret).stale);
    bot.clock.advance(23h);
    CHECK(bot.cache.check(secret).stale);
  }
}

TEST_CASE("A policy that is too stale is not used; by default, no stale policy is used") {
  for (const auto allowance : {0s, 3'600s}) {
    scripted bot{stale_for(allowance)};
    bot.web.on(robots_url, robots::test::ok(), robots::test::ok(""));
    CHECK_FALSE(bot.cache.allowed(secret));
    bot.clock.advance(24h + allowance);
    const decision answer = bot.cache.check(secret);
    CHECK(answer.allowed);
    CHECK_FALSE(answer.from_cache);
    CHECK_FALSE(answer.stale);
  }
}

TEST_CASE("A refresh returns the new policy although a stale one may be served") {
  scripted bot{stale_for(1h)};
  bot.web.on(robots_url, robots::test::ok(), robots::test::ok("User-agent: *\nDisallow:\n"));
  CHECK_FALSE(bot.cache.allowed(secret));
  bot.clock.advance(24h);
  CHECK(bot.cache.refresh(secret)->allows("/private/x"));
}

TEST_CASE("A renewal that fails keeps the last good copy") {
  scripted bot{stale_for(1h)};
  bot.web.on(robots_url, robots::test::ok(), ScriptedFetcher::status(500));
  CHECK_FALSE(bot.cache.allowed(secret));
  bot.clock.advance(24h);
  CHECK(bot.cache.check(secret).stale);
  const decision answer = renewed_decision(bot.cache, secret);
  CHECK(to_string(answer.policy->basis()) == "last_good");
  CHECK_FALSE(answer.allowed);
}

TEST_CASE("A last good copy that is too old is not used during its renewal either") {
  cache_options options = stale_for(1h, fallback_policy::strict());
  options.last_good_for = 30h;
  scripted bot{options};
  bot.web.on(robots_url, robots::test::ok(), ScriptedFetcher::status(503));
  CHECK(bot.cache.allowed(home));
  bot.clock.advance(30h - 2min);
  CHECK(bot.cache.allowed(home));
  bot.clock.advance(4min);
  const decision answer = bot.cache.check(home);
  CHECK_FALSE(answer.allowed);
  CHECK_FALSE(answer.stale);
  CHECK(to_string(answer.policy->basis()) == "deny_all");
}

TEST_CASE("The version changes only when the meaning of the rules changes") {
  scripted bot;
  bot.web.on(robots_url, robots::test::ok("User-agent: *\nDisallow: /private\nDisallow: /tmp\n"),
             robots::test::ok("# sorted\nUSER-AGENT: *\nDisallow: /tmp\nDisallow: /%70rivate\n"),
             robots::test::ok("User-agent: *\nDisallow: /private\n"), ScriptedFetcher::status(404),
             robots::test::ok(""), ScriptedFetcher::status(503));
  std::vector<std::uint64_t> versions;
  std::set<std::uint64_t> meanings;
  for (int i = 0; i < 6; ++i) {
    const auto policy = bot.cache.get(home);
    versions.push_back(policy->version());
    meanings.insert(policy->fingerprint());
    bot.clock.advance(24h);
  }
  // The 404 and the empty file allow everything, and the failure does not change that.
  CHECK(versions == std::vector<std::uint64_t>{1, 1, 2, 3, 3, 3});
  CHECK(meanings.size() == 3);
}

TEST_CASE("Policies that decide or delay differently have different fingerprints") {
  std::set<std::uint64_t> seen;
  for (const char* text :
       {"", "Disallow: /a", "Allow: /a", "Disallow: /a$", "Disallow: /a*b",
        "Disallow: /a\nAllow: /b", "Disallow: /b\nAllow: /a", "Crawl-delay: 1", "Crawl-delay: 2",
        "Disallow: /a\nCrawl-delay: 1", "Disallow: /ab", "Disallow: /a\nDisallow: /b"}) {
    CAPTURE(text);
    const std::string file = "User-agent: *\n" + std::string{text} + "\n";
    CHECK(seen.insert(robots::compile(file, "FooBot").fingerprint()).second);
    CHECK(robots::compile("User-agent: foobot\n" + std::string{text}, "FooBot").fingerprint() ==
          robots::compile(file, "OtherBot").fingerprint());
  }
  // If this number changes, write it into CHANGELOG.md: stored fingerprints become useless.
  CHECK(robots::compile("User-agent: *\nDisallow: /private\nCrawl-delay: 2", "a").fingerprint() ==
        14'622'883'614'310'731'287U);
}

TEST_CASE("A file from another origin's robots.txt is kept for that origin, too") {
  scripted bot;
  constexpr const char* elsewhere = "https://www.example.com/robots.txt";
  bot.web.on(robots_url, ScriptedFetcher::redirect(301, elsewhere));
  bot.web.on(elsewhere, robots::test::ok());
  CHECK_FALSE(bot.cache.allowed(secret));
  const decision theirs = bot.cache.check("https://www.example.com/private");
  CHECK(theirs.from_cache);
  CHECK_FALSE(theirs.allowed);
  CHECK(theirs.policy->last_retrieval().url == elsewhere);
  CHECK(theirs.policy->last_retrieval().redirects == 0);
  CHECK(bot.cache.get(home)->last_retrieval().url == robots_url);
  CHECK(bot.web.count() == 2);
  CHECK(bot.cache.check("www.example.com/private").from_cache);
}

TEST_CASE("A file from another path is kept for the asked site only") {
  for (const char* elsewhere :
       {"https://www.example.com/r.txt", "https://www.example.com/robots.txt?x",
        "https://www.example.com//robots.txt", "https://www.example.com/ROBOTS.TXT"}) {
    scripted bot;
    bot.web.on(robots_url, ScriptedFetcher::redirect(301, elsewhere));
    bot.web.on(elsewhere, robots::test::ok());
    CHECK_FALSE(bot.cache.allowed(secret));
    CHECK(bot.cache.stats().size == 1);
  }
}

TEST_CASE("The action that a user's policy takes for one site is not kept for another site") {
  struct Mine {
    [[nodiscard]] robots::fallback_action action(const robots::record_head& head) const {
      return head.url.starts_with("https://example.com/") ? robots::fallback_action::allow_all
                                                          : robots::fallback_action::deny_all;
    }
  };
  scripted bot{foo_bot(Mine{})};
  bot.web.on(robots_url, ScriptedFetcher::redirect(301, "https://www.example.com/robots.txt"));
  bot.web.on("https://www.example.com/robots.txt", ScriptedFetcher::status(403));
  CHECK(bot.cache.allowed(home));
  CHECK_FALSE(bot.cache.allowed("https://www.example.com/"));
}

TEST_CASE("A redirect from another site neither ends a quarantine nor causes a request") {
  robots::test::ruled_process bot{{.quarantine_after = 1}, foo_bot(fallback_policy::strict())};
  bot.web.on(robots_url, robots::test::ok("a\nb\nc\nd\ne\nf\n"), robots::test::ok());
  CHECK_FALSE(bot.cache.allowed(home));
  bot.clock.advance(24h);
  bot.web.on("https://www.example.com/robots.txt", ScriptedFetcher::redirect(301, robots_url));
  CHECK(outcome_of(bot.cache.check("https://www.example.com/")) == "quarantined");
  CHECK(outcome_of(bot.cache.check(home)) == "quarantined");
  CHECK(bot.web.count(robots_url) == 1);
}

TEST_CASE("A call whose deadline has passed gets the stale entry if stale entries can be used") {
  scripted bot{stale_for(1h, fallback_policy::permissive())};
  bot.web.on(robots_url, robots::test::ok("User-agent: *\nDisallow: /"));
  CHECK_FALSE(bot.cache.allowed(home));
  bot.clock.advance(24h);
  const decision late = bot.cache.check(home, {.deadline = bot.clock.now()});
  CHECK_FALSE(late.allowed);
  CHECK(late.stale);
  CHECK(late.from_cache);
  CHECK(outcome_of(late) == "success");
  CHECK(bot.cache.stats().stale_hits == 1);
  bot.clock.advance(1h);
  CHECK(outcome_of(bot.cache.check(home, {.deadline = bot.clock.now()})) == "cancelled");
  CHECK(bot.web.count() == 1);
}
