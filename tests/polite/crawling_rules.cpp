#include <robots/polite/crawling_rules.hpp>

#include "cache/cache_fixture.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/fetch/scripted_fetcher.hpp>
#include <robots/policy/policy_source.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/time/manual_clock.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using robots::crawling_rules;
using robots::delay_options;
using robots::delay_term;
using robots::fallback_policy;
using robots::ManualClock;
using robots::ScriptedFetcher;
using std::chrono::nanoseconds;

constexpr const char* robots_url = "https://example.com/robots.txt";
constexpr const char* test_link = "https://example.com/foo/baz/bar";
constexpr const char* text = "User-agent: *\n    Disallow: */baz/*\n    Crawl-delay: 2";

const robots::retrieval_options test_agent{.user_agent = "test-agent"};
const robots::retrieval_options one_attempt{.user_agent = "test-agent", .retry = {.attempts = 1}};

}  // namespace

TEST_CASE("rules that were loaded forbid and delay") {
  ScriptedFetcher web;
  web.on(robots_url, ScriptedFetcher::ok(text));
  crawling_rules rules{"https://example.com/any/page", 100ms};
  CHECK(rules.allowed(test_link));
  CHECK(rules.rules() == nullptr);
  CHECK(rules.load(web, test_agent));
  CHECK_FALSE(rules.allowed(test_link));
  CHECK_FALSE(rules.allowed("/foo/baz/bar"));
  CHECK(rules.allowed("https://example.com/foo"));
  CHECK(rules.crawl_delay() == 2s);
  CHECK(rules.next_delay().term == delay_term::crawl_delay);
}

TEST_CASE("where there is no robots.txt, load says so and everything is allowed") {
  for (const robots::fetch_response& answer :
       {ScriptedFetcher::status(404), ScriptedFetcher::status(503),
        ScriptedFetcher::failure(robots::fetch_error::timeout)}) {
    ScriptedFetcher web;
    web.otherwise(answer);
    crawling_rules rules{"example.com", 100ms};
    CHECK_FALSE(rules.load(web, one_attempt));
    CHECK(rules.allowed(test_link));
    CHECK(rules.crawl_delay() >= 50ms);
    CHECK(rules.crawl_delay() <= 150ms);
  }
}

TEST_CASE("a file that is too broken, or none at all, is judged as a cache judges it") {
  std::string broken{text};
  for (int i = 0; i < 5; ++i) {
    broken += "\nno line of the protocol";
  }
  for (const std::string& body : {broken, std::string{"<html>\n"}}) {
    ScriptedFetcher web;
    web.on(robots_url, ScriptedFetcher::ok(body));
    crawling_rules rules{"example.com", 100ms};
    CHECK_FALSE(rules.load(web, test_agent, {.fallback = fallback_policy::strict()}));
    CHECK_FALSE(rules.allowed("/foo"));
    CHECK(rules.rules()->source().outcome == robots::outcome::malformed);
    CHECK(rules.load(web, test_agent) == (body == broken));
    CHECK(rules.allowed("/foo"));
  }
}

TEST_CASE("old rules stand in for as long as the options say") {
  ScriptedFetcher web;
  web.on(robots_url, ScriptedFetcher::ok(text), ScriptedFetcher::status(503));
  const ManualClock clock;
  crawling_rules rules{"example.com", 100ms};
  const robots::judge_options judging{.fallback = fallback_policy::rfc9309(), .last_good_for = 1h};
  CHECK(rules.load(web, test_agent, judging, {}, clock));
  clock.advance(59min);  // and some seconds of trying again
  CHECK_FALSE(rules.load(web, test_agent, judging, {}, clock));
  CHECK(rules.allowed("/foo"));
  clock.advance(2min);
  CHECK_FALSE(rules.load(web, test_agent, judging, {}, clock));
  CHECK_FALSE(rules.allowed("/foo"));
}

TEST_CASE("how a file is read, and what holds without one, can be of the user's own") {
  struct Trusting {
    [[nodiscard]] static robots::fallback_action action(const robots::record_head& what) {
      return what.url.starts_with("https://example.com/") ? robots::fallback_action::allow_all
                                                          : robots::fallback_action::deny_all;
    }
  };
  ScriptedFetcher web;
  web.on(robots_url, ScriptedFetcher::status(403));
  web.on("https://other.example/robots.txt", ScriptedFetcher::status(403));
  crawling_rules here{"https://example.com", 100ms};
  crawling_rules there{"https://other.example", 100ms};
  CHECK_FALSE(here.load(web, test_agent, {.fallback = Trusting{}}));
  CHECK_FALSE(there.load(web, test_agent, {.fallback = Trusting{}}));
  CHECK(here.allowed("/"));
  CHECK_FALSE(there.allowed("/"));
  web.on(robots_url, ScriptedFetcher::ok("User-agent: *\nDisallow: private\n"));
  CHECK(here.load(web, test_agent,
                  {.fallback = fallback_policy::strict(), .parse = {.prepend_slash = true}}));
  CHECK_FALSE(here.allowed("/private"));
  robots::judge_options wrong{.fallback = fallback_policy::strict()};
  wrong.min_ttl = -1s;
  CHECK_THROWS_AS(static_cast<void>(here.load(web, test_agent, wrong)), std::invalid_argument);
}

TEST_CASE("what a failure means is the user's choice, and old rules can stand in") {
  ScriptedFetcher web;
  web.on(robots_url, ScriptedFetcher::ok(text), ScriptedFetcher::status(503));
  crawling_rules rules{"https://example.com", 100ms};
  CHECK(rules.load(web, test_agent, {.fallback = fallback_policy::rfc9309()}));
  CHECK_FALSE(rules.load(web, one_attempt, {.fallback = fallback_policy::rfc9309()}));
  CHECK_FALSE(rules.allowed(test_link));
  CHECK(rules.allowed("/foo"));
  CHECK(rules.crawl_delay() == 2s);

  crawling_rules fresh{"https://example.com", 100ms};
  CHECK_FALSE(fresh.load(web, one_attempt, {.fallback = fallback_policy::rfc9309()}));
  CHECK_FALSE(fresh.allowed("/foo"));
}

TEST_CASE("rules can come from a cache") {
  ScriptedFetcher web;
  web.on(robots_url, ScriptedFetcher::ok(text));
  robots::test::scripted_cache cache{
      {.user_agent = "test-agent", .fallback = fallback_policy::permissive()}, web};
  crawling_rules rules{"https://example.com/", 100ms};
  CHECK(rules.load(cache));
  CHECK_FALSE(rules.allowed(test_link));
  CHECK(cache.stats().misses == 1);

  crawling_rules missing{"https://unreachable.example/", 100ms};
  CHECK_FALSE(missing.load(cache));
  CHECK(missing.allowed("https://unreachable.example/x"));
}

TEST_CASE("a load that ends before it learned anything leaves the rules that are there") {
  ScriptedFetcher web;
  web.on(robots_url, ScriptedFetcher::ok(text));
  const ManualClock clock;
  const robots::call_options too_late{.deadline = clock.now()};
  crawling_rules fetched{"https://example.com/", 100ms};
  const robots::judge_options judging{.fallback = fallback_policy::permissive()};
  CHECK(fetched.load(web, test_agent, judging, {}, clock));
  CHECK_FALSE(fetched.load(web, test_agent, judging, too_late, clock));
  CHECK_FALSE(fetched.allowed(test_link));
  CHECK(web.count() == 1);

  robots::test::scripted at{
      {.user_agent = "test-agent", .fallback = fallback_policy::permissive()}};
  at.web.on(robots_url, ScriptedFetcher::ok(text));
  crawling_rules cached{"https://example.com/", 100ms};
  CHECK(cached.load(at.cache));
  at.cache.invalidate("https://example.com/");
  CHECK_FALSE(cached.load(at.cache, {.deadline = at.clock.now()}));
  CHECK_FALSE(cached.allowed(test_link));
}

TEST_CASE("the square of the last response time counts where it is the longest") {
  crawling_rules rules{"example.com", 1s};
  rules.update_last_delay(3s);
  CHECK(rules.crawl_delay() == 9s);
  CHECK(rules.next_delay().term == delay_term::last_response);
  rules.update_last_delay(500ms);
  CHECK(rules.crawl_delay() >= 500ms);
  CHECK(rules.crawl_delay() <= 1500ms);
  rules.update_last_delay(-3s);
  CHECK(rules.next_delay().term == delay_term::fixed_delay);
  rules.update_last_delay(nanoseconds::max());
  CHECK(rules.crawl_delay() == robots::longest_delay);
  rules.update_last_delay(nanoseconds::min());
  CHECK(rules.crawl_delay() <= 1500ms);
}

TEST_CASE("the delays of the file and the Request-rate of the hour count, and the cap") {
  ScriptedFetcher web;
  web.on(robots_url, ScriptedFetcher::ok("Crawl-delay: 3\nUser-agent: *\nDisallow:\n"),
         ScriptedFetcher::ok("User-agent: *\nDisallow:\nRequest-rate: 1/5s\n"
                             "Request-rate: 1/20s 0100-0200\n"));
  crawling_rules rules{"https://example.com",
                       delay_options{.cap = 10s, .above_cap = robots::above_cap::skip_host}};
  CHECK(rules.load(web, test_agent));
  CHECK(rules.next_delay().term == delay_term::file_delay);
  CHECK_FALSE(rules.next_delay().skip_host);
  CHECK(rules.load(web, test_agent));
  const robots::wall_time night{1h + 30min};
  CHECK(rules.next_delay(night).asked == 20s);
  CHECK(rules.crawl_delay(night) == 10s);
  CHECK(rules.next_delay(night).skip_host);
  const robots::wall_time noon{12h};
  CHECK(rules.next_delay(noon).asked == 5s);
  CHECK(rules.crawl_delay(noon) == 5s);
  CHECK_FALSE(rules.next_delay(noon).skip_host);
}

TEST_CASE("the rules of a site say nothing of another one") {
  const crawling_rules origin{"https://example.com", 1s};
  for (const char* mine : {"https://example.com", "https://example.com/x", "/x",
                           "HTTPS://Example.COM:443/x", "https://example.com?q"}) {
    CAPTURE(mine);
    CHECK(origin.allowed(mine));
  }
  for (const char* foreign : {"https://example.org/", "http://example.com/", "", "x", "mailto:a@b",
                              "https://example.com:8443/"}) {
    CAPTURE(foreign);
    CHECK_FALSE(origin.allowed(foreign));
  }
  const crawling_rules host{"example.com", 1s};
  CHECK(host.site_key() == "example.com");
  CHECK(host.allowed("http://example.com/"));
  CHECK(host.allowed("https://example.com/"));
  CHECK_FALSE(host.allowed("https://example.com:8443/"));
}

TEST_CASE("a site that is none and options that contradict themselves are refused") {
  CHECK_THROWS_AS((crawling_rules{"", 1s}), std::invalid_argument);
  CHECK_THROWS_AS((crawling_rules{"mailto:a@b", 1s}), std::invalid_argument);
  CHECK_THROWS_AS((crawling_rules{"example.com", -1s}), std::invalid_argument);
}

TEST_CASE("equal seeds give equal delays, and each call draws anew") {
  const crawling_rules one{"example.com", delay_options{.fixed_delay = 1s}, 42};
  const crawling_rules other{"example.com", delay_options{.fixed_delay = 1s}, 42};
  const nanoseconds first = one.crawl_delay();
  CHECK(first == other.crawl_delay());
  CHECK(first != one.crawl_delay());
}

TEST_CASE("many threads ask while others load and update") {
  ScriptedFetcher web;
  web.on(robots_url, ScriptedFetcher::ok(text));
  crawling_rules rules{"https://example.com", 100ms};
  REQUIRE(rules.load(web, test_agent));
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        for (int k = 0; k < 500; ++k) {
          wrong += rules.allowed(test_link) ? 1 : 0;
          const nanoseconds delay = rules.crawl_delay();
          wrong += delay < 2s || delay > 4s ? 1 : 0;
          if (i == 0 && k % 50 == 0) {
            wrong += rules.load(web, test_agent) ? 0 : 1;
          }
          rules.update_last_delay(std::chrono::milliseconds{k % 2'001});
        }
      });
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("A load that finds no line that means something is false") {
  ScriptedFetcher web;
  web.on("https://page.example/robots.txt", ScriptedFetcher::ok("<!DOCTYPE html><p>Hello</p>\n"));
  web.on("https://empty.example/robots.txt", ScriptedFetcher::ok(""));
  web.on("https://comment.example/robots.txt", ScriptedFetcher::ok("# nothing\n"));
  for (const char* host : {"page.example", "empty.example", "comment.example"}) {
    CAPTURE(host);
    crawling_rules rules{host, 100ms};
    CHECK_FALSE(rules.load(web, test_agent));
    CHECK(rules.allowed("/"));
  }
}

TEST_CASE("A load from a host whose ports are closed takes one attempt, with or without a cache") {
  robots::test::scripted at{
      {.user_agent = "test-agent", .fallback = fallback_policy::permissive()}};
  at.web.otherwise(ScriptedFetcher::failure(robots::fetch_error::connection_refused));
  const robots::time_point start = at.clock.now();
  const robots::judge_options judging{.fallback = fallback_policy::permissive()};
  crawling_rules fetched{"closed.example", 100ms};
  CHECK_FALSE(fetched.load(at.web, test_agent, judging, {}, at.clock));
  CHECK(at.web.count() == 2);  // https and http
  CHECK_FALSE(crawling_rules{"closed.example", 100ms}.load(at.cache));
  CHECK(at.web.count() == 4);
  CHECK(at.clock.now() == start);
}

TEST_CASE("A load tries a host again that may answer later") {
  ScriptedFetcher web;
  const ManualClock clock;
  web.on(robots_url, ScriptedFetcher::failure(robots::fetch_error::timeout),
         ScriptedFetcher::ok(text));
  crawling_rules rules{"https://example.com", 100ms};
  const robots::judge_options judging{.fallback = fallback_policy::permissive()};
  CHECK(rules.load(web, test_agent, judging, {}, clock));
  CHECK(web.count() == 2);
}
