#include <robots/cache/tdmrep_cache.hpp>

#include "cache/cache_fixture.hpp"
#include "rulings/ruled_cache.hpp"
#include <robots/cache/page.hpp>
#include <robots/usage/page_statements.hpp>
#include <robots/usage/permission.hpp>
#include <robots/usage/tdm_reservation.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <thread>

namespace {

using robots::fetch_error;
using robots::purpose;
using robots::ScriptedFetcher;
using robots::tdmrep_copy;
using robots::tdmrep_state;
using namespace std::chrono_literals;

constexpr const char* tdmrep_url = "https://example.com/.well-known/tdmrep.json";
constexpr const char* tdm_page = "https://example.com/a";
constexpr std::string_view reserved = R"([{"location":"/*","tdm-reservation":1}])";

/// A cache of tdmrep.json files over the scripted web of a cache of rules.
struct tdmrep_web : robots::test::ruled_process {
  explicit tdmrep_web(robots::cache_options options = robots::test::foo_bot_that_asks_once(),
                      std::size_t capacity = 4'096, robots::rulings_options rulings = {})
      : ruled_process(std::move(rulings), std::move(options)), tdmrep{cache, web, clock, capacity} {
    web.on(robots::test::robots_url, robots::test::ok("User-agent: *\nDisallow: /private\n"));
  }

  [[nodiscard]] robots::permission_answer may_mine(const char* url = tdm_page) {
    robots::page_statements page = cache.page(url);
    page.mark_read(robots::statement_place::headers);
    page.mark_read(robots::statement_place::meta);
    tdmrep.read(page, url);
    return page.may(purpose::tdm, {}).answer;
  }

  robots::basic_tdmrep_cache<ScriptedFetcher, robots::ManualClock> tdmrep;
};

TEST_CASE("A tdmrep.json is fetched on request only, and kept for its lifetime") {
  tdmrep_web site;
  site.web.on(tdmrep_url, robots::test::ok(reserved, {{"Cache-Control", "max-age=3600"}}));
  static_cast<void>(site.cache.check(tdm_page));
  CHECK(site.web.count(tdmrep_url) == 0);
  CHECK(site.may_mine() == robots::permission_answer::no);
  CHECK(site.may_mine("https://example.com/b") == robots::permission_answer::no);
  CHECK(site.web.count(tdmrep_url) == 1);
  CHECK(site.tdmrep.size() == 1);
  site.clock.advance(3601s);
  CHECK(site.may_mine() == robots::permission_answer::no);
  CHECK(site.web.count(tdmrep_url) == 2);
}

TEST_CASE("A site without a tdmrep.json reserves nothing") {
  for (const int status : {404, 410}) {
    CAPTURE(status);
    tdmrep_web site;
    site.web.on(tdmrep_url, ScriptedFetcher::status(status));
    CHECK(site.may_mine() == robots::permission_answer::unstated);
    CHECK(site.tdmrep.get(tdm_page).state == tdmrep_state::none);
    CHECK(site.web.count(tdmrep_url) == 1);
  }
}

TEST_CASE("After a failure, the last good tdmrep.json counts, else the place is unread") {
  for (const auto& failure :
       {ScriptedFetcher::status(500), ScriptedFetcher::status(403), ScriptedFetcher::status(429),
        ScriptedFetcher::failure(fetch_error::timeout), robots::test::ok("<html>wall</html>"),
        robots::test::ok(R"({"error":"not now"})")}) {
    CAPTURE(failure.status);
    tdmrep_web site;
    site.web.on(tdmrep_url, robots::test::ok(reserved), failure);
    CHECK(site.may_mine() == robots::permission_answer::no);
    site.clock.advance(25h);
    const tdmrep_copy copy = site.tdmrep.get(tdm_page);
    CHECK(copy.is_last_good);
    REQUIRE(copy.text != nullptr);
    CHECK(*copy.text == reserved);
    CHECK(site.may_mine() == robots::permission_answer::no);
    CHECK(site.web.count(tdmrep_url) == 2);
    site.clock.advance(24h * 31);
    CHECK(site.tdmrep.get(tdm_page).state == tdmrep_state::unread);
    CHECK(site.may_mine() == robots::permission_answer::unread);
  }
  tdmrep_web site;
  site.web.on(tdmrep_url, ScriptedFetcher::status(503));
  CHECK(site.may_mine() == robots::permission_answer::unread);
  CHECK(site.tdmrep.get(tdm_page).outcome == robots::outcome::server_error);
}

TEST_CASE("A page instead of a tdmrep.json says nothing, and a body that was cut is a failure") {
  tdmrep_web soft;
  soft.web.on(tdmrep_url, robots::test::ok("<html>not here</html>"));
  CHECK(soft.may_mine() == robots::permission_answer::unstated);
  tdmrep_web cut;
  robots::fetch_response half = robots::test::ok(reserved);
  half.truncated = true;
  cut.web.on(tdmrep_url, half);
  CHECK(cut.may_mine() == robots::permission_answer::unread);
}

TEST_CASE("A bot wall instead of a tdmrep.json leaves the place unread, even on first contact") {
  for (const auto& wall :
       {ScriptedFetcher::status(202), ScriptedFetcher::status(205),
        robots::test::ok("", {{"x-amzn-waf-action", "challenge"}}),
        robots::test::ok("<html>prove it</html>", {{"CF-Mitigated", "challenge"}}),
        robots::test::ok("{}", {{"cf-mitigated", "challenge"}})}) {
    CAPTURE(wall.status);
    tdmrep_web site;
    site.web.on(tdmrep_url, wall, robots::test::ok(reserved));
    CHECK(site.may_mine() == robots::permission_answer::unread);
    CHECK(site.tdmrep.get(tdm_page).outcome == robots::outcome::challenged);
    site.clock.advance(25h);
    CHECK(site.may_mine() == robots::permission_answer::no);
  }
  tdmrep_web site;
  robots::fetch_response file = robots::test::ok(reserved, {{"cf-mitigated", "challenge"}});
  file.status = 202;
  site.web.on(tdmrep_url, file);
  CHECK(site.may_mine() == robots::permission_answer::no);
}

TEST_CASE("A failure of this process is not kept as the answer of a site about its tdmrep.json") {
  tdmrep_web site;
  site.web.on(tdmrep_url, ScriptedFetcher::failure(fetch_error::local), robots::test::ok(reserved),
              ScriptedFetcher::failure(fetch_error::local));
  CHECK(site.may_mine() == robots::permission_answer::unread);
  CHECK(site.may_mine() == robots::permission_answer::no);
  CHECK(site.web.count(tdmrep_url) == 2);
  site.clock.advance(25h);
  CHECK(site.tdmrep.get(tdm_page).is_last_good);
}

TEST_CASE("A tdmrep.json whose retry a call did not wait for is asked for at the planned time") {
  robots::cache_options options = robots::test::foo_bot();
  tdmrep_web site{options};
  site.web.on(tdmrep_url, ScriptedFetcher::status(503), robots::test::ok(reserved));
  CHECK(site.cache.allowed(tdm_page));
  const tdmrep_copy copy = site.tdmrep.get(tdm_page, {.deadline = site.clock.now() + 1ms});
  CHECK(copy.state == tdmrep_state::unread);
  CHECK(site.web.count(tdmrep_url) == 1);
  site.clock.advance(30s);
  CHECK(site.may_mine() == robots::permission_answer::no);
}

TEST_CASE("A tdmrep.json over the limit reserves the rights") {
  tdmrep_web site;
  site.web.on(tdmrep_url, robots::test::ok(std::string(robots::max_tdmrep_bytes + 10, ' ')));
  CHECK(site.may_mine() == robots::permission_answer::no);
}

TEST_CASE("A tdmrep.json that has not changed is confirmed by a 304") {
  tdmrep_web site;
  site.web.on(tdmrep_url, robots::test::ok(reserved, {{"ETag", "\"1\""}}),
              ScriptedFetcher::status(304, {{"ETag", "\"1\""}}), ScriptedFetcher::status(500));
  CHECK(site.may_mine() == robots::permission_answer::no);
  site.clock.advance(25h);
  const tdmrep_copy copy = site.tdmrep.get(tdm_page);
  CHECK(copy.state == tdmrep_state::file);
  CHECK_FALSE(copy.is_last_good);
  CHECK(site.web.count(tdmrep_url) == 2);
  site.clock.advance(24h * 29);  // the 304 has renewed the copy
  CHECK(site.may_mine() == robots::permission_answer::no);
}

TEST_CASE("No tdmrep.json is fetched against the robots.txt, a halt or an exclusion") {
  SUBCASE("robots.txt") {
    tdmrep_web site;
    site.web.on(robots::test::robots_url,
                robots::test::ok("User-agent: *\nDisallow: /.well-known\n"));
    CHECK(site.may_mine() == robots::permission_answer::unread);
    CHECK(site.web.count(tdmrep_url) == 0);
  }
  SUBCASE("a halt, which keeps the last good copy") {
    tdmrep_web site;
    site.web.on(tdmrep_url, robots::test::ok(reserved));
    CHECK(site.may_mine() == robots::permission_answer::no);
    site.rulings().halt("example.com");
    site.clock.advance(25h);
    CHECK(site.tdmrep.get(tdm_page).is_last_good);
    CHECK(site.web.count(tdmrep_url) == 1);
  }
  SUBCASE("an exclusion, also behind a redirect") {
    robots::cache_options options = robots::test::foo_bot_that_asks_once();
    options.excluded = {"gov"};
    tdmrep_web site{options};
    site.web.on(tdmrep_url, ScriptedFetcher::redirect(302, "https://a.gov/t.json"));
    CHECK(site.may_mine() == robots::permission_answer::unread);
    CHECK(site.web.count("https://a.gov/t.json") == 0);
    CHECK(site.tdmrep.get(tdm_page).outcome == robots::outcome::refused);
  }
}

TEST_CASE("No redirect of a tdmrep.json leads to a URL that the robots.txt there denies") {
  const std::string other = "https://other.example";
  tdmrep_web site;
  const auto lead_to = [&](const std::string& url) {
    site.web.on(tdmrep_url, ScriptedFetcher::redirect(302, url));
    site.web.on(url, robots::test::ok(reserved));
  };
  site.web.on(other + "/robots.txt", robots::test::ok("User-agent: *\nDisallow: /private\n"));
  std::string denied;
  SUBCASE("another path of the site") { denied = "https://example.com/private/t.json"; }
  SUBCASE("another site") { denied = other + "/private/t.json"; }
  SUBCASE("another site whose robots.txt cannot be read") {
    denied = other + "/t.json";
    site.web.on(other + "/robots.txt", ScriptedFetcher::status(503));
  }
  SUBCASE("another site that an override denies") {
    denied = other + "/t.json";
    site.rulings().override_with("other.example", robots::site_override::deny);
  }
  if (!denied.empty()) {
    lead_to(denied);
    CHECK(site.may_mine() == robots::permission_answer::unread);
    CHECK(site.web.count(denied) == 0);
    CHECK(site.tdmrep.get(tdm_page).outcome == robots::outcome::refused);
    return;
  }
  SUBCASE("the second of two redirects") {
    lead_to(other + "/t.json");
    site.web.on(other + "/t.json", ScriptedFetcher::redirect(302, other + "/private/t.json"));
    CHECK(site.may_mine() == robots::permission_answer::unread);
    CHECK(site.web.count(other + "/t.json") == 1);
    CHECK(site.web.count(other + "/private/t.json") == 0);
  }
  SUBCASE("but to any other URL") {
    lead_to(other + "/t.json");
    CHECK(site.may_mine() == robots::permission_answer::no);
    CHECK(site.web.count(other + "/robots.txt") == 1);
  }
}

TEST_CASE("After a call that is stopped at a redirect of a tdmrep.json, the next call asks again") {
  tdmrep_web site;
  robots::stop_source stop;
  site.web.on(tdmrep_url, ScriptedFetcher::redirect(302, "https://other.example/t.json"));
  site.web.on_call("https://other.example/robots.txt", [&stop](const robots::fetch_request&) {
    stop.request_stop();
    return ScriptedFetcher::failure(fetch_error::cancelled);
  });
  CHECK(site.tdmrep.get(tdm_page, {.stop = stop.get_token()}).outcome ==
        robots::outcome::cancelled);
  static_cast<void>(site.tdmrep.get(tdm_page));
  CHECK(site.web.count(tdmrep_url) == 2);
}

TEST_CASE("No request for a tdmrep.json is repeated after a halt of its site") {
  tdmrep_web site{robots::test::foo_bot()};
  site.web.on_call(tdmrep_url, [&](const robots::fetch_request& /*request*/) {
    site.rulings().halt("example.com");
    return ScriptedFetcher::status(503);
  });
  CHECK(site.may_mine() == robots::permission_answer::unread);
  CHECK(site.web.count(tdmrep_url) == 1);
}

TEST_CASE("The tdmrep.json of a site changes no decision, breaker, alarm or ruling") {
  robots::cache_options options = robots::test::foo_bot();
  options.breaker.failures = 1;
  tdmrep_web site{options, 4'096, {.halt_unreachable_after = 1s}};
  site.web.on(tdmrep_url, ScriptedFetcher::failure(fetch_error::connect));
  CHECK(site.cache.allowed(tdm_page));
  const robots::cache_stats before = site.cache.stats();
  for (int i = 0; i < 5; ++i) {
    CHECK(site.tdmrep.get(tdm_page).state == tdmrep_state::unread);
    site.clock.advance(2h);
  }
  CHECK(site.web.count(tdmrep_url) > 5);  // with retries
  const robots::cache_stats after = site.cache.stats();
  CHECK(after.allowed == before.allowed);
  CHECK(after.denied == before.denied);
  CHECK(site.rulings().in_force().empty());
  CHECK(site.cache.allowed(tdm_page));
  site.cache.invalidate("https://example.com");
  CHECK(site.cache.allowed(tdm_page));  // the breaker of the site is closed
}

TEST_CASE("The table of tdmrep.json files is bounded") {
  tdmrep_web site{robots::test::foo_bot_that_asks_once(), 2};
  for (const std::string name : {"a", "b", "c"}) {
    site.web.on("https://" + name + ".example/robots.txt", ScriptedFetcher::status(404));
    site.web.on("https://" + name + ".example/.well-known/tdmrep.json", robots::test::ok(reserved));
    CHECK(site.tdmrep.get("https://" + name + ".example/").state == tdmrep_state::file);
    CHECK(site.tdmrep.size() <= 2);
  }
  CHECK(site.tdmrep.get("no URL at all").state == tdmrep_state::unread);
  CHECK_THROWS_WITH_AS(tdmrep_web(robots::test::foo_bot(), 0),
                       "basic_tdmrep_cache: capacity is 0: use 1 or more", std::invalid_argument);
}

TEST_CASE("A site that was asked while the table was full can be forgotten later") {
  tdmrep_web site{robots::test::foo_bot_that_asks_once(), 1};
  robots::test::gate door;
  site.web.on_call(tdmrep_url, robots::test::behind(door, robots::test::ok(reserved)));
  for (const std::string name : {"b", "c"}) {
    site.web.on("https://" + name + ".example/robots.txt", ScriptedFetcher::status(404));
    site.web.on("https://" + name + ".example/.well-known/tdmrep.json", robots::test::ok(reserved));
  }
  std::jthread first{[&] { static_cast<void>(site.tdmrep.get(tdm_page)); }};
  door.wait_for_arrivals();
  CHECK(site.tdmrep.get("https://b.example/").state == tdmrep_state::file);
  door.open();
  first.join();
  site.clock.advance(24h * 60);
  for (int i = 0; i < 2; ++i) {
    CHECK(site.tdmrep.get("https://c.example/").state == tdmrep_state::file);
  }
  CHECK(site.web.count("https://c.example/.well-known/tdmrep.json") == 1);
}

TEST_CASE("Threads that ask for one tdmrep.json share one fetch") {
  tdmrep_web site;
  robots::test::gate door;
  site.web.on_call(tdmrep_url, robots::test::behind(door, robots::test::ok(reserved)));
  std::atomic<int> files = 0;
  const auto ask = [&] { files += site.tdmrep.get(tdm_page).state == tdmrep_state::file ? 1 : 0; };
  std::jthread first{ask};
  std::jthread second{ask};
  // A call that is over at once gets no answer, and does not wait for the others.
  door.wait_for_arrivals();
  CHECK(site.tdmrep.get(tdm_page, {.deadline = site.clock.now()}).state == tdmrep_state::unread);
  door.open();
  first.join();
  second.join();
  CHECK(files == 2);
  CHECK(site.web.count(tdmrep_url) == 1);
}

}  // namespace
