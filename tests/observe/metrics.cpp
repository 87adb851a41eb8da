#include <robots/observe/metrics.hpp>

#include "cache/cache_fixture.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/polite/admission.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/rulings/site_rulings.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace {

static_assert(robots::Observer<robots::Metrics>);

using namespace std::chrono_literals;
using robots::admission_reason;
using robots::cache_options;
using robots::decision_reason;
using robots::fetch_error;
using robots::LruStorage;
using robots::ManualClock;
using robots::Metrics;
using robots::metrics_snapshot;
using robots::outcome;
using robots::policy_basis;
using robots::ScriptedFetcher;
using robots::test::foo_bot;
using robots::test::ok;

std::uint64_t total_of(const metrics_snapshot::histogram& times) {
  return std::accumulate(times.counts.begin(), times.counts.end(), std::uint64_t{0});
}

using counted_cache = robots::basic_robots_cache<ScriptedFetcher, ManualClock, LruStorage<4>,
                                                 Metrics, robots::SiteRulings>;

struct counted {
  explicit counted(cache_options options = foo_bot())
      : cache(std::move(options), web, clock, {}, metrics,
              robots::SiteRulings{{.quarantine_after = 1}}) {}

  ScriptedFetcher web;
  ManualClock clock;
  Metrics metrics;
  counted_cache cache;
};

}  // namespace

TEST_CASE("Metrics have all counters of the cache, and more") {
  cache_options options = foo_bot();
  options.excluded = {"gov"};
  options.retry.attempts = 3;
  options.fallback = robots::fallback_policy::strict();
  counted bot{options};
  bot.web.otherwise(ok());
  bot.web.on("https://none.example/robots.txt", ScriptedFetcher::status(404));
  bot.web.on("https://shut.example/robots.txt", ScriptedFetcher::status(403));
  bot.web.on("https://slow.example/robots.txt", ScriptedFetcher::status(429));
  bot.web.on("https://dead.example/robots.txt", ScriptedFetcher::status(503));
  bot.web.on("https://html.example/robots.txt", ok("<!DOCTYPE html><html></html>"));
  for (const char* url :
       {"https://a.example/", "https://a.example/private/x", "https://none.example/",
        "https://shut.example/", "https://slow.example/", "https://dead.example/",
        "https://html.example/", "https://nasa.gov/", "what is this", "https://dead.example/2"}) {
    static_cast<void>(bot.cache.allowed(url));
  }
  bot.cache.rulings().override_with("b.example", robots::site_override::deny);
  CHECK_FALSE(bot.cache.allowed("https://b.example/"));
  CHECK(bot.cache.report_response("https://c.example/", 403));
  for (const bool is_signed_off : {false, true}) {
    bot.metrics.on(robots::sign_off_event{{}, is_signed_off, !is_signed_off});
  }
  bot.cache.rulings().halt("c.example");
  CHECK(bot.cache.rulings().resume("c.example").size() == 1);

  const metrics_snapshot now = bot.metrics.snapshot();
  const robots::cache_stats stats = bot.cache.stats();
  CHECK(now.hits == stats.hits);
  CHECK(now.misses == stats.misses);
  CHECK(now.misses == 6);
  CHECK(now.retrievals == stats.retrievals);
  CHECK(now.failures == stats.failures);
  CHECK(now.failures == 3);  // one of them is the 403
  CHECK(now.allowed == stats.allowed);
  CHECK(now.denied == stats.denied);
  CHECK(now.excluded == stats.excluded);
  CHECK(now.evictions == stats.evictions);
  CHECK(now.evictions == 2);
  CHECK(now.hit_rate() == stats.hit_rate());
  CHECK(now.eviction_rate() == doctest::Approx(0.25));
  CHECK(now.allowed_for[decision_reason::no_rule] == 1);
  CHECK(now.allowed_for[decision_reason::no_file] == 1);
  CHECK(now.denied_for[decision_reason::rule] == 1);
  CHECK(now.denied_for[decision_reason::excluded] == 1);
  CHECK(now.denied_for[decision_reason::invalid_url] == 1);
  CHECK(now.denied_for[decision_reason::by_hand] == 1);
  CHECK(now.denied_for[decision_reason::fallback] == 5);
  CHECK(now.outcomes[outcome::success] == 1);
  CHECK(now.outcomes[outcome::malformed] == 1);
  CHECK(now.fallbacks[static_cast<std::size_t>(outcome::server_error)][policy_basis::deny_all] ==
        1);
  CHECK(now.responses(403) == 1);
  CHECK(now.responses(429) == 3);
  CHECK(now.responses(503) == 3);
  CHECK(now.responses(401) == 0);
  CHECK(now.retries == 4);
  CHECK(total_of(now.fetch_duration) == 6);
  CHECK(total_of(now.exchange_duration) == 10);
  CHECK(total_of(now.parse_duration) == 2);
  CHECK(now.bytes > 0);
  CHECK(now.quarantines == 1);
  CHECK(now.overrides == 1);
  CHECK(now.revocations == 1);
  CHECK(now.halts == 1);
  CHECK(now.resumptions == 1);
  CHECK(now.awaited_sign_offs == 1);
  CHECK(now.policy_changes == 0);
}

TEST_CASE("Metrics add up the work of concurrent threads") {
  constexpr std::size_t threads = 16;
  constexpr std::size_t one = 500;
  counted bot;
  bot.web.otherwise(ok());
  {
    std::vector<std::jthread> workers;
    for (std::size_t worker = 0; worker < threads; ++worker) {
      workers.emplace_back([&] {
        for (std::size_t i = 0; i < one; ++i) {
          const std::string site = "https://" + std::to_string(i % 8) + ".example";
          static_cast<void>(bot.cache.allowed(site + (i % 2 == 0 ? "/" : "/private")));
          if (i % 100 == 0) {
            CHECK(bot.metrics.snapshot().allowed <= threads * one / 2);
          }
        }
      });
    }
  }
  const metrics_snapshot now = bot.metrics.snapshot();
  const robots::cache_stats stats = bot.cache.stats();
  CHECK(now.allowed == threads * one / 2);
  CHECK(now.denied == threads * one / 2);
  CHECK(now.hits == stats.hits);
  CHECK(now.misses == stats.misses);
  CHECK(now.joined == stats.joined);
  CHECK(now.evictions == stats.evictions);
  CHECK(now.retrievals == stats.retrievals);
}

TEST_CASE("Metrics count breakers, exchanges without response and the answers of a gate") {
  cache_options options = foo_bot();
  options.breaker.failures = 1;
  counted bot{options};
  bot.web.otherwise(ScriptedFetcher::failure(fetch_error::timeout));
  robots::basic_host_gate gate{{.delay = {.fixed_delay = 2s}}, bot.clock, bot.metrics};
  robots::basic_admission front{bot.cache, gate};
  CHECK(front.admit("https://dead.example/").reason == admission_reason::disallowed);
  bot.web.otherwise(ok());
  CHECK(front.admit("https://a.example/"));
  CHECK(front.try_admit("https://a.example/").reason == admission_reason::not_yet);

  const metrics_snapshot now = bot.metrics.snapshot();
  CHECK(now.errors[fetch_error::timeout] == 1);
  CHECK(now.breaker_openings == 1);
  CHECK(now.admissions[admission_reason::go] == 1);
  CHECK(now.admissions[admission_reason::disallowed] == 1);
  CHECK(now.admissions[admission_reason::not_yet] == 1);
  CHECK(total_of(now.gate_wait) == 1);
}

TEST_CASE("Metrics count hits and denials of a crawl by domain, for as many as the options allow") {
  counted bot;
  const Metrics by_domain{robots::metrics_options{.domains = 2}};
  counted_cache cache{foo_bot(), bot.web, bot.clock, {}, by_domain};
  bot.web.otherwise(ok());
  for (const char* url : {"https://a.example/", "https://a.example/private/x", "http://a.example/",
                          "https://b.example:8443/private/x", "https://c.example/private/x",
                          "https://d.example/private/x", "no URL"}) {
    static_cast<void>(cache.allowed(url));
  }
  const metrics_snapshot now = by_domain.snapshot();
  REQUIRE(now.domains.size() == 3);
  CHECK(now.domains.at("").look_ups[robots::look_up_result::miss] == 2);
  CHECK(now.domains.at("").denied_for[decision_reason::rule] == 2);
  CHECK(now.domains.at("").denied_for[decision_reason::invalid_url] == 1);
  CHECK(now.domains.at("a.example").look_ups[robots::look_up_result::hit] == 1);
  CHECK(now.domains.at("a.example").look_ups[robots::look_up_result::miss] == 2);
  CHECK(now.domains.at("a.example").denied_for[decision_reason::rule] == 1);
  CHECK(now.domains.contains("b.example"));
  CHECK(bot.metrics.snapshot().domains.empty());
}

TEST_CASE("Each domain has exact counts while there is room; later domains share one set") {
  using robots::look_up_result;
  Metrics metrics{robots::metrics_options{.domains = 2}};
  const auto hit = [&metrics](const std::string& site) {
    metrics.on(robots::look_up_event{{.site = site}, look_up_result::hit});
  };
  const auto deny = [&metrics](std::string_view site, decision_reason reason) {
    const robots::decision denied{.reason = reason};
    metrics.on(robots::decision_event{{.site = site}, "", denied});
  };
  hit("https://b.example");
  deny("https://a.example", decision_reason::rule);
  for (int i = 0; i < 1'000; ++i) {
    hit("https://" + std::to_string(i) + ".example");
    hit("https://b.example");
  }
  deny("", decision_reason::invalid_url);
  const auto domains = metrics.snapshot().domains;
  REQUIRE(domains.size() == 3);
  CHECK(domains.at("").look_ups[look_up_result::hit] == 1'000);
  CHECK(domains.at("").denied_for[decision_reason::invalid_url] == 1);
  CHECK(domains.at("a.example").denied_for[decision_reason::rule] == 1);
  CHECK(domains.at("b.example").look_ups[look_up_result::hit] == 1'001);
}

TEST_CASE("Threads that count new and known domains at once lose no count") {
  constexpr std::size_t threads = 8;
  constexpr std::size_t rounds = 2'000;
  Metrics metrics{robots::metrics_options{.domains = 16}};
  {
    std::vector<std::jthread> workers;
    for (std::size_t worker = 0; worker < threads; ++worker) {
      workers.emplace_back([&metrics] {
        for (std::size_t i = 0; i < rounds; ++i) {
          const std::string site = "https://" + std::to_string(i % 32) + ".example";
          metrics.on(robots::look_up_event{{.site = site}, robots::look_up_result::hit});
          if (i % 100 == 0) {
            CHECK(metrics.snapshot().domains.size() <= 17);
          }
        }
      });
    }
  }
  const auto domains = metrics.snapshot().domains;
  CHECK(domains.size() == 17);
  std::uint64_t total = 0;
  for (const auto& [domain, own] : domains) {
    total += own.look_ups.total();
  }
  CHECK(total == threads * rounds);
}

TEST_CASE("Metrics count events of shared stores and expired entries") {
  Metrics metrics;
  Metrics copy = metrics;
  metrics.on(robots::far_store_event{{}, false, "down"});
  copy.on(robots::far_store_event{{}, true, {}});
  copy.on(robots::drop_event{{}, true});
  const metrics_snapshot now = metrics.snapshot();
  CHECK(now.far_outages == 1);
  CHECK(now.far_returns == 1);
  CHECK(now.expiries == 1);
  CHECK(now.evictions == 0);
}
