#include <robots/observe/json_log.hpp>

#include "support/gate.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/observe/events.hpp>
#include <robots/observe/observer.hpp>
#include <robots/observe/observers.hpp>
#include <robots/policy/decision.hpp>
#include <robots/polite/admission.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

static_assert(robots::Observer<robots::JsonLog>);

using namespace std::chrono_literals;
using robots::call_context;
using robots::drop_event;
using robots::event_base;
using robots::json_log_options;
using robots::JsonLog;
using robots::log_level;
using robots::ManualClock;
using robots::observers;
using robots::ScriptedFetcher;
using robots::test::gate;

/// An event type that the library does not know.
struct own_event : event_base {
  static constexpr std::string_view name = "own";
};
static_assert(robots::detail::ObserverOf<JsonLog, drop_event>);
static_assert(own_event::name == "own");
static_assert(!robots::detail::ObserverOf<JsonLog, own_event>);
static_assert(!robots::detail::ObserverOf<JsonLog, event_base>);

constexpr const char* robots_url = "https://example.com/robots.txt";

struct Throws {
  void on(const event_base&) { throw std::runtime_error{"no disk"}; }
};

/// A cache of a scripted web, with a log beside an observer that throws.
struct logged {
  using cache_type = robots::basic_robots_cache<ScriptedFetcher, ManualClock, robots::LruStorage<2>,
                                                observers<Throws, JsonLog>, robots::SiteRulings>;

  explicit logged(JsonLog to, robots::fallback_policy fallback = robots::fallback_policy::rfc9309())
      : log(std::move(to)),
        cache(options(fallback), web, clock, {}, observer(),
              robots::SiteRulings{{.halt_hostile = true, .quarantine_after = 1}}) {}

  [[nodiscard]] observers<Throws, JsonLog> observer() const { return observers{Throws{}, log}; }

  static robots::cache_options options(robots::fallback_policy fallback) {
    robots::cache_options options{.user_agent = "FooBot/1.0", .fallback = fallback};
    options.retry.attempts = 1;
    options.breaker.failures = 1;
    options.longest_call = 0ms;
    return options;
  }

  ScriptedFetcher web;
  ManualClock clock;
  JsonLog log;
  cache_type cache;
};

struct kept_lines {
  std::shared_ptr<std::vector<std::string>> lines = std::make_shared<std::vector<std::string>>();

  void operator()(std::string_view line) const { lines->emplace_back(line); }

  /// All lines so far about an event.
  [[nodiscard]] std::vector<std::string> of(const std::string& name) const {
    std::vector<std::string> found;
    for (const std::string& line : *lines) {
      if (line.find(R"("event":")" + name + '"') != std::string::npos) {
        found.push_back(line);
      }
    }
    return found;
  }
  /// The start of the only line of an event, after its date.
  [[nodiscard]] std::string only(const std::string& name) const {
    const std::vector<std::string> found = of(name);
    REQUIRE(found.size() == 1);
    return found.front().substr(
        std::string_view{R"({"timestamp":"2026-01-01T12:00:00.000Z",)"}.size());
  }
};

bool has(std::string_view line, std::string_view part) {
  return line.find(part) != std::string_view::npos;
}

}  // namespace

TEST_CASE("Each event of a crawl is a line of JSON with its date, level, site and span") {
  const kept_lines log_lines;
  logged bot{JsonLog{log_lines, {.least = log_level::debug}}};
  bot.web.on(robots_url, ScriptedFetcher::ok("User-agent: *\nDisallow: /a*\\b\n"));
  const auto span = std::make_shared<call_context>("0af7651916cd43dd8448eb211c80319c", "b7ad6b71");
  CHECK_FALSE(bot.cache.allowed("https://example.com/a\"\xFF\\b", {.context = span}));
  CHECK(bot.cache.allowed("https://example.com/", {.context = span}));

  std::vector<std::string> lines = *log_lines.lines;
  REQUIRE(lines.size() == 8);
  CHECK(has(lines[0], R"("event":"rulings")"));  // of no site
  lines.erase(lines.begin());
  for (const std::string& line : lines) {
    CHECK(line.starts_with(R"({"timestamp":"2026-01-01T12:00:00.000Z","level":")"));
    CHECK(has(line, R"("site":"https://example.com","domain":"example.com","crawler":"FooBot",)"
                    R"("trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":"b7ad6b71",)"));
    CHECK(has(line, R"(,"message":")"));
    CHECK(line.ends_with("}\n"));
  }
  CHECK(has(lines[0], R"("level":"INFO","event":"look_up")"));
  CHECK(has(lines[0], R"("result":"miss","message":"the cache has no fresh rules, so the site )"
                      R"(or the shared store is asked"})"));
  CHECK(has(lines[1], R"("event":"exchange")"));
  CHECK(has(lines[1], R"("url":"https://example.com/robots.txt","status":200,)"
                      R"("duration_seconds":0,"bytes":30,"hop":0,"attempt":1,)"
                      R"("message":"the site answered with status 200"})"));
  CHECK(has(lines[2], R"("event":"parse")"));
  CHECK(has(
      lines[2],
      R"("rules":1,"lines":2,"malformed_lines":0,"not_robots_txt":false,)"
      R"("charset":"utf-8","invalid_utf8":false,"findings":[],"basis":"rules","policy_version":1,)"
      R"("message":"robots.txt was read: 1 rule"})"));
  CHECK(has(lines[3], R"("event":"retrieval")"));
  CHECK(has(lines[3], R"("outcome":"success","status":200,)"));
  CHECK(has(lines[4], R"("event":"decision")"));
  CHECK(has(lines[4], R"("url":"https://example.com/a\"\\xFF\\x5Cb","allowed":false,)"
                      R"("reason":"rule","directive":"disallow","pattern":"/a*\\x5Cb","line":2,)"));
  CHECK(has(lines[4], R"("message":"not allowed: disallow)"));
  CHECK(has(lines[5], R"("level":"DEBUG","event":"look_up")"));
  CHECK(has(lines[6], R"("allowed":true,"reason":"no_rule")"));
}

TEST_CASE("Events have the levels of the pipeline guide") {
  const kept_lines lines;
  logged bot{JsonLog{lines}, robots::fallback_policy::strict()};
  SUBCASE("WARN for malformed lines, with their number") {
    bot.web.on(robots_url, ScriptedFetcher::ok("User-agent: *\nwhat is this\nDisallow: /a\n"));
    CHECK(bot.cache.allowed("https://example.com/"));
    const std::string line = lines.only("parse");
    CHECK(line.starts_with(R"("level":"WARN")"));
    CHECK(has(line, R"("malformed_lines":1)"));
    CHECK(has(line, R"("findings":[{"line":2,"column":1,"severity":"error",)"));
  }
  SUBCASE("WARN for lines that are read by a guess, with the first") {
    bot.web.on(robots_url, ScriptedFetcher::ok("User-agent: *\nDisalow: /a\nDisallow /b\n"));
    CHECK(bot.cache.allowed("https://example.com/"));
    const std::string line = lines.only("parse");
    CHECK(line.starts_with(R"("level":"WARN")"));
    CHECK(has(line, "2 rules, 2 lines by a guess, the first is line 2"));
  }
  SUBCASE("WARN for a rule that never matches, beside good rules") {
    bot.web.on(robots_url, ScriptedFetcher::ok("User-agent: *\nDisallow: /a\nDisallow: b\n"));
    CHECK(bot.cache.allowed("https://example.com/"));
    CHECK(lines.only("parse").starts_with(R"("level":"WARN")"));
    CHECK(has(lines.only("parse"), R"("malformed_lines":0)"));
  }
  SUBCASE("WARN for another charset") {
    bot.web.on(robots_url, ScriptedFetcher::ok("\xFE\xFF"));
    CHECK(bot.cache.allowed("https://example.com/"));
    CHECK(lines.only("parse").starts_with(R"("level":"WARN")"));
    CHECK(has(lines.only("parse"), R"("charset":"utf-16be")"));
  }
  SUBCASE("WARN for octets that are not UTF-8 in a file") {
    bot.web.on(robots_url, ScriptedFetcher::ok("User-agent: *\nDisallow: /\xE9\n"));
    CHECK(bot.cache.allowed("https://example.com/"));
    CHECK(lines.only("parse").starts_with(R"("level":"WARN")"));
    CHECK(has(lines.only("parse"), R"("charset":"utf-8","invalid_utf8":true,)"));
  }
  SUBCASE("INFO for a file whose last character the size limit has cut") {
    const std::string text = "User-agent: *\nDisallow: /\xC3\xA9";
    robots::cache_options options = logged::options(robots::fallback_policy::strict());
    options.parse.max_bytes = text.size() - 1;
    logged::cache_type cache{std::move(options), bot.web, bot.clock, {}, bot.observer()};
    bot.web.on(robots_url, ScriptedFetcher::ok(text));
    static_cast<void>(cache.allowed("https://example.com/"));
    CHECK(has(lines.only("parse"), R"("invalid_utf8":false)"));
    CHECK(has(lines.only("retrieval"), R"("truncated":true)"));
  }
  SUBCASE("ERROR for an unreachable site and for the fallback") {
    bot.web.otherwise(ScriptedFetcher::failure(robots::fetch_error::timeout));
    CHECK_FALSE(bot.cache.allowed("https://example.com/"));
    CHECK(lines.of("exchange").front().find(R"("level":"WARN")") != std::string::npos);
    CHECK(lines.only("retrieval").starts_with(R"("level":"ERROR")"));
    CHECK(has(lines.only("retrieval"), R"("outcome":"unreachable","error":"timeout")"));
    CHECK(lines.only("fallback").starts_with(R"("level":"ERROR")"));
    CHECK(has(lines.only("fallback"), R"("basis":"deny_all")"));
    CHECK(lines.only("decision").starts_with(R"("level":"ERROR")"));
    CHECK(lines.of("breaker").front().find(R"("level":"WARN")") != std::string::npos);
  }
  SUBCASE("CRITICAL over the malformed limit, and for quarantine") {
    bot.web.on(robots_url, ScriptedFetcher::ok("<html></html>"));
    CHECK_FALSE(bot.cache.allowed("https://example.com/"));
    for (const char* name : {"parse", "retrieval", "quarantine"}) {
      CHECK(lines.only(name).starts_with(R"("level":"CRITICAL")"));
    }
    CHECK(has(lines.only("parse"), R"("not_robots_txt":true)"));
  }
  SUBCASE("INFO for orders of an operator") {
    bot.cache.rulings().override_with("example.com", robots::site_override::deny);
    CHECK(lines.only("override").starts_with(R"("level":"INFO")"));
    CHECK(has(lines.only("override"), R"("value":"deny")"));
  }
}

TEST_CASE("A log reports gates and the shared store") {
  const kept_lines log_lines;
  const JsonLog log{log_lines};
  const robots::decision decision;
  log.on(robots::admission_event{
      {.site = "https://example.com"}, "https://example.com/", decision, {}, 1500ms});
  log.on(robots::far_store_event{{}, false, "no route"});
  log.on(robots::far_store_event{{}, true, {}});
  const robots::record record;
  const robots::policy policy{robots::fallback_action::deny_all, "FooBot", record};
  log.on(robots::far_hit_event{{}, policy, record});
  log.on(robots::far_old_record_event{{}, policy, record});
  REQUIRE(log_lines.lines->size() == 5);
  CHECK(has((*log_lines.lines)[0], R"("reason":"go","waited_seconds":1.5,"allowed":false)"));
  CHECK(has((*log_lines.lines)[1], R"("level":"ERROR","event":"far_store","up":false,)"));
  CHECK(has((*log_lines.lines)[1], R"("error_text":"no route","message":"the shared store failed: )"
                                   R"(no route"})"));
  CHECK(has((*log_lines.lines)[2], R"("level":"INFO","event":"far_store","up":true,"message")"));
  CHECK(has((*log_lines.lines)[3],
            R"("event":"far_hit","outcome":"unreachable","url":"",)"
            R"("fetched_at":"1970-01-01T00:00:00.000Z","basis":"deny_all")"));
  CHECK(has((*log_lines.lines)[4], R"("event":"far_old_record")"));
}

TEST_CASE("A log reports the changes of a site and their consequences") {
  const kept_lines lines;
  logged bot{JsonLog{lines}};
  bot.web.on(robots_url, ScriptedFetcher::ok("User-agent: *\nDisallow: /a\nCrawl-delay: 1\n"),
             ScriptedFetcher::ok("User-agent: *\nDisallow: /a\nDisallow: /b\n"),
             ScriptedFetcher::ok("User-agent: *\nDisallow: /\n"));
  for (int i = 0; i < 3; ++i) {
    static_cast<void>(bot.cache.refresh("https://example.com"));
    bot.clock.advance(1min);
  }
  CHECK_FALSE(bot.cache.allowed("https://example.com/"));
  bot.cache.rulings().resume("https://example.com");
  const std::vector<std::string> changes = lines.of("policy_change");
  REQUIRE(changes.size() == 2);
  CHECK(has(changes[0], R"("level":"ERROR")"));
  CHECK(has(changes[0], R"("turned_hostile":false,"fast":true,"interval_seconds":60,"changed":2,)"
                        R"("unchanged":1,"rules":[{"change":"added","directive":"disallow",)"
                        R"("after":"/b"}],"other_lines":[{"directive":"Crawl-delay",)"));
  CHECK(has(changes[1], R"("level":"CRITICAL")"));
  CHECK(has(changes[1], R"("turned_hostile":true)"));
  const std::vector<std::string> halts = lines.of("halt");
  REQUIRE(halts.size() == 2);
  CHECK(has(halts[0], R"("level":"CRITICAL","event":"halt","site":"example.com",)"
                      R"("domain":"example.com","crawler":"FooBot","reason":"hostile",)"
                      R"("resumed":false,"order":"1-1","order_id":")"));
  CHECK(has(halts[0], R"("maker":"an alarm of robots-cpp","fingerprint":")"));
  CHECK(has(halts[0], R"("message":"the site was halted: its robots.txt denies everything now; )"
                      R"(order 1-1 by an alarm of robots-cpp"})"));
  CHECK(has(halts[1], R"("level":"INFO")"));
  CHECK(has(lines.only("decision"), R"("reason":"halted")"));
  CHECK(has(lines.only("decision"), R"("order":"1-1","order_id":")"));

  static_cast<void>(bot.cache.get("https://example.com/"));
  bot.cache.report_response("https://example.com/x", 403);
  CHECK(lines.of("access_revoked").empty());  // no page of the site is allowed any more
  const JsonLog log{lines};
  log.on(robots::access_revoked_event{{}, "https://example.com/", 403});
  log.on(robots::sign_off_event{{}, true});
  log.on(robots::sign_off_event{{}, false, true});
  CHECK(has(lines.only("access_revoked"), R"("url":"https://example.com/","status":403,)"));
  CHECK(lines.of("access_revoked").front().find("CRITICAL") != std::string::npos);
  CHECK(has(lines.of("sign_off").front(), R"("given":true,"awaited":false,)"));
  CHECK(has(lines.of("sign_off").back(), R"("level":"WARN",)"));
  CHECK(has(lines.of("sign_off").back(), R"("given":false,"awaited":true,)"));
}

TEST_CASE("Lines below the least level and decisions outside the sample are not written") {
  const kept_lines log_lines;
  logged bot{JsonLog{log_lines, {.least = log_level::warn}}};
  bot.web.otherwise(ScriptedFetcher::ok(""));
  CHECK(bot.cache.allowed("https://example.com/"));
  CHECK(log_lines.lines->empty());

  const JsonLog sampled{log_lines, {.decision_share = 0.1}};
  robots::decision decision{.allowed = true, .reason = robots::decision_reason::no_rule};
  for (int i = 0; i < 10'000; ++i) {
    sampled.on(robots::decision_event{{}, "https://example.com/", decision});
  }
  CHECK(log_lines.lines->size() > 800);
  CHECK(log_lines.lines->size() < 1'200);
  CHECK(sampled.stats().written == log_lines.lines->size());

  // Decisions by the fallback policy are logged, whatever the sample.
  log_lines.lines->clear();
  const JsonLog none{log_lines, {.decision_share = 0}};
  none.on(robots::decision_event{{}, "https://example.com/", decision});
  CHECK(log_lines.lines->empty());
  decision.reason = robots::decision_reason::fallback;
  none.on(robots::decision_event{{}, "https://example.com/", decision});
  CHECK(log_lines.lines->size() == 1);
}

TEST_CASE("A long text is cut, and the line says how long it was") {
  const kept_lines log_lines;
  const JsonLog log{log_lines, {.text_bytes = 8}};
  log.on(robots::far_store_event{{}, false, "0123456789"});
  CHECK(has(log_lines.lines->front(), R"("error_text":"01234567","error_text_bytes":10,)"));
  CHECK(has(log_lines.lines->front(), R"("message":"the shar","message_bytes":)"));
}

TEST_CASE("Each decision and each admission that the fallback policy allowed is a line") {
  const kept_lines lines;
  logged bot{JsonLog{lines}, robots::fallback_policy::permissive()};
  bot.web.otherwise(ScriptedFetcher::failure(robots::fetch_error::connect));
  robots::basic_host_gate gate{{.delay = {.fixed_delay = 1ms}}, bot.clock, bot.log};
  robots::basic_admission front{bot.cache, gate};
  constexpr std::size_t pages = 200;
  for (std::size_t i = 0; i < pages; ++i) {
    CHECK(front.try_admit("https://example.com/" + std::to_string(i)).decision.allowed);
  }
  CHECK(lines.of("decision").size() == pages);
  CHECK(lines.of("admission").size() == pages);
  CHECK(has(lines.of("admission").back(), R"("domain":"example.com","crawler":"FooBot",)"));
}

TEST_CASE("Lines of two caches that share a log name the crawler of each") {
  const kept_lines lines;
  const JsonLog log{lines};
  logged first{log};
  robots::cache_options options = logged::options(robots::fallback_policy::rfc9309());
  options.user_agent = "Mozilla/5.0 (compatible; BarBot/2.0; +https://bar.example)";
  logged::cache_type second{std::move(options), first.web, first.clock, {}, first.observer()};
  first.web.otherwise(ScriptedFetcher::ok("User-agent: *\nDisallow: /a\n"));
  CHECK_FALSE(first.cache.allowed("https://example.com/a"));
  CHECK_FALSE(second.allowed("https://example.com/a"));
  const std::vector<std::string> decisions = lines.of("decision");
  REQUIRE(decisions.size() == 2);
  CHECK(has(decisions[0], R"("crawler":"FooBot",)"));
  CHECK(has(decisions[1], R"("crawler":"BarBot",)"));
}

TEST_CASE("The level of denied decisions is an option") {
  const kept_lines log_lines;
  logged bot{JsonLog{log_lines, {.denied_level = log_level::warn}}};
  bot.web.otherwise(ScriptedFetcher::ok("User-agent: *\nDisallow: /a\n"));
  CHECK_FALSE(bot.cache.allowed("https://example.com/a"));
  CHECK(log_lines.only("decision").starts_with(R"("level":"WARN")"));
  log_lines.lines->clear();
  CHECK(bot.cache.allowed("https://example.com/"));
  CHECK(log_lines.only("decision").starts_with(R"("level":"INFO")"));

  log_lines.lines->clear();
  const JsonLog quiet{log_lines, {.denied_level = log_level::debug}};
  robots::decision denied;
  quiet.on(robots::decision_event{{}, "x", denied});
  CHECK(log_lines.lines->empty());
  denied.reason = robots::decision_reason::fallback;
  quiet.on(robots::decision_event{{}, "x", denied});
  CHECK(log_lines.only("decision").starts_with(R"("level":"ERROR")"));
}

TEST_CASE("A log refuses meaningless options, and says which values to use") {
  CHECK_THROWS_AS(JsonLog{robots::JsonLog::line_sink{}}, std::invalid_argument);
  CHECK_THROWS_AS((JsonLog{kept_lines{}, {.decision_share = 1.5}}), std::invalid_argument);
}

TEST_CASE(
    "Decisions continue while an observer throws and the disk is full, and losses are reported") {
  if (std::ofstream full{"/dev/full"}; full.is_open()) {
    const JsonLog log{full};
    {
      logged bot{log};
      bot.web.otherwise(ScriptedFetcher::ok("User-agent: *\nDisallow: /a\n"));
      CHECK(bot.cache.allowed("https://example.com/"));
      CHECK_FALSE(bot.cache.allowed("https://example.com/a"));
    }
    CHECK(log.stats().written == 0);
    CHECK(log.stats().lost >= 5);
  }

  const kept_lines log_lines;
  std::atomic<bool> fails = true;
  const JsonLog failing{[&](std::string_view line) {
    if (fails) {
      throw std::runtime_error{"no disk"};
    }
    log_lines(line);
  }};
  logged sick{failing};
  sick.web.otherwise(ScriptedFetcher::ok("User-agent: *\nDisallow: /a\n"));
  CHECK_FALSE(sick.cache.allowed("https://example.com/a"));
  const std::uint64_t lost = failing.stats().lost;
  CHECK(lost == 6);
  fails = false;
  CHECK(sick.cache.allowed("https://example.com/"));
  CHECK(sick.cache.allowed("https://example.com/"));
  CHECK(sick.cache.stats().observer_failures == 10);  // the observer that always throws
  REQUIRE(log_lines.lines->size() == 2);
  CHECK(log_lines.lines->front().ends_with(R"(,"lost":6})"
                                           "\n"));
  CHECK_FALSE(has(log_lines.lines->back(), "lost"));
  CHECK(failing.stats().lost == lost);
}

TEST_CASE(
    "Each line reaches a stream at once, and an incomplete line is ended before the next line") {
  /// Accepts only the next `room` octets.
  struct small_disk : std::stringbuf {
    std::size_t room = 0;
    std::streamsize xsputn(const char* from, std::streamsize count) override {
      const auto taken = std::min(static_cast<std::streamsize>(room), count);
      room -= static_cast<std::size_t>(taken);
      return std::stringbuf::xsputn(from, taken);
    }
  } disk;
  std::ostream stream{&disk};
  const JsonLog log{stream};
  disk.room = 12;
  log.on(robots::override_event{{.site = "a"}});
  disk.room = 10'000;
  log.on(robots::override_event{{.site = "b"}});
  CHECK(disk.str().starts_with("{\"timestamp\"\n{\"timestamp\":\""));
  CHECK(disk.str().ends_with(R"(,"lost":1})"
                             "\n"));
  CHECK(log.stats().lost == 1);
  CHECK(log.stats().written == 1);
}

TEST_CASE("Decisions continue while the sink is blocked, and lost lines are counted and reported") {
  const kept_lines log_lines;
  gate door;
  {
    const JsonLog log{[&](std::string_view line) {
                        door.pass();
                        log_lines(line);
                      },
                      {.queue_bytes = 20'000}};
    logged bot{log};
    bot.web.otherwise(ScriptedFetcher::ok("User-agent: *\nDisallow: /a\n"));
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&bot] {
          for (int page = 0; page < 100; ++page) {
            CHECK(bot.cache.allowed("https://example.com/"));
            CHECK_FALSE(bot.cache.allowed("https://example.com/a"));
          }
        });
      }
    }
    door.wait_for_arrivals();
    CHECK(log.stats().written == 0);
    CHECK(log.stats().lost > 700);  // of 804 lines, only those with room in the queue are kept
    door.open();
    log.flush();
    const robots::JsonLog::counts before = log.stats();
    CHECK(before.written == log_lines.lines->size());
    CHECK(before.written + before.lost >= 804);
    log.on(robots::override_event{{.site = "a"}});
    log.flush();
    CHECK(log.stats().lost == before.lost);
  }
  std::uint64_t events = 0;
  for (const std::string& line : *log_lines.lines) {
    constexpr std::string_view name = R"(,"lost":)";
    if (const std::size_t bot = line.find(name); bot != std::string::npos) {
      events += std::stoull(line.substr(bot + name.size()));
    }
  }
  CHECK(events > 700);
}
