#include <robots/adapters/audit/audit_decisions.hpp>

#include "adapters/audit/audit_sample.hpp"
#include "support/temporary_folder.hpp"
#include <robots/adapters/audit/audit_trail.hpp>
#include <robots/adapters/audit/audit_verify.hpp>
#include <robots/adapters/audit/detail/entry.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/tiered_storage.hpp>
#include <robots/http/message.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/rulings/ruling_order.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/memory_store.hpp>
#include <robots/testing/scripted_fetcher.hpp>
#include <robots/time/clock.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using robots::audit_decisions;
using robots::verify_decisions;
using robots::adapters_detail::audit_entry;
using robots::test::chain_anew;
using robots::test::count_of;
using robots::test::line_with;
using robots::test::lines_of;
using robots::test::replace;
using texts = std::vector<std::string>;

/// Returns the lines of the sample, which fit in one file.
const texts& sample_lines() {
  static const texts lines = [] {
    const robots::test::temporary_folder folder;
    const texts files = robots::test::write_sample({.path = (folder.path() / "audit").string()});
    REQUIRE(files.size() == 1);
    return lines_of(files);
  }();
  return lines;
}

/// A trail in one file. Tests falsify it.
struct whole_trail {
  whole_trail() : files{(folder.path() / "audit.000001.jsonl").string()}, lines{sample_lines()} {
    robots::test::write_lines(files.at(0), lines);
  }

  /// Rewrites the hashes from a line on, as an attacker can, and verifies the decisions.
  [[nodiscard]] audit_decisions verify_from(std::size_t line) {
    chain_anew(lines, line);
    robots::test::write_lines(files.at(0), lines);
    CHECK(robots::verify_audit(files).fault == robots::audit_result::fault_kind::none);
    return verify_decisions(files);
  }

  robots::test::temporary_folder folder;
  texts files;
  texts lines;
};

using ruled_cache =
    robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock, robots::LruStorage<64>,
                               robots::AuditTrail, robots::SiteRulings>;

/// Checks that all decisions of a trail follow from its entries, and that their number is right.
void check_confirms(const std::string& path, std::size_t decisions) {
  const audit_decisions found = verify_decisions(robots::test::files_of(path));
  for (const auto& one : found.differences) {
    MESSAGE(one.entry << ": " << one.text);
  }
  CHECK(found.differences.empty());
  CHECK(found.confirmed == decisions);
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Every decision of an unchanged trail is confirmed") {
  const whole_trail trail;
  const audit_decisions found = verify_decisions(trail.files);
  for (const auto& one : found.differences) {
    MESSAGE(one.entry << ": " << one.text << " in " << trail.lines.at(one.entry - 1));
  }
  CHECK(found.differences.empty());
  CHECK(found.unknown == 0);
  CHECK(found.confirmed == count_of(trail.lines, "decision"));
  for (const std::string_view kind :
       {"retrieval", "far_hit", "far_old_record", "policy", "fallback", "breaker", "quarantine",
        "override", "admission", "directives", "body", "crawler", "policy_change", "halt",
        "sign_off", "access_revoked"}) {
    CHECK_MESSAGE(count_of(trail.lines, kind) > 0, kind);
  }
  for (const std::string_view value :
       {"\"reason\":\"rule\"", "\"reason\":\"no_rule\"", "\"reason\":\"robots_txt\"",
        "\"reason\":\"no_file\"", "\"reason\":\"fallback\"", "\"reason\":\"by_hand\"",
        "\"reason\":\"halted\"", "\"reason\":\"needs_sign_off\"", "\"reason\":\"excluded\"",
        "\"reason\":\"invalid_url\"", "\"outcome\":\"quarantined\"", "\"outcome\":\"circuit_open\"",
        "\"basis\":\"last_good\"", "\"not_modified\":true",
        "\"trace_id\":\"0af7651916cd43dd8448eb211c80319c\",\"span_id\":\"b7ad6b7169203331\""}) {
    static_cast<void>(line_with(trail.lines, value));
  }
}

TEST_CASE("A trail with far_copy, an earlier name of an entry, is checked as before") {
  whole_trail trail;
  std::size_t renamed = 0;
  for (std::string& line : trail.lines) {
    if (has(line, "\"type\":\"far_old_record\"")) {
      replace(line, "far_old_record", "far_copy");
      ++renamed;
    }
  }
  CHECK(renamed > 0);
  const audit_decisions found = trail.verify_from(0);
  CHECK(found.differences.empty());
  CHECK(found.unknown == 0);
  CHECK(found.confirmed == count_of(trail.lines, "decision"));

  std::string& falsified = trail.lines[line_with(trail.lines, "\"type\":\"far_copy\"")];
  replace(falsified, "\"basis\":\"rules\"", "\"basis\":\"allow_all\"");
  const audit_decisions later = trail.verify_from(0);
  REQUIRE(later.differences.size() == 1);
  CHECK(later.differences[0].text == "the policy does not match its hash");
}

TEST_CASE("A falsified decision is found, even if the hashes were rewritten") {
  whole_trail trail;
  const std::size_t position = line_with(trail.lines, "\"allowed\":false,\"reason\":\"rule\"");
  SUBCASE("a denial becomes a permission") {
    replace(trail.lines[position], "\"allowed\":false", "\"allowed\":true");
    const audit_decisions found = trail.verify_from(position);
    REQUIRE(found.differences.size() == 1);
    CHECK(found.differences[0].line == position + 1);
    CHECK(found.differences[0].entry == position + 1);
    CHECK(found.differences[0].text ==
          "the decision differs: recorded: allowed: true, reason: rule, directive: disallow, "
          "pattern: /private, line: 2, user_agent: FooBot; computed: allowed: false, reason: rule, "
          "directive: disallow, pattern: /private, line: 2, user_agent: FooBot");
  }
  SUBCASE("a pattern gets octets that are no text") {
    replace(trail.lines[position], "\"pattern\":\"/private\"",
            R"("note":"\\x5C\\xC3","pattern":"/a\\x5C\\xC3")");
    const audit_decisions found = trail.verify_from(position);
    REQUIRE(found.differences.size() == 1);
    CHECK(has(found.differences[0].text, "pattern: /a\\\xC3, line: 2"));
    const robots::audit_result chain = robots::verify_audit(trail.files);
    REQUIRE(!chain.notes.empty());
    CHECK(chain.notes[0] == "entry " + std::to_string(position + 1) + ": \\\xC3");
  }
  SUBCASE("a permission becomes a denial") {
    const std::size_t open = line_with(trail.lines, "\"allowed\":true,\"reason\":\"no_rule\"");
    replace(trail.lines[open], "\"allowed\":true", "\"allowed\":false");
    CHECK(trail.verify_from(open).differences.size() == 1);
  }
  SUBCASE("the rule is in another line") {
    replace(trail.lines[position], "\"line\":2", "\"line\":3");
    CHECK(trail.verify_from(position).differences.size() == 1);
  }
  SUBCASE("the entry says both") {
    replace(trail.lines[position], "\"allowed\":false", "\"allowed\":true,\"allowed\":false");
    CHECK(trail.verify_from(position).differences.size() == 1);
  }
  SUBCASE("a second member at the end says allowed") {
    replace(trail.lines[position], ",\"hash\":", ",\"allowed\":true,\"hash\":");
    const audit_decisions found = trail.verify_from(position);
    REQUIRE(found.differences.size() == 1);
    CHECK(found.differences[0].text == "the entry has two members with one name");
  }
  SUBCASE("the denial becomes a nested copy before a permission") {
    replace(trail.lines[position], "\"allowed\":false",
            "\"x\":{\"allowed\":false,\"reason\":\"rule\",\"age_seconds\":0},\"allowed\":true");
    CHECK(trail.verify_from(position).differences.size() == 1);
  }
  SUBCASE("the policy is not in the trail") {
    replace(trail.lines[position], audit_entry::read(trail.lines[position])->text("policy"),
            robots::adapters_detail::sha256("another"));
    const audit_decisions found = trail.verify_from(position);
    REQUIRE(found.differences.size() == 1);
    CHECK(found.differences[0].text == "the policy that it names was not recorded before");
  }
  SUBCASE("the override is not in the trail") {
    const std::size_t by_hand = line_with(trail.lines, "\"reason\":\"by_hand\",\"age_seconds\"");
    for (std::string& line : trail.lines) {
      if (has(line, "\"type\":\"override\"")) {
        replace(line, "\"type\":\"override\"", "\"type\":\"nothing\"");
      }
    }
    const audit_decisions found = trail.verify_from(0);
    REQUIRE(!found.differences.empty());
    CHECK(found.differences[0].entry == by_hand + 1);
    CHECK(has(found.differences[0].text, "no entry states the order that it follows: order 1-1"));
  }
  SUBCASE("the URL is another one") {
    replace(trail.lines[position], "/private/x?q=", "/private/open?=");
    CHECK(trail.verify_from(position).differences.empty());  // the same rule has the same answer
    replace(trail.lines[position], "https://rules.example/private", "https://none.example/private");
    CHECK(trail.verify_from(position).differences.size() == 1);
  }
  SUBCASE("the policy belongs to another site") {
    const std::size_t other = line_with(trail.lines, "\"url\":\"https://moved.example/private\"");
    replace(trail.lines[other], audit_entry::read(trail.lines[other])->text("policy"),
            audit_entry::read(trail.lines[position])->text("policy"));
    const audit_decisions found = trail.verify_from(other);
    REQUIRE(found.differences.size() == 1);
    CHECK(found.differences[0].text == "the policy is that of another site");
  }
}

TEST_CASE("A falsified robots.txt contradicts the decisions that name it") {
  whole_trail trail;
  const std::size_t position = line_with(trail.lines, "\"type\":\"body\"");
  const std::string old = audit_entry::read(trail.lines[position])->text("id");
  replace(trail.lines[position], "/private", "/elsewhere");
  SUBCASE("and nothing else") {
    const audit_decisions found = trail.verify_from(position);
    REQUIRE(!found.differences.empty());
    CHECK(found.differences[0].text == "the robots.txt does not match its hash");
  }
  SUBCASE("together with its hash in all entries") {
    const std::string now =
        robots::adapters_detail::sha256(audit_entry::read(trail.lines[position])->text("text"));
    for (std::string& line : trail.lines) {
      for (std::size_t i = line.find(old); i != std::string::npos; i = line.find(old)) {
        line.replace(i, old.size(), now);
      }
    }
    const audit_decisions found = trail.verify_from(position);
    REQUIRE(!found.differences.empty());
    CHECK(has(found.differences[0].text, "the decision differs"));
  }
}

namespace {

/// Changes members of the policy in line `position`, in each entry that describes this policy. Then
/// changes its id in all lines, as a forger would.
void forge_policy(texts& lines, std::size_t position,
                  const std::vector<std::pair<std::string, std::string>>& changes) {
  std::string& line = lines.at(position);
  const std::string old = audit_entry::read(line)->text("policy");
  for (std::string& one : lines) {
    if (one.find(",\"policy\":\"" + old + "\",\"basis\"") != std::string::npos) {
      for (const auto& [before, after] : changes) {
        replace(one, before, after);
      }
    }
  }
  const std::string start = ",\"policy\":\"" + old + "\",";
  const std::string said{audit_entry::read(line)->before_hash()};
  const std::string members = said.substr(said.find(start) + start.size());
  const std::string now = robots::adapters_detail::sha256('{' + members + '}');
  for (std::string& one : lines) {
    for (std::size_t i = one.find(old); i != std::string::npos; i = one.find(old)) {
      one.replace(i, old.size(), now);
    }
  }
}

/// A trail of one cache and one site, whose robots.txt changes after two hours.
struct changing_trail {
  changing_trail() {
    using namespace std::chrono_literals;
    using robots::ScriptedFetcher;
    robots::cache_options options{.user_agent = "FooBot",
                                  .fallback = robots::fallback_policy::rfc9309()};
    options.retry.attempts = 1;
    options.failure_jitter = 0;
    ScriptedFetcher web;
    web.on("https://a.example/robots.txt", ScriptedFetcher::ok("User-agent: *\nDisallow: /x\n"),
           ScriptedFetcher::ok("User-agent: *\nDisallow: /\n"), ScriptedFetcher::status(503));
    const robots::ManualClock clock;
    const robots::AuditTrail trail{{.path = path}, options};
    robots::basic_robots_cache cache{options, web, clock, robots::LruStorage<8>{}, trail};
    static_cast<void>(cache.check("https://a.example/page"));
    clock.advance(2h);
    static_cast<void>(cache.refresh("https://a.example/"));
    clock.advance(1h);
    static_cast<void>(cache.check("https://a.example/page"));
    clock.advance(48h);
    static_cast<void>(cache.check("https://a.example/page"));
  }

  [[nodiscard]] texts read() {
    files = robots::test::files_of(path);
    return lines_of(files);
  }
  [[nodiscard]] audit_decisions verify(texts lines) const {
    chain_anew(lines, 0);
    robots::test::write_lines(files.at(0), lines);
    return verify_decisions(files);
  }

  robots::test::temporary_folder folder;
  std::string path = (folder.path() / "audit").string();
  texts files;
};

/// Replaces the date of an entry by a date that is `days` later.
void make_later(std::string& line, int days) {
  const std::string old = audit_entry::read(line)->text("time");
  const std::chrono::sys_seconds then{
      std::chrono::seconds{robots::adapters_detail::audit_second(old)}};
  replace(line, old, robots::date_text(then + std::chrono::days{days}));
}

}  // namespace

TEST_CASE("A permission that the crawler's own fallback policy forbids is found") {
  whole_trail trail;
  const std::size_t retrieval =
      line_with(trail.lines, "\"outcome\":\"client_error\",\"status\":403");
  const std::size_t decision =
      line_with(trail.lines, "\"url\":\"https://forbidden.example/\"", retrieval + 1);
  std::string reason =
      "the crawler's action after client_error is deny_all, but the policy has "
      "the basis allow_all";
  SUBCASE("if the basis of the policy was changed, too") {
    forge_policy(trail.lines, retrieval, {{"\"basis\":\"deny_all\"", "\"basis\":\"allow_all\""}});
    replace(trail.lines[decision], "\"allowed\":false", "\"allowed\":true");
  }
  SUBCASE("if the outcome was changed, too") {
    forge_policy(trail.lines, retrieval,
                 {{"\"basis\":\"deny_all\"", "\"basis\":\"allow_all\""},
                  {"\"outcome\":\"client_error\"", "\"outcome\":\"not_found\""}});
    replace(trail.lines[decision], "\"allowed\":false,\"reason\":\"fallback\"",
            "\"allowed\":true,\"reason\":\"no_file\"");
    reason = "the outcome not_found does not follow from the HTTP status 403";
  }
  const audit_decisions found = trail.verify_from(0);
  REQUIRE(!found.differences.empty());
  CHECK(found.differences[0].entry == decision + 1);
  CHECK(found.differences[0].text == reason);
}

TEST_CASE("The audit cannot refute what an own fallback policy decides") {
  struct own_policy {
    [[nodiscard]] static robots::fallback_action action(const robots::record_head& source) {
      return source.url.find("good.example") == std::string::npos
                 ? robots::fallback_action::deny_all
                 : robots::fallback_action::allow_all;
    }
  };
  const robots::test::temporary_folder folder;
  const robots::audit_options place{.path = (folder.path() / "audit").string()};
  const robots::cache_options options{.user_agent = "FooBot", .fallback = own_policy{}};
  robots::ScriptedFetcher web;
  web.otherwise(robots::ScriptedFetcher::status(403));
  {
    robots::basic_robots_cache cache{options, web, robots::ManualClock{}, robots::LruStorage<8>{},
                                     robots::AuditTrail{place, options}};
    CHECK(cache.allowed("https://good.example/"));
    CHECK_FALSE(cache.allowed("https://bad.example/"));
  }
  const audit_decisions found = verify_decisions(robots::test::files_of(place.path));
  CHECK(found.differences.empty());
  CHECK(found.confirmed == 1);
  CHECK(found.unknown == 1);
  REQUIRE(found.notes.size() == 2);
  CHECK(has(found.notes[1], "not checked: some decisions after failures"));
}

TEST_CASE("A permission by an older file is found if a newer file was known") {
  changing_trail trail;
  texts lines = trail.read();
  CHECK(verify_decisions(trail.files).differences.empty());
  CHECK(verify_decisions(trail.files).confirmed == 3);
  const std::size_t first = line_with(lines, "\"type\":\"decision\"");
  const std::size_t second = line_with(lines, "\"type\":\"decision\"", first + 1);
  const std::size_t newer =
      line_with(lines, "\"type\":\"retrieval\"", line_with(lines, "\"type\":\"retrieval\"") + 1);
  std::string forged = lines[first];
  replace(forged, audit_entry::read(forged)->text("time"),
          audit_entry::read(lines[second])->text("time"));
  replace(forged, "{\"n\":" + std::to_string(first + 1) + ',',
          "{\"n\":" + std::to_string(second + 1) + ',');
  lines[second] = forged;
  const audit_decisions found = trail.verify(lines);
  REQUIRE(found.differences.size() == 1);
  CHECK(found.differences[0].entry == second + 1);
  CHECK(found.differences[0].text ==
        "a newer robots.txt of the site was known: see entry " + std::to_string(newer + 1));
}

TEST_CASE("A permission by rules that were too old is found") {
  SUBCASE("after their lifetime") {
    changing_trail trail;
    texts lines = trail.read();
    make_later(lines[line_with(lines, "\"type\":\"decision\"")], 200);
    const audit_decisions found = trail.verify(lines);
    REQUIRE(found.differences.size() == 1);
    CHECK(found.differences[0].text ==
          "its policy was 200 days and 0 hours old, and was valid for 86400 seconds");
  }
  SUBCASE("even if the retrieval claims a later time") {
    changing_trail trail;
    texts lines = trail.read();
    const std::size_t decision = line_with(lines, "\"type\":\"decision\"");
    make_later(lines[decision], 200);
    const std::size_t retrieval = line_with(lines, "\"type\":\"retrieval\"");
    const auto entry = audit_entry::read(lines[retrieval]);
    const std::string later = audit_entry::read(lines[decision])->text("time");
    forge_policy(lines, retrieval,
                 {{"\"fetched_at\":\"" + entry->text("fetched_at") + '"',
                   "\"fetched_at\":\"" + later + '"'}});
    const audit_decisions found = trail.verify(lines);
    REQUIRE(!found.differences.empty());
    CHECK(found.differences[0].text == "the retrieval states a time that is not that of its entry");
  }
  SUBCASE("but a later denial is none") {
    changing_trail trail;
    texts lines = trail.read();
    const std::size_t last = line_with(lines, "\"basis\":\"last_good\"");
    make_later(lines[line_with(lines, "\"type\":\"decision\"", last)], 200);
    CHECK(trail.verify(lines).differences.empty());
  }
}

namespace {

/// Removes the orders from a trail, as an earlier version of the library wrote it. The decisions
/// name their policies by the new hashes.
void remove_orders(texts& lines) {
  std::vector<std::size_t> policies;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string& line = lines[i];
    const bool is_policy = has(line, ",\"basis\":") && !has(line, "\"type\":\"decision\"");
    if (has(line, ",\"order\":\"") && is_policy) {
      policies.push_back(i);
    }
    for (std::size_t from = line.find(",\"order\":\""); from != std::string::npos;
         from = line.find(",\"order\":\"")) {
      const std::size_t maker = line.find("\"maker\":\"", from) + 9;
      line.erase(from, line.find('"', maker) + 1 - from);
    }
    if (has(line, "\"type\":\"rulings\"")) {
      replace(line, "\"type\":\"rulings\"", "\"type\":\"nothing\"");
    }
  }
  for (const std::size_t position : policies) {
    forge_policy(lines, position, {});
  }
}

}  // namespace

TEST_CASE(
    "A trail of an earlier version without orders is verified, and the audit says its limit") {
  whole_trail trail;
  CHECK(verify_decisions(trail.files).notes.empty());
  remove_orders(trail.lines);
  const audit_decisions found = trail.verify_from(0);
  CHECK(found.differences.empty());
  CHECK(found.confirmed == count_of(trail.lines, "decision"));
  REQUIRE(found.notes.size() == 1);
  CHECK(has(found.notes[0], "not checked: the order of some halts, overrides"));
  changing_trail other;
  static_cast<void>(other.read());
  CHECK(verify_decisions(other.files).notes.empty());
}

TEST_CASE("An entry that does not describe the crawler as an AuditTrail does is found") {
  changing_trail trail;
  texts lines = trail.read();
  std::string& crawler = lines[line_with(lines, "\"type\":\"crawler\"")];
  replace(crawler, ",\"user_agent\":", ",\"user\\u005Fagent\":");
  const audit_decisions found = trail.verify(lines);
  REQUIRE(!found.differences.empty());
  CHECK(has(found.differences[0].text, "does not describe the crawler"));
}

TEST_CASE("The audit of an older trail says that the age of the rules is not checked") {
  changing_trail trail;
  texts lines = trail.read();
  std::string& crawler = lines[line_with(lines, "\"type\":\"crawler\"")];
  replace(crawler,
          "\"max_ttl_seconds\":86400,\"stale_while_revalidate_seconds\":0,"
          "\"last_good_for_seconds\":2592000,",
          "");
  make_later(lines[line_with(lines, "\"type\":\"decision\"")], 200);
  const audit_decisions found = trail.verify(lines);
  CHECK(found.differences.empty());
  REQUIRE(found.notes.size() == 1);
  CHECK(has(found.notes[0], "not checked: the age of the rules"));
}

TEST_CASE("A retrieval whose outcome was falsified is found") {
  whole_trail trail;
  const std::size_t position =
      line_with(trail.lines, "\"outcome\":\"client_error\",\"status\":403");
  replace(trail.lines[position], "\"status\":403", "\"status\":404");
  const audit_decisions found = trail.verify_from(position);
  REQUIRE(!found.differences.empty());
  CHECK(found.differences[0].text == "the policy does not match its hash");
}

TEST_CASE("A decision is not confirmed if the entry that it depends on was falsified") {
  whole_trail trail;
  std::size_t position = 0;
  SUBCASE("the override") {
    position = line_with(trail.lines, "\"type\":\"override\"");
    for (std::string& line : trail.lines) {
      if (has(line, "\"value\":\"deny\"")) {
        replace(line, "\"value\":\"deny\"", "\"value\":\"none\"");
      }
    }
  }
  SUBCASE("the halt") {
    position = line_with(trail.lines, "\"type\":\"halt\"");
    for (std::string& line : trail.lines) {
      if (has(line, "\"type\":\"halt\"") && has(line, "\"resumed\":false")) {
        replace(line, "\"resumed\":false", "\"resumed\":true");
      }
    }
  }
  SUBCASE("the sign-off") {
    position = line_with(trail.lines, "\"given\":true");
    replace(trail.lines[position], "\"given\":true", "\"given\":false");
  }
  SUBCASE("the excluded hosts") {
    position = line_with(trail.lines, "\"host\":\"gov\"");
    replace(trail.lines[position], "\"host\":\"gov\"", "\"host\":\"mil\"");
  }
  SUBCASE("the quarantine") {
    position = line_with(trail.lines, "\"type\":\"quarantine\"");
    replace(trail.lines[position], "\"released\":false", "\"released\":true");
  }
  SUBCASE("the failure before a fallback") {
    position = line_with(trail.lines, "\"outcome\":\"client_error\"");
    for (std::string& line : trail.lines) {
      if (has(line, "\"type\":\"retrieval\"") && has(line, "\"outcome\":\"client_error\"")) {
        replace(line, "\"type\":\"retrieval\"", "\"type\":\"policy\"");
      }
    }
  }
  CHECK(!trail.verify_from(position).differences.empty());
}

TEST_CASE("Decisions that depend on an earlier file are unknown until this file is given, too") {
  const robots::test::temporary_folder folder;
  robots::audit_options options{.path = (folder.path() / "audit").string()};
  options.file_bytes = 40'000;
  const texts files = robots::test::write_sample(options);
  REQUIRE(files.size() > 1);
  CHECK(verify_decisions(files).unknown == 0);
  CHECK(verify_decisions(files).differences.empty());
  const audit_decisions later = verify_decisions({files.begin() + 1, files.end()});
  CHECK(later.differences.empty());
  CHECK(later.unknown > 0);
  CHECK(!later.notes.empty());
}

TEST_CASE("An entry after a decision counts as its basis only within a minute") {
  struct fixed_clock final : robots::detail::event_clock {
    robots::wall_time now{};
    [[nodiscard]] robots::wall_time wall() noexcept override { return now; }
  };
  using namespace std::chrono_literals;
  const robots::test::temporary_folder folder;
  const robots::audit_options options{.path = (folder.path() / "audit").string()};
  fixed_clock clock;
  for (const auto& later : {60s, 61s}) {
    {
      const robots::AuditTrail trail{
          options, {.user_agent = "FooBot", .fallback = robots::fallback_policy::rfc9309()}};
      const auto denial = robots::policy::by_hand("FooBot", false);
      const std::string site = later == 60s ? "https://a.example" : "https://b.example";
      trail.on(robots::decision_event{
          {.site = site, .clock = &clock}, site + "/", robots::decide(denial, site + "/", {})});
      clock.now += later;
      trail.on(
          robots::override_event{{.site = site, .clock = &clock}, robots::site_override::deny});
    }
    const audit_decisions found = verify_decisions(robots::test::files_of(options.path));
    CHECK(found.confirmed == 1);
    CHECK(found.differences.size() == (later == 60s ? 0 : 1));
  }
}

TEST_CASE("The audit finds a decision by directives that the trail does not have for the site") {
  const robots::test::temporary_folder folder;
  const robots::audit_options place{.path = (folder.path() / "audit").string()};
  const robots::cache_options options{.user_agent = "FooBot",
                                      .fallback = robots::fallback_policy::rfc9309()};
  {
    const robots::AuditTrail trail{place, options};
    for (const std::string site : {"https://a.example", "https://b.example"}) {
      robots::record retrieved;
      retrieved.outcome = robots::outcome::success;
      retrieved.status = 200;
      retrieved.fetched_at =
          std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
      retrieved.lifetime = std::chrono::hours{1};
      retrieved.url = retrieved.final_url = site + "/robots.txt";
      retrieved.body = "User-agent: *\nDisallow: /private\n";
      const auto amount = robots::detail::judge(
          retrieved, options.user_agent, robots::cache_detail::judge_options_of(options), {}, {});
      if (site == "https://b.example") {
        retrieved.body.clear();  // no entry says that this site has the text
        retrieved.outcome = robots::outcome::redirected;
      }
      trail.on(robots::retrieval_event{{.site = site}, *amount, retrieved});
      const std::string url = site + "/private";
      trail.on(robots::decision_event{{.site = site}, url, robots::decide(amount, url, {})});
    }
  }
  const audit_decisions found = verify_decisions(robots::test::files_of(place.path));
  CHECK(found.confirmed == 1);
  REQUIRE(found.differences.size() == 1);
  CHECK(found.differences[0].text == "the robots.txt that it depends on was not recorded before");
}

TEST_CASE("The trail of a cache that answers for several crawlers has no differences") {
  using namespace std::chrono_literals;
  robots::test::temporary_folder folder;
  const std::string file = (folder.path() / "trail").string();
  robots::cache_options options{.user_agent = "FooBot/1.0",
                                .fallback = robots::fallback_policy::strict()};
  options.other_agents = {"BarBot", "*"};
  robots::ScriptedFetcher web;
  robots::ManualClock clock;
  web.on("https://rules.example/robots.txt",
         robots::ScriptedFetcher::ok("User-agent: FooBot\nDisallow: /foo\n"
                                     "User-agent: BarBot\nDisallow: /bar\n"
                                     "User-agent: *\nDisallow: /all\n"),
         robots::ScriptedFetcher::status(503));
  {
    ruled_cache cache{options, web, clock, {}, robots::AuditTrail{{.path = file}, options}};
    for (int day = 0; day < 2; ++day) {
      for (const char* agent : {"", "FooBot", "BarBot", "*"}) {
        for (const char* path : {"foo", "bar", "all"}) {
          static_cast<void>(
              cache.check(std::string{"https://rules.example/"} + path, {.user_agent = agent}));
        }
      }
      clock.advance(25h);
    }
    cache.rulings().halt("rules.example");
    static_cast<void>(cache.check("https://rules.example/", {.user_agent = "BarBot"}));
  }
  check_confirms(file, 25);
}

TEST_CASE("The trail of a cache for crawlers with several names has no differences") {
  const robots::test::temporary_folder folder;
  const std::string file = (folder.path() / "trail").string();
  robots::cache_options options{.user_agent = "Mozilla/5.0 (X11) Safari/605.1.15",
                                .fallback = robots::fallback_policy::strict(),
                                .names = {"FooBot-News", "FooBot"}};
  options.other_agents = {{"BarBot-Image", "BarBot"}, "BazBot/1.0 (+https://baz.example)"};
  robots::ScriptedFetcher web;
  web.on("https://rules.example/robots.txt",
         robots::ScriptedFetcher::ok("User-agent: FooBot\nDisallow: /foo\n"
                                     "User-agent: BarBot\nDisallow: /bar\n"
                                     "User-agent: BazBot\nDisallow: /baz\n"
                                     "User-agent: *\nDisallow: /all\n"));
  {
    robots::basic_robots_cache cache{options, web, robots::ManualClock{}, robots::LruStorage<8>{},
                                     robots::AuditTrail{{.path = file}, options}};
    for (const char* agent : {"", "BarBot-Image", "BazBot"}) {
      for (const char* path : {"foo", "bar", "baz", "all"}) {
        static_cast<void>(
            cache.check(std::string{"https://rules.example/"} + path, {.user_agent = agent}));
      }
    }
  }
  check_confirms(file, 12);
}

TEST_CASE("The trail of a cache whose excluded hosts are replaced has no differences") {
  const robots::test::temporary_folder folder;
  const robots::audit_options trail{.path = (folder.path() / "trail").string()};
  robots::cache_options options{.user_agent = "FooBot/1.0",
                                .fallback = robots::fallback_policy::strict()};
  options.excluded = {"gov"};
  options.other_agents = {"BarBot"};
  robots::ScriptedFetcher web;
  web.otherwise(robots::ScriptedFetcher::ok("User-agent: *\nDisallow: /private\n"));
  {
    robots::basic_robots_cache cache{options, web, robots::ManualClock{}, robots::LruStorage<8>{},
                                     robots::AuditTrail{trail, options}};
    for (const std::vector<std::string>& list :
         {std::vector<std::string>{"gov"}, {"example"}, {"example", "gov"}, {}}) {
      cache.set_excluded(list);
      for (const char* url :
           {"https://a.gov/", "https://a.example/", "https://b.example/private"}) {
        static_cast<void>(cache.check(url));
        static_cast<void>(cache.check(url, {.user_agent = "BarBot"}));
      }
    }
  }
  check_confirms(trail.path, 24);
}

TEST_CASE("A list of excluded hosts also applies to decisions in later files") {
  const robots::test::temporary_folder folder;
  const robots::audit_options place{.path = (folder.path() / "trail").string(), .file_bytes = 1};
  const robots::cache_options options{.user_agent = "FooBot/1.0",
                                      .fallback = robots::fallback_policy::strict()};
  {
    const robots::AuditTrail trail{place, options};
    robots::basic_robots_cache cache{options, robots::ScriptedFetcher{}, robots::ManualClock{},
                                     robots::LruStorage<8>{}, trail};
    cache.set_excluded(std::vector<std::string>{"gov"});
    REQUIRE(trail.flush());
    static_cast<void>(cache.check("https://a.gov/"));
  }
  CHECK(robots::test::files_of(place.path).size() > 1);
  check_confirms(place.path, 1);
}

TEST_CASE("A policy that names a robots.txt but has the directives of an earlier one is found") {
  using namespace std::chrono_literals;
  const robots::test::temporary_folder folder;
  const robots::audit_options trail{.path = (folder.path() / "trail").string()};
  const robots::cache_options options{.user_agent = "FooBot",
                                      .fallback = robots::fallback_policy::strict()};
  robots::ScriptedFetcher web;
  web.on("https://rules.example/robots.txt",
         robots::ScriptedFetcher::ok("User-agent: *\nDisallow: /private\n"),
         robots::ScriptedFetcher::ok("User-agent: *\nDisallow: /other\n"));
  const robots::ManualClock clock;
  {
    robots::basic_robots_cache cache{options, web, clock, robots::LruStorage<8>{},
                                     robots::AuditTrail{trail, options}};
    CHECK_FALSE(cache.allowed("https://rules.example/private"));
    clock.advance(25h);
    CHECK(cache.allowed("https://rules.example/private"));
  }
  const texts files = robots::test::files_of(trail.path);
  texts lines = lines_of(files);
  const std::size_t first = line_with(lines, "\"type\":\"retrieval\"");
  const std::size_t second = line_with(lines, "\"type\":\"retrieval\"", first + 1);
  const std::size_t result = line_with(lines, "\"type\":\"decision\"", second);
  const auto text_of = [&](std::size_t line, std::string_view name) {
    return audit_entry::read(lines[line])->text(name);
  };
  const std::string id = text_of(second, "policy");
  replace(lines[second], text_of(second, "directives"), text_of(first, "directives"));
  const std::string start = ",\"policy\":\"" + id + "\",";
  const std::string said{audit_entry::read(lines[second])->before_hash()};
  const std::string now =
      robots::adapters_detail::sha256('{' + said.substr(said.find(start) + start.size()) + '}');
  replace(lines[second], id, now);
  replace(lines[result], id, now);
  const std::string denial = lines[line_with(lines, "\"allowed\":false")];
  const std::string_view verdict = "\"allowed\":";
  const auto tail = [&](const std::string& line) {
    const std::size_t position = line.find(verdict);
    return line.substr(position, line.size() - 75 - position);
  };
  replace(lines[result], tail(lines[result]), tail(denial));
  chain_anew(lines, second);
  robots::test::write_lines(files.at(0), lines);
  REQUIRE(robots::verify_audit(files).fault == robots::audit_result::fault_kind::none);
  const audit_decisions found = verify_decisions(files);
  REQUIRE(found.differences.size() == 1);
  CHECK(found.differences[0].line == result + 1);
}

TEST_CASE("The trail of a site with an empty robots.txt has no differences") {
  using namespace std::chrono_literals;
  const robots::test::temporary_folder folder;
  const robots::audit_options trail{.path = (folder.path() / "trail").string()};
  const robots::cache_options options{.user_agent = "FooBot/1.0",
                                      .fallback = robots::fallback_policy::strict()};
  robots::ScriptedFetcher web;
  robots::ManualClock clock;
  web.on("https://rules.example/robots.txt",
         robots::ScriptedFetcher::ok("User-agent: *\nDisallow: /private\n"),
         robots::ScriptedFetcher::ok(""));
  {
    robots::basic_robots_cache cache{options, web, clock, robots::LruStorage<8>{},
                                     robots::AuditTrail{trail, options}};
    CHECK_FALSE(cache.allowed("https://rules.example/private"));
    clock.advance(25h);
    CHECK(cache.allowed("https://rules.example/private"));
  }
  check_confirms(trail.path, 2);
}

TEST_CASE("A permission by no_file_after is confirmed, and found if the time was falsified") {
  using namespace std::chrono_literals;
  const robots::test::temporary_folder folder;
  const robots::audit_options trail{.path = (folder.path() / "trail").string()};
  robots::cache_options options{.user_agent = "FooBot/1.0",
                                .fallback = robots::fallback_policy::strict()};
  options.no_file_after = std::chrono::days{2};
  robots::ScriptedFetcher web;
  robots::ManualClock clock;
  web.otherwise(robots::ScriptedFetcher::status(503));
  {
    robots::basic_robots_cache cache{options, web, clock, robots::LruStorage<8>{},
                                     robots::AuditTrail{trail, options}};
    for (int day = 0; day < 2; ++day) {
      CHECK_FALSE(cache.allowed("https://rules.example/a"));
      clock.advance(24h);
    }
    CHECK(cache.allowed("https://rules.example/a"));
  }
  check_confirms(trail.path, 3);
  const texts files = robots::test::files_of(trail.path);
  texts lines = lines_of(files);
  const std::size_t crawler = line_with(lines, "no_file_after_seconds");
  replace(lines[crawler], "\"no_file_after_seconds\":172800", "\"no_file_after_seconds\":172801");
  chain_anew(lines, crawler);
  robots::test::write_lines(files.at(0), lines);
  CHECK(verify_decisions(files).differences.size() == 1);
}

TEST_CASE("A redirect from a shared store is recorded, whatever its target is") {
  using robots::ScriptedFetcher;
  using tiered =
      robots::TieredStorage<robots::LruStorage<64>, robots::MemoryStore<robots::ManualClock>>;
  ScriptedFetcher web;
  web.on("https://rules.example/robots.txt",
         ScriptedFetcher::ok("User-agent: *\nDisallow: /private\n"))
      .on("https://moved.example/robots.txt",
          ScriptedFetcher::redirect(301, "https://rules.example/robots.txt"));
  robots::cache_options options{.user_agent = "FooBot",
                                .fallback = robots::fallback_policy::rfc9309()};
  const robots::ManualClock clock;
  const robots::MemoryStore<robots::ManualClock> store{clock};
  {
    robots::basic_robots_cache<ScriptedFetcher, robots::ManualClock, tiered> first{
        options, web, clock, tiered{store}};
    static_cast<void>(first.check("https://moved.example/"));
  }
  SUBCASE("a robots.txt") {}
  SUBCASE("a redirect beyond max_redirects") { options.max_redirects = 0; }
  SUBCASE("an excluded site") { options.excluded = {"rules.example"}; }
  const robots::test::temporary_folder folder;
  const robots::audit_options place{.path = (folder.path() / "audit").string()};
  {
    const robots::AuditTrail trail{place, options};
    robots::basic_robots_cache<ScriptedFetcher, robots::ManualClock, tiered, robots::AuditTrail>
        second{options, web, clock, tiered{store}, trail};
    static_cast<void>(second.check("https://moved.example/private"));
  }
  check_confirms(place.path, 1);
}

TEST_CASE("The trail of a site that redirects to a quarantined site has no differences") {
  using robots::ScriptedFetcher;
  using namespace std::chrono_literals;
  ScriptedFetcher web;
  web.on("https://broken.example/robots.txt", ScriptedFetcher::ok("<html></html>"))
      .on("https://moved.example/robots.txt",
          ScriptedFetcher::redirect(301, "https://broken.example/robots.txt"));
  robots::cache_options options{.user_agent = "FooBot",
                                .fallback = robots::fallback_policy::strict()};
  const robots::ManualClock clock;
  const robots::test::temporary_folder folder;
  const robots::audit_options place{.path = (folder.path() / "audit").string()};
  {
    const robots::AuditTrail trail{place, options};
    ruled_cache cache{options, web, clock, {}, trail, robots::SiteRulings{{.quarantine_after = 2}}};
    for (int day = 0; day < 5; ++day) {
      static_cast<void>(cache.check("https://broken.example/"));
      static_cast<void>(cache.check("https://moved.example/"));
      clock.advance(25h);
    }
  }
  const texts files = robots::test::files_of(place.path);
  CHECK(count_of(lines_of(files), "quarantine") >= 1);
  const audit_decisions found = verify_decisions(files);
  CHECK(found.differences.empty());
  CHECK(found.confirmed == 10);
}

TEST_CASE("Two caches with one SiteRulings have a true trail each, also at other ports of a host") {
  using robots::ScriptedFetcher;
  using namespace std::chrono_literals;
  ScriptedFetcher web;
  web.otherwise(ScriptedFetcher::ok("User-agent: *\nDisallow: /private\n"));
  const robots::cache_options options{.user_agent = "FooBot",
                                      .fallback = robots::fallback_policy::rfc9309()};
  const robots::ManualClock clock;
  const robots::test::temporary_folder folder;
  const texts paths{(folder.path() / "one").string(), (folder.path() / "two").string()};
  {
    robots::SiteRulings rulings{{.needs_sign_off = {"gov"}}};
    ruled_cache first{options, web, clock, {}, robots::AuditTrail{{.path = paths[0]}, options},
                      rulings};
    ruled_cache second{options, web, clock, {}, robots::AuditTrail{{.path = paths[1]}, options},
                       rulings};
    const auto ask = [&](std::string_view url) {
      CHECK(first.allowed(url) == second.allowed(url));
    };
    rulings.halt("halted.example");
    rulings.override_with("closed.example", robots::site_override::deny);
    rulings.override_with("open.example", robots::site_override::allow);
    rulings.quarantine("broken.example");
    ask("https://halted.example:8080/");
    ask("https://closed.example:8080/");
    ask("https://open.example:8080/private");
    ask("https://broken.example:8080/");
    ask("https://clinic.gov:8080/");  // only the first cache reports that the site waits
    rulings.sign_off("clinic.gov");
    ask("https://clinic.gov:8080/");
    ask("https://fixed.example/a");
    rulings.override_with_text("fixed.example", "User-agent: *\nDisallow: /a\n");
    ask("https://fixed.example/a");
    ask("https://fixed.example:8080/b");
    clock.advance(48h);
    ask("https://fixed.example/b");
  }
  for (const std::string& path : paths) {
    const audit_decisions found = verify_decisions(robots::test::files_of(path));
    for (const auto& one : found.differences) {
      MESSAGE(one.entry << ": " << one.text);
    }
    CHECK(found.differences.empty());
    CHECK(found.confirmed == 10);
    CHECK(found.unknown == 0);
  }
}

TEST_CASE("The trail of 20 caches that have different robots.txt of one site has no differences") {
  using robots::ScriptedFetcher;
  using namespace std::chrono_literals;
  int visit = 0;
  ScriptedFetcher web;
  web.on_call("https://rules.example/robots.txt",
              [&visit](const robots::fetch_request& asked) {
                const bool knows =
                    robots::detail::find_header(asked.headers, "If-None-Match").has_value();
                ++visit;
                return knows ? ScriptedFetcher::status(304)
                             : ScriptedFetcher::ok("User-agent: *\nDisallow: /private/" +
                                                       std::to_string(visit) + '\n',
                                                   {{"ETag", '"' + std::to_string(visit) + '"'}});
              })
      .on("https://moved.example/robots.txt",
          ScriptedFetcher::redirect(301, "https://rules.example/robots.txt"));
  const robots::cache_options options{.user_agent = "FooBot",
                                      .fallback = robots::fallback_policy::rfc9309()};
  const robots::ManualClock clock;
  const robots::test::temporary_folder folder;
  const robots::audit_options place{.path = (folder.path() / "audit").string()};
  {
    const robots::AuditTrail trail{place, options};
    using cache_type = robots::basic_robots_cache<ScriptedFetcher, robots::ManualClock,
                                                  robots::LruStorage<64>, robots::AuditTrail>;
    std::vector<std::unique_ptr<cache_type>> caches;
    for (int i = 0; i < 20; ++i) {
      caches.push_back(
          std::make_unique<cache_type>(options, web, clock, robots::LruStorage<64>{}, trail));
    }
    for (int day = 0; day < 3; ++day) {
      for (const auto& cache : caches) {
        static_cast<void>(cache->check("https://rules.example/private/1"));
        static_cast<void>(cache->check("https://moved.example/private/7"));
      }
      clock.advance(25h);
    }
  }
  check_confirms(place.path, 120);
}

TEST_CASE("A decision after a 304 is confirmed, even after many other policies") {
  using robots::ScriptedFetcher;
  using namespace std::chrono_literals;
  const std::string rules = "User-agent: *\nDisallow: /private\n";
  ScriptedFetcher web;
  web.on("https://same.example/robots.txt", ScriptedFetcher::ok(rules, {{"ETag", "\"1\""}}),
         ScriptedFetcher::status(304))
      .on_call("https://down.example/robots.txt",
               [&rules, visits = 0](const robots::fetch_request&) mutable {
                 ++visits;
                 return visits == 1   ? ScriptedFetcher::ok(rules, {{"ETag", "\"1\""}})
                        : visits < 20 ? ScriptedFetcher::status(503)
                                      : ScriptedFetcher::status(304);
               })
      .on("https://broken.example/robots.txt", ScriptedFetcher::ok("<html></html>"))
      .otherwise_call([](const robots::fetch_request& request) {
        return request.url.starts_with("https://to-same")
                   ? ScriptedFetcher::redirect(301, "https://same.example/robots.txt")
               : request.url.starts_with("https://to-broken")
                   ? ScriptedFetcher::redirect(301, "https://broken.example/robots.txt")
                   : ScriptedFetcher::status(404);
      });
  robots::cache_options options{.user_agent = "FooBot",
                                .fallback = robots::fallback_policy::rfc9309()};
  options.retry.attempts = 1;
  options.failure_jitter = 0;
  const robots::ManualClock clock;
  const robots::test::temporary_folder folder;
  const robots::audit_options place{.path = (folder.path() / "audit").string()};
  {
    const robots::AuditTrail trail{place, options};
    robots::basic_robots_cache<ScriptedFetcher, robots::ManualClock, robots::LruStorage<8'192>,
                               robots::AuditTrail>
        cache{options, web, clock, {}, trail};
    const auto visit = [&] {
      static_cast<void>(cache.check("https://same.example/private"));
      static_cast<void>(cache.check("https://down.example/private"));
      for (int i = 0; i < 20; ++i) {
        static_cast<void>(cache.check("https://to-same-" + std::to_string(i) + ".example/"));
        static_cast<void>(cache.check("https://to-broken-" + std::to_string(i) + ".example/"));
      }
    };
    for (int day = 0; day < 22; ++day) {
      visit();
      clock.advance(25h);
    }
    visit();
    for (int i = 0; i < 4'200; ++i) {
      static_cast<void>(cache.check("https://" + std::to_string(i) + ".example/private"));
    }
    visit();
    REQUIRE(trail.flush());
    CHECK(trail.stats().lost == 0);
  }
  const audit_decisions found = verify_decisions(robots::test::files_of(place.path));
  CHECK(found.differences.empty());
  CHECK(found.notes.empty());
  CHECK(found.unknown == 0);
}

TEST_CASE("verify_decisions accepts files with any content") {
  whole_trail trail;
  for (std::size_t i = 0; i < trail.lines.size(); ++i) {
    std::string& line = trail.lines[i];
    for (std::size_t position = 100 + i % 7; position < line.size() - 80; position += 97) {
      line[position] = static_cast<char>(line[position] ^ 3);
    }
  }
  robots::test::write_lines(trail.files[0], trail.lines);
  static_cast<void>(verify_decisions(trail.files));
}
