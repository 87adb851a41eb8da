#include <robots/observe/events.hpp>

#include "cache_fixture.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/circuit_breaker.hpp>
#include <robots/fetch/exchange.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace {

using namespace std::chrono_literals;
using robots::cache_options;
using robots::call_context;
using robots::LruStorage;
using robots::ManualClock;
using robots::ScriptedFetcher;
using robots::test::foo_bot;
using robots::test::ok;
using robots::test::robots_url;
using texts = std::vector<std::string>;

/// The events of all copies of an observer.
struct notes {
  std::mutex mutex;
  texts heard;
  std::vector<std::thread::id> threads;
  robots::wall_time last_time{};
};

/// Records a short text for every event, with the span of the call that caused the event.
struct Diary {
  std::shared_ptr<notes> all = std::make_shared<notes>();

  void on(const robots::look_up_event& event) {
    note(event, std::string{to_string(event.result)} +
                    (event.policy == nullptr ? "" : " " + text_of(*event.policy)));
  }
  void on(const robots::exchange_event& event) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(event.duration);
    note(event, "exchange " + event.exchange.url + " " + std::to_string(event.exchange.status) +
                    " hop " + std::to_string(event.hop) + " try " + std::to_string(event.attempt) +
                    " " + std::to_string(event.bytes) + " octets " + std::to_string(ms.count()) +
                    " ms");
  }
  void on(const robots::parse_event& event) { note(event, "parsed " + text_of(event.policy)); }
  void on(const robots::retrieval_event& event) {
    std::string exchanges;
    for (const robots::exchange_event& exchange : *event.exchanges) {
      exchanges += " " + std::to_string(exchange.exchange.status);
    }
    note(event, "retrieved " + text_of(event.policy) + " " +
                    std::to_string(event.record.body.size()) + " by" + exchanges);
  }
  void on(const robots::far_hit_event& event) { note(event, "far hit " + text_of(event.policy)); }
  void on(const robots::fallback_event& event) { note(event, "fallback " + text_of(event.policy)); }
  void on(const robots::decision_event& event) {
    note(event, std::string{"decided "} + (event.decision.allowed ? "yes " : "no ") +
                    std::string{event.url});
  }
  void on(const robots::breaker_event& event) {
    note(event, "breaker " + std::string{to_string(event.state)});
  }
  void on(const robots::drop_event& event) { note(event, event.expired ? "expired" : "evicted"); }

  [[nodiscard]] static std::string text_of(const robots::policy& policy) {
    return std::string{to_string(policy.last_retrieval().outcome)};
  }

  void note(const robots::event_base& event, const std::string& text) {
    const std::scoped_lock lock{all->mutex};
    all->heard.push_back(std::string{event.site} + ": " + text +
                         (event.context == nullptr ? "" : " [" + event.context->span_id + "]"));
    all->threads.push_back(std::this_thread::get_id());
    all->last_time = event.time();
  }

  [[nodiscard]] texts take() const {
    const std::scoped_lock lock{all->mutex};
    return std::exchange(all->heard, {});
  }
};

using watched_cache =
    robots::basic_robots_cache<ScriptedFetcher, ManualClock, LruStorage<2>, Diary>;

struct observed {
  explicit observed(cache_options options = foo_bot())
      : cache(std::move(options), web, clock, {}, diary) {}

  ScriptedFetcher web;
  ManualClock clock;
  Diary diary;
  watched_cache cache;
};

std::shared_ptr<const call_context> span(std::string id) {
  return std::make_shared<call_context>("0af7651916cd43dd8448eb211c80319c", std::move(id));
}

}  // namespace

TEST_CASE("An observer gets the look-up, requests, parsing and decision of a site, with the span") {
  observed bot;
  bot.web.on_call(robots_url, [&bot](const robots::fetch_request&) {
    bot.clock.advance(30ms);
    return ok("User-agent: *\nDisallow: /a\n");
  });
  CHECK_FALSE(bot.cache.allowed("https://example.com/a", {.context = span("s1")}));
  CHECK(bot.diary.take() ==
        texts{"https://example.com: miss [s1]",
              "https://example.com: exchange https://example.com/robots.txt 200 "
              "hop 0 try 1 27 octets 30 ms [s1]",
              "https://example.com: parsed success [s1]",
              "https://example.com: retrieved success 27 by 200 [s1]",
              "https://example.com: decided no https://example.com/a [s1]"});
  CHECK(bot.diary.all->last_time == bot.clock.wall_now());

  CHECK(bot.cache.allowed("https://example.com/b", {.context = span("s2")}));
  CHECK(bot.diary.take() == texts{"https://example.com: hit success [s2]",
                                  "https://example.com: decided yes https://example.com/b [s2]"});
}

TEST_CASE("An observer gets events of tries, of the fallback policy and of the breaker") {
  cache_options options = foo_bot(robots::fallback_policy::strict());
  options.retry.attempts = 2;
  options.breaker = {.failures = 2, .cooldown = 60s};
  observed bot{options};
  bot.web.on(robots_url, ScriptedFetcher::status(503), ScriptedFetcher::status(500), ok(""));
  CHECK_FALSE(bot.cache.allowed("https://example.com/"));
  const std::string site = "https://example.com: ";
  CHECK(bot.diary.take() ==
        texts{site + "miss", site + "breaker open",
              site + "exchange https://example.com/robots.txt 503 hop 0 try 1 0 octets 0 ms",
              site + "exchange https://example.com/robots.txt 500 hop 0 try 2 0 octets 0 ms",
              site + "retrieved server_error 0 by 503 500", site + "fallback server_error",
              site + "decided no https://example.com/"});

  bot.clock.advance(1h);
  CHECK(bot.cache.allowed("https://example.com/"));
  const texts heard = bot.diary.take();
  REQUIRE(heard.size() >= 3);
  CHECK(heard[1] == site + "breaker half_open");
  CHECK(heard[2] == site + "breaker closed");
}

namespace {

/// Notes a header of each retrieval.
struct ServerNotes {
  std::shared_ptr<texts> servers = std::make_shared<texts>();

  void on(const robots::retrieval_event& event) {
    const auto server = robots::detail::find_header(event.record.headers, "Server");
    servers->emplace_back(server.value_or("(none)"));
  }
};

}  // namespace

TEST_CASE("An observer gets the headers of the robots.txt's response") {
  ScriptedFetcher web;
  web.on(robots_url, ok("", {{"Server", "wall"}, {"cf-mitigated", "challenge"}}));
  const ServerNotes noted;
  robots::basic_robots_cache<ScriptedFetcher, ManualClock, LruStorage<2>, ServerNotes> cache{
      foo_bot(), web, {}, {}, noted};
  const auto answer = cache.check("https://example.com/a");
  CHECK(*noted.servers == texts{"wall"});
  CHECK(answer.policy->last_retrieval().headers.empty());
}

TEST_CASE("An observer gets each redirect once, under the site that was asked") {
  observed bot;
  bot.web.on(robots_url, ScriptedFetcher::redirect(301, "https://www.example.com/robots.txt"))
      .on("https://www.example.com/robots.txt", ok("User-agent: *\nDisallow: /a\n"));
  CHECK_FALSE(bot.cache.allowed("https://example.com/a", {.context = span("s1")}));
  CHECK(bot.diary.take() ==
        texts{"https://example.com: miss [s1]",
              "https://example.com: exchange https://example.com/robots.txt 301 hop 0 try 1 0 "
              "octets 0 ms [s1]",
              "https://example.com: retrieved redirected 0 by 301 [s1]",
              "https://www.example.com: exchange https://www.example.com/robots.txt 200 hop 0 try "
              "1 27 octets 0 ms [s1]",
              "https://www.example.com: parsed success [s1]",
              "https://www.example.com: retrieved success 27 by 200 [s1]",
              "https://example.com: decided no https://example.com/a [s1]"});
}

TEST_CASE("An observer gets an event with the reason for each entry that a storage drops") {
  observed bot;
  bot.web.otherwise(ok(""));
  static_cast<void>(bot.cache.get("https://a.example"));
  static_cast<void>(bot.cache.get("https://b.example"));
  static_cast<void>(bot.diary.take());
  static_cast<void>(bot.cache.get("https://c.example"));
  CHECK(bot.diary.take().back() == "https://a.example: evicted");

  bot.clock.advance(24h * 365);
  static_cast<void>(bot.cache.get("https://c.example"));
  CHECK(bot.diary.take().front() == "https://c.example: expired");
}

TEST_CASE("The context of a call reaches the cache's own threads") {
  cache_options options = foo_bot();
  options.longest_call = 1h;
  options.timeout = 0ms;  // a caller has no time for an exchange without a limit
  observed bot{options};
  bot.web.otherwise(ok(""));
  CHECK(bot.cache.allowed("https://example.com/", {.context = span("s1")}));
  const texts heard = bot.diary.take();
  REQUIRE(heard.size() == 5);
  for (const std::string& one : heard) {
    CHECK(one.ends_with(" [s1]"));
  }
  CHECK(bot.diary.all->threads[2] != std::this_thread::get_id());
}

TEST_CASE(
    "A call for a URL of an excluded host is counted and reported once, whichever member is "
    "called") {
  cache_options options = foo_bot();
  options.excluded = {"gov"};
  observed bot{options};
  const std::string decided = "https://x.gov: decided no https://x.gov/a [s1]";
  const robots::call_options call{.context = span("s1")};
  static_cast<void>(bot.cache.get("https://x.gov/a", call));
  CHECK(bot.diary.take() == texts{decided});
  static_cast<void>(bot.cache.refresh("https://x.gov/a", call));
  CHECK(bot.diary.take() == texts{decided});
  const robots::look_up steps = bot.cache.begin("https://x.gov/a", call);
  CHECK(bot.diary.take() == texts{decided});
  CHECK(bot.cache.check("https://x.gov/a", steps).reason == robots::decision_reason::excluded);
  CHECK(bot.diary.take().empty());  // `begin` has reported this URL
  CHECK_FALSE(bot.cache.check("https://x.gov/b", steps).allowed);
  CHECK(bot.diary.take() == texts{"https://x.gov: decided no https://x.gov/b [s1]"});
  CHECK_FALSE(bot.cache.allowed("https://x.gov/a", call));
  CHECK(bot.diary.take() == texts{decided});
  CHECK(bot.cache.stats().excluded == 5);
  CHECK(bot.cache.stats().denied == 5);
  CHECK(bot.web.count() == 0);
}

TEST_CASE("A decision by a policy that the caller holds is counted and reported") {
  observed bot;
  bot.web.otherwise(ok("User-agent: *\nDisallow: /a\n"));
  const auto held = bot.cache.get("https://example.com/");
  static_cast<void>(bot.diary.take());
  const robots::call_options call{.context = span("s1")};
  const robots::decision denied = bot.cache.check("https://example.com/a", held, call);
  CHECK(denied.reason == robots::decision_reason::rule);
  CHECK(denied.policy == held);
  CHECK(denied.from_cache);
  CHECK(bot.cache.check("/b", held).allowed);
  CHECK(bot.diary.take() == texts{"https://example.com: decided no https://example.com/a [s1]",
                                  "https://example.com: decided yes /b"});
  CHECK(bot.cache.stats().allowed == 1);
  CHECK(bot.cache.stats().denied == 1);
  CHECK(bot.cache.stats().look_ups() == 1);
  CHECK(bot.web.count() == 1);

  CHECK(bot.cache.check("no URL", held).reason == robots::decision_reason::invalid_url);
  const std::shared_ptr<const robots::policy> none;
  CHECK_THROWS_AS(static_cast<void>(bot.cache.check("/b", none)), std::invalid_argument);
}

TEST_CASE("A decision that the program made without the cache is counted and reported") {
  observed bot;
  robots::decision denied;
  denied.reason = robots::decision_reason::excluded;
  denied.policy =
      robots::policy::refusal("FooBot", robots::decision_reason::excluded, "https://example.com/a");
  bot.cache.report_decision("https://example.com/a", denied, {.context = span("s1")});
  CHECK(bot.diary.take() == texts{"https://example.com: decided no https://example.com/a [s1]"});
  CHECK(bot.cache.stats().excluded == 1);
  CHECK(bot.cache.stats().look_ups() == 0);
  CHECK(bot.web.count() == 0);
}

TEST_CASE("A look-up in steps keeps the context of the call that began it") {
  observed bot;
  bot.web.otherwise(ok(""));
  robots::look_up steps = bot.cache.begin("https://example.com/", {.context = span("s1")});
  steps.on_response(bot.web.fetch(std::get<robots::fetch_request>(steps.next())));
  CHECK(bot.cache.check("https://example.com/x", steps).allowed);
  CHECK(bot.diary.take().back() == "https://example.com: decided yes https://example.com/x [s1]");
}
