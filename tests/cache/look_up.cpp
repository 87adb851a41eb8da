// Look-ups in steps, for event loops.
#include "cache_fixture.hpp"
#include <robots/cache/basic_robots_cache.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>

using robots::cache_options;
using robots::decision;
using robots::fetch_request;
using robots::look_up;
using robots::policy;
using robots::ScriptedFetcher;
using robots::test::foo_bot;
using robots::test::foo_bot_that_asks_once;
using robots::test::home;
using robots::test::ok;
using robots::test::robots_url;
using robots::test::scripted;
using robots::test::secret;

namespace {

bool asks(const look_up& work) { return std::holds_alternative<fetch_request>(work.next()); }
bool waits_for_news(const look_up& work) {
  return std::holds_alternative<look_up::news_wait>(work.next());
}

}  // namespace

TEST_CASE("A look-up in steps gives the same result as a blocking call") {
  cache_options options = foo_bot();
  options.retry.attempts = 3;
  scripted bot{options};
  bot.web.on(robots_url, ScriptedFetcher::status(503), robots::test::ok());
  look_up looking = bot.cache.begin(secret);
  CHECK(looking.policy() == nullptr);
  CHECK(std::get<fetch_request>(looking.next()).url == robots_url);
  looking.resume();
  CHECK(asks(looking));
  looking.on_wait_over();
  looking.cut_short();
  CHECK(asks(looking));
  bot.answer(looking);
  CHECK(std::get<look_up::retry_wait>(looking.next()).until > bot.clock.now());
  looking.on_response(robots::test::ok(""));
  looking.on_wait_over();
  CHECK(std::holds_alternative<look_up::retry_wait>(looking.next()));
  bot.drive(looking);
  REQUIRE(looking.policy());
  CHECK(std::get<std::shared_ptr<const policy>>(looking.next()) == looking.policy());
  CHECK(looking.has_fetched());
  const decision decided = bot.cache.check(secret, looking);
  CHECK(to_string(decided.reason) == "rule");
  CHECK(decided.policy->last_retrieval().attempts == 2);
  CHECK_FALSE(decided.from_cache);
  CHECK(bot.cache.check(home).from_cache);
  CHECK(bot.cache.check(home, bot.cache.begin(home)).from_cache);
  CHECK(bot.cache.stats().misses == 1);
  CHECK(bot.cache.stats().retrievals == 1);
}

TEST_CASE("A wait between tries that is cut short ends with the result of the last try") {
  cache_options options = foo_bot();
  options.retry.attempts = 3;
  scripted bot{options};
  bot.web.on(robots_url, ScriptedFetcher::status(503));
  look_up looking = bot.cache.begin(home);
  bot.answer(looking);
  looking.cut_short();
  REQUIRE(looking.policy());
  CHECK(to_string(looking.policy()->last_retrieval().outcome) == "server_error");
  CHECK(bot.cache.check(home).from_cache);
}

TEST_CASE("A look-up of a site that must not be asked now ends at once") {
  cache_options options = foo_bot();
  options.breaker.failures = 1;
  scripted bot{options};
  bot.web.on(robots_url, ScriptedFetcher::status(500));
  static_cast<void>(bot.cache.get(home));
  bot.cache.invalidate(home);
  const look_up looking = bot.cache.begin(home);
  REQUIRE(looking.policy());
  CHECK(to_string(looking.policy()->last_retrieval().outcome) == "circuit_open");
  CHECK(looking.has_fetched());
  CHECK_FALSE(looking.from_cache());
}

TEST_CASE("A look-up without a fetch is complete at once") {
  cache_options options = foo_bot();
  options.excluded = {"gov"};
  scripted bot{options};
  CHECK(to_string(bot.cache.check("https://a.gov/", bot.cache.begin("https://a.gov/")).reason) ==
        "excluded");
  CHECK(to_string(bot.cache.check("no URL", bot.cache.begin("no URL")).reason) == "invalid_url");
  CHECK(bot.web.count() == 0);
}

TEST_CASE("Look-ups for one site share one fetch, and the callbacks of all are called at its end") {
  scripted bot;
  bot.web.on(robots_url, robots::test::ok());
  look_up first = bot.cache.begin(home);
  look_up second = bot.cache.begin("HTTPS://EXAMPLE.com:443/x");
  look_up third = bot.cache.begin(secret);
  int called = 0;
  CHECK(asks(first));
  CHECK(waits_for_news(second));
  second.call_on_news([&called] { ++called; });
  third.call_on_news([&called] { ++called; });
  second.resume();  // without news, nothing happens
  CHECK(waits_for_news(second));
  CHECK(called == 0);
  bot.answer(first);
  CHECK(called == 2);
  second.resume();
  CHECK(first.policy() == second.policy());
  CHECK(first.has_fetched());
  CHECK_FALSE(second.has_fetched());
  CHECK(bot.cache.stats().joined == 1);
  CHECK(bot.web.count() == 1);
}

TEST_CASE("A dropped look-up cancels its request, and the next caller starts again") {
  scripted bot;
  bot.web.on(robots_url, robots::test::ok());
  std::optional<look_up> dropped = bot.cache.begin(home);
  look_up second = bot.cache.begin(home);
  look_up third = bot.cache.begin(home);
  bool called = false;
  second.call_on_news([&called] { called = true; });
  const fetch_request under_way = std::get<fetch_request>(dropped->next());
  CHECK_FALSE(under_way.stop.stop_requested());
  dropped.reset();
  CHECK(under_way.stop.stop_requested());
  CHECK(called);
  second.resume();
  CHECK(second.policy() == nullptr);
  bot.answer(second);
  CHECK(second.policy() != nullptr);
  third.resume();
  CHECK(third.policy() == second.policy());
}

TEST_CASE("A look-up calls its callback once, and never after it is dropped") {
  scripted bot;
  bot.web.on(robots_url, robots::test::ok());
  look_up leading = bot.cache.begin(home);
  look_up first = bot.cache.begin(home);
  int called = 0;
  int called_after_the_end = 0;
  for (int i = 0; i < 3; ++i) {
    first.call_on_news([&called] { ++called; });
  }
  {
    look_up dropped = bot.cache.begin(home);
    dropped.call_on_news([&called_after_the_end] { ++called_after_the_end; });
    const look_up moved = std::move(dropped);
  }
  bot.answer(leading);
  CHECK(called == 1);
  CHECK(called_after_the_end == 0);
}

TEST_CASE("A call after a dropped look-up finds no work under way") {
  scripted bot;
  {
    const look_up dropped = bot.cache.begin(home);
  }
  bot.web.on(robots_url, robots::test::ok());
  CHECK(bot.cache.allowed(home));
}

TEST_CASE("If a look-up is dropped, the next look-up can send the probe of a breaker") {
  cache_options options = foo_bot();
  options.breaker.failures = 1;
  scripted bot{options};
  bot.web.on(robots_url, ScriptedFetcher::status(500), robots::test::ok());
  CHECK_FALSE(bot.cache.allowed(home));
  bot.clock.advance(std::chrono::hours{1});
  CHECK(bot.cache.begin(home).policy() == nullptr);
  CHECK(bot.cache.allowed(home));
}

TEST_CASE("Without finish_abandoned, a fetch continues while another look-up waits for it") {
  for (const bool all_leave : {false, true}) {
    CAPTURE(all_leave);
    cache_options options = foo_bot();
    options.finish_abandoned = false;
    scripted bot{options};
    bot.web.on(robots_url, robots::test::ok());
    look_up first = bot.cache.begin(home);
    std::optional<look_up> second = bot.cache.begin(home);
    CHECK(first.leave());
    const fetch_request request = std::get<fetch_request>(first.next());
    CHECK_FALSE(request.stop.stop_requested());
    if (all_leave) {
      CHECK_FALSE(second->leave());
      second.reset();
      CHECK(request.stop.stop_requested());
      first.on_response(ScriptedFetcher::failure(robots::fetch_error::cancelled));
    } else {
      bot.answer(first);
      second->resume();
      CHECK(second->policy() != nullptr);
    }
    CHECK(std::get<std::shared_ptr<const policy>>(first.next()) == nullptr);
    CHECK(bot.cache.stats().size == (all_leave ? 0 : 1));
  }
}

TEST_CASE(
    "Without finish_abandoned, a request that ends in its own stop callback is the last one") {
  cache_options options = foo_bot();
  options.finish_abandoned = false;
  scripted bot{options};
  look_up looking = bot.cache.begin(home);
  bool is_stopped = false;
  const robots::stop_callback<std::function<void()>> at_stop{
      std::get<fetch_request>(looking.next()).stop, [&] {
        is_stopped = true;
        looking.on_response({.error = robots::fetch_error::cancelled});
      }};
  CHECK_FALSE(looking.leave());
  CHECK(is_stopped);
  CHECK_FALSE(asks(looking));
  CHECK(asks(bot.cache.begin(home)));
}

TEST_CASE("Without finish_abandoned, a wait before a retry ends when every caller has left") {
  cache_options options = foo_bot();
  options.finish_abandoned = false;
  options.retry.attempts = 3;
  scripted bot{options};
  bot.web.on(robots_url, ScriptedFetcher::status(503));
  look_up looking = bot.cache.begin(home);
  bot.answer(looking);
  CHECK(looking.leave());
  CHECK(std::get<look_up::retry_wait>(looking.next()).stop.stop_requested());
  looking.on_wait_over();
  CHECK(std::holds_alternative<std::shared_ptr<const policy>>(looking.next()));
  CHECK(bot.cache.stats().size == 0);
}

TEST_CASE("An exchange that is cancelled although a caller waits has failed") {
  scripted bot{foo_bot_that_asks_once()};
  look_up looking = bot.cache.begin(home);
  looking.on_response(ScriptedFetcher::failure(robots::fetch_error::cancelled));
  REQUIRE(looking.policy());
  CHECK(to_string(looking.policy()->last_retrieval().outcome) == "unreachable");
}

TEST_CASE("A blocking thread uses the result of an event loop") {
  scripted bot;
  bot.web.on(robots_url, robots::test::ok());
  look_up looking = bot.cache.begin(home);
  decision answer;
  {
    const std::jthread blocked{[&] { answer = bot.cache.check(secret); }};
    bot.drive(looking);
  }
  CHECK(to_string(answer.reason) == "rule");
  CHECK(bot.web.count() == 1);
}

TEST_CASE("A look-up makes decisions only for its own site") {
  scripted bot;
  bot.web.otherwise(robots::test::ok());
  static_cast<void>(bot.cache.get(home));
  for (const char* begun : {home, "HTTPS://EXAMPLE.com:443/x"}) {
    const look_up looking = bot.cache.begin(begun);
    REQUIRE(looking.policy());
    for (const char* own : {home, secret, "https://example.com", "HTTPS://user@example.com./y"}) {
      CHECK_NOTHROW(static_cast<void>(bot.cache.check(own, looking)));
    }
    for (const char* other : {"http://example.com/", "https://example.com:8443/",
                              "https://www.example.com/", "no URL", ""}) {
      CHECK_THROWS_AS(static_cast<void>(bot.cache.check(other, looking)), std::invalid_argument);
    }
  }
  const look_up invalid = bot.cache.begin("no URL");
  CHECK_NOTHROW(static_cast<void>(bot.cache.check("mailto:nobody", invalid)));
  CHECK_THROWS_AS(static_cast<void>(bot.cache.check(home, invalid)), std::invalid_argument);
}

TEST_CASE("A look-up without a policy makes no decision") {
  scripted bot;
  const look_up looking = bot.cache.begin(home);
  CHECK_THROWS_AS(static_cast<void>(bot.cache.check(home, looking)), std::logic_error);
}

TEST_CASE("A moved-from look-up has no policy and no step") {
  scripted bot;
  look_up from = bot.cache.begin(home);
  const look_up into = std::move(from);
  CHECK(std::holds_alternative<robots::fetch_request>(into.next()));
  CHECK_FALSE(from.policy());  // NOLINT(bugprone-use-after-move)
  CHECK(std::holds_alternative<std::shared_ptr<const policy>>(from.next()));
  CHECK_FALSE(from.from_cache());
  CHECK_FALSE(from.has_fetched());
  from.on_response({});
  from.on_wait_over();
  from.cut_short();
  from.resume();
  bool called = false;
  from.call_on_news([&called] { called = true; });
  CHECK(called);
  CHECK_FALSE(from.leave());
  CHECK_THROWS_AS(static_cast<void>(bot.cache.check(home, from)), std::logic_error);
}

TEST_CASE("A look-up makes decisions for the host and for the origin that answered for it") {
  for (const char* begun : {"example.com", "https://example.com/", "example.com/a"}) {
    for (const char* checked : {"https://example.com/private/x", "example.com/private/x"}) {
      CAPTURE(std::string{begun});
      CAPTURE(std::string{checked});
      scripted bot;
      bot.web.on(robots_url, ok());
      look_up looking = bot.cache.begin(begun);
      bot.drive(looking);
      CHECK(bot.cache.check(checked, looking).reason == robots::decision_reason::rule);
      CHECK_THROWS_AS(static_cast<void>(bot.cache.check("http://example.com/", looking)),
                      std::invalid_argument);
      CHECK_THROWS_AS(static_cast<void>(bot.cache.check("https://other.example/", looking)),
                      std::invalid_argument);
      CHECK_THROWS_AS(static_cast<void>(bot.cache.check("https://example.com:8443/", looking)),
                      std::invalid_argument);
    }
  }
  scripted bot;
  bot.web.on(robots_url, ScriptedFetcher::failure(robots::fetch_error::connect));
  bot.web.on("http://example.com/robots.txt", ok());
  look_up looking = bot.cache.begin("example.com");
  bot.drive(looking);
  CHECK_FALSE(bot.cache.check("http://example.com/private/x", looking).allowed);
  CHECK_THROWS_AS(static_cast<void>(bot.cache.check("https://example.com/", looking)),
                  std::invalid_argument);
}

TEST_CASE("One event loop can look up thousands of sites at once") {
  scripted bot;
  bot.web.otherwise(robots::test::ok());
  std::deque<std::pair<std::string, look_up>> waiting;
  for (int i = 0; i < 2'000; ++i) {
    std::string url = "https://s" + std::to_string(i % 500) + ".example/private";
    look_up looking = bot.cache.begin(url);
    waiting.emplace_back(std::move(url), std::move(looking));
  }
  std::size_t denied = 0;
  while (!waiting.empty()) {
    auto [url, looking] = std::move(waiting.front());
    waiting.pop_front();
    bot.drive(looking);
    looking.resume();
    if (looking.policy()) {
      denied += bot.cache.check(url, looking).allowed ? 0 : 1;
    } else {
      waiting.emplace_back(std::move(url), std::move(looking));
    }
  }
  CHECK(denied == 2'000);
  CHECK(bot.web.count() == 500);
}
