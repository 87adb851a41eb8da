// A cache whose rulings are a `SiteRulings`: the cache obeys them, and its alarms make them.
#include "cache/cache_fixture.hpp"
#include "rulings/composed_losses.hpp"
#include "rulings/loss_conformance.hpp"
#include "rulings/ruled_cache.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/prefetch.hpp>
#include <robots/fetch/async_fetcher.hpp>
#include <robots/observe/events.hpp>
#include <robots/polite/admission.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/rulings/no_rulings.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/testing/memory_ruling_ledger.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace robots::test::composed {

using namespace std::chrono_literals;

static_assert(Rulings<NoRulings>);
static_assert(Rulings<SiteRulings>);
static_assert(!Rulings<int>);

namespace {

constexpr const char* open_rules = "User-agent: *\nDisallow: /a\n";

using texts = std::vector<std::string>;
using process = ruled_process;

/// An asynchronous fetcher that answers at once.
struct prompt_web {
  void async_fetch(const fetch_request& request, const std::function<void(fetch_response)>& done) {
    done(web.fetch(request));
  }
  ScriptedFetcher& web;
};

/// The options of a process whose ledger is a copy of `shared`, and that reads it by `catch_up`.
rulings_options over(const MemoryRulingLedger& shared, rulings_options options = {}) {
  return over_ledger(std::make_shared<MemoryRulingLedger>(shared), std::move(options));
}

/// Two processes that halt hostile sites, over one ledger. Both have seen that the site is open.
struct two_processes {
  two_processes() {
    for (process* const one : {&first, &second}) {
      CHECK(one->cache.rulings().catch_up());
      one->refresh(ok(open_rules));
      CHECK(one->cache.allowed(home));
    }
  }

  MemoryRulingLedger shared;
  process first{over(shared, {.halt_hostile = true})};
  process second{over(shared, {.halt_hostile = true})};
};

}  // namespace

TEST_CASE("Caches lose no order with a MemoryRulingLedger") {
  MemoryRulingLedger shared;
  composed_loss_conformance({.open = [&] { return std::make_shared<MemoryRulingLedger>(shared); },
                             .lose = [&] { shared.lose_all(); }});
}

TEST_CASE("A cache obeys each kind of ruling of its SiteRulings") {
  process one{{.needs_sign_off = {"gov"}}};
  one.web.otherwise(ok(open_rules));
  CHECK(one.cache.allowed(home));
  const auto held = one.cache.get(home);
  SiteRulings& rulings = one.cache.rulings();

  rulings.halt("example.com", "ann");
  CHECK(one.reason() == "halted");
  CHECK_FALSE(one.cache.allowed("http://example.com:8080/"));  // all ports and schemes
  CHECK(one.is_halted());
  CHECK(one.cache.is_denied(home));
  CHECK(one.cache.check(home, one.cache.begin(home)).reason == decision_reason::halted);
  CHECK(one.cache.check(home, held).reason == decision_reason::halted);
  CHECK(one.cache.check("/b", held).reason == decision_reason::halted);
  CHECK_FALSE(one.cache.check("/b", one.cache.get(home)).allowed);
  rulings.resume("example.com");
  CHECK(one.reason() == "no_rule");

  rulings.override_with("example.com", site_override::deny);
  CHECK(one.reason() == "by_hand");
  rulings.override_with("example.com", site_override::allow);
  CHECK(one.cache.allowed("https://example.com/a"));
  rulings.override_with_text("example.com", "User-agent: FooBot\nDisallow: /b\n");
  CHECK(one.cache.allowed("https://example.com/a"));
  CHECK(one.reason("https://example.com/b") == "rule");
  CHECK_FALSE(one.cache.allowed("https://example.com/b"));
  rulings.end_override("example.com");
  CHECK_FALSE(one.cache.allowed("https://example.com/a"));

  CHECK(one.reason("https://clinic.gov/") == "needs_sign_off");
  CHECK(one.reason("https://clinic.gov/") == "needs_sign_off");
  CHECK(rulings.awaiting_sign_off() == texts{"clinic.gov"});
  rulings.sign_off("clinic.gov");
  CHECK(rulings.awaiting_sign_off().empty());
  CHECK(one.cache.allowed("https://clinic.gov/"));

  rulings.quarantine("https://bad.example");
  CHECK(one.cache.check("https://bad.example/").policy->outcome() == outcome::quarantined);
  CHECK(one.is_quarantined("https://bad.example/"));
  CHECK(one.cache.stats().quarantined == 1);
  rulings.end_quarantine("https://bad.example");
  CHECK(one.cache.allowed("https://bad.example/"));

  CHECK(one.witness.take() == texts{"example.com: halted by_hand", "example.com: resumed by_hand",
                                    "example.com: override deny", "example.com: override allow",
                                    "example.com: override text", "example.com: override none",
                                    "clinic.gov: awaits a sign-off", "clinic.gov: signed",
                                    "https://bad.example: quarantined",
                                    "https://bad.example: freed"});
}

TEST_CASE("A fixed robots.txt decides for the crawler that asks, whichever call comes first") {
  cache_options options = foo_bot_that_asks_once();
  options.other_agents = {{"BarBot"}};
  process one{{}, options};
  one.web.otherwise(ok());
  const call_options bar{.user_agent = "BarBot"};
  basic_host_gate gate{gate_options{}, one.clock};
  basic_admission front{one.cache, gate};
  const auto before = one.cache.get(home, bar);
  auto waiting = front.try_reserve(home, bar);

  one.cache.rulings().override_with_text("example.com", "User-agent: BarBot\nDisallow: /x\n");
  CHECK(waiting.reservation.start().reason == admission_reason::not_yet);  // has renewed its policy
  one.cache.rulings().override_with_text("example.com", "User-agent: BarBot\nDisallow: /\n");
  CHECK_FALSE(one.cache.check(home, bar).allowed);
  CHECK_FALSE(one.cache.check(home, one.cache.begin(home, bar)).allowed);
  CHECK_FALSE(one.cache.check(home, before).allowed);
  CHECK_FALSE(one.cache.check(home, one.cache.get(home, bar)).allowed);
  CHECK_FALSE(one.cache.check(home, one.cache.get(home), bar).allowed);
  CHECK(one.cache.is_denied(home, bar));
  CHECK_FALSE(one.cache.report_response(home, 403, false, bar));  // the page is denied anyway
  CHECK(waiting.reservation.start().reason == admission_reason::disallowed);

  CHECK(one.cache.check(home).allowed);
  CHECK(one.cache.check(home, one.cache.begin(home)).allowed);
  CHECK(one.cache.check(home, one.cache.get(home)).allowed);
  CHECK_FALSE(one.cache.is_denied(home));
  CHECK(one.cache.report_response(home, 403));
}

TEST_CASE("A hit notices a halt of its host, in whatever form the host is") {
  for (const std::string host :
       {"example.com", "a.example", "x", "httpbin.example", "192.0.2.1", "[2001:db8::1]",
        "a-very-long-name-of-a-host-in-a-domain.of-several-labels.example"}) {
    for (const std::string start : {"https://", "http://", ""}) {
      for (const std::string port : {"", ":8443", ":81"}) {
        const std::string site = start + host + port;
        CAPTURE(site);
        process one;
        one.web.otherwise(ok(open_rules));
        one.cache.rulings().halt("other.example");
        CHECK(one.cache.allowed(site));
        const std::size_t requests = one.web.count();
        CHECK(one.cache.allowed(site));
        CHECK(one.web.count() == requests);  // a hit
        one.cache.rulings().halt(host);
        CHECK_FALSE(one.cache.allowed(site));
        CHECK(one.reason(site) == "halted");
        one.cache.rulings().resume(host);
        one.cache.rulings().quarantine(site);
        CHECK(outcome_of(one.cache.check(site)) == "quarantined");
      }
    }
  }
}

TEST_CASE("A halted site gets no request, not even after a redirect") {
  process one;
  one.web.on(robots_url, ScriptedFetcher::redirect(301, "https://www.example.com/robots.txt"));
  one.web.on("https://www.example.com/robots.txt", ok());
  one.cache.rulings().halt("www.example.com");
  CHECK_FALSE(one.cache.allowed(home));
  CHECK(one.web.count("https://www.example.com/robots.txt") == 0);
  CHECK(one.reason("https://www.example.com/") == "halted");
}

TEST_CASE("A site that is halted during its retrieval gets no retry and no request over http") {
  for (const auto& failure :
       {ScriptedFetcher::status(503), ScriptedFetcher::failure(fetch_error::connect)}) {
    process one{{}, foo_bot()};
    one.web.otherwise_call([&](const fetch_request&) {
      one.cache.rulings().halt("example.com");
      return failure;
    });
    CHECK(one.reason("example.com") == "halted");
    CHECK(one.web.count() == 1);
  }
  process stepwise{{}, foo_bot()};
  stepwise.web.otherwise(ScriptedFetcher::status(503));
  look_up asking = stepwise.cache.begin(home);
  asking.on_response(stepwise.web.fetch(std::get<fetch_request>(asking.next())));
  const auto pause = std::get<look_up::retry_wait>(asking.next());
  stepwise.cache.rulings().halt("example.com");
  stepwise.clock.sleep_until(pause.until, {});
  asking.on_wait_over();
  REQUIRE(asking.policy());
  CHECK(asking.policy()->refusal_reason() == decision_reason::halted);
  CHECK(stepwise.web.count() == 1);
}

TEST_CASE("Excluded hosts stay excluded, unless an override names them") {
  cache_options options = foo_bot();
  options.excluded = {"example.com"};
  process one{{}, options};
  one.web.otherwise(ok());
  CHECK(one.reason() == "excluded");
  one.cache.rulings().override_with("example.com", site_override::allow);
  CHECK(one.cache.allowed(home));
  one.cache.rulings().halt("example.com");
  CHECK(one.reason() == "halted");
}

TEST_CASE("A site that turns hostile is halted, and one resume is enough for all processes") {
  two_processes with_open_rules;
  auto& [shared, first, second] = with_open_rules;
  first.refresh(ok(everything));
  CHECK(first.reason() == "halted");
  CHECK(first.witness.take() ==
        texts{"https://example.com: changed by 100 % in 0 min, fast, hostile to FooBot",
              "example.com: halted hostile"});
  CHECK(first.cache.rulings().catch_up());
  CHECK(second.cache.rulings().catch_up());
  CHECK(second.reason() == "halted");

  CHECK(second.cache.rulings().resume("example.com", "ann").size() == 1);
  CHECK(first.cache.rulings().catch_up());
  for (process* const one : {&first, &second}) {
    one->web.on(robots_url, ok(everything));
    CHECK(one->reason() == "rule");  // the second has never seen these rules before
    one->clock.advance(25h);
    CHECK(one->reason() == "rule");
    CHECK(one->cache.rulings().catch_up());
  }
  // The third sees the change itself, and only the ledger says that the rules are accepted.
  const auto late = std::make_shared<failing_ledger>(std::make_shared<MemoryRulingLedger>(shared));
  process third{{.ledger = late,
                 .poll = 0ms,
                 .without_ledger = unread_ledger::ignored,
                 .halt_hostile = true}};
  late->is_down = true;
  third.refresh(ok(open_rules));
  CHECK(third.cache.allowed(home));
  late->is_down = false;
  CHECK(third.cache.rulings().catch_up());
  third.refresh(ok(everything));
  CHECK(third.reason() == "rule");

  // After the site has opened, the same rules are a new change.
  first.refresh(ok(open_rules));
  CHECK(first.cache.allowed(home));
  first.refresh(ok(everything));
  CHECK(first.reason() == "halted");
  CHECK(first.cache.rulings().catch_up());
  CHECK(third.cache.rulings().catch_up());
  CHECK(third.reason() == "halted");
}

TEST_CASE("A process that missed a halt and its resume accepts the rules that were accepted") {
  two_processes with_open_rules;
  auto& [shared, first, second] = with_open_rules;
  first.refresh(ok(everything));
  CHECK(first.cache.rulings().resume("example.com").size() == 1);
  second.refresh(ok(everything));
  CHECK(second.reason() == "halted");  // it does not know the resume yet
  CHECK(second.cache.rulings().catch_up());
  CHECK(second.reason() == "rule");
}

TEST_CASE("A site that is hostile to another crawler is reported, and halted if options say so") {
  for (const bool halts : {false, true}) {
    cache_options options = foo_bot_that_asks_once();
    options.other_agents = {{"BarBot"}, {"BazBot"}};
    process one{{.halt_hostile = true, .halt_hostile_to_others = halts}, options};
    const auto bar_rules = [](std::string_view rule) {
      return ok("User-agent: BarBot\n" + std::string{rule} + "\n\n" + open_rules);
    };
    one.refresh(bar_rules("Disallow: /b"));
    CHECK(one.cache.allowed(home, {.user_agent = "BarBot"}));
    one.refresh(bar_rules("Disallow: /"));
    CHECK(one.is_halted() == halts);
    const texts heard = one.witness.take();
    REQUIRE(heard.size() == (halts ? 2 : 1));
    CHECK(heard[0].ends_with(", hostile to BarBot"));
    CHECK_FALSE(one.cache.allowed(home, {.user_agent = "BarBot"}));
    CHECK(one.cache.allowed(home, {.user_agent = "BazBot"}) != halts);
  }
}

TEST_CASE("A halt that the ledger has lost holds again for a process that begins later") {
  MemoryRulingLedger shared;
  process first{over(shared)};
  process second{over(shared)};
  CHECK(second.cache.rulings().catch_up());
  first.cache.rulings().halt("example.com");
  CHECK(second.cache.rulings().catch_up());
  shared.lose_all();
  first.cache.rulings().override_with("example.com", site_override::allow);
  CHECK(second.cache.rulings().catch_up());
  process third{over(shared)};
  third.web.otherwise(ok());
  CHECK(third.reason() == "halted");
}

TEST_CASE("strict() halts hostile sites, and an option can forbid it") {
  for (const bool is_forbidden : {false, true}) {
    rulings_options options;
    if (is_forbidden) {
      options.halt_hostile = false;
    }
    process one{options, foo_bot_that_asks_once(fallback_policy::strict())};
    one.refresh(ok(open_rules));
    one.refresh(ok(everything));
    CHECK(one.reason() == (is_forbidden ? "rule" : "halted"));
  }
}

TEST_CASE("A site whose robots.txt fails for long is halted: never, at once or after some time") {
  const auto halted_after = [](std::optional<std::chrono::seconds> longest, int failures) {
    process one{{.halt_unreachable_after = longest}};
    for (int i = 0; i < failures; ++i) {
      one.refresh(ScriptedFetcher::status(503));
      one.clock.advance(1h);
    }
    return one.is_halted();
  };
  CHECK_FALSE(halted_after({}, 100));
  CHECK(halted_after(0s, 1));
  CHECK_FALSE(halted_after(2h, 2));
  CHECK(halted_after(2h, 3));
}

TEST_CASE("After a resume, an unreachable site is halted only if it fails for long again") {
  process one{{.halt_unreachable_after = 2h}};
  const auto fail = [&] {
    one.refresh(ScriptedFetcher::status(503));
    one.clock.advance(1h);
    return one.is_halted();
  };
  CHECK_FALSE(fail());
  CHECK_FALSE(fail());
  CHECK(fail());
  CHECK(one.cache.rulings().resume(home).size() == 1);
  CHECK_FALSE(fail());
  CHECK_FALSE(fail());
  CHECK(fail());
}

TEST_CASE("A site that revokes access is halted, by a page or by its robots.txt") {
  process one{{.halt_revoked = true}};
  one.refresh(ok(open_rules));
  CHECK(one.cache.report_response(home, 403));
  CHECK(one.reason() == "halted");
  one.cache.rulings().resume("example.com");
  CHECK(one.cache.report_response(home, 403));
  CHECK(one.reason() == "halted");
  one.cache.rulings().resume("example.com");

  one.refresh(ok(open_rules));
  one.refresh(ScriptedFetcher::status(403));
  CHECK(one.reason() == "halted");
  one.cache.rulings().resume("example.com");
  one.refresh(ScriptedFetcher::status(403));
  CHECK(one.reason() != "halted");  // the resume accepts the refusal
  one.refresh(ok(open_rules));
  one.refresh(ScriptedFetcher::status(403));
  CHECK(one.reason() == "halted");

  process lenient;
  lenient.refresh(ok(open_rules));
  CHECK(lenient.cache.report_response(home, 403));
  CHECK(lenient.reason() != "halted");
}

TEST_CASE("Malformed files in a row lead to a quarantine, which ends with its count") {
  process one{{.quarantine_after = 2}, foo_bot_that_asks_once(fallback_policy::strict())};
  std::string lines = "User-agent: *\nDisallow: /private\n";
  for (int i = 0; i < 100; ++i) {
    lines += "no directive\n";
  }
  const fetch_response malformed = ok(lines);
  one.refresh(malformed);
  one.refresh(ok(open_rules));  // a sound file ends the row
  one.refresh(malformed);
  CHECK_FALSE(one.is_quarantined());
  static_cast<void>(one.witness.take());
  one.refresh(malformed);
  CHECK(one.is_quarantined());
  CHECK(one.witness.take() == texts{"https://example.com: quarantined"});
  const std::size_t requests = one.web.count();
  one.clock.advance(25h);
  CHECK_FALSE(one.cache.allowed(home));
  CHECK(one.web.count() == requests);
  CHECK(one.cache.rulings().end_quarantine("example.com").size() == 1);
  one.refresh(malformed);
  CHECK_FALSE(one.is_quarantined());
  one.refresh(malformed);
  CHECK(one.is_quarantined());
}

TEST_CASE("A file that was asked for before the end of a quarantine does not count after it") {
  process one{{.quarantine_after = 1}, foo_bot_that_asks_once(fallback_policy::strict())};
  const fetch_response malformed = ok("<html></html>\n", {{"Content-Type", "text/html"}});
  one.web.otherwise(malformed);
  look_up asking = one.cache.begin(home);
  const auto sent = std::get<fetch_request>(asking.next());
  one.cache.rulings().quarantine("example.com");
  CHECK(one.cache.rulings().end_quarantine("example.com").size() == 1);
  asking.on_response(one.web.fetch(sent));
  one.drive(asking);
  CHECK_FALSE(one.is_quarantined());
  CHECK_FALSE(one.cache.check(home, asking).allowed);  // the file itself is denied
  CHECK_FALSE(one.cache.allowed(home));                // asks again
  CHECK(one.is_quarantined());
}

TEST_CASE("A failure of a request from before a resume does not halt the site again") {
  process one{{.halt_unreachable_after = 0s}};
  look_up asking = one.cache.begin(home);
  const auto sent = std::get<fetch_request>(asking.next());
  one.cache.rulings().halt("example.com");
  one.cache.rulings().resume("example.com");
  one.web.otherwise(ScriptedFetcher::status(503));
  asking.on_response(one.web.fetch(sent));
  one.drive(asking);
  CHECK_FALSE(one.is_halted());
  CHECK_FALSE(one.cache.allowed(home));
  CHECK(one.is_halted());
}

TEST_CASE("Alarms halt no more sites than the options say, and orders of people have room") {
  process one{{.halt_hostile = true, .most_alarms = 2}};
  SiteRulings& rulings = one.cache.rulings();
  const std::vector<std::string> hosts{"a.example", "b.example", "c.example"};
  rulings.halt("by-hand.example");
  for (const std::string& host : hosts) {
    one.refresh(ok(open_rules), "https://" + host + "/robots.txt");
    one.refresh(ok(everything), "https://" + host + "/robots.txt");
  }
  CHECK(one.reason("https://b.example/") == "halted");
  CHECK(one.reason("https://c.example/") == "rule");  // denied by its own rules
  CHECK(rulings.dropped_alarms() == 1);
  CHECK(rulings.in_force().size() == 3);
  CHECK(rulings.raise_quarantine("d.example").empty());
  CHECK(rulings.halt("c.example").size() == 1);
  CHECK(rulings.quarantine("d.example").size() == 1);
  CHECK(rulings.dropped_alarms() == 2);
  for (const char* const host : {"a.example", "b.example"}) {
    CHECK(rulings.resume(host).size() == 1);
  }
  CHECK(rulings.raise_halt("e.example", halt_reason::access_revoked, {}).size() == 1);
  CHECK(rulings.raise_halt("f.example", halt_reason::access_revoked, {}).empty());
}

TEST_CASE("A change of the rules of a site is an event, and a fast one is marked") {
  process one{{.fast_change_share = 0.5}};
  one.refresh(ok("User-agent: *\nDisallow: /1\nDisallow: /2\nDisallow: /3\n"));
  one.refresh(ok("User-agent: *\nDisallow: /1\nDisallow: /2\nDisallow: /3\nDisallow: /4\n"));
  one.refresh(ok("User-agent: *\nDisallow: /5\n"));
  CHECK(one.witness.take() == texts{"https://example.com: changed by 25 % in 0 min",
                                    "https://example.com: changed by 100 % in 0 min, fast"});
}

TEST_CASE("A process that has never read its ledger denies, whichever call comes first") {
  const auto down = std::make_shared<failing_ledger>(std::make_shared<MemoryRulingLedger>());
  down->is_down = true;
  process one{{.ledger = down, .poll = 0ms}};
  one.web.otherwise(ok());
  CHECK(one.reason() == "unread");
  CHECK(explain(one.cache.check(home)) ==
        "not allowed: the rulings of the crawl are not read yet from their ledger");
  CHECK_FALSE(one.cache.allowed(home));
  CHECK_FALSE(one.cache.get(home)->allows("/"));
  CHECK_FALSE(one.cache.refresh(home)->allows("/"));
  CHECK(one.cache.is_denied(home));
  CHECK(one.cache.check(home, one.cache.begin(home)).reason == decision_reason::unread);
  basic_host_gate gate{gate_options{}, one.clock};
  basic_admission front{one.cache, gate};
  const auto refused = front.try_admit(home);
  CHECK(refused.reason == admission_reason::unread);
  CHECK(explain(refused.reason) == "not now: unread");
  CHECK(one.web.count() == 0);
  down->is_down = false;
  CHECK(one.cache.allowed(home));  // the call reads the ledger
}

TEST_CASE("A process can go on without its ledger if the options say so") {
  const auto down = std::make_shared<failing_ledger>(std::make_shared<MemoryRulingLedger>());
  down->is_down = true;
  process one{{.ledger = down, .poll = 0ms, .without_ledger = unread_ledger::ignored}};
  one.web.otherwise(ok());
  CHECK(one.cache.allowed(home));
  one.cache.rulings().halt("example.com");  // holds at once
  CHECK(one.reason() == "halted");
}

TEST_CASE("The first look-up waits for the first reading of the ledger") {
  MemoryRulingLedger shared;
  SiteRulings operator_console{over(shared)};
  operator_console.halt("example.com");
  process one{{.ledger = std::make_shared<MemoryRulingLedger>(shared)}};  // has a thread
  one.web.otherwise(ok());
  CHECK(one.reason() == "halted");
  CHECK(one.cache.allowed("https://other.example/"));
}

TEST_CASE("prefetch waits for the first reading of the ledger, too") {
  MemoryRulingLedger shared;
  SiteRulings operator_console{over(shared)};
  operator_console.halt("example.com");
  const auto ledger =
      std::make_shared<failing_ledger>(std::make_shared<MemoryRulingLedger>(shared));
  process one{{.ledger = ledger, .poll = 0ms}};
  prompt_web net{one.web};
  net.web.otherwise(ok());
  const texts hosts{"example.com", "https://other.example/"};

  ledger->is_down = true;
  prefetch_summary summary = prefetch(one.cache, hosts, net);
  CHECK(summary.excluded == 2);  // no host is asked while the rulings are unknown
  ledger->is_down = false;
  summary = prefetch(one.cache, hosts, net, {.deadline = one.clock.now()});
  CHECK_FALSE(summary.complete);
  CHECK_FALSE(one.cache.rulings().is_read());  // there was no time to read them
  CHECK(net.web.count() == 0);
  summary = prefetch(one.cache, hosts, net, {.deadline = one.clock.now() + 1h});
  CHECK(summary.excluded == 1);
  CHECK(summary.fetched == 1);
  CHECK(net.web.count() == 1);
}

TEST_CASE("Several caches hold one set of rulings") {
  const SiteRulings rulings;
  ScriptedFetcher web;
  web.otherwise(ok());
  ruled_cache first{foo_bot(), web, {}, {}, {}, rulings};
  ruled_cache second{foo_bot(), web, {}, {}, {}, rulings};
  CHECK(second.allowed(home));
  first.rulings().halt("example.com");
  CHECK_FALSE(second.allowed(home));
}

TEST_CASE("A halt refuses a request that waits at a gate, under any port of the host") {
  process one;
  one.web.otherwise(ok());
  basic_host_gate gate{gate_options{}, one.clock};
  basic_admission front{one.cache, gate};
  auto waiting = front.try_reserve("https://example.com:8443/x");
  auto elsewhere = front.try_reserve("https://other.example/");
  CHECK(waiting.reservation.start().reason == admission_reason::not_yet);
  one.cache.rulings().halt("example.com");
  CHECK(waiting.reservation.start().reason == admission_reason::halted);  // before its time
  one.clock.advance(1h);
  CHECK(elsewhere.reservation.start());
}

}  // namespace robots::test::composed
