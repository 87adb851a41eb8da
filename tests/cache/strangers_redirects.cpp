// A redirect from another site affects a site no more than a look-up of the site itself does.
#include "cache_fixture.hpp"
#include "support/gate.hpp"
#include <robots/cache/basic_robots_cache.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

using namespace std::chrono_literals;
using robots::cache_options;
using robots::decision;
using robots::fallback_policy;
using robots::fetch_request;
using robots::look_up;
using robots::ManualClock;
using robots::ScriptedFetcher;
using robots::test::behind;
using robots::test::foo_bot;
using robots::test::foo_bot_that_asks_once;
using robots::test::home;
using robots::test::outcome_of;
using robots::test::robots_url;
using robots::test::scripted;
using robots::test::secret;
using robots::test::watched;

namespace {

std::string stranger(std::size_t i) { return "https://s" + std::to_string(i) + ".example/"; }

void redirect_all(ScriptedFetcher& web, std::size_t strangers) {
  for (std::size_t i = 0; i < strangers; ++i) {
    web.on(stranger(i) + "robots.txt", ScriptedFetcher::redirect(301, robots_url));
  }
}

}  // namespace

TEST_CASE("Other sites that redirect to a site with fresh rules cause no request to it") {
  scripted bot;
  bot.web.on(robots_url, robots::test::ok(), ScriptedFetcher::status(403));
  redirect_all(bot.web, 300);
  CHECK_FALSE(bot.cache.allowed(secret));
  for (std::size_t i = 0; i < 300; ++i) {
    const decision answer = bot.cache.check(stranger(i) + "private/x");
    CHECK(to_string(answer.reason) == "rule");
    CHECK(answer.policy->last_retrieval().final_url == robots_url);
    CHECK(answer.policy->last_retrieval().redirects == 1);
    CHECK(answer.policy->last_retrieval().exchanges.size() == 1);
  }
  CHECK(bot.web.count(robots_url) == 1);
  CHECK(bot.web.count() == 301);
  CHECK(bot.cache.check(secret).from_cache);
}

TEST_CASE("A fresh robots.txt serves sites that redirect to any spelling of it") {
  for (const std::string spelling :
       {"/%72obots.txt", "/robots.txt?", "/x/../robot%73.txt#x", "/%72obots%2Etxt?"}) {
    scripted bot;
    bot.web.on(robots_url, robots::test::ok());
    CHECK_FALSE(bot.cache.allowed(secret));
    for (std::size_t i = 0; i < 3; ++i) {
      bot.web.on(stranger(i) + "robots.txt",
                 ScriptedFetcher::redirect(301, "https://example.com" + spelling));
      CHECK_FALSE(bot.cache.allowed(stranger(i) + "private/x"));
    }
    CHECK(bot.web.count() == 4);
  }
}

TEST_CASE("Another path or query is another resource, and costs one request per redirecting site") {
  for (const std::string other : {"/robots.txt?1", "//robots.txt", "/robots%2Etxt2"}) {
    scripted bot{foo_bot_that_asks_once()};
    bot.web.on(robots_url, robots::test::ok());
    bot.web.on("https://example.com/robots.txt?1", robots::test::ok());
    CHECK_FALSE(bot.cache.allowed(secret));
    for (std::size_t i = 0; i < 3; ++i) {
      bot.web.on(stranger(i) + "robots.txt",
                 ScriptedFetcher::redirect(301, "https://example.com" + other));
      static_cast<void>(bot.cache.allowed(stranger(i) + "private/x"));
    }
    CHECK(bot.web.count() == 7);
  }
}

TEST_CASE("A redirect from another site never replaces the rules of a site") {
  scripted bot{foo_bot(fallback_policy::permissive())};
  bot.web.on(robots_url, robots::test::ok("User-agent: *\nDisallow: /"),
             ScriptedFetcher::status(403));
  redirect_all(bot.web, 3);
  CHECK_FALSE(bot.cache.allowed(home));
  CHECK_FALSE(bot.cache.allowed(stranger(0)));
  CHECK_FALSE(bot.cache.allowed(home));
  CHECK(outcome_of(bot.cache.check(home)) == "success");
  CHECK(bot.web.count(robots_url) == 1);
}

TEST_CASE("An invalidation of a redirecting site does not affect the target") {
  scripted bot;
  bot.web.on(robots_url, robots::test::ok());
  redirect_all(bot.web, 1);
  look_up looking = bot.cache.begin(stranger(0));
  bot.answer(looking);
  CHECK(looking.policy() == nullptr);
  CHECK(std::get<fetch_request>(looking.next()).url == robots_url);
  bot.cache.invalidate("https://unrelated.example/");
  bot.answer(looking);
  bot.cache.invalidate("https://unrelated.example/");
  CHECK(looking.policy() != nullptr);
  CHECK(bot.cache.check(home).from_cache);
  CHECK(bot.cache.check(stranger(0)).from_cache);
  CHECK(bot.web.count(robots_url) == 1);
}

TEST_CASE("Redirecting sites and visitors of a new site share one request in any order") {
  for (const bool visitor_first : {false, true}) {
    watched bot;
    redirect_all(bot.web, 8);
    bot.web.on_call(robots_url, behind(bot.door));
    std::array<decision, 9> result;
    {
      std::vector<std::jthread> callers;
      if (visitor_first) {
        callers.emplace_back([&] { result[8] = bot.cache.check(secret); });
        bot.door.wait_for_arrivals();
      }
      for (std::size_t i = 0; i < 8; ++i) {
        callers.emplace_back([&, i] { result[i] = bot.cache.check(stranger(i) + "private/x"); });
      }
      if (!visitor_first) {
        callers.emplace_back([&] { result[8] = bot.cache.check(secret); });
      }
      bot.storage.wait_for_misses(9);
      bot.door.wait_for_arrivals();
      bot.door.open();
    }
    CHECK(bot.web.count(robots_url) == 1);
    for (const decision& answer : result) {
      CHECK(to_string(answer.reason) == "rule");
    }
    const robots::cache_stats stats = bot.cache.stats();
    CHECK(stats.hits + stats.joined + stats.misses == result.size());
    CHECK(stats.retrievals == result.size());
    CHECK(stats.size == result.size());
  }
}

TEST_CASE("Many callers of a redirecting site cause one request to it, and get the same rules") {
  watched bot;
  redirect_all(bot.web, 1);
  bot.web.on_call(robots_url, behind(bot.door));
  std::array<decision, 8> result;
  {
    std::vector<std::jthread> callers;
    callers.emplace_back([&] { result[0] = bot.cache.check(stranger(0)); });
    bot.door.wait_for_arrivals();
    for (std::size_t i = 1; i < result.size(); ++i) {
      callers.emplace_back([&, i] { result[i] = bot.cache.check(stranger(0)); });
    }
    bot.storage.wait_for_looks("https://s0.example", result.size());
    bot.door.open();
  }
  CHECK(bot.web.count() == 2);
  for (const decision& answer : result) {
    CHECK(answer.policy->fingerprint() == result[0].policy->fingerprint());
    CHECK(answer.policy->last_retrieval().url == stranger(0) + "robots.txt");
  }
}

TEST_CASE("Sites that redirect to each other cause no endless loop, alone or at once") {
  for (int round = 0; round < 50; ++round) {
    ScriptedFetcher web;
    web.on(robots_url, ScriptedFetcher::redirect(301, "https://s0.example/robots.txt"));
    redirect_all(web, 1);
    ManualClock clock;
    robots::test::scripted_cache cache{foo_bot(), web, clock};
    std::array<decision, 4> result;
    {
      std::vector<std::jthread> callers;
      for (std::size_t i = 0; i < result.size(); ++i) {
        callers.emplace_back([&, i] { result[i] = cache.check(i % 2 == 0 ? home : stranger(0)); });
      }
    }
    for (const decision& answer : result) {
      CHECK(outcome_of(answer) == "too_many_redirects");
    }
    CHECK(web.count() <= 4);
  }
  scripted alone;
  alone.web.on(robots_url, ScriptedFetcher::redirect(301, "https://s0.example/robots.txt"));
  redirect_all(alone.web, 1);
  CHECK(outcome_of(alone.cache.check(home)) == "too_many_redirects");
  CHECK(alone.web.count() == 2);
}

TEST_CASE("max_redirects counts all redirects of a chain of sites, in the cache or not") {
  constexpr std::size_t sites = 8;
  for (const bool from_the_end : {false, true}) {
    scripted bot{foo_bot(fallback_policy::strict())};
    for (std::size_t i = 0; i < sites; ++i) {
      bot.web.on(stranger(i) + "robots.txt",
                 i + 1 == sites ? robots::test::ok("")
                                : ScriptedFetcher::redirect(302, stranger(i + 1) + "robots.txt"));
    }
    for (std::size_t turn = 0; turn < sites; ++turn) {
      const std::size_t i = from_the_end ? sites - 1 - turn : turn;
      CAPTURE(i);
      const std::size_t redirects = sites - 1 - i;
      CHECK(bot.cache.allowed(stranger(i)) == (redirects <= 5));
      CHECK(outcome_of(bot.cache.check(stranger(i))) ==
            (redirects <= 5 ? "success" : "too_many_redirects"));
    }
  }
}

TEST_CASE("If max_redirects ends a chain after fewer than five redirects, everything is denied") {
  // RFC 9309, section 2.3.1.2: a crawler should follow five redirects, so a file may be there.
  for (const int most : {1, 4}) {
    CAPTURE(most);
    cache_options options = foo_bot_that_asks_once();
    options.max_redirects = most;
    scripted bot{options};
    for (std::size_t i = 0; i < 5; ++i) {
      bot.web.on(stranger(i) + "robots.txt",
                 ScriptedFetcher::redirect(302, stranger(i + 1) + "robots.txt"));
    }
    bot.web.on(stranger(5) + "robots.txt", robots::test::ok(""));
    const decision answer = bot.cache.check(stranger(0));
    CHECK_FALSE(answer.allowed);
    CHECK(outcome_of(answer) == "server_error");
  }
}

TEST_CASE("A failure of a site has the same effect on sites that redirect to it") {
  for (const auto& [answer, outcome] :
       {std::pair{ScriptedFetcher::status(503), "server_error"},
        std::pair{ScriptedFetcher::status(404), "not_found"},
        std::pair{ScriptedFetcher::status(403), "client_error"},
        std::pair{robots::test::ok("a\nb\nc\nd\ne\nf\n"), "malformed"},
        std::pair{ScriptedFetcher::failure(robots::fetch_error::timeout), "unreachable"}}) {
    for (const auto fallback :
         {fallback_policy::rfc9309(), fallback_policy::strict(), fallback_policy::permissive()}) {
      CAPTURE(outcome);
      scripted bot{foo_bot_that_asks_once(fallback)};
      bot.web.on(robots_url, answer);
      redirect_all(bot.web, 1);
      const decision theirs = bot.cache.check(stranger(0));
      CHECK(outcome_of(theirs) == std::string_view{outcome});
      CHECK(theirs.allowed == bot.cache.allowed(home));
      CHECK(theirs.policy->last_retrieval().exchanges.size() == 2);
      CHECK(bot.web.count(robots_url) == 1);
    }
  }
}

TEST_CASE("The rules of a redirecting site are as fresh as those of its target") {
  scripted bot;
  bot.web.on(robots_url, robots::test::ok());
  redirect_all(bot.web, 1);
  CHECK_FALSE(bot.cache.allowed(secret));
  bot.clock.advance(23h);
  const decision late = bot.cache.check(stranger(0) + "private/x");
  CHECK_FALSE(late.allowed);
  CHECK(late.age == 23h);
  CHECK(bot.web.count(stranger(0) + "robots.txt") == 1);
  bot.clock.advance(1h);
  CHECK_FALSE(bot.cache.check(stranger(0)).from_cache);
  CHECK(bot.web.count(robots_url) == 2);
}

TEST_CASE("An abandoned redirect is kept: only its target is asked again") {
  scripted bot;
  bot.web.on(robots_url, robots::test::ok());
  redirect_all(bot.web, 1);
  {
    look_up looking = bot.cache.begin(stranger(0));
    bot.answer(looking);
    CHECK(looking.policy() == nullptr);
  }
  CHECK(bot.web.count(robots_url) == 0);
  CHECK(bot.cache.allowed(stranger(0)));
  CHECK(bot.web.count(stranger(0) + "robots.txt") == 1);
}

TEST_CASE("A redirecting site that is invalidated while its target is fetched is not kept") {
  scripted bot;
  bot.web.on(robots_url, robots::test::ok());
  redirect_all(bot.web, 1);
  look_up looking = bot.cache.begin(stranger(0));
  bot.answer(looking);
  bot.cache.invalidate(stranger(0));
  bot.answer(looking);
  CHECK(looking.policy() != nullptr);
  CHECK_FALSE(bot.cache.check(stranger(0)).from_cache);
  CHECK(bot.cache.check(home).from_cache);
}

TEST_CASE("An http site that redirects to its https origin, and its host, get the rules") {
  scripted bot;
  bot.web.on("http://example.com/robots.txt", ScriptedFetcher::redirect(301, robots_url));
  CHECK(outcome_of(bot.cache.check("example.com")) == "unreachable");
  CHECK(outcome_of(bot.cache.check("http://example.com/")) == "unreachable");
  bot.web.on(robots_url, robots::test::ok());
  bot.cache.clear();
  CHECK_FALSE(bot.cache.allowed("http://example.com/private"));
  CHECK_FALSE(bot.cache.allowed("example.com/private"));
  CHECK(bot.cache.check(secret).from_cache);
}

TEST_CASE("An abandoned fetch follows a redirect to another site, too") {
  cache_options options = foo_bot();
  options.finish_abandoned = true;
  watched bot{options};
  bot.web.on_call(stranger(0) + "robots.txt",
                  behind(bot.door, ScriptedFetcher::redirect(301, robots_url)));
  bot.web.on(robots_url, robots::test::ok());
  {
    const std::jthread caller{[&] {
      CHECK(outcome_of(bot.cache.check(stranger(0), {.deadline = bot.clock.now() + 1s})) ==
            "cancelled");
    }};
    bot.door.wait_for_arrivals();
    bot.clock.advance(1s);
  }
  bot.door.open();
  CHECK_FALSE(bot.cache.allowed(stranger(0) + "private/x"));
  CHECK(bot.web.count() == 2);
}

TEST_CASE("A thread of the cache never waits for a flight that waits for that thread") {
  cache_options options = foo_bot();
  options.finish_abandoned = true;
  options.background_threads = 1;
  watched bot{options};
  bot.web.on_call(stranger(0) + "robots.txt",
                  behind(bot.door, ScriptedFetcher::redirect(301, robots_url)));
  bot.web.on(robots_url, robots::test::ok());
  decision redirected;
  decision in_haste;
  {
    const std::jthread first{
        [&] { redirected = bot.cache.check(stranger(0) + "private/x", {.timeout = 1h}); }};
    bot.door.wait_for_arrivals();
    const std::jthread second{[&] { in_haste = bot.cache.check(secret, {.timeout = 1s}); }};
    bot.storage.wait_for_misses(2);
    while (bot.cache.stats().misses < 2) {
      std::this_thread::yield();
    }
    bot.door.open();
  }
  CHECK(to_string(redirected.reason) == "rule");
  CHECK(to_string(in_haste.reason) == "rule");
  CHECK(bot.web.count() == 2);
}

TEST_CASE(
    "A host whose http origin redirects to an unreachable https origin causes no loop, and is "
    "denied") {
  for (const bool by_another_site : {false, true}) {
    for (const char* first : {"example.com", "https://s0.example/"}) {
      CAPTURE(by_another_site);
      CAPTURE(first);
      scripted bot{foo_bot(fallback_policy::rfc9309())};
      bot.web.on(robots_url, ScriptedFetcher::failure(robots::fetch_error::connect));
      bot.web.on("http://example.com/robots.txt",
                 ScriptedFetcher::redirect(
                     301, by_another_site ? "https://s0.example/robots.txt" : robots_url));
      redirect_all(bot.web, 1);
      const decision answer = bot.cache.check(first);
      CHECK(outcome_of(answer) == "unreachable");
      CHECK_FALSE(answer.allowed);
      CHECK(answer.policy->last_retrieval().status == 0);
    }
  }
}

TEST_CASE(
    "A site that redirects to an unreachable https origin causes no loop while its host is looked "
    "up") {
  scripted bot{foo_bot(fallback_policy::rfc9309())};
  bot.web.on(robots_url, ScriptedFetcher::failure(robots::fetch_error::connect));
  bot.web.on("http://example.com/robots.txt",
             ScriptedFetcher::redirect(301, "https://s0.example/robots.txt"));
  redirect_all(bot.web, 1);
  look_up bare = bot.cache.begin("example.com");
  look_up other = bot.cache.begin(stranger(0));
  bot.drive(bare);  // the https origin cannot be reached, and the http one redirects
  bot.drive(other);
  REQUIRE(other.policy());
  const decision answer = bot.cache.check(stranger(0), other);
  CHECK(outcome_of(answer) == "unreachable");
  CHECK_FALSE(answer.allowed);
  CHECK(bare.policy() == nullptr);
  bare.resume();
  REQUIRE(bare.policy());
  CHECK(outcome_of(bot.cache.check("example.com")) == "unreachable");
}
