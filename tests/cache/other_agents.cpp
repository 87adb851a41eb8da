// One cache answers for several crawlers, and keeps the text of files.
#include "cache_fixture.hpp"
#include "rulings/ruled_cache.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/page.hpp>
#include <robots/policy/decision.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/usage/page_statements.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <iterator>
#include <stdexcept>
#include <string>

namespace {

using namespace std::chrono_literals;
using robots::cache_options;
using robots::decision;
using robots::ScriptedFetcher;
using robots::test::foo_bot;
using robots::test::foo_bot_that_asks_once;
using robots::test::home;
using robots::test::ok;
using robots::test::robots_url;
using robots::test::scripted;

constexpr const char* file =
    "User-agent: FooBot\nDisallow: /foo\n"
    "User-agent: BarBot\nDisallow: /bar\nCrawl-delay: 7\n"
    "User-agent: *\nDisallow: /all\n";

[[nodiscard]] cache_options three_bots() {
  cache_options options = foo_bot();
  options.other_agents = {"BarBot", "*"};
  return options;
}

}  // namespace

TEST_CASE("One entry answers for every crawler that the options name") {
  scripted bot{three_bots()};
  bot.web.on(robots_url, ok(file));
  const auto allows = [&](const char* path, const char* agent) {
    const std::string url = std::string{"https://example.com"} + path;
    const bool allowed = bot.cache.allowed(url, {.user_agent = agent});
    CHECK(bot.cache.check(url, {.user_agent = agent}).allowed == allowed);
    CHECK(bot.cache.get(url, {.user_agent = agent})->allows(path) == allowed);
    robots::look_up looking = bot.cache.begin(url, {.user_agent = agent});
    bot.drive(looking);
    CHECK(looking.policy()->allows(path) == allowed);
    CHECK(bot.cache.check(url, looking).allowed == allowed);
    return allowed;
  };
  for (const char* own : {"", "FooBot", "foobot", "FooBot/2.0"}) {
    CAPTURE(std::string{own});
    CHECK_FALSE(allows("/foo", own));
    CHECK(allows("/bar", own));
    CHECK(allows("/all", own));
  }
  for (const char* other : {"BarBot", "barbot/1.0 (+https://bar.example)"}) {
    CAPTURE(std::string{other});
    CHECK(allows("/foo", other));
    CHECK_FALSE(allows("/bar", other));
    CHECK(allows("/all", other));
  }
  CHECK(allows("/foo", "*"));
  CHECK(allows("/bar", "*"));
  CHECK_FALSE(allows("/all", "*"));
  CHECK(bot.cache.get(home, {.user_agent = "BarBot"})->crawl_delay() == 7s);
  CHECK_FALSE(bot.cache.get(home)->crawl_delay());
  CHECK(bot.web.count() == 1);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(bot.cache.check(home, {.user_agent = "BazBot"})),
      "call_options::user_agent: \"BazBot\" is not listed: add it to cache_options::other_agents",
      std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(bot.cache.begin(home, {.user_agent = "BazBot"})),
                  std::invalid_argument);
}

TEST_CASE(
    "Each crawler has its own last good copy, and keeps its rules after a 304 and a redirect") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  scripted bot{three_bots()};
  bot.web.on(robots_url, ScriptedFetcher::redirect(301, www));
  bot.web.on(www, ScriptedFetcher::ok(file, {{"ETag", "\"1\""}}), ScriptedFetcher::status(304),
             ScriptedFetcher::status(503));
  for (int day = 0; day < 3; ++day) {
    CAPTURE(day);
    for (const std::string host : {"https://example.com", "https://www.example.com"}) {
      CHECK_FALSE(bot.cache.allowed(host + "/foo"));
      CHECK(bot.cache.allowed(host + "/bar"));
      const decision answer = bot.cache.check(host + "/bar", {.user_agent = "BarBot"});
      CHECK_FALSE(answer.allowed);
      CHECK(answer.policy->basis() ==
            (day < 2 ? robots::policy_basis::rules : robots::policy_basis::last_good));
      CHECK(bot.cache.allowed(host + "/foo", {.user_agent = "BarBot"}));
      CHECK_FALSE(bot.cache.allowed(host + "/all", {.user_agent = "*"}));
    }
    bot.clock.advance(25h);
  }
}

TEST_CASE("Without a robots.txt, all crawlers get the same answer") {
  robots::test::ruled_process bot{{}, three_bots()};
  bot.web.on(robots_url, ScriptedFetcher::status(503));
  CHECK_FALSE(bot.cache.allowed(home, {.user_agent = "BarBot"}));
  CHECK_FALSE(bot.cache.allowed("no URL", {.user_agent = "BarBot"}));
  bot.rulings().override_with(home, robots::site_override::allow);
  CHECK(bot.cache.allowed(home, {.user_agent = "*"}));
}

TEST_CASE("An entry of other_agents that names no crawler is refused") {
  for (const char* wrong : {"", "Mozilla/5.0 (X11)", "/private", "https://foo.example/"}) {
    CAPTURE(std::string{wrong});
    cache_options options = foo_bot();
    options.other_agents = {wrong};
    CHECK_THROWS_AS(scripted{options}, std::invalid_argument);
  }
  cache_options options = foo_bot();
  options.other_agents.resize(1);
  CHECK_THROWS_AS(scripted{options}, std::invalid_argument);
}

TEST_CASE("A crawler with several names gets the group of the first name that has one") {
  cache_options options = foo_bot();
  options.user_agent = "Mozilla/5.0 (X11; Linux x86_64) Safari/605.1.15";
  options.names = {"FooBot-News", "FooBot"};
  options.other_agents = {{"BarBot-Image", "BarBot"}, "BazBot/1.0 (+https://baz.example)", "*"};
  scripted bot{options};
  bot.web.on(robots_url, ok(file));
  const auto denied = [&](const char* agent) {
    for (const char* path : {"/foo", "/bar", "/all"}) {
      const std::string url = std::string{"https://example.com"} + path;
      if (!bot.cache.allowed(url, {.user_agent = agent})) {
        return std::string{path};
      }
    }
    return std::string{};
  };
  CHECK(denied("") == "/foo");
  CHECK(denied("FooBot-News") == "/foo");
  CHECK(denied(options.user_agent.c_str()) == "/foo");
  CHECK(denied("BarBot-Image") == "/bar");
  CHECK(denied("BazBot") == "/all");
  CHECK(denied("*") == "/all");
  const decision answer =
      bot.cache.check("https://example.com/bar", {.user_agent = "barbot-image"});
  CHECK(answer.verdict.user_agent == "BarBot");
  CHECK(robots::detail::find_header(bot.web.requests().front().headers, "User-Agent") ==
        options.user_agent);
  // Only the first name selects a crawler, since several crawlers can have the same second name.
  CHECK_THROWS_AS((void)denied("BarBot"), std::invalid_argument);
}

TEST_CASE("A path or a URL as the user agent of a call is refused, since arguments were swapped") {
  scripted bot{three_bots()};
  bot.web.on(robots_url, ok("User-agent: *\nAllow: /\n"));
  for (const char* swapped : {"/private", "https://example.com/private"}) {
    const std::string message = std::string{"call_options::user_agent: \""} + swapped +
                                "\" is a path or a URL, not a user agent";
    CHECK_THROWS_WITH_AS((void)bot.cache.allowed(home, {.user_agent = swapped}), message.c_str(),
                         std::invalid_argument);
  }
}

TEST_CASE("A policy keeps the text of its file if options ask for it") {
  cache_options options = foo_bot_that_asks_once();
  scripted without{options};
  without.web.on(robots_url, ok(file));
  CHECK(without.cache.get(home)->text().empty());
  CHECK_THROWS_AS((void)without.cache.get(home)->document(), std::logic_error);
  options.keep_text = true;
  scripted bot{options};
  bot.web.on(robots_url, ok(file), ScriptedFetcher::status(503), ScriptedFetcher::status(404));
  const auto first = bot.cache.get(home);
  CHECK(first->text() == file);
  const robots::document read = first->document();
  CHECK(read.groups().size() == 3);
  CHECK(first->memory_bytes() > without.cache.get(home)->memory_bytes());
  CHECK(bot.cache.refresh(home)->text() == file);  // the text of the last good copy
  CHECK(bot.cache.refresh(home)->text().empty());
}

TEST_CASE("A cache begins the statements of a page for each of its crawlers, from one fetch") {
  cache_options options = three_bots();
  options.names = {{"Google-Extended", robots::purpose::ai_input}};
  scripted bot{options};
  bot.web.on(robots_url, ok("User-agent: FooBot\nContent-Signal: ai-train=no\nDisallow: /foo\n"
                            "User-agent: BarBot\nContent-Usage: train-ai=y\nAllow: /\n"
                            "User-agent: Google-Extended\nDisallow: /\n"));
  const std::chrono::sys_days day{std::chrono::year{2026} / 11 / 28};
  using robots::permission_answer;
  using robots::purpose;
  const auto answer = [&](const std::string& url, purpose wanted, const char* agent) {
    robots::page_statements page = bot.cache.page(url, {.user_agent = agent});
    page.header("X-Robots-Tag", "BarBot: noindex");
    page.mark_read(robots::statement_place::meta);
    page.mark_read(robots::statement_place::tdmrep);
    return page.may(wanted, day).answer;
  };
  const std::string page = "https://example.com/page";
  CHECK(answer(page, purpose::ai_train, "") == permission_answer::no);
  CHECK(answer(page, purpose::ai_input, "") == permission_answer::no);
  CHECK(answer(page, purpose::index, "") == permission_answer::unstated);
  CHECK(answer(page, purpose::ai_train, "BarBot") == permission_answer::yes);
  CHECK(answer(page, purpose::ai_input, "BarBot") == permission_answer::unstated);
  CHECK(answer(page, purpose::index, "BarBot") == permission_answer::no);
  CHECK(answer("https://example.com/foo", purpose::fetch, "") == permission_answer::no);
  CHECK(answer("no url", purpose::fetch, "") == permission_answer::no);
  CHECK(bot.web.count() == 1);
  CHECK(bot.cache.stats().denied == 2);  // `page` counts its decision, as `check` does
}
