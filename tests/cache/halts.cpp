// Sites that change: changes are reported, hostile sites are halted, and high-risk sites are signed
// off.
#include "cache_fixture.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy_change.hpp>
#include <robots/store/lru_storage.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using robots::cache_options;
using robots::decision;
using robots::decision_reason;
using robots::fallback_policy;
using robots::fetch_response;
using robots::halt_reason;
using robots::ManualClock;
using robots::ScriptedFetcher;
using robots::site_override;
using robots::test::foo_bot;
using robots::test::home;
using robots::test::ok;
using robots::test::robots_url;
using robots::test::scripted;
using texts = std::vector<std::string>;

constexpr std::string_view everything = "User-agent: *\nDisallow: /\n";

/// Records changes of sites. Copies share the record.
struct Watchman {
  std::shared_ptr<texts> heard = std::make_shared<texts>();

  void on(const robots::policy_change_event& event) {
    const auto interval = std::chrono::duration_cast<std::chrono::minutes>(event.interval);
    note(event, "changed by " + std::to_string(static_cast<int>(100 * event.changes.share())) +
                    " % in " + std::to_string(interval.count()) + " min" +
                    (event.fast ? ", fast" : "") + (event.turned_hostile ? ", hostile" : ""));
  }
  void on(const robots::access_revoked_event& event) {
    note(event, "revoked " + std::string{event.url} + " " + std::to_string(event.status));
  }
  void on(const robots::licence_demanded_event& event) {
    note(event, "demands a licence for " + std::string{event.url} + " " +
                    std::to_string(event.status) + " " + event.demand.challenge);
  }
  void on(const robots::halt_event& event) {
    note(event, (event.resumed ? "resumed " : "halted ") + std::string{to_string(event.reason)});
  }
  void on(const robots::sign_off_event& event) {
    note(event, event.given ? "signed" : event.awaited ? "awaits a sign-off" : "unsigned");
  }
  void on(const robots::decision_event& event) {
    if (!event.decision.allowed) {
      note(event, "denied " + std::string{to_string(event.decision.reason)});
    }
  }

  void note(const robots::event_base& event, const std::string& text) const {
    heard->push_back(std::string{event.site} + ": " + text);
  }

  [[nodiscard]] texts take() const { return std::exchange(*heard, {}); }
};

cache_options careful_bot() {
  cache_options options = foo_bot();
  options.halt_hostile = true;
  return options;
}

struct watched_sites {
  explicit watched_sites(cache_options options = careful_bot())
      : cache(std::move(options), web, clock, {}, watchman) {}

  ScriptedFetcher web;
  ManualClock clock;
  Watchman watchman;
  robots::basic_robots_cache<ScriptedFetcher, ManualClock, robots::LruStorage<64>, Watchman> cache;
};

/// Returns `count` rules that are numbered from `first`.
std::string numbered_rules(int first, int count) {
  std::string text = "User-agent: *\n";
  for (int i = first; i < first + count; ++i) {
    text += "Disallow: /" + std::to_string(100 + i) + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("A change of the rules of a site gives one event, with its share and its duration") {
  cache_options options = careful_bot();
  options.retry.attempts = 1;
  watched_sites of{options};
  of.web.on(robots_url, ok(numbered_rules(0, 10)), ok(numbered_rules(0, 9)),
            ok(numbered_rules(3, 9)), ok(numbered_rules(3, 9), {{"ETag", "\"a\""}}),
            ScriptedFetcher::status(304), ScriptedFetcher::status(503), ok(numbered_rules(6, 9)),
            ScriptedFetcher::status(404), ok("Sitemap: https://example.com/map\n"));
  const auto next = [&](std::chrono::minutes after) {
    of.clock.advance(after);
    static_cast<void>(of.cache.refresh(home));
    return of.watchman.take();
  };
  CHECK(next(0min).empty());  // there was no policy before
  CHECK(next(10min) == texts{"https://example.com: changed by 10 % in 10 min"});
  CHECK(next(20min) == texts{"https://example.com: changed by 50 % in 20 min, fast"});
  CHECK(next(1min).empty());   // the rules are the same
  CHECK(next(15min).empty());  // a 304
  CHECK(next(1min).empty());   // a failure does not change the rules
  CHECK(next(60min) == texts{"https://example.com: changed by 50 % in 61 min, fast"});
  CHECK(next(1min) == texts{"https://example.com: changed by 100 % in 1 min, fast"});
  CHECK(next(1min).empty());  // neither restricts a crawler
}

TEST_CASE("A refresh that halts a site returns the halt") {
  watched_sites of;
  of.web.on(robots_url, ok("User-agent: *\nDisallow: /a\n"), ok("User-agent: *\nDisallow: /\n"));
  CHECK(of.cache.refresh(home)->allows("/"));
  CHECK(of.cache.refresh(home)->refused() == decision_reason::halted);
}

TEST_CASE("Options decide which changes count as fast") {
  cache_options options = foo_bot();
  options.fast_change_share = 0.05;
  options.fast_change_within = 5min;
  watched_sites of{options};
  of.web.on(robots_url, ok(numbered_rules(0, 10)), ok(numbered_rules(0, 9)),
            ok(numbered_rules(0, 10)));
  static_cast<void>(of.cache.get(home));
  of.clock.advance(5min);
  static_cast<void>(of.cache.refresh(home));
  CHECK(of.watchman.take() == texts{"https://example.com: changed by 10 % in 5 min, fast"});
  of.clock.advance(6min);
  static_cast<void>(of.cache.refresh(home));
  CHECK(of.watchman.take() == texts{"https://example.com: changed by 10 % in 6 min"});
  options.fast_change_within = std::chrono::seconds::max();
  watched_sites at_any_time{options};
  at_any_time.web.on(robots_url, ok(numbered_rules(0, 10)), ok(numbered_rules(0, 9)));
  static_cast<void>(at_any_time.cache.get(home));
  at_any_time.clock.advance(25h);
  static_cast<void>(at_any_time.cache.get(home));
  CHECK(at_any_time.watchman.take() ==
        texts{"https://example.com: changed by 10 % in 1500 min, fast"});
  for (const double share : {-0.1, 1.5}) {
    options.fast_change_share = share;
    CHECK_THROWS_AS(scripted{options}, std::invalid_argument);
  }
}

TEST_CASE("Changes within fast_change_within add up, and older changes are ignored") {
  cache_options options = foo_bot();
  options.fast_change_within = 60min;
  watched_sites of{options};
  const auto next = [&](std::chrono::seconds after, int count) {
    of.clock.advance(after);
    of.web.on(robots_url, ok(numbered_rules(0, count)));
    static_cast<void>(of.cache.refresh(home));
    const texts events = of.watchman.take();
    return events.size() == 1 && events.front().ends_with(", fast");
  };
  CHECK_FALSE(next(0min, 20));
  CHECK_FALSE(next(20min, 18));  // 10 %
  CHECK_FALSE(next(20min, 16));  // 21 %
  CHECK(next(20min, 14));        // 34 % since the first retrieval, an hour ago
  CHECK(next(10min, 13));        // 31 %: the first change began more than an hour ago
  CHECK_FALSE(next(15min, 12));  // 27 %
  CHECK_FALSE(next(120min, 11));
  of.web.on("https://other.example/robots.txt", ok(numbered_rules(0, 10)),
            ok(numbered_rules(0, 9)));
  static_cast<void>(of.cache.refresh("other.example"));
  static_cast<void>(of.cache.refresh("other.example"));
  CHECK_FALSE(of.watchman.take().front().ends_with(", fast"));  // each site has its own sum
  for (int changes = 0; changes < 100; ++changes) {  // a change that is reverted counts twice
    CHECK(next(18s, changes % 2 == 0 ? 10 : 11) == (changes > 2));
  }
  CHECK(next(30min, 10));
  CHECK_FALSE(next(31min, 11));
  CHECK_FALSE(next(120min, 10));
  for (const int count : {9, 10, 9}) {
    CHECK_FALSE(next(1min, count));  // 30 % are not more than 30 %
  }
  CHECK(next(1min, 10));
  watched_sites by_default{foo_bot()};  // by default, changes do not add up
  for (int count = 20; count > 10; --count) {
    by_default.web.on(robots_url, ok(numbered_rules(0, count)));
    static_cast<void>(by_default.cache.refresh(home));
    for (const std::string& events : by_default.watchman.take()) {
      CHECK_FALSE(events.ends_with(", fast"));
    }
  }
}

TEST_CASE("A site that turns hostile is halted at once, until somebody resumes it") {
  watched_sites of;
  of.web.on(robots_url, ok(), ok(everything), ok());
  std::vector<std::string> halted;
  auto listening = of.cache.on_denial([&](std::string_view site) { halted.emplace_back(site); });
  CHECK(of.cache.allowed(home));
  of.clock.advance(25h);
  const decision answer = of.cache.check(home);
  CHECK_FALSE(answer.allowed);
  CHECK(answer.reason == decision_reason::halted);
  CHECK(explain(answer) == "not allowed: the site is halted until somebody resumes it");
  CHECK(of.watchman.take() ==
        texts{"https://example.com: changed by 100 % in 1500 min, fast, hostile",
              "example.com: halted hostile", "https://example.com: denied halted"});
  CHECK(halted == texts{"example.com"});
  CHECK(of.cache.halted() ==
        std::vector{std::pair{std::string{"example.com"}, halt_reason::hostile}});
  CHECK(of.cache.is_halted(home));

  // The halt applies under every scheme and does not expire, and the site gets no request.
  of.clock.advance(25h);
  for (const char* url : {"http://example.com/x", "HTTPS://EXAMPLE.com:443/", "example.com",
                          "https://example.com/robots.txt"}) {
    CHECK(of.cache.check(url).reason == decision_reason::halted);
    CHECK_FALSE(of.cache.get(url)->allows("/"));
  }
  CHECK(of.cache.refresh(home)->refused() == decision_reason::halted);
  CHECK(of.cache.check(home, of.cache.begin(home)).reason == decision_reason::halted);
  CHECK_FALSE(of.cache.is_halted("https://example.com:8443/"));
  CHECK(of.web.count() == 2);

  static_cast<void>(of.watchman.take());
  CHECK(of.cache.resume(home));
  CHECK_FALSE(of.cache.resume(home));
  CHECK(of.watchman.take() == texts{"example.com: resumed hostile"});
  CHECK(of.cache.halted().empty());
  CHECK(of.cache.allowed(home));
  CHECK(of.web.count() == 3);
  listening.reset();
  of.cache.halt(home);
  CHECK(halted.size() == 1);
}

TEST_CASE("A site without a robots.txt can turn hostile, even during an outage") {
  cache_options options = careful_bot();
  options.retry.attempts = 1;
  scripted bot{options};
  bot.web.on(robots_url, ok(), ScriptedFetcher::status(404), ScriptedFetcher::status(503),
             ScriptedFetcher::status(503), ok(everything));
  for (const char* basis : {"rules", "allow_all", "deny_all", "deny_all"}) {
    CHECK(to_string(bot.cache.refresh(home)->basis()) == basis);
    CHECK_FALSE(bot.cache.is_halted(home));
  }
  static_cast<void>(bot.cache.refresh(home));
  CHECK(bot.cache.is_halted(home));
}

TEST_CASE("A site that was always hostile, or cannot be read, is not halted") {
  scripted bot{careful_bot()};
  bot.web.on(robots_url, ok(everything), ok(everything), ScriptedFetcher::status(503));
  CHECK_FALSE(bot.cache.allowed(home));
  CHECK(bot.cache.check(home).reason == decision_reason::rule);
  bot.clock.advance(25h);
  CHECK_FALSE(bot.cache.allowed(home));
  bot.web.on("https://other.example/robots.txt", ok(), ScriptedFetcher::status(503));
  CHECK(bot.cache.allowed("https://other.example/"));
  bot.clock.advance(31 * 24h);
  CHECK(bot.cache.check("https://other.example/").reason == decision_reason::fallback);
  CHECK(bot.cache.halted().empty());
}

TEST_CASE("A site that turns hostile is halted even after its policy was forgotten") {
  for (const bool is_evicted : {true, false}) {
    CAPTURE(is_evicted);
    ScriptedFetcher web;
    ManualClock clock;
    robots::basic_robots_cache<ScriptedFetcher, ManualClock, robots::LruStorage<1>> cache{
        careful_bot(), web, clock};
    web.on(robots_url, ok(), ok(everything), ok(everything));
    web.on("https://other.example/robots.txt", ok());
    CHECK(cache.allowed(home));
    if (is_evicted) {
      CHECK(cache.allowed("https://other.example/"));
      clock.advance(25h);
    } else {
      cache.invalidate(home);
    }
    CHECK(cache.check(home).reason == decision_reason::halted);
    CHECK(cache.resume(home));
    CHECK(cache.check(home).reason == decision_reason::rule);
  }
}

TEST_CASE("A site is hostile even if it allows its front page or its robots.txt") {
  for (const std::string allowed :
       {"Allow: /$\n", "Allow: /robots.txt\n", "Allow: /robots.txt$\nAllow: /$\n"}) {
    CAPTURE(allowed);
    scripted bot{careful_bot()};
    bot.web.on(robots_url, ok(), ok(std::string{everything} + allowed));
    CHECK(bot.cache.allowed(home));
    bot.clock.advance(25h);
    CHECK(bot.cache.check(home).reason == decision_reason::halted);
  }
  for (const std::string allowed : {"Allow: /*\n", "Allow: /a\n", "Allow: /index.html\n"}) {
    CAPTURE(allowed);
    scripted bot{careful_bot()};
    bot.web.on(robots_url, ok(), ok(std::string{everything} + allowed));
    CHECK(bot.cache.allowed(home));
    bot.clock.advance(25h);
    CHECK(bot.cache.check(home).reason != decision_reason::halted);
  }
}

TEST_CASE("A site whose robots.txt is unavailable for long is halted if options ask for it") {
  for (const fetch_response& failure :
       {ScriptedFetcher::status(503), ScriptedFetcher::failure(robots::fetch_error::timeout)}) {
    cache_options options = careful_bot();
    options.halt_unreachable_after = 7 * 24h;
    scripted bot{options};
    bot.web.on(robots_url, failure);
    CHECK_FALSE(bot.cache.allowed(home));
    bot.clock.advance(6 * 24h);
    CHECK(bot.cache.check(home).reason == decision_reason::fallback);
    bot.clock.advance(25h);
    CHECK(bot.cache.check(home).reason == decision_reason::halted);
    CHECK(to_string(bot.cache.halted().front().second) == "unreachable");
    CHECK(bot.cache.resume(home));
    bot.clock.advance(25h);
    CHECK(bot.cache.check(home).reason == decision_reason::fallback);  // its time begins again
  }
  scripted bot{careful_bot()};
  bot.web.on(robots_url, ScriptedFetcher::status(503));
  CHECK_FALSE(bot.cache.allowed(home));
  bot.clock.advance(365 * 24h);
  CHECK(bot.cache.check(home).reason == decision_reason::fallback);
  cache_options options = careful_bot();
  options.halt_unreachable_after = -1s;
  CHECK_THROWS_AS(scripted{options}, std::invalid_argument);
}

TEST_CASE("By default, only a strict cache halts a site that turns hostile") {
  for (const auto& fallback :
       {fallback_policy::permissive(), fallback_policy::rfc9309(), fallback_policy::strict()}) {
    const bool is_strict = fallback == fallback_policy::strict();
    watched_sites of{{.user_agent = "FooBot/1.0", .fallback = fallback}};
    of.web.on(robots_url, ok(), ok(everything), ok());
    CHECK(of.cache.allowed(home));
    of.clock.advance(25h);
    CHECK_FALSE(of.cache.allowed(home));
    CHECK(of.watchman.take().front() ==
          "https://example.com: changed by 100 % in 1500 min, fast, hostile");
    CHECK(of.cache.is_halted(home) == is_strict);
    of.clock.advance(25h);
    CHECK(of.cache.allowed(home) != is_strict);
  }
}

TEST_CASE("A strict fallback policy with another action halts hostile sites, too") {
  using robots::outcome;
  const auto own =
      fallback_policy::strict().with(outcome::client_error, robots::fallback_action::allow_all);
  scripted bot{{.user_agent = "FooBot/1.0", .fallback = own}};
  bot.web.on(robots_url, ok(), ok(everything));
  CHECK(bot.cache.allowed(home));
  bot.clock.advance(25h);
  CHECK(bot.cache.check(home).reason == decision_reason::halted);
}

TEST_CASE("Without halt_hostile, the rules of a hostile change apply") {
  cache_options options = careful_bot();
  options.halt_hostile = false;
  watched_sites of{options};
  of.web.on(robots_url, ok(), ok(everything), ok());
  CHECK(of.cache.allowed(home));
  static_cast<void>(of.cache.refresh(home));
  CHECK(of.cache.check(home).reason == decision_reason::rule);
  CHECK(of.watchman.take().front() ==
        "https://example.com: changed by 100 % in 0 min, fast, hostile");
  static_cast<void>(of.cache.refresh(home));
  CHECK(of.cache.allowed(home));
}

TEST_CASE("A site can turn hostile after a redirect, and in a look-up of an event loop") {
  scripted bot{careful_bot()};
  bot.web.on(robots_url, ScriptedFetcher::redirect(301, "https://www.example.com/robots.txt"));
  bot.web.on("https://www.example.com/robots.txt", ok(), ok(everything));
  CHECK(bot.cache.allowed(home));
  bot.clock.advance(25h);
  robots::look_up looked = bot.cache.begin(home);
  bot.drive(looked);
  CHECK(bot.cache.check(home, looked).reason == decision_reason::halted);
  CHECK(bot.cache.is_halted("https://www.example.com/"));
}

TEST_CASE("A look-up that ends after its site was halted has the policy of a halted site") {
  scripted bot{careful_bot()};
  bot.web.on(robots_url, ok());
  robots::look_up looked = bot.cache.begin(home);
  bot.cache.halt(home);
  bot.drive(looked);
  CHECK(looked.policy()->refused() == decision_reason::halted);
  CHECK_FALSE(looked.policy()->allows("/"));
  CHECK(bot.cache.resume(home));
  CHECK(bot.cache.get(home)->allows("/"));  // the robots.txt of the site was kept
}

TEST_CASE("A demand for a licence has its own event, and revokes no access") {
  watched_sites of;
  of.web.on(robots_url, ok());
  CHECK(of.cache.allowed(home));
  const std::vector<robots::http_header> demand{{"WWW-Authenticate", "License error=\"expired\""}};
  using enum robots::page_outcome;
  CHECK(of.cache.report_response(home, 401, demand) == licence_demanded);
  CHECK(of.cache.report_response(home, 402, demand) == licence_demanded);
  // The event comes only once.
  CHECK(of.cache.report_response(home, 402, demand) == licence_demanded);
  CHECK(of.watchman.take() ==
        texts{"https://example.com: demands a licence for https://example.com/ 401 License "
              "error=\"expired\"",
              "https://example.com: demands a licence for https://example.com/ 402 License "
              "error=\"expired\""});
  of.clock.advance(1h);
  CHECK(of.cache.allowed(home));
  CHECK(of.web.count() == 1);  // the rules stay, so the robots.txt is not fetched again
  CHECK(of.cache.report_response(home, 403, demand) == access_revoked);
  CHECK(of.cache.report_response(home, 200, demand) == noted);
}

TEST_CASE("A robots.txt behind a demand for a licence is no revoked access, and is asked once") {
  cache_options options = foo_bot();
  options.halt_revoked = true;
  watched_sites of{options};
  of.web.on(robots_url, ok());
  CHECK(of.cache.allowed(home));
  robots::fetch_response demand = ScriptedFetcher::status(401);
  demand.headers.push_back({"WWW-Authenticate", "License"});
  of.web.on(robots_url, demand);
  of.clock.advance(48h);
  CHECK(of.cache.check(home).policy->outcome() == robots::outcome::licence_demanded);
  CHECK(of.web.count() == 2);
  CHECK_FALSE(of.cache.is_halted(home));
  CHECK(of.watchman.take() ==
        texts{"https://example.com: demands a licence for https://example.com/robots.txt 401 "
              "License"});
}

TEST_CASE("Access is revoked if an allowed page answers 401, 403 or a challenge") {
  watched_sites of;
  of.web.on(robots_url, ok());
  CHECK(of.cache.allowed(home));
  for (const int status : {200, 304, 404, 429, 500, 503}) {
    CHECK_FALSE(of.cache.report_response(home, status));
  }
  CHECK_FALSE(of.cache.report_response(robots::test::secret, 403));  // a disallowed page
  CHECK_FALSE(of.cache.report_response("mailto:a@b", 403));
  CHECK(of.watchman.take().empty());
  CHECK(of.cache.report_response(home, 401));
  CHECK(of.cache.report_response(home, 403));
  CHECK(of.cache.report_response(home, 503, true));
  CHECK(of.watchman.take() == texts{"https://example.com: revoked https://example.com/ 401",
                                    "https://example.com: revoked https://example.com/ 403",
                                    "https://example.com: revoked https://example.com/ 503"});
  CHECK(of.cache.halted().empty());
  CHECK(of.cache.report_response("https://unknown.example/", 403));
  CHECK(of.web.count() == 1);
}

TEST_CASE("No access is revoked by a page that the rules at the end of all redirects disallow") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  cache_options options = foo_bot();
  options.max_redirects = 1;
  scripted bot{options};
  bot.web.on(robots_url, ScriptedFetcher::redirect(302, www)).on(www, ok());
  CHECK_FALSE(bot.cache.allowed(robots::test::secret));
  CHECK_FALSE(bot.cache.report_response(robots::test::secret, 403));
}

TEST_CASE("Access is revoked if a site answers 401 or 403 for a robots.txt that it sent before") {
  const fetch_response forbidden = ScriptedFetcher::status(403);
  const texts once{"https://example.com: revoked https://example.com/robots.txt 403"};
  const std::vector<std::pair<std::vector<fetch_response>, std::vector<bool>>> cases{
      {{ok(), forbidden, forbidden}, {false, true, false}},
      {{ScriptedFetcher::status(404), forbidden}, {false, true}},
      {{ok(), ScriptedFetcher::status(503), forbidden, forbidden}, {false, false, true, false}},
      {{ok(), forbidden, ok(), forbidden}, {false, true, false, true}},
      {{ok(), ScriptedFetcher::status(400), ScriptedFetcher::status(451)}, {false, false, false}},
      {{forbidden, forbidden}, {false, false}},
      {{ok(everything), forbidden}, {false, true}},
  };
  for (const auto& fallback :
       {fallback_policy::permissive(), fallback_policy::rfc9309(), fallback_policy::strict()}) {
    for (const auto& [answers, are_revoked] : cases) {
      cache_options options{.user_agent = "FooBot/1.0", .fallback = fallback};
      watched_sites of{options};
      for (std::size_t i = 0; i < answers.size(); ++i) {
        CAPTURE(i);
        of.web.on(robots_url, answers[i]);
        static_cast<void>(of.cache.refresh(home));
        CHECK((of.watchman.take() == once) == are_revoked[i]);
        CHECK_FALSE(of.cache.is_halted(home));
      }
    }
  }
  watched_sites unauthorized;
  unauthorized.web.on(robots_url, ScriptedFetcher::redirect(302, "https://www.example.com/r"));
  unauthorized.web.on("https://www.example.com/r", ok(), ScriptedFetcher::status(401));
  static_cast<void>(unauthorized.cache.refresh(home));
  static_cast<void>(unauthorized.cache.refresh(home));
  CHECK(unauthorized.watchman.take() ==
        texts{"https://example.com: revoked https://www.example.com/r 401"});
}

TEST_CASE("A site that refuses its robots.txt is halted only with halt_revoked") {
  for (const bool is_halting : {true, false}) {
    cache_options options = foo_bot();
    options.halt_revoked = is_halting;
    watched_sites of{options};
    of.web.on(robots_url, ok(), ScriptedFetcher::status(403));
    CHECK(of.cache.allowed(home));
    of.clock.advance(25h);
    static_cast<void>(of.cache.check(home));
    CHECK(of.cache.is_halted(home) == is_halting);
    if (is_halting) {
      CHECK(of.watchman.take() ==
            texts{"https://example.com: revoked https://example.com/robots.txt 403",
                  "example.com: halted access_revoked", "https://example.com: denied halted"});
      CHECK(of.cache.resume(home));
      static_cast<void>(of.cache.refresh(home));
      CHECK_FALSE(of.cache.is_halted(home));  // the refusal is known
    }
  }
  for (const auto& fallback : {fallback_policy::permissive(), fallback_policy::strict()}) {
    scripted unwatched{{.user_agent = "FooBot/1.0", .fallback = fallback, .halt_revoked = true}};
    unwatched.web.on(robots_url, ok(), ScriptedFetcher::status(403));
    CHECK(unwatched.cache.allowed(home));
    unwatched.cache.invalidate(home);
    CHECK(unwatched.cache.check(home).reason == decision_reason::halted);
  }
}

TEST_CASE("A site whose robots.txt was never readable does not revoke access") {
  cache_options options = foo_bot();
  options.halt_revoked = true;
  scripted bot{options};
  for (const int status : {503, 403, 403}) {
    bot.web.on_call(robots_url, [status](const robots::fetch_request& /*request*/) {
      return ScriptedFetcher::status(status);
    });
    static_cast<void>(bot.cache.refresh(home));
    CHECK_FALSE(bot.cache.is_halted(home));
  }
}

TEST_CASE("A refusal of a page that is reported twice counts once") {
  watched_sites of;
  of.web.on(robots_url, ok());
  CHECK(of.cache.allowed(home));
  const std::string page = std::string{home} + "page";
  const texts once{"https://example.com: revoked " + page + " 403"};
  for (int day = 0; day < 3; ++day) {
    CHECK(of.cache.report_response(page, 403));
    of.clock.advance(9s);
    CHECK(of.cache.report_response(page, 403));
    CHECK(of.cache.report_response(page, 403, true));
    CHECK(of.watchman.take() == once);
    of.clock.advance(1s);
    CHECK(of.cache.report_response(page, 403));
    CHECK(of.watchman.take() == once);
    of.clock.advance(10s);
  }
  for (int i = 0; i < 10'000; ++i) {
    CHECK(of.cache.report_response(page + std::to_string(i), 403));
  }
  CHECK(of.watchman.take().size() == 10'000);
}

TEST_CASE("After a surprising answer to a page, the site's rules are fetched again") {
  for (const int status :
       {400, 401, 402, 403, 404, 405, 406, 408, 410, 418, 421, 451, 499, 500, 503, 599}) {
    CAPTURE(status);
    scripted bot;
    bot.web.on(robots_url, ok(), ok(everything));
    CHECK(bot.cache.allowed(home));
    CHECK(bot.cache.report_response(home, status) == (status == 401 || status == 403));
    CHECK(bot.cache.allowed(home));  // within min_ttl
    CHECK(bot.web.count() == 1);
    bot.clock.advance(5min);
    CHECK(bot.cache.allowed(home));
    static_cast<void>(bot.cache.report_response("example.com/x", status));
    CHECK_FALSE(bot.cache.allowed(home));
    static_cast<void>(bot.cache.report_response(home, status));
    CHECK_FALSE(bot.cache.allowed(home));
    CHECK(bot.web.count() == 2);
  }
  for (const int status : {200, 301, 304, 429}) {
    CAPTURE(status);
    scripted bot;
    bot.web.on(robots_url, ok(), ok(everything));
    CHECK(bot.cache.allowed(home));
    bot.clock.advance(1h);
    CHECK_FALSE(bot.cache.report_response(home, status));
    CHECK(bot.cache.allowed(home));
  }
  scripted bot;
  bot.web.on(robots_url, ok(), ok(everything));
  CHECK(bot.cache.allowed(home));
  bot.clock.advance(1h);
  CHECK_FALSE(bot.cache.report_response(robots::test::secret, 404));  // the page is disallowed
  CHECK(bot.cache.allowed(home));
}

TEST_CASE("A site that revokes access is halted if options ask for it") {
  cache_options options = foo_bot();
  options.halt_revoked = true;
  watched_sites of{options};
  of.web.on(robots_url, ok());
  of.cache.set_override("https://friend.example/", site_override::allow);
  CHECK(of.cache.report_response(home, 403));
  CHECK(of.cache.report_response("https://friend.example/", 403));
  CHECK(of.cache.check(home).reason == decision_reason::halted);
  // A halt decides before an override, since the operator did not know of the refusal.
  CHECK(of.cache.check("https://friend.example/").reason == decision_reason::halted);
  static_cast<void>(of.watchman.take());
  CHECK_FALSE(of.cache.report_response(home, 403));  // the refusal is known
  CHECK(of.watchman.take().empty());
  CHECK(to_string(of.cache.halted().front().second) == "access_revoked");
}

TEST_CASE("At most 65,536 sites can be halted at once") {
  scripted bot{careful_bot()};
  constexpr std::size_t most = 65'536;
  for (std::size_t i = 0; i < most; ++i) {
    bot.cache.halt("h" + std::to_string(i) + ".example");
  }
  bot.cache.halt(home);
  bot.cache.halt("h0.example");
  CHECK(bot.cache.halted().size() == most);
  CHECK_FALSE(bot.cache.is_halted(home));
  CHECK(bot.cache.resume("https://h7.example/"));
  bot.cache.halt(home);
  CHECK(bot.cache.is_halted(home));
  CHECK_THROWS_AS(bot.cache.halt("mailto:a@b"), std::invalid_argument);
  CHECK_THROWS_WITH(bot.cache.sign_off(""),
                    "basic_robots_cache::sign_off: \"\" names no site: give a host, host:port, or "
                    "http or https URL");
}

TEST_CASE("A high-risk site is denied and listed until somebody signs it off") {
  cache_options options = foo_bot();
  options.excluded = {"mil"};
  options.sign_off = {"gov", "bank.example", "mil"};
  options.is_high_risk = [](std::string_view host) { return host.starts_with("clinic"); };
  watched_sites of{options};
  of.web.otherwise(ok());
  for (const char* url : {"https://nasa.gov/", "HTTP://www.NASA.gov:80/x", "https://bank.example/",
                          "https://clinic.example/"}) {
    CAPTURE(url);
    const decision answer = of.cache.check(url);
    CHECK_FALSE(answer.allowed);
    CHECK(answer.reason == decision_reason::needs_sign_off);
    CHECK(explain(answer) == "not allowed: the site needs a sign-off");
    CHECK(of.cache.check(url, of.cache.begin(url)).reason == decision_reason::needs_sign_off);
  }
  CHECK(of.cache.check("https://navy.mil/").reason == decision_reason::excluded);
  CHECK(of.cache.allowed("https://mygov/"));
  CHECK(of.cache.awaiting_sign_off() ==
        texts{"bank.example", "clinic.example", "nasa.gov", "www.nasa.gov"});
  CHECK(of.web.count() == 1);
  static_cast<void>(of.watchman.take());

  of.cache.sign_off("https://nasa.gov/");
  CHECK(of.watchman.take() == texts{"nasa.gov: signed"});
  CHECK(of.cache.allowed("https://nasa.gov/"));
  CHECK(of.cache.allowed("http://nasa.gov/"));
  CHECK(of.cache.check("https://nasa.gov/").from_cache);
  CHECK_FALSE(of.cache.allowed("https://www.nasa.gov/"));
  CHECK(of.cache.awaiting_sign_off() == texts{"bank.example", "clinic.example", "www.nasa.gov"});
  static_cast<void>(of.watchman.take());

  of.cache.sign_off("nasa.gov", false);
  CHECK_FALSE(of.cache.allowed("https://nasa.gov/"));
  CHECK(of.watchman.take() == texts{"nasa.gov: unsigned", "nasa.gov: awaits a sign-off",
                                    "https://nasa.gov: denied needs_sign_off"});
  CHECK(of.cache.awaiting_sign_off().size() == 4);
}

TEST_CASE("A high-risk site gives one event when it is first seen") {
  cache_options options = foo_bot();
  options.sign_off = {"gov"};
  watched_sites of{options};
  of.web.on(robots_url, ScriptedFetcher::redirect(301, "https://www.nasa.gov/robots.txt"));
  for (const char* url : {"https://nasa.gov/", "http://nasa.gov/x", home, home}) {
    CHECK_FALSE(of.cache.allowed(url));
  }
  const texts events = of.watchman.take();
  CHECK(events.front() == "nasa.gov: awaits a sign-off");
  CHECK(std::count(events.begin(), events.end(), "nasa.gov: awaits a sign-off") == 1);
  CHECK(std::count(events.begin(), events.end(), "www.nasa.gov: awaits a sign-off") == 1);
  of.cache.sign_off("nasa.gov");
  static_cast<void>(of.cache.allowed("https://nasa.gov/"));
  CHECK(of.watchman.take().front() == "nasa.gov: signed");
  CHECK(of.watchman.take().empty());
}

TEST_CASE("A sign-off is for one site, and no override replaces it") {
  cache_options options = foo_bot();
  options.sign_off = {"gov"};
  scripted bot{options};
  bot.web.on("https://nasa.gov/robots.txt",
             ScriptedFetcher::redirect(301, "https://www.nasa.gov/robots.txt"));
  bot.web.on("https://www.nasa.gov/robots.txt", ok());
  bot.cache.sign_off("nasa.gov");
  CHECK_FALSE(bot.cache.allowed("https://nasa.gov/"));
  CHECK(bot.cache.awaiting_sign_off() == texts{"www.nasa.gov"});
  CHECK(bot.cache.check("https://www.nasa.gov/").reason == decision_reason::needs_sign_off);
  bot.cache.set_override("www.nasa.gov", site_override::allow);
  CHECK(bot.cache.check("https://www.nasa.gov/").reason == decision_reason::needs_sign_off);
  bot.cache.sign_off("www.nasa.gov");
  CHECK(bot.cache.check("https://www.nasa.gov/").reason == decision_reason::by_hand);
  bot.clock.advance(5min);
  CHECK(bot.cache.allowed("https://nasa.gov/"));
}

TEST_CASE("No redirect leads to a site that needs a sign-off or is halted") {
  for (const char* path : {"/robots.txt", "/other.txt"}) {
    CAPTURE(path);
    cache_options options = foo_bot();
    options.sign_off = {"clinic.example"};
    scripted bot{options};
    for (const std::string other : {"https://clinic.example", "https://stopped.example"}) {
      bot.web.on(robots_url, ScriptedFetcher::redirect(301, other + path));
      bot.web.on(other + path, ok());
      bot.cache.halt("stopped.example");
      bot.cache.invalidate(home);
      const decision answer = bot.cache.check(home);
      CHECK_FALSE(answer.allowed);
      CHECK(answer.policy->source().outcome == robots::outcome::refused);
      CHECK(answer.policy->source().error_text ==
            "redirect to a site that must not be asked: " + other);
      CHECK(bot.web.count(other + path) == 0);
    }
    CHECK(bot.cache.awaiting_sign_off() == texts{"clinic.example"});
    bot.cache.sign_off("clinic.example");
    bot.cache.resume("stopped.example");
    bot.clock.advance(5min);
    CHECK(bot.cache.allowed(home));
  }
}

TEST_CASE("A site that turns hostile is halted, whatever it answers in between") {
  const std::vector<fetch_response> answers{
      ScriptedFetcher::status(401),
      ScriptedFetcher::status(403),
      ok("<!DOCTYPE html><html></html>\n", {{"Content-Type", "text/html"}}),
      ScriptedFetcher::redirect(301, robots_url),
      ScriptedFetcher::redirect(301, "ftp://example.com/"),
      ScriptedFetcher::status(503),
  };
  for (const auto& fallback :
       {fallback_policy::permissive(), fallback_policy::rfc9309(), fallback_policy::strict()}) {
    for (const fetch_response& between : answers) {
      CAPTURE(fallback.name());
      CAPTURE(between.status);
      cache_options options = careful_bot();
      options.fallback = fallback;
      options.halt_hostile = true;
      watched_sites of{options};
      of.web.on(robots_url, ok(), between, between, ok(everything));
      for (int retrieval = 0; retrieval < 4; ++retrieval) {
        static_cast<void>(of.cache.refresh(home));
      }
      CHECK(of.cache.is_halted(home));
      const texts heard = of.watchman.take();
      REQUIRE(heard.size() >= 2);
      CHECK(heard[heard.size() - 2] ==
            "https://example.com: changed by 100 % in 0 min, fast, hostile");
    }
  }
}

TEST_CASE(
    "A site is high-risk if the function for high risk throws; a bad suffix in the list is "
    "refused") {
  cache_options options = foo_bot();
  options.is_high_risk = [](std::string_view) -> bool { throw std::runtime_error{"no idea"}; };
  scripted bot{options};
  CHECK(bot.cache.check(home).reason == decision_reason::needs_sign_off);
  options = foo_bot();
  options.sign_off = {"a b"};
  CHECK_THROWS_WITH(scripted{options}, doctest::Contains("sign_off: \"a b\" is not a host name"));
}
