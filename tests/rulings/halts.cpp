// Sites that change: changes are reported, hostile sites are halted, and high-risk sites are signed
// off.
#include "cache/cache_fixture.hpp"
#include "rulings/ruled_cache.hpp"
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
using robots::rulings_options;
using robots::ScriptedFetcher;
using robots::site_override;
using robots::test::everything;
using robots::test::foo_bot;
using robots::test::home;
using robots::test::ok;
using robots::test::robots_url;
using robots::test::ruled_process;
using texts = std::vector<std::string>;

/// A process that halts hostile sites.
struct careful_process : ruled_process {
  explicit careful_process(cache_options options = foo_bot())
      : ruled_process{{.halt_hostile = true}, std::move(options)} {}
};

/// Returns the halted sites, with the reason of each.
texts halts_of(ruled_process& one) {
  texts listed;
  for (const robots::ruling_order& order : one.rulings().in_force()) {
    listed.push_back(order.site + ": " + order.value);
  }
  return listed;
}

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
  cache_options options = foo_bot();
  options.retry.attempts = 1;
  careful_process of{options};
  of.web.on(robots_url, ok(numbered_rules(0, 10)), ok(numbered_rules(0, 9)),
            ok(numbered_rules(3, 9)), ok(numbered_rules(3, 9), {{"ETag", "\"a\""}}),
            ScriptedFetcher::status(304), ScriptedFetcher::status(503), ok(numbered_rules(6, 9)),
            ScriptedFetcher::status(404), ok("Sitemap: https://example.com/map\n"));
  const auto next = [&](std::chrono::minutes after) {
    of.clock.advance(after);
    static_cast<void>(of.cache.refresh(home));
    return of.witness.take();
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
  careful_process of;
  of.web.on(robots_url, ok("User-agent: *\nDisallow: /a\n"), ok("User-agent: *\nDisallow: /\n"));
  CHECK(of.cache.refresh(home)->allows("/"));
  CHECK(of.cache.refresh(home)->refusal_reason() == decision_reason::halted);
}

TEST_CASE("Options decide which changes count as fast") {
  rulings_options options{.fast_change_share = 0.05, .fast_change_within = 5min};
  ruled_process of{options};
  of.web.on(robots_url, ok(numbered_rules(0, 10)), ok(numbered_rules(0, 9)),
            ok(numbered_rules(0, 10)));
  static_cast<void>(of.cache.get(home));
  of.clock.advance(5min);
  static_cast<void>(of.cache.refresh(home));
  CHECK(of.witness.take() == texts{"https://example.com: changed by 10 % in 5 min, fast"});
  of.clock.advance(6min);
  static_cast<void>(of.cache.refresh(home));
  CHECK(of.witness.take() == texts{"https://example.com: changed by 10 % in 6 min"});
  options.fast_change_within = std::chrono::seconds::max();
  ruled_process at_any_time{options};
  at_any_time.web.on(robots_url, ok(numbered_rules(0, 10)), ok(numbered_rules(0, 9)));
  static_cast<void>(at_any_time.cache.get(home));
  at_any_time.clock.advance(25h);
  static_cast<void>(at_any_time.cache.get(home));
  CHECK(at_any_time.witness.take() ==
        texts{"https://example.com: changed by 10 % in 1500 min, fast"});
  for (const double share : {-0.1, 1.5}) {
    options.fast_change_share = share;
    CHECK_THROWS_AS(robots::SiteRulings{options}, std::invalid_argument);
  }
}

TEST_CASE("Changes within fast_change_within add up, and older changes are ignored") {
  ruled_process of{{.fast_change_within = 60min}};
  const auto next = [&](std::chrono::seconds after, int count) {
    of.clock.advance(after);
    of.web.on(robots_url, ok(numbered_rules(0, count)));
    static_cast<void>(of.cache.refresh(home));
    const texts events = of.witness.take();
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
  CHECK_FALSE(of.witness.take().front().ends_with(", fast"));  // each site has its own sum
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
  ruled_process by_default;  // by default, changes do not add up
  for (int count = 20; count > 10; --count) {
    by_default.web.on(robots_url, ok(numbered_rules(0, count)));
    static_cast<void>(by_default.cache.refresh(home));
    for (const std::string& events : by_default.witness.take()) {
      CHECK_FALSE(events.ends_with(", fast"));
    }
  }
}

TEST_CASE("A site that turns hostile is halted at once, until somebody resumes it") {
  careful_process of;
  of.web.on(robots_url, ok(), ok(everything), ok());
  std::vector<std::string> halted;
  auto listening = of.cache.on_denial([&](std::string_view site) { halted.emplace_back(site); });
  CHECK(of.cache.allowed(home));
  of.clock.advance(25h);
  const decision answer = of.cache.check(home);
  CHECK_FALSE(answer.allowed);
  CHECK(answer.reason == decision_reason::halted);
  CHECK(explain(answer) ==
        "not allowed: the site is halted until somebody resumes it, order 1-1 by an alarm of "
        "robots-cpp");
  CHECK(of.witness.take() ==
        texts{"https://example.com: changed by 100 % in 1500 min, fast, hostile to FooBot",
              "example.com: halted hostile"});
  CHECK(halted == texts{"example.com"});
  CHECK(halts_of(of) == texts{"example.com: hostile"});
  CHECK(of.is_halted());

  // The halt applies under every scheme and does not expire, and the site gets no request.
  of.clock.advance(25h);
  for (const char* url : {"http://example.com/x", "HTTPS://EXAMPLE.com:443/", "example.com",
                          "https://example.com/robots.txt"}) {
    CHECK(of.cache.check(url).reason == decision_reason::halted);
    CHECK_FALSE(of.cache.get(url)->allows("/"));
  }
  CHECK(of.cache.refresh(home)->refusal_reason() == decision_reason::halted);
  CHECK(of.cache.check(home, of.cache.begin(home)).reason == decision_reason::halted);
  CHECK(of.is_halted("https://example.com:8443/"));  // a host covers all its ports
  CHECK(of.web.count() == 2);

  static_cast<void>(of.witness.take());
  CHECK(of.rulings().resume(home).size() == 1);
  CHECK(of.rulings().resume(home).empty());
  CHECK(of.witness.take() == texts{"example.com: resumed hostile"});
  CHECK(of.rulings().in_force().empty());
  CHECK(of.cache.allowed(home));
  CHECK(of.web.count() == 3);
  listening.reset();
  of.rulings().halt(home);
  CHECK(halted.size() == 1);
}

TEST_CASE("A site without a robots.txt can turn hostile, even during an outage") {
  cache_options options = foo_bot();
  options.retry.attempts = 1;
  careful_process bot{options};
  bot.web.on(robots_url, ok(), ScriptedFetcher::status(404), ScriptedFetcher::status(503),
             ScriptedFetcher::status(503), ok(everything));
  for (const char* basis : {"rules", "allow_all", "deny_all", "deny_all"}) {
    CHECK(to_string(bot.cache.refresh(home)->basis()) == basis);
    CHECK_FALSE(bot.is_halted());
  }
  static_cast<void>(bot.cache.refresh(home));
  CHECK(bot.is_halted());
}

TEST_CASE("A site that was always hostile, or cannot be read, is not halted") {
  careful_process bot;
  bot.web.on(robots_url, ok(everything), ok(everything), ScriptedFetcher::status(503));
  CHECK_FALSE(bot.cache.allowed(home));
  CHECK(bot.cache.check(home).reason == decision_reason::rule);
  bot.clock.advance(25h);
  CHECK_FALSE(bot.cache.allowed(home));
  bot.web.on("https://other.example/robots.txt", ok(), ScriptedFetcher::status(503));
  CHECK(bot.cache.allowed("https://other.example/"));
  bot.clock.advance(31 * 24h);
  CHECK(bot.cache.check("https://other.example/").reason == decision_reason::fallback);
  CHECK(bot.rulings().in_force().empty());
}

TEST_CASE("A site that turns hostile is halted even after its policy was forgotten") {
  for (const bool is_evicted : {true, false}) {
    CAPTURE(is_evicted);
    careful_process of;
    of.web.otherwise(ok());
    of.web.on(robots_url, ok(), ok(everything), ok(everything));
    CHECK(of.cache.allowed(home));
    if (is_evicted) {
      for (int i = 0; of.cache.stats().evictions < 64; ++i) {
        CHECK(of.cache.allowed("https://h" + std::to_string(i) + ".example/"));
      }
      of.clock.advance(25h);
    } else {
      of.cache.invalidate(home);
    }
    CHECK(of.reason() == "halted");
    CHECK(of.rulings().resume(home).size() == 1);
    CHECK(of.reason() == "rule");
  }
}

TEST_CASE("A site is hostile even if it allows its front page or its robots.txt") {
  for (const std::string allowed :
       {"Allow: /$\n", "Allow: /robots.txt\n", "Allow: /robots.txt$\nAllow: /$\n"}) {
    CAPTURE(allowed);
    careful_process bot;
    bot.web.on(robots_url, ok(), ok(everything + allowed));
    CHECK(bot.cache.allowed(home));
    bot.clock.advance(25h);
    CHECK(bot.cache.check(home).reason == decision_reason::halted);
  }
  for (const std::string allowed : {"Allow: /*\n", "Allow: /a\n", "Allow: /index.html\n"}) {
    CAPTURE(allowed);
    careful_process bot;
    bot.web.on(robots_url, ok(), ok(everything + allowed));
    CHECK(bot.cache.allowed(home));
    bot.clock.advance(25h);
    CHECK(bot.cache.check(home).reason != decision_reason::halted);
  }
}

TEST_CASE("A site whose robots.txt is unavailable for long is halted if options ask for it") {
  for (const fetch_response& failure :
       {ScriptedFetcher::status(503), ScriptedFetcher::failure(robots::fetch_error::timeout)}) {
    ruled_process bot{{.halt_unreachable_after = 7 * 24h}, foo_bot()};
    bot.web.on(robots_url, failure);
    CHECK_FALSE(bot.cache.allowed(home));
    bot.clock.advance(6 * 24h);
    CHECK(bot.cache.check(home).reason == decision_reason::fallback);
    bot.clock.advance(25h);
    CHECK(bot.cache.check(home).reason == decision_reason::halted);
    CHECK(bot.rulings().in_force().front().value == "unreachable");
    CHECK(bot.rulings().resume(home).size() == 1);
    bot.clock.advance(25h);
    CHECK(bot.cache.check(home).reason == decision_reason::fallback);  // its time begins again
  }
  careful_process bot;
  bot.web.on(robots_url, ScriptedFetcher::status(503));
  CHECK_FALSE(bot.cache.allowed(home));
  bot.clock.advance(365 * 24h);
  CHECK(bot.cache.check(home).reason == decision_reason::fallback);
  const rulings_options options{.halt_unreachable_after = -1s};
  CHECK_THROWS_AS(robots::SiteRulings{options}, std::invalid_argument);
}

TEST_CASE("By default, only a strict cache halts a site that turns hostile") {
  for (const auto& fallback :
       {fallback_policy::permissive(), fallback_policy::rfc9309(), fallback_policy::strict()}) {
    const bool is_strict = fallback == fallback_policy::strict();
    ruled_process of{{}, {.user_agent = "FooBot/1.0", .fallback = fallback}};
    of.web.on(robots_url, ok(), ok(everything), ok());
    CHECK(of.cache.allowed(home));
    of.clock.advance(25h);
    CHECK_FALSE(of.cache.allowed(home));
    CHECK(of.witness.take().front() ==
          "https://example.com: changed by 100 % in 1500 min, fast, hostile to FooBot");
    CHECK(of.is_halted() == is_strict);
    of.clock.advance(25h);
    CHECK(of.cache.allowed(home) != is_strict);
  }
}

TEST_CASE("A strict fallback policy with another action halts hostile sites, too") {
  using robots::outcome;
  const auto own =
      fallback_policy::strict().with(outcome::client_error, robots::fallback_action::allow_all);
  ruled_process bot{{}, {.user_agent = "FooBot/1.0", .fallback = own}};
  bot.web.on(robots_url, ok(), ok(everything));
  CHECK(bot.cache.allowed(home));
  bot.clock.advance(25h);
  CHECK(bot.cache.check(home).reason == decision_reason::halted);
}

TEST_CASE("Without halt_hostile, the rules of a hostile change apply") {
  ruled_process of{{.halt_hostile = false}};
  of.web.on(robots_url, ok(), ok(everything), ok());
  CHECK(of.cache.allowed(home));
  static_cast<void>(of.cache.refresh(home));
  CHECK(of.cache.check(home).reason == decision_reason::rule);
  CHECK(of.witness.take().front() ==
        "https://example.com: changed by 100 % in 0 min, fast, hostile to FooBot");
  static_cast<void>(of.cache.refresh(home));
  CHECK(of.cache.allowed(home));
}

TEST_CASE("A site can turn hostile after a redirect, and in a look-up of an event loop") {
  careful_process bot;
  bot.web.on(robots_url, ScriptedFetcher::redirect(301, "https://www.example.com/robots.txt"));
  bot.web.on("https://www.example.com/robots.txt", ok(), ok(everything));
  CHECK(bot.cache.allowed(home));
  bot.clock.advance(25h);
  robots::look_up looked = bot.cache.begin(home);
  bot.drive(looked);
  CHECK(bot.cache.check(home, looked).reason == decision_reason::halted);
  CHECK(bot.is_halted("https://www.example.com/"));
}

TEST_CASE("A look-up that ends after its site was halted has the policy of a halted site") {
  careful_process bot;
  bot.web.on(robots_url, ok());
  robots::look_up looked = bot.cache.begin(home);
  bot.rulings().halt(home);
  bot.drive(looked);
  CHECK(looked.policy()->refusal_reason() == decision_reason::halted);
  CHECK_FALSE(looked.policy()->allows("/"));
  CHECK(bot.rulings().resume(home).size() == 1);
  CHECK(bot.cache.get(home)->allows("/"));  // the robots.txt of the site was kept
}

TEST_CASE("A demand for a licence has its own event, and revokes no access") {
  careful_process of;
  of.web.on(robots_url, ok());
  CHECK(of.cache.allowed(home));
  const std::vector<robots::http_header> demand{{"WWW-Authenticate", "License error=\"expired\""}};
  using enum robots::page_outcome;
  CHECK(of.cache.report_response(home, 401, demand) == licence_demanded);
  CHECK(of.cache.report_response(home, 402, demand) == licence_demanded);
  // The event comes only once.
  CHECK(of.cache.report_response(home, 402, demand) == licence_demanded);
  CHECK(of.witness.take() ==
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
  ruled_process of{{.halt_revoked = true}, foo_bot()};
  of.web.on(robots_url, ok());
  CHECK(of.cache.allowed(home));
  robots::fetch_response demand = ScriptedFetcher::status(401);
  demand.headers.push_back({"WWW-Authenticate", "License"});
  of.web.on(robots_url, demand);
  of.clock.advance(48h);
  CHECK(of.cache.check(home).policy->outcome() == robots::outcome::licence_demanded);
  CHECK(of.web.count() == 2);
  CHECK_FALSE(of.is_halted());
  CHECK(of.witness.take() ==
        texts{"https://example.com: demands a licence for https://example.com/robots.txt 401 "
              "License"});
}

TEST_CASE("Access is revoked if an allowed page answers 401, 403 or a challenge") {
  careful_process of;
  of.web.on(robots_url, ok());
  CHECK(of.cache.allowed(home));
  for (const int status : {200, 304, 404, 429, 500, 503}) {
    CHECK_FALSE(of.cache.report_response(home, status));
  }
  CHECK_FALSE(of.cache.report_response(robots::test::secret, 403));  // a disallowed page
  CHECK_FALSE(of.cache.report_response("mailto:a@b", 403));
  CHECK(of.witness.take().empty());
  CHECK(of.cache.report_response(home, 401));
  CHECK(of.cache.report_response(home, 403));
  CHECK(of.cache.report_response(home, 503, true));
  CHECK(of.witness.take() == texts{"https://example.com: revoked https://example.com/ 401",
                                   "https://example.com: revoked https://example.com/ 403",
                                   "https://example.com: revoked https://example.com/ 503"});
  CHECK(of.rulings().in_force().empty());
  CHECK(of.cache.report_response("https://unknown.example/", 403));
  CHECK(of.web.count() == 1);
}

TEST_CASE("No access is revoked by a page that the rules at the end of all redirects disallow") {
  constexpr const char* www = "https://www.example.com/robots.txt";
  cache_options options = foo_bot();
  options.max_redirects = 1;
  ruled_process bot{{}, options};
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
      ruled_process of{{}, {.user_agent = "FooBot/1.0", .fallback = fallback}};
      for (std::size_t i = 0; i < answers.size(); ++i) {
        CAPTURE(i);
        of.web.on(robots_url, answers[i]);
        static_cast<void>(of.cache.refresh(home));
        CHECK((of.witness.take() == once) == are_revoked[i]);
        CHECK_FALSE(of.is_halted());
      }
    }
  }
  ruled_process unauthorized;
  unauthorized.web.on(robots_url, ScriptedFetcher::redirect(302, "https://www.example.com/r"));
  unauthorized.web.on("https://www.example.com/r", ok(), ScriptedFetcher::status(401));
  static_cast<void>(unauthorized.cache.refresh(home));
  static_cast<void>(unauthorized.cache.refresh(home));
  CHECK(unauthorized.witness.take() ==
        texts{"https://example.com: revoked https://www.example.com/r 401"});
}

TEST_CASE("A site that refuses its robots.txt is halted only with halt_revoked") {
  for (const bool is_halting : {true, false}) {
    ruled_process of{{.halt_revoked = is_halting}, foo_bot()};
    of.web.on(robots_url, ok(), ScriptedFetcher::status(403));
    CHECK(of.cache.allowed(home));
    of.clock.advance(25h);
    static_cast<void>(of.cache.check(home));
    CHECK(of.is_halted() == is_halting);
    if (is_halting) {
      CHECK(of.witness.take() ==
            texts{"https://example.com: revoked https://example.com/robots.txt 403",
                  "example.com: halted access_revoked"});
      CHECK(of.rulings().resume(home).size() == 1);
      static_cast<void>(of.cache.refresh(home));
      CHECK_FALSE(of.is_halted());  // the refusal is known
    }
  }
  for (const auto& fallback : {fallback_policy::permissive(), fallback_policy::strict()}) {
    ruled_process unwatched{{.halt_revoked = true},
                            {.user_agent = "FooBot/1.0", .fallback = fallback}};
    unwatched.web.on(robots_url, ok(), ScriptedFetcher::status(403));
    CHECK(unwatched.cache.allowed(home));
    unwatched.cache.invalidate(home);
    CHECK(unwatched.cache.check(home).reason == decision_reason::halted);
  }
}

TEST_CASE("A site whose robots.txt was never readable does not revoke access") {
  ruled_process bot{{.halt_revoked = true}, foo_bot()};
  for (const int status : {503, 403, 403}) {
    bot.web.on_call(robots_url, [status](const robots::fetch_request& /*request*/) {
      return ScriptedFetcher::status(status);
    });
    static_cast<void>(bot.cache.refresh(home));
    CHECK_FALSE(bot.is_halted());
  }
}

TEST_CASE("A refusal of a page that is reported twice counts once") {
  careful_process of;
  of.web.on(robots_url, ok());
  CHECK(of.cache.allowed(home));
  const std::string page = std::string{home} + "page";
  const texts once{"https://example.com: revoked " + page + " 403"};
  for (int day = 0; day < 3; ++day) {
    CHECK(of.cache.report_response(page, 403));
    of.clock.advance(9s);
    CHECK(of.cache.report_response(page, 403));
    CHECK(of.cache.report_response(page, 403, true));
    CHECK(of.witness.take() == once);
    of.clock.advance(1s);
    CHECK(of.cache.report_response(page, 403));
    CHECK(of.witness.take() == once);
    of.clock.advance(10s);
  }
  for (int i = 0; i < 10'000; ++i) {
    CHECK(of.cache.report_response(page + std::to_string(i), 403));
  }
  CHECK(of.witness.take().size() == 10'000);
}

TEST_CASE("After a surprising answer to a page, the site's rules are fetched again") {
  for (const int status :
       {400, 401, 402, 403, 404, 405, 406, 408, 410, 418, 421, 451, 499, 500, 503, 599}) {
    CAPTURE(status);
    ruled_process bot;
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
    ruled_process bot;
    bot.web.on(robots_url, ok(), ok(everything));
    CHECK(bot.cache.allowed(home));
    bot.clock.advance(1h);
    CHECK_FALSE(bot.cache.report_response(home, status));
    CHECK(bot.cache.allowed(home));
  }
  ruled_process bot;
  bot.web.on(robots_url, ok(), ok(everything));
  CHECK(bot.cache.allowed(home));
  bot.clock.advance(1h);
  CHECK_FALSE(bot.cache.report_response(robots::test::secret, 404));  // the page is disallowed
  CHECK(bot.cache.allowed(home));
}

TEST_CASE("A site that revokes access is halted if options ask for it") {
  ruled_process of{{.halt_revoked = true}, foo_bot()};
  of.web.on(robots_url, ok());
  of.rulings().override_with("https://friend.example/", site_override::allow);
  CHECK(of.cache.report_response(home, 403));
  CHECK(of.cache.report_response("https://friend.example/", 403));
  CHECK(of.cache.check(home).reason == decision_reason::halted);
  // A halt decides before an override, since the operator did not know of the refusal.
  CHECK(of.cache.check("https://friend.example/").reason == decision_reason::halted);
  static_cast<void>(of.witness.take());
  CHECK_FALSE(of.cache.report_response(home, 403));  // the refusal is known
  CHECK(of.witness.take().empty());
  CHECK(of.rulings().in_force().front().value == "access_revoked");
}

TEST_CASE("A high-risk site is denied and listed until somebody signs it off") {
  cache_options options = foo_bot();
  options.excluded = {"mil"};
  ruled_process of{
      {.needs_sign_off = {"gov", "bank.example", "mil"},
       .is_high_risk = [](std::string_view host) { return host.starts_with("clinic"); }},
      options};
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
  CHECK(of.rulings().awaiting_sign_off() ==
        texts{"bank.example", "clinic.example", "nasa.gov", "www.nasa.gov"});
  CHECK(of.web.count() == 1);
  static_cast<void>(of.witness.take());

  of.rulings().sign_off("nasa.gov");
  CHECK(of.witness.take() == texts{"nasa.gov: signed"});
  CHECK(of.cache.allowed("https://nasa.gov/"));
  CHECK(of.cache.allowed("http://nasa.gov/"));
  CHECK(of.cache.check("https://nasa.gov/").from_cache);
  CHECK_FALSE(of.cache.allowed("https://www.nasa.gov/"));
  CHECK(of.rulings().awaiting_sign_off() ==
        texts{"bank.example", "clinic.example", "www.nasa.gov"});
  static_cast<void>(of.witness.take());

  of.rulings().withdraw_sign_off("nasa.gov");
  CHECK_FALSE(of.cache.allowed("https://nasa.gov/"));
  CHECK(of.witness.take() == texts{"nasa.gov: unsigned", "nasa.gov: awaits a sign-off"});
  CHECK(of.rulings().awaiting_sign_off().size() == 4);
}

TEST_CASE("A high-risk site gives one event when it is first seen") {
  ruled_process of{{.needs_sign_off = {"gov"}}};
  of.web.on(robots_url, ScriptedFetcher::redirect(301, "https://www.nasa.gov/robots.txt"));
  for (const char* url : {"https://nasa.gov/", "http://nasa.gov/x", home, home}) {
    CHECK_FALSE(of.cache.allowed(url));
  }
  const texts events = of.witness.take();
  CHECK(events.front() == "nasa.gov: awaits a sign-off");
  CHECK(std::count(events.begin(), events.end(), "nasa.gov: awaits a sign-off") == 1);
  CHECK(std::count(events.begin(), events.end(), "www.nasa.gov: awaits a sign-off") == 1);
  of.rulings().sign_off("nasa.gov");
  static_cast<void>(of.cache.allowed("https://nasa.gov/"));
  CHECK(of.witness.take().front() == "nasa.gov: signed");
  CHECK(of.witness.take().empty());
}

TEST_CASE("A sign-off is for one site, and no override replaces it") {
  ruled_process bot{{.needs_sign_off = {"gov"}}};
  bot.web.on("https://nasa.gov/robots.txt",
             ScriptedFetcher::redirect(301, "https://www.nasa.gov/robots.txt"));
  bot.web.on("https://www.nasa.gov/robots.txt", ok());
  bot.rulings().sign_off("nasa.gov");
  CHECK_FALSE(bot.cache.allowed("https://nasa.gov/"));
  CHECK(bot.rulings().awaiting_sign_off() == texts{"www.nasa.gov"});
  CHECK(bot.cache.check("https://www.nasa.gov/").reason == decision_reason::needs_sign_off);
  bot.rulings().override_with("www.nasa.gov", site_override::allow);
  CHECK(bot.cache.check("https://www.nasa.gov/").reason == decision_reason::needs_sign_off);
  bot.rulings().sign_off("www.nasa.gov");
  CHECK(bot.cache.check("https://www.nasa.gov/").reason == decision_reason::by_hand);
  bot.clock.advance(5min);
  CHECK(bot.cache.allowed("https://nasa.gov/"));
}

TEST_CASE("No redirect leads to a site that needs a sign-off or is halted") {
  for (const char* path : {"/robots.txt", "/other.txt"}) {
    CAPTURE(path);
    ruled_process bot{{.needs_sign_off = {"clinic.example"}}};
    for (const std::string other : {"https://clinic.example", "https://stopped.example"}) {
      bot.web.on(robots_url, ScriptedFetcher::redirect(301, other + path));
      bot.web.on(other + path, ok());
      bot.rulings().halt("stopped.example");
      bot.cache.invalidate(home);
      const decision answer = bot.cache.check(home);
      CHECK_FALSE(answer.allowed);
      CHECK(answer.policy->last_retrieval().outcome == robots::outcome::refused);
      CHECK(answer.policy->last_retrieval().error_text ==
            "redirect to a site that must not be asked: " + other);
      CHECK(bot.web.count(other + path) == 0);
    }
    CHECK(bot.rulings().awaiting_sign_off() == texts{"clinic.example"});
    bot.rulings().sign_off("clinic.example");
    bot.rulings().resume("stopped.example");
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
      careful_process of{foo_bot(fallback)};
      of.web.on(robots_url, ok(), between, between, ok(everything));
      for (int retrieval = 0; retrieval < 4; ++retrieval) {
        static_cast<void>(of.cache.refresh(home));
      }
      CHECK(of.is_halted());
      const texts heard = of.witness.take();
      REQUIRE(heard.size() >= 2);
      CHECK(heard[heard.size() - 2] ==
            "https://example.com: changed by 100 % in 0 min, fast, hostile to FooBot");
    }
  }
}

TEST_CASE(
    "A site is high-risk if the function for high risk throws; a bad suffix in the list is "
    "refused") {
  ruled_process bot{
      {.is_high_risk = [](std::string_view) -> bool { throw std::runtime_error{"no idea"}; }}};
  CHECK(bot.cache.check(home).reason == decision_reason::needs_sign_off);
  CHECK_THROWS_WITH((robots::SiteRulings{{.needs_sign_off = {"a b"}}}),
                    doctest::Contains("needs_sign_off: \"a b\" is not a host name"));
}
