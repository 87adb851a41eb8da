// Trails with rulings: what they record, and the forged ones that are found.
#include "adapters/audit/audit_sample.hpp"
#include "support/temporary_folder.hpp"
#include <robots/adapters/audit/audit_decisions.hpp>
#include <robots/adapters/audit/audit_trail.hpp>
#include <robots/adapters/audit/audit_verify.hpp>
#include <robots/adapters/audit/detail/entry.hpp>
#include <robots/adapters/audit/detail/recorded_rulings.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/page.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/rep/read/purpose.hpp>
#include <robots/rulings/ruling_order.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/memory_ruling_ledger.hpp>
#include <robots/testing/scripted_fetcher.hpp>
#include <robots/usage/permission.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::test::audited_rulings {

using namespace std::chrono_literals;
using adapters_detail::audit_entry;
using texts = std::vector<std::string>;

namespace {

using audited_cache =
    basic_robots_cache<ScriptedFetcher, ManualClock, LruStorage<64>, AuditTrail, SiteRulings>;

constexpr const char* fixed = "User-agent: *\nDisallow: /fixed\n";

/// A trail of caches with rulings, whose entries tests change.
struct ruled_trail {
  ruled_trail() { web.otherwise(ScriptedFetcher::ok("User-agent: *\nDisallow: /private\n")); }

  /// Runs a process with one cache, and reads its trail.
  void run(rulings_options own, const std::function<void(audited_cache&)>& crawl) {
    const SiteRulings rulings{std::move(own)};
    run(rulings, crawl);
  }
  void run(const SiteRulings& rulings, const std::function<void(audited_cache&)>& crawl) {
    {
      audited_cache cache{options, web, clock, {}, AuditTrail{{.path = path}, options}, rulings};
      crawl(cache);
    }
    files = files_of(path);
    lines = lines_of(files);
  }

  /// Asks about a page, an hour after the last event.
  bool ask(audited_cache& cache, std::string_view url = "https://example.com/page") const {
    clock.advance(1h);
    return cache.check(url).allowed;
  }

  [[nodiscard]] audit_decisions verify() {
    chain_anew(lines, 0);
    write_lines(files.at(0), lines);
    CHECK(verify_audit(files).fault == audit_result::fault_kind::none);
    return verify_decisions(files);
  }

  /// Returns the text of the only contradiction of the changed trail.
  [[nodiscard]] std::string only_difference() {
    const audit_decisions found = verify();
    CHECK(found.differences.size() == 1);
    return found.differences.empty() ? std::string{} : found.differences[0].text;
  }

  void check_true(std::size_t confirmed) {
    const audit_decisions found = verify();
    for (const auto& one : found.differences) {
      MESSAGE(one.entry << ": " << one.text);
    }
    for (const std::string& note : found.notes) {
      CHECK(note.find("order of halts") == std::string::npos);
      CHECK(note.find("not checked: the order") == std::string::npos);
    }
    CHECK(found.differences.empty());
    CHECK(found.unknown == 0);
    CHECK(found.confirmed == confirmed);
  }

  [[nodiscard]] std::size_t nth(std::string_view wanted, int times) const {
    std::size_t found = line_with(lines, wanted);
    for (int i = 1; i < times; ++i) {
      found = line_with(lines, wanted, found + 1);
    }
    return found;
  }

  [[nodiscard]] std::string text(std::size_t line, std::string_view name) const {
    return audit_entry::read(lines.at(line))->text(name);
  }

  /// Moves a line before another one, as a forger does, and gives all lines new numbers.
  void insert(std::size_t position, std::string line) {
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(position), std::move(line));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::string& one = lines[i];
      one.replace(0, one.find(','), "{\"n\":" + std::to_string(i + 1));
    }
  }

  /// Makes an entry a copy of another one, at its own time.
  void copy_to(std::size_t position, std::size_t from) {
    const std::string time = text(position, "time");
    const std::string old = text(from, "time");
    lines[position] = lines[from];
    replace(lines[position], "\"time\":\"" + old, "\"time\":\"" + time);
    std::string& one = lines[position];
    one.replace(0, one.find(','), "{\"n\":" + std::to_string(position + 1));
  }

  temporary_folder folder{};
  std::string path = (folder.path() / "audit").string();
  cache_options options{.user_agent = "FooBot", .fallback = fallback_policy::rfc9309()};
  ScriptedFetcher web{};
  ManualClock clock{};
  texts files{};
  texts lines{};
};

/// Everything an operator can do to a site, with a decision after each step.
std::size_t rule_and_ask(const ruled_trail& trail, audited_cache& cache) {
  SiteRulings& rulings = cache.rulings();
  std::size_t asked = 0;
  const auto ask = [&] {
    static_cast<void>(trail.ask(cache));
    static_cast<void>(trail.ask(cache, "http://example.com:8080/private"));
    asked += 2;
  };
  ask();
  rulings.halt("example.com", "ann");
  ask();
  rulings.resume("example.com", "bob");
  ask();
  rulings.override_with("example.com", site_override::deny, "ann");
  ask();
  rulings.override_with("https://example.com", site_override::allow, "ann");
  ask();
  rulings.override_with_text("example.com", fixed, "ann");
  ask();
  rulings.end_override("example.com", "ann");
  ask();
  rulings.quarantine("example.com:8080", "ann");
  ask();
  rulings.end_quarantine("example.com", "ann");
  ask();
  return asked;
}

}  // namespace

TEST_CASE("The trail of a cache with rulings is true, and says so without a note") {
  ruled_trail trail;
  std::size_t asked = 0;
  trail.run(rulings_options{}, [&](audited_cache& cache) { asked = rule_and_ask(trail, cache); });
  trail.check_true(asked);
  CHECK(verify_decisions(trail.files).notes.empty());
  CHECK(count_of(trail.lines, "rulings") == 1);
  const std::size_t halt = trail.nth("\"type\":\"halt\"", 1);
  CHECK(trail.text(halt, "order") == "1-1");
  CHECK(trail.text(halt, "maker") == "ann");
  CHECK(!trail.text(halt, "order_id").empty());
  const std::size_t denied = line_with(trail.lines, "\"reason\":\"halted\",\"age_seconds\"");
  CHECK(trail.text(denied, "order") == "1-1");
  CHECK(trail.text(denied, "order_id") == trail.text(halt, "order_id"));
  const std::size_t text = line_with(trail.lines, "\"value\":\"text\"");
  CHECK(trail.text(text, "body") == adapters_detail::sha256(fixed));
  CHECK(count_of(trail.lines, "body") == 2);  // the file of the site, and the fixed one, once
}

TEST_CASE("Each process of a trail states the rulings in force, and may learn them from a ledger") {
  ruled_trail trail;
  const MemoryRulingLedger ledger;
  const auto over_ledger = [&] {
    return rulings_options{.ledger = std::make_shared<MemoryRulingLedger>(ledger), .poll = 0ms};
  };
  std::size_t asked = 0;
  trail.run(over_ledger(), [&](audited_cache& cache) {
    asked = rule_and_ask(trail, cache);
    cache.rulings().halt("example.com", "ann");
  });
  SiteRulings early{over_ledger()};  // read before its cache exists
  REQUIRE(early.catch_up());
  trail.run(early, [&](audited_cache& cache) {
    CHECK_FALSE(trail.ask(cache));
    cache.rulings().resume("example.com", "ann");
    CHECK(trail.ask(cache));
  });
  const audit_decisions found = verify_decisions(trail.files);
  CHECK(found.differences.empty());
  CHECK(found.confirmed == asked + 2);
  REQUIRE(found.notes.size() == 1);
  CHECK(
      found.notes[0].starts_with("not checked: how soon the process learned the orders of other"));
}

TEST_CASE("A trail links an order without a number to the number that the ledger gave it later") {
  ruled_trail trail;
  MemoryRulingLedger ledger;
  trail.run({.ledger = std::make_shared<MemoryRulingLedger>(ledger), .poll = 0ms},
            [&](audited_cache& cache) {
              REQUIRE(cache.rulings().catch_up());
              ledger.fail("no route");
              cache.rulings().halt("example.com", "ann");
              CHECK_FALSE(trail.ask(cache));
              ledger.recover();
              REQUIRE(cache.rulings().catch_up());
              CHECK_FALSE(trail.ask(cache));
            });
  trail.check_true(2);
  const std::size_t halt = trail.nth("\"type\":\"halt\"", 1);
  const std::size_t numbered = trail.nth("\"type\":\"order\"", 1);
  CHECK(trail.text(halt, "order") == "0-0");
  CHECK(trail.text(numbered, "order") == "1-1");
  CHECK(trail.text(numbered, "order_id") == trail.text(halt, "order_id"));
  CHECK(trail.text(trail.nth("\"type\":\"decision\"", 1), "order") == "0-0");
  CHECK(trail.text(trail.nth("\"type\":\"decision\"", 2), "order") == "1-1");
}

TEST_CASE("A permission for a site that the newest order halts, denies or quarantines is found") {
  struct step {
    std::function<void(SiteRulings&)> rule;
    std::string said;
  };
  const std::vector<step> steps{
      {[](SiteRulings& rulings) { rulings.halt("example.com", "ann"); },
       "the site was halted: order 1-1 by ann, entry "},
      {[](SiteRulings& rulings) {
         rulings.override_with("example.com", site_override::deny, "ann");
       },
       "an override of the site decided: order 1-1 by ann, entry "},
      {[](SiteRulings& rulings) { rulings.override_with_text("example.com", fixed, "ann"); },
       "an override of the site decided: order 1-1 by ann, entry "},
      {[](SiteRulings& rulings) { rulings.quarantine("example.com", "ann"); },
       "the site was in quarantine: order 1-1 by ann, entry "}};
  for (const step& one : steps) {
    ruled_trail trail;
    trail.run(rulings_options{}, [&](audited_cache& cache) {
      CHECK(trail.ask(cache));
      one.rule(cache.rulings());
      static_cast<void>(trail.ask(cache));
    });
    trail.check_true(2);
    trail.copy_to(trail.nth("\"type\":\"decision\"", 2), trail.nth("\"type\":\"decision\"", 1));
    CHECK(trail.only_difference().starts_with(one.said));
  }
}

TEST_CASE("A permission by an override is found if the site was halted") {
  ruled_trail trail;
  trail.run(rulings_options{}, [&](audited_cache& cache) {
    cache.rulings().override_with("example.com", site_override::allow, "ann");
    CHECK(trail.ask(cache));
    cache.rulings().halt("example.com", "bob");
    CHECK_FALSE(trail.ask(cache));
  });
  trail.copy_to(trail.nth("\"type\":\"decision\"", 2), trail.nth("\"type\":\"decision\"", 1));
  CHECK(trail.only_difference().starts_with("the site was halted: order 1-2 by bob, entry "));
}

TEST_CASE("A resume that was added to a trail contradicts the later denials, or the numbers") {
  ruled_trail trail;
  trail.run(rulings_options{}, [&](audited_cache& cache) {
    CHECK(trail.ask(cache));
    cache.rulings().halt("example.com", "ann");
    CHECK_FALSE(trail.ask(cache));
    CHECK_FALSE(trail.ask(cache));
    cache.rulings().resume("example.com", "ann");
    CHECK(trail.ask(cache));
  });
  trail.check_true(4);
  const std::size_t halt = trail.nth("\"type\":\"halt\"", 1);
  const std::size_t resume = trail.nth("\"type\":\"halt\"", 2);
  SUBCASE("before a permission and a denial") {
    std::string added = trail.lines[resume];
    replace(added, trail.text(resume, "order_id"), "1-2-3");
    replace(added, "\"time\":\"" + trail.text(resume, "time"),
            "\"time\":\"" + trail.text(halt, "time"));
    trail.insert(halt + 1, added);
    const std::size_t forged = trail.nth("\"type\":\"decision\"", 2);
    trail.copy_to(forged, trail.nth("\"type\":\"decision\"", 1));
    CHECK(trail.only_difference() ==
          "it follows order 1-1 by ann, entry " + std::to_string(halt + 1) +
              ", but a newer order was known: order 1-2 by ann, entry " + std::to_string(halt + 2));
  }
  SUBCASE("with a number that is too low") {
    replace(trail.lines[resume], "\"order\":\"1-2\"", "\"order\":\"1-0\"");
    CHECK(trail.only_difference().starts_with(
        "its order has a lower number than an order before it: order 1-0 by ann, after order 1-1"));
  }
}

TEST_CASE("A denial by an order that came later is found") {
  ruled_trail trail;
  trail.run(rulings_options{}, [&](audited_cache& cache) {
    CHECK(trail.ask(cache));
    trail.clock.advance(1h);
    cache.rulings().halt("example.com", "ann");
    CHECK_FALSE(trail.ask(cache));
  });
  trail.check_true(2);
  trail.copy_to(trail.nth("\"type\":\"decision\"", 1), trail.nth("\"type\":\"decision\"", 2));
  const audit_decisions found = trail.verify();
  REQUIRE(!found.differences.empty());  // its policy comes later, too
}

TEST_CASE("Swapped numbers of orders are found") {
  ruled_trail trail;
  trail.run(rulings_options{}, [&](audited_cache& cache) {
    cache.rulings().halt("example.com", "ann");
    cache.rulings().halt("other.example", "ann");
    CHECK_FALSE(trail.ask(cache));
    CHECK_FALSE(trail.ask(cache, "https://other.example/"));
  });
  trail.check_true(2);
  replace(trail.lines[trail.nth("\"type\":\"halt\"", 1)], "\"order\":\"1-1\"", "\"order\":\"1-2\"");
  replace(trail.lines[trail.nth("\"type\":\"halt\"", 2)], "\"order\":\"1-2\"", "\"order\":\"1-1\"");
  const audit_decisions found = trail.verify();
  REQUIRE(found.differences.size() == 2);  // the policies of the two decisions
  CHECK(found.differences[0].text ==
        "it names order 1-1 by ann, but the number of this order is 1-2");
}

TEST_CASE("An order whose maker or content was changed contradicts its other entries") {
  ruled_trail trail;
  SiteRulings rulings;
  {
    const AuditTrail both{{.path = trail.path}, trail.options};
    audited_cache first{trail.options, trail.web, trail.clock, {}, both, rulings};
    audited_cache second{trail.options, trail.web, trail.clock, {}, both, rulings};
    rulings.halt("example.com", "ann");
    rulings.override_with_text("other.example", fixed, "ann");
    static_cast<void>(trail.ask(first));
    static_cast<void>(trail.ask(second, "https://other.example/fixed"));
  }
  trail.files = files_of(trail.path);
  trail.lines = lines_of(trail.files);
  trail.check_true(2);
  const std::size_t halt = trail.nth("\"type\":\"halt\"", 1);
  const std::size_t text = trail.nth("\"value\":\"text\"", 1);
  std::string said;
  SUBCASE("the maker") {
    replace(trail.lines[halt], "\"maker\":\"ann\"", "\"maker\":\"eve\"");
    said = "there: halt by_hand on example.com by eve; here: halt by_hand on example.com by ann";
  }
  SUBCASE("the site") {
    replace(trail.lines[halt], "\"site\":\"example.com\"", "\"site\":\"other.example\"");
    said = "there: halt by_hand on other.example by ann; here: halt by_hand on example.com by ann";
  }
  SUBCASE("the value") {
    replace(trail.lines[text], "\"value\":\"text\"", "\"value\":\"allow\"");
    said = "there: site_override allow on other.example by ann";
  }
  SUBCASE("the fixed robots.txt") {
    replace(trail.lines[text], adapters_detail::sha256(fixed), adapters_detail::sha256("other"));
    said = "here: site_override text on other.example by ann, robots.txt " +
           adapters_detail::sha256(fixed);
  }
  const audit_decisions found = trail.verify();
  REQUIRE(!found.differences.empty());
  CHECK(std::any_of(found.differences.begin(), found.differences.end(),
                    [&](const auto& one) { return one.text.find(said) != std::string::npos; }));
}

TEST_CASE("A decision by a fixed robots.txt is computed again") {
  ruled_trail trail;
  trail.run(rulings_options{}, [&](audited_cache& cache) {
    cache.rulings().override_with_text("example.com", fixed, "ann");
    CHECK_FALSE(trail.ask(cache, "https://example.com/fixed"));
    CHECK(trail.ask(cache, "https://example.com/private"));
  });
  trail.check_true(2);
  SUBCASE("if the decision was changed") {
    replace(trail.lines[trail.nth("\"type\":\"decision\"", 1)], "\"allowed\":false",
            "\"allowed\":true");
    CHECK(trail.only_difference().starts_with("the decision differs"));
  }
  SUBCASE("if the text was changed with all its hashes") {
    const std::size_t body = line_with(trail.lines, "Disallow: /fixed");
    replace(trail.lines[body], "Disallow: /fixed", "Disallow: /other");
    const std::string old = trail.text(body, "id");
    const std::string now = adapters_detail::sha256("User-agent: *\nDisallow: /other\n");
    for (std::string& line : trail.lines) {
      for (std::size_t i = line.find(old); i != std::string::npos; i = line.find(old)) {
        line.replace(i, old.size(), now);
      }
    }
    CHECK(trail.only_difference().starts_with("the decision differs"));
  }
  SUBCASE("if the text is missing") {
    const std::size_t body = line_with(trail.lines, "Disallow: /fixed");
    replace(trail.lines[body], "\"type\":\"body\"", "\"type\":\"nothing\"");
    CHECK(trail.verify().differences.size() == 2);
  }
}

TEST_CASE("A decision about a sign-off is compared with the list of sites that need one") {
  ruled_trail trail;
  trail.run({.needs_sign_off = {"gov"}}, [&](audited_cache& cache) {
    CHECK_FALSE(trail.ask(cache, "https://clinic.gov/"));
    cache.rulings().sign_off("clinic.gov", "ann");
    CHECK(trail.ask(cache, "https://clinic.gov/"));
    CHECK(trail.ask(cache));
  });
  trail.check_true(3);
  SUBCASE("a denial of a site that needs none") {
    replace(trail.lines[line_with(trail.lines, "\"type\":\"rulings\"")], "\"host\":\"gov\"",
            "\"host\":\"mil\"");
    CHECK(trail.only_difference() == "the site needs no sign-off");
  }
  SUBCASE("a denial of a site that has it") {
    trail.copy_to(trail.nth("\"type\":\"decision\"", 2), trail.nth("\"type\":\"decision\"", 1));
    CHECK(trail.only_difference().starts_with("the site was signed off: order 1-1 by ann, entry "));
  }
  SUBCASE("a permission without a sign-off") {
    replace(trail.lines[line_with(trail.lines, "\"given\":true")], "\"given\":true",
            "\"given\":false");
    CHECK(trail.only_difference() == "no entry signs off the site");
  }
  SUBCASE("a permission without a sign-off, and without the entry that lists such sites") {
    replace(trail.lines[line_with(trail.lines, "\"given\":true")], "\"given\":true",
            "\"given\":false");
    replace(trail.lines[line_with(trail.lines, "\"type\":\"rulings\"")], "\"type\":\"rulings\"",
            "\"type\":\"nothing\"");
    const audit_decisions found = trail.verify();
    CHECK(std::any_of(found.differences.begin(), found.differences.end(),
                      [](const auto& one) { return one.text == "no entry signs off the site"; }));
  }
}

TEST_CASE("A denial before the first reading of the ledger needs rulings that deny then") {
  ruled_trail trail;
  MemoryRulingLedger ledger;
  ledger.fail("no route");
  trail.run({.ledger = std::make_shared<MemoryRulingLedger>(ledger), .poll = 0ms},
            [&](audited_cache& cache) { CHECK_FALSE(trail.ask(cache)); });
  trail.check_true(1);
  replace(trail.lines[line_with(trail.lines, "\"type\":\"rulings\"")], "\"denies_unread\":true",
          "\"denies_unread\":false");
  CHECK(trail.only_difference() == "the rulings of its cache are read without a wait");
}

TEST_CASE("An order is not needed if its entry can be in an earlier file") {
  ruled_trail trail;
  trail.run(rulings_options{}, [&](audited_cache& cache) {
    cache.rulings().halt("example.com", "ann");
    CHECK_FALSE(trail.ask(cache));
    cache.rulings().halt("other.example", "ann");
    CHECK_FALSE(trail.ask(cache, "https://other.example/"));
  });
  const std::size_t first = trail.nth("\"type\":\"halt\"", 1);
  const std::size_t second = trail.nth("\"type\":\"halt\"", 2);
  trail.lines.erase(trail.lines.begin() + static_cast<std::ptrdiff_t>(first));
  write_lines(trail.files.at(0), trail.lines);
  const audit_decisions whole = verify_decisions(trail.files);
  REQUIRE(whole.differences.size() == 1);
  CHECK(whole.differences[0].text == "no entry states the order that it follows: order 1-1 by ann");
  trail.lines.erase(trail.lines.begin());  // the first entry of the trail
  write_lines(trail.files.at(0), trail.lines);
  const audit_decisions rest = verify_decisions(trail.files);
  CHECK(rest.differences.empty());
  CHECK(rest.unknown == 1);
  CHECK(second > first);
}

TEST_CASE("A cache that begins where an earlier one has ended is compared with its own rulings") {
  ruled_trail trail;
  const std::string clinic = "https://clinic.gov/";
  {
    const AuditTrail both{{.path = trail.path}, trail.options};
    {
      const SiteRulings rulings{{.needs_sign_off = {"gov"}}};
      audited_cache first{trail.options, trail.web, trail.clock, {}, both, rulings};
      first.rulings().halt("example.com", "ann");
      CHECK_FALSE(trail.ask(first));
      CHECK_FALSE(trail.ask(first, clinic));
    }
    audited_cache second{trail.options, trail.web, trail.clock, {}, both, SiteRulings{}};
    CHECK(trail.ask(second));
    CHECK(trail.ask(second, clinic));
    const decision decided = second.check("https://example.com/");
    CHECK(both.record_permission(decided, "https://example.com/",
                                 second.page("https://example.com/"), purpose::tdm,
                                 trail.clock.wall_now())
              .answer != permission_answer::no);
  }
  trail.files = files_of(trail.path);
  trail.lines = lines_of(trail.files);
  for (std::string& line : trail.lines) {  // both caches had one address
    if (const std::size_t member = line.find(",\"cache\":2"); member != std::string::npos) {
      line.erase(member, std::string_view{",\"cache\":2"}.size());
    }
  }
  trail.check_true(6);
  CHECK(verify_decisions(trail.files).permissions == 1);
  SUBCASE("also if it was halted after the other had ended") {
    const std::size_t halt = trail.nth("\"type\":\"halt\"", 1);
    std::string moved = trail.lines[halt];
    trail.lines.erase(trail.lines.begin() + static_cast<std::ptrdiff_t>(halt));
    const std::size_t second = trail.nth("\"type\":\"rulings\"", 2);
    replace(moved, "\"time\":\"" + audit_entry::read(moved)->text("time"),
            "\"time\":\"" + trail.text(second, "time"));
    trail.insert(second + 1, moved);
    const audit_decisions found = trail.verify();
    REQUIRE(found.differences.size() == 4);  // the policy and the denial before, and the
                                             // permissions after
    CHECK(found.differences[2].text.starts_with("the site was halted: order 1-1 by ann, entry "));
  }
}

TEST_CASE("A decision that a slow thread records most of a minute after an order is true") {
  for (const bool is_late : {false, true}) {
    CAPTURE(is_late);
    ruled_trail trail;
    trail.run(rulings_options{}, [&](audited_cache& cache) {
      CHECK(trail.ask(cache));
      trail.clock.advance(1h);
      cache.rulings().halt("example.com", "ann");
      trail.clock.advance(is_late ? 61s : 59s);
      CHECK_FALSE(cache.allowed("https://example.com/page"));
    });
    trail.check_true(2);
    trail.copy_to(trail.nth("\"type\":\"decision\"", 2), trail.nth("\"type\":\"decision\"", 1));
    if (is_late) {
      CHECK(trail.only_difference().starts_with("the site was halted: order 1-1 by ann, entry "));
    } else {
      CHECK(trail.verify().differences.empty());
    }
  }
}

TEST_CASE("The orders on the site to which a robots.txt redirects are compared, too") {
  ruled_trail trail;
  trail.web.on("https://example.com/robots.txt",
               ScriptedFetcher::redirect(301, "https://rules.example/robots.txt"));
  const auto forge = [&](int changed, int from) {
    trail.copy_to(trail.nth("\"type\":\"decision\"", changed),
                  trail.nth("\"type\":\"decision\"", from));
  };
  SUBCASE("a halt, a denial, or a quarantine of this site") {
    const std::vector<std::pair<std::function<void(SiteRulings&)>, std::string>> steps{
        {[](SiteRulings& own) { own.halt("rules.example", "ann"); },
         "the site of the redirect was halted: order 1-1 by ann, entry "},
        {[](SiteRulings& own) { own.override_with("rules.example", site_override::deny, "ann"); },
         "an override of the site of the redirect decided: order 1-1 by ann, entry "},
        {[](SiteRulings& own) { own.quarantine("rules.example", "ann"); },
         "the site of the redirect was in quarantine: order 1-1 by ann, entry "}};
    for (const auto& [rule, said] : steps) {
      CAPTURE(said);
      ruled_trail own;
      own.web.on("https://example.com/robots.txt",
                 ScriptedFetcher::redirect(301, "https://rules.example/robots.txt"));
      own.run(rulings_options{}, [&](audited_cache& cache) {
        CHECK(own.ask(cache));
        rule(cache.rulings());
        static_cast<void>(own.ask(cache));
      });
      own.check_true(2);
      own.copy_to(own.nth("\"type\":\"decision\"", 2), own.nth("\"type\":\"decision\"", 1));
      CHECK(own.only_difference().starts_with(said));
    }
  }
  SUBCASE("an override that allows all or has a text lets the robots.txt of this site decide") {
    trail.run(rulings_options{}, [&](audited_cache& cache) {
      cache.rulings().quarantine("rules.example", "ann");
      cache.rulings().override_with("rules.example", site_override::allow, "ann");
      CHECK(trail.ask(cache));
      CHECK_FALSE(trail.ask(cache, "https://example.com/private"));
    });
    trail.check_true(2);
  }
  SUBCASE("an order that has ended") {
    trail.run(rulings_options{}, [&](audited_cache& cache) {
      cache.rulings().quarantine("rules.example", "ann");
      static_cast<void>(trail.ask(cache));
      cache.rulings().end_quarantine("rules.example", "bob");
      CHECK(trail.ask(cache));
    });
    trail.check_true(2);
    forge(2, 1);
    CHECK(trail.only_difference().find("but a newer order was known: order 1-2 by bob, entry ") !=
          std::string::npos);
  }
  SUBCASE("a missing sign-off") {
    trail.run({.needs_sign_off = {"rules.example"}}, [&](audited_cache& cache) {
      cache.rulings().sign_off("rules.example", "ann");
      CHECK(trail.ask(cache));
      cache.rulings().withdraw_sign_off("rules.example", "ann");
      static_cast<void>(trail.ask(cache));
    });
    trail.check_true(2);
    forge(2, 1);
    CHECK(trail.only_difference() == "no entry signs off the site of the redirect");
  }
  SUBCASE("a halt by the answer that a look-up has just got") {
    trail.web.on("https://rules.example/robots.txt",
                 ScriptedFetcher::ok("User-agent: *\nDisallow: /private\n"),
                 ScriptedFetcher::ok("User-agent: *\nDisallow: /\n"));
    trail.run({.halt_hostile = true}, [&](audited_cache& cache) {
      CHECK(trail.ask(cache));
      trail.clock.advance(25h);
      CHECK_FALSE(trail.ask(cache));
    });
    trail.check_true(2);
    CHECK(trail.text(trail.nth("\"type\":\"decision\"", 2), "reason") == "halted");
  }
}

TEST_CASE("An order that got another number between two caches is one order") {
  ruled_trail trail;
  const MemoryRulingLedger shared;
  MemoryRulingLedger server{shared};
  const auto open = [&] {
    return rulings_options{.ledger = std::make_shared<MemoryRulingLedger>(shared), .poll = 0ms};
  };
  SiteRulings knows{open()};
  knows.halt("other.example", "ann");
  server.lose_all();
  SiteRulings rulings{open()};
  rulings.halt("example.com", "bob");
  {
    const AuditTrail both{{.path = trail.path}, trail.options};
    {
      audited_cache first{trail.options, trail.web, trail.clock, {}, both, rulings};
      CHECK_FALSE(trail.ask(first));
    }
    REQUIRE(knows.catch_up());  // puts back what was lost, and gives the halt a higher number
    REQUIRE(rulings.catch_up());
    audited_cache second{trail.options, trail.web, trail.clock, {}, both, rulings};
    CHECK_FALSE(trail.ask(second));
  }
  trail.files = files_of(trail.path);
  trail.lines = lines_of(trail.files);
  CHECK(trail.text(trail.nth("\"type\":\"decision\"", 1), "order") !=
        trail.text(trail.nth("\"type\":\"decision\"", 2), "order"));
  trail.check_true(2);
}

TEST_CASE("A denial before the first reading is left open if the first files are missing") {
  ruled_trail trail;
  MemoryRulingLedger ledger;
  ledger.fail("no route");
  trail.run({.ledger = std::make_shared<MemoryRulingLedger>(ledger), .poll = 0ms},
            [&](audited_cache& cache) {
              cache.rulings().halt("other.example", "ann");
              CHECK_FALSE(trail.ask(cache));
            });
  trail.check_true(1);
  const std::size_t rulings = line_with(trail.lines, "\"type\":\"rulings\"");
  trail.lines.erase(trail.lines.begin() + static_cast<std::ptrdiff_t>(rulings));
  trail.lines.erase(trail.lines.begin());  // each file repeats the entry about the crawler
  write_lines(trail.files.at(0), trail.lines);
  const audit_decisions rest = verify_decisions(trail.files);
  for (const auto& one : rest.differences) {
    MESSAGE(one.entry << ": " << one.text);
  }
  CHECK(rest.differences.empty());
  CHECK(rest.unknown == 1);
}

}  // namespace robots::test::audited_rulings
