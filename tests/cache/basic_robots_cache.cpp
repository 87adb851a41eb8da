#include <robots/cache/basic_robots_cache.hpp>

#include "cache_fixture.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using robots::basic_robots_cache;
using robots::cache_options;
using robots::decision;
using robots::decision_reason;
using robots::explain;
using robots::fallback_policy;
using robots::fetch_error;
using robots::fetch_request;
using robots::fetch_response;
using robots::LruStorage;
using robots::ManualClock;
using robots::policy;
using robots::ScriptedFetcher;
using robots::test::foo_bot;
using robots::test::foo_bot_that_asks_once;
using robots::test::home;
using robots::test::robots_url;
using robots::test::scripted;
using robots::test::secret;

namespace {

using small_cache = basic_robots_cache<ScriptedFetcher, ManualClock, LruStorage<2>>;

static_assert(!std::copyable<small_cache>);
static_assert(!std::movable<small_cache>);
static_assert(!std::convertible_to<cache_options, small_cache>);
static_assert(std::constructible_from<small_cache, cache_options>);
static_assert(std::constructible_from<small_cache, cache_options, ScriptedFetcher, ManualClock>);
static_assert(!std::default_initializable<small_cache>);

template <class... Parts>
concept composes = requires { typename basic_robots_cache<Parts...>; };

static_assert(composes<ScriptedFetcher>);
static_assert(
    composes<ScriptedFetcher, robots::SteadyClock, LruStorage<4096>, robots::NullObserver>);
static_assert(std::same_as<basic_robots_cache<ScriptedFetcher>,
                           basic_robots_cache<ScriptedFetcher, robots::SteadyClock,
                                              LruStorage<4096>, robots::NullObserver>>);
static_assert(!composes<int>);
static_assert(robots::PolicySource<small_cache>);
static_assert(!robots::PolicySource<std::string>);
static_assert(!composes<ManualClock>);
static_assert(!composes<ScriptedFetcher, ScriptedFetcher>);
static_assert(!composes<ScriptedFetcher, ManualClock, ManualClock>);
static_assert(!composes<ScriptedFetcher, ManualClock, LruStorage<2>, LruStorage<2>>);

/// Keeps nothing, which the concept of a storage permits.
class ForgetfulStorage {
 public:
  [[nodiscard]] std::optional<robots::cache_entry> find(std::string_view, robots::time_point) {
    return std::nullopt;
  }
  void store(std::string_view, const robots::cache_entry&, robots::time_point) {}
  void erase(std::string_view) {}
  void clear() {}
  [[nodiscard]] std::size_t size() const { return 0; }
};

/// Records the events that it gets. Copies share the list.
class RecordingObserver {
 public:
  struct retrieval_note {
    std::string site;
    std::string outcome;
    std::chrono::nanoseconds duration;
  };
  struct decision_note {
    std::string url;
    std::string reason;
    bool allowed;
    bool from_cache;
  };

  void on(const robots::retrieval_event& event) {
    const std::scoped_lock lock{notes_->mutex};
    notes_->retrievals.push_back({std::string{event.site},
                                  std::string{to_string(event.policy.last_retrieval().outcome)},
                                  event.duration});
  }
  void on(const robots::decision_event& event) {
    const std::scoped_lock lock{notes_->mutex};
    notes_->decisions.push_back({std::string{event.url},
                                 std::string{to_string(event.decision.reason)},
                                 event.decision.allowed, event.decision.from_cache});
  }

  [[nodiscard]] const std::vector<retrieval_note>& retrievals() const { return notes_->retrievals; }
  [[nodiscard]] const std::vector<decision_note>& decisions() const { return notes_->decisions; }

 private:
  struct notes {
    std::mutex mutex;
    std::vector<retrieval_note> retrievals;
    std::vector<decision_note> decisions;
  };
  std::shared_ptr<notes> notes_ = std::make_shared<notes>();
};

std::string reason(const decision& answer) { return std::string{to_string(answer.reason)}; }

}  // namespace

TEST_CASE("check returns whether a URL is allowed, which rule decided, and how old the rules are") {
  scripted bot;
  bot.web.on(robots_url, robots::test::ok("User-agent: *\nDisallow: /private\nCrawl-delay: 2\n"));
  const decision first = bot.cache.check(home);
  CHECK(first.allowed);
  CHECK(reason(first) == "no_rule");
  CHECK_FALSE(first.from_cache);
  CHECK(first.age == 0s);
  CHECK(first.crawl_delay() == 2'000ms);

  bot.clock.advance(90s);
  const decision second = bot.cache.check(secret);
  CHECK_FALSE(second.allowed);
  CHECK(reason(second) == "rule");
  CHECK(second.verdict.pattern == "/private");
  CHECK(second.verdict.line == 2);
  CHECK(second.verdict.user_agent == "*");
  CHECK(second.from_cache);
  CHECK(second.age == 90s);
  CHECK(second.policy == first.policy);
  CHECK(explain(second) == "not allowed: disallow \"/private\", line 2, for *");
  CHECK(bot.web.count() == 1);
}

TEST_CASE("get returns the policy of a site, and allowed returns only the answer") {
  scripted bot;
  bot.web.on(robots_url, robots::test::ok("User-agent: *\nDisallow: /private\nSitemap: /s.xml\n"));
  const std::shared_ptr<const policy> found = bot.cache.get("https://example.com");
  REQUIRE(found);
  CHECK(found->sitemaps().size() == 1);
  CHECK(found->sitemaps().front() == "/s.xml");
  CHECK(found->last_retrieval().url == robots_url);
  CHECK(found->last_retrieval().final_url == robots_url);
  CHECK(found->last_retrieval().status == 200);
  CHECK(found->fetched_at() == bot.clock.now());
  CHECK(bot.cache.get("https://example.com/any/path?q#f") == found);
  CHECK(bot.cache.allowed(home));
  CHECK_FALSE(bot.cache.allowed(secret));
  CHECK(bot.web.count() == 1);
}

TEST_CASE("A decision stays valid after the cache forgets the site or is destroyed") {
  decision answer;
  {
    scripted bot;
    bot.web.on(robots_url, robots::test::ok());
    answer = bot.cache.check(secret);
    bot.cache.clear();
  }
  CHECK(answer.verdict.pattern == "/private");
  CHECK_FALSE(answer.policy->allows("/private"));
}

TEST_CASE("The cache uses the rules for the crawler's product token") {
  scripted bot;
  bot.web.on(robots_url, robots::test::ok("User-agent: *\nDisallow: /\nUser-agent: foobot\n"
                                          "Disallow: /only-this\n"));
  const decision answer = bot.cache.check("https://example.com/only-this");
  CHECK_FALSE(answer.allowed);
  CHECK(answer.verdict.user_agent == "FooBot");
  CHECK(bot.cache.allowed(home));
}

TEST_CASE("A request has the whole user agent, the timeout and the limit") {
  cache_options options = foo_bot_that_asks_once();
  options.timeout = 1'234ms;
  options.parse.max_bytes = 9'999;
  scripted bot{options};
  static_cast<void>(bot.cache.check(home));
  REQUIRE(bot.web.count() == 1);
  const fetch_request sent = bot.web.requests().front();
  CHECK(robots::detail::find_header(sent.headers, "User-Agent") == options.user_agent);
  CHECK(sent.timeout == 1'234ms);
  CHECK(sent.max_bytes == 9'999);
}

TEST_CASE("A cache parses with the options for parsing") {
  cache_options options = foo_bot();
  options.parse.tie = robots::tie_break::disallow;
  scripted bot{options};
  bot.web.on(robots_url, robots::test::ok("User-agent: *\nAllow: /a\nDisallow: /a\n"));
  CHECK_FALSE(bot.cache.allowed("https://example.com/a"));
}

TEST_CASE("/robots.txt itself is always allowed, and the decision gives that reason") {
  scripted bot;
  bot.web.on(robots_url, robots::test::ok("User-agent: *\nDisallow: /\n"));
  const decision answer = bot.cache.check(robots_url);
  CHECK(answer.allowed);
  CHECK(reason(answer) == "robots_txt");
  CHECK(reason(bot.cache.check("https://example.com/robots.txt?x=1")) == "robots_txt");
  CHECK(reason(bot.cache.check("https://example.com/robots.txt.bak")) == "rule");
}

TEST_CASE("An invalidated site is fetched again, and no other site is") {
  scripted bot;
  bot.web.otherwise(robots::test::ok());
  const auto forgets = [&](const char* kind, const char* site) {
    bot.cache.clear();
    static_cast<void>(bot.cache.check(site));
    bot.cache.invalidate(kind);
    return !bot.cache.check(site).from_cache;
  };
  CHECK(forgets("https://example.com/", "https://example.com/"));
  CHECK(forgets("https://example.com/path?q", "https://example.com/"));
  CHECK(forgets("HTTPS://u@EXAMPLE.com.:443", "https://example.com/"));
  CHECK(forgets("example.com", "example.com"));
  CHECK(forgets("example.com", "https://example.com/"));
  CHECK(forgets("example.com", "http://example.com/"));
  CHECK(forgets("https://example.com/", "example.com"));
  CHECK(forgets("http://example.com/", "http://example.com/"));
  CHECK(forgets("example.com:8080", "http://example.com:8080/"));

  CHECK_FALSE(forgets("https://example.com/", "https://www.example.com/"));
  CHECK_FALSE(forgets("https://example.com/", "http://example.com/"));
  CHECK_FALSE(forgets("http://example.com/", "https://example.com/"));
  CHECK_FALSE(forgets("https://example.com:8443/", "https://example.com/"));
  CHECK_FALSE(forgets("not a host", "https://example.com/"));
  CHECK_FALSE(forgets("", "https://example.com/"));
}

TEST_CASE("An invalidated file no longer serves as the last good copy") {
  scripted bot;
  bot.web.on(robots_url, robots::test::ok(), ScriptedFetcher::status(503));
  CHECK(bot.cache.allowed(home));
  SUBCASE("by invalidate") { bot.cache.invalidate(home); }
  SUBCASE("by clear") { bot.cache.clear(); }
  const decision answer = bot.cache.check(home);
  CHECK_FALSE(answer.allowed);
  CHECK(to_string(answer.policy->basis()) == "deny_all");
}

TEST_CASE("clear forgets every site, and keeps the statistics") {
  scripted bot;
  bot.web.otherwise(robots::test::ok());
  CHECK(bot.cache.allowed(home));
  CHECK(bot.cache.allowed("https://other.example/"));
  CHECK(bot.cache.stats().size == 2);
  bot.cache.clear();
  CHECK(bot.cache.stats().size == 0);
  CHECK(bot.cache.stats().misses == 2);
  CHECK_FALSE(bot.cache.check(home).from_cache);
}

TEST_CASE("The statistics count every retrieval and decision") {
  cache_options options = foo_bot();
  options.excluded = {"gov"};
  small_cache cache{options,
                    ScriptedFetcher{}
                        .on(robots_url, robots::test::ok())
                        .on("https://none.example/robots.txt", ScriptedFetcher::status(404))};
  CHECK(cache.stats().size == 0);
  CHECK(cache.allowed(home));                           // fetched
  CHECK_FALSE(cache.allowed(secret));                   // from the cache
  CHECK(cache.allowed("https://none.example/"));        // fetched
  CHECK_FALSE(cache.allowed("https://dead.example/"));  // failed, and evicted the first
  CHECK_FALSE(cache.allowed("https://nasa.gov/"));
  CHECK_FALSE(cache.allowed("what is this"));
  static_cast<void>(cache.get("https://none.example/"));  // from the cache, and no decision

  const robots::cache_stats stats = cache.stats();
  CHECK(stats.hits == 2);
  CHECK(stats.misses == 3);
  CHECK(stats.joined == 0);
  CHECK(stats.retrievals == 3);
  CHECK(stats.failures == 1);
  CHECK(stats.allowed == 2);
  CHECK(stats.denied == 4);
  CHECK(stats.excluded == 1);
  CHECK(stats.evictions == 1);
  CHECK(stats.size == 2);
  CHECK(stats.hit_rate() == 0.4);
}

TEST_CASE("A site that was dropped to make room is fetched again") {
  ScriptedFetcher web;
  web.otherwise(robots::test::ok());
  small_cache cache{foo_bot(), web};
  for (int round = 0; round < 3; ++round) {
    for (const char* url : {"https://a.example/", "https://b.example/", "https://c.example/"}) {
      CHECK_FALSE(cache.check(url).from_cache);
    }
  }
  CHECK(web.count() == 9);
  CHECK(cache.stats().evictions == 7);
  CHECK(cache.check("https://c.example/").from_cache);
}

TEST_CASE("A cache reports the memory of its rules if its storage can") {
  ScriptedFetcher web;
  web.otherwise(robots::test::ok("User-agent: *\nDisallow: /a\n"));
  small_cache cache{foo_bot(), web};
  CHECK(cache.memory_bytes() == 0);
  CHECK(cache.allowed("https://a.example/"));
  const auto one = cache.memory_bytes();
  CHECK(one >= cache.get("https://a.example/")->memory_bytes());
  CHECK(cache.allowed("https://b.example/"));
  CHECK(cache.memory_bytes() > one);
  cache.clear();
  CHECK(cache.memory_bytes() == 0);
  const basic_robots_cache<ScriptedFetcher, ManualClock, ForgetfulStorage> other{foo_bot(), web};
  CHECK_FALSE(other.memory_bytes());
}

TEST_CASE("A cache works with a storage that forgets everything at once") {
  ScriptedFetcher web;
  web.on(robots_url, robots::test::ok(), ScriptedFetcher::status(503));
  basic_robots_cache<ScriptedFetcher, ManualClock, ForgetfulStorage> cache{foo_bot_that_asks_once(),
                                                                           web};
  CHECK(cache.allowed(home));
  const decision answer = cache.check(home);
  CHECK_FALSE(answer.allowed);
  CHECK(to_string(answer.policy->basis()) == "deny_all");
  CHECK(cache.get("example.com") != nullptr);
  cache.invalidate(home);
  cache.clear();
  CHECK(web.count() == 3);
  CHECK(cache.stats().size == 0);
  CHECK(cache.stats().evictions == 0);
  CHECK(cache.stats().misses == 3);
}

TEST_CASE("An observer gets an event for every retrieval and every decision") {
  RecordingObserver observer;
  ManualClock clock;
  ScriptedFetcher web;
  web.on_call(robots_url, [&clock](const fetch_request&) {
    clock.advance(250ms);
    return robots::test::ok();
  });
  cache_options options = foo_bot_that_asks_once();
  options.excluded = {"gov"};
  basic_robots_cache<ScriptedFetcher, ManualClock, LruStorage<8>, RecordingObserver> cache{
      options, web, clock, {}, observer};
  static_cast<void>(cache.get("HTTPS://Example.com"));
  CHECK_FALSE(cache.allowed(secret));
  CHECK(cache.allowed("example.com/x"));
  CHECK_FALSE(cache.allowed("https://nasa.gov/"));
  CHECK_FALSE(cache.allowed("what is this"));
  CHECK_FALSE(cache.allowed("dead.example"));

  REQUIRE(observer.retrievals().size() == 2);
  CHECK(observer.retrievals()[0].site == "https://example.com");
  CHECK(observer.retrievals()[0].outcome == "success");
  CHECK(observer.retrievals()[0].duration == 250ms);
  CHECK(observer.retrievals()[1].site == "dead.example");
  CHECK(observer.retrievals()[1].outcome == "unreachable");
  CHECK(observer.retrievals()[1].duration == 0ms);

  REQUIRE(observer.decisions().size() == 5);
  CHECK(observer.decisions()[0].url == secret);
  CHECK(observer.decisions()[0].reason == "rule");
  CHECK(observer.decisions()[0].from_cache);
  CHECK(observer.decisions()[1].url == "example.com/x");
  CHECK(observer.decisions()[1].allowed);
  CHECK(observer.decisions()[2].reason == "excluded");
  CHECK(observer.decisions()[3].reason == "invalid_url");
  CHECK(observer.decisions()[4].reason == "fallback");
  CHECK_FALSE(observer.decisions()[4].from_cache);
}

TEST_CASE("A cache returns the options in force") {
  const scripted bot{foo_bot(fallback_policy::strict())};
  CHECK(bot.cache.options().fallback.name() == "strict");
  CHECK(bot.cache.options().user_agent == foo_bot().user_agent);
}

TEST_CASE("A call whose deadline has passed fetches nothing and stores nothing") {
  std::stop_source stop;
  stop.request_stop();
  for (const auto fallback :
       {fallback_policy::permissive(), fallback_policy::rfc9309(), fallback_policy::strict()}) {
    scripted bot{foo_bot(fallback)};
    bot.web.otherwise(robots::test::ok(""));
    for (const robots::call_options& over :
         {robots::call_options{.stop = stop.get_token()},
          robots::call_options{.deadline = bot.clock.now()},
          robots::call_options{.deadline = robots::time_point::min()}}) {
      const decision answer = bot.cache.check(home, over);
      CHECK(answer.allowed == (fallback.name() == "permissive"));
      CHECK(reason(answer) == "fallback");
      CHECK(to_string(answer.policy->last_retrieval().outcome) == "cancelled");
      CHECK(bot.web.count() == 0);
      CHECK(bot.cache.stats().size == 0);
    }
    const decision answer = bot.cache.check(home);
    CHECK(answer.allowed);
    CHECK(to_string(answer.policy->last_retrieval().outcome) == "success");
  }
}

TEST_CASE("A call whose deadline has passed gets the fresh copy, or the last good copy") {
  scripted bot;
  bot.web.on(robots_url, robots::test::ok());
  CHECK(bot.cache.allowed(home));
  std::stop_source stop;
  stop.request_stop();
  const robots::call_options over{.stop = stop.get_token()};
  CHECK(bot.cache.check(home, over).from_cache);
  bot.clock.advance(24h);
  const decision answer = bot.cache.check(home, over);
  CHECK(answer.allowed);
  CHECK(to_string(answer.policy->basis()) == "last_good");
  CHECK(answer.age == 24h);
  CHECK(bot.web.count() == 1);
  CHECK_FALSE(bot.cache.check(home).from_cache);
  CHECK(bot.web.count() == 2);
}

TEST_CASE("A deadline ends the call, but not the fetch, which has its own timeout") {
  scripted bot{foo_bot_that_asks_once()};
  bot.web.on(robots_url, ScriptedFetcher::failure(fetch_error::timeout));
  const decision answer = bot.cache.check(home, {.deadline = bot.clock.now() + 100ms});
  CHECK(to_string(answer.policy->last_retrieval().outcome) == "unreachable");
  CHECK(bot.web.requests().front().timeout == 5'000ms);
  CHECK(bot.cache.check(home).from_cache);
}

TEST_CASE(
    "Without a free thread, a deadline shortens the timeout, and a failure by this limit is not "
    "kept") {
  cache_options options = foo_bot();
  options.background_threads = 0;
  scripted bot{options};
  bot.web.on(robots_url, ScriptedFetcher::failure(fetch_error::timeout));
  const decision hurried = bot.cache.check(home, {.deadline = bot.clock.now() + 100ms});
  CHECK(to_string(hurried.policy->last_retrieval().outcome) == "cancelled");
  CHECK(bot.web.requests().front().timeout == 100ms);
  CHECK(bot.cache.stats().size == 0);
  const decision patient = bot.cache.check(home, {.deadline = bot.clock.now() + 1h});
  CHECK(to_string(patient.policy->last_retrieval().outcome) == "unreachable");
  CHECK(bot.web.requests().back().timeout == 5'000ms);
  CHECK(bot.cache.check(home).from_cache);
}

TEST_CASE("A deadline at the end of time means no deadline") {
  scripted bot;
  bot.web.on(robots_url, robots::test::ok());
  CHECK(bot.cache.allowed(home, {.deadline = robots::time_point::max()}));
  CHECK(bot.web.requests().front().timeout == 5'000ms);
}

namespace {

/// Loses its connection at every second call.
class FlakyStorage {
 public:
  [[nodiscard]] std::optional<robots::cache_entry> find(std::string_view key,
                                                        robots::time_point now) {
    if (++calls_ % 2 == 0) {
      throw std::runtime_error{"connection lost"};
    }
    return kept_.find(key, now);
  }
  void store(std::string_view, const robots::cache_entry&, robots::time_point) {
    throw std::runtime_error{"connection lost"};
  }
  void erase(std::string_view key) { kept_.erase(key); }
  void clear() { kept_.clear(); }
  [[nodiscard]] std::size_t size() const { return kept_.size(); }

 private:
  LruStorage<8> kept_;
  int calls_ = 0;
};

}  // namespace

TEST_CASE("A storage that throws causes a fetch, and the answer is right") {
  ScriptedFetcher web;
  web.on(robots_url, robots::test::ok());
  basic_robots_cache<ScriptedFetcher, ManualClock, FlakyStorage> cache{foo_bot(), web};
  CHECK(cache.allowed(home));
  CHECK_FALSE(cache.allowed(secret));
  CHECK(web.count() == 2);
  CHECK(cache.stats().storage_failures > 1);
  CHECK(cache.stats().retrievals == 2);
}

TEST_CASE("A host and its https origin share a fresh entry, even if the other entry is stale") {
  ManualClock clock;
  ScriptedFetcher web;
  web.otherwise(robots::test::ok());
  basic_robots_cache<ScriptedFetcher, ManualClock> cache{foo_bot(), web, clock};
  static_cast<void>(cache.get("example.com"));
  static_cast<void>(cache.get("https://example.com"));
  CHECK(web.count() == 1);
  clock.advance(25h);
  static_cast<void>(cache.get("https://example.com"));
  static_cast<void>(cache.get("example.com"));
  CHECK(web.count() == 2);
  clock.advance(23h);
  static_cast<void>(cache.get("example.com"));
  CHECK(web.count() == 2);
}

TEST_CASE("An exclusion that can never apply is refused at construction") {
  cache_options options = foo_bot();
  options.excluded = {"gov", " mil"};
  CHECK_THROWS_AS((basic_robots_cache<ScriptedFetcher>{options}), std::invalid_argument);
}
