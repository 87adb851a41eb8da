#include "adapters/audit/audit_sample.hpp"
#include "policy/record_samples.hpp"
#include "support/temporary_folder.hpp"
#include <robots/adapters/audit/audit_decisions.hpp>
#include <robots/adapters/audit/audit_trail.hpp>
#include <robots/adapters/audit/audit_verify.hpp>
#include <robots/adapters/audit/detail/permission_entry.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/page_of.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using robots::page_statements;
using robots::permission;
using robots::permission_answer;
using robots::purpose;

constexpr std::chrono::sys_days asked_on{std::chrono::year{2026} / 11 / 28};

/// A trail with four permissions for one page. Tests falsify it.
struct permission_trail {
  permission_trail() {
    robots::cache_options options{.user_agent = "FooBot",
                                  .fallback = robots::fallback_policy::rfc9309()};
    options.names = robots::crawler_names{{"Google-Extended", purpose::archive}};
    const robots::crawler_names names = robots::cache_detail::names_of(options);
    const robots::AuditTrail trail{{.path = (folder.path() / "audit").string()}, options};
    robots::record retrieved = robots::test::record_of_outcome(
        robots::outcome::success,
        "User-agent: *\nContent-Signal: ai-train=no, search=yes\nDisallow: /private\n"
        "License: https://example.com/l.xml\nUser-agent: Google-Extended\nDisallow: /news\n");
    retrieved.url = retrieved.final_url = "https://example.com/robots.txt";
    retrieved.fetched_at =
        std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const auto rules = robots::detail::judge(
        retrieved, names, robots::cache_detail::judge_options_of(options), {}, {});
    trail.on(robots::retrieval_event{{.site = "https://example.com"}, *rules, retrieved});
    const std::string_view url = "https://example.com/news";
    const robots::decision decided = robots::decide(rules, url, {});
    page_statements page = robots::page_of(decided, url, names);
    page.header("Content-Type", "text/html");
    page.header("X-Robots-Tag", "unavailable_after: 2026-11-27, max-snippet: 20\xFF");
    page.meta("viewport", "width=device-width");
    page.meta("FooBot", "nofollow");
    page.link("license", "application/rsl+xml", "https://example.com/page.xml");
    page.tdmrep(R"([{"location":"/*","tdm-reservation":1,"tdm-policy":"https://e.example/p"}])");
    for (const purpose wanted :
         {purpose::ai_train, purpose::index, purpose::tdm, purpose::archive, purpose::ai_input}) {
      given.push_back(trail.record_permission(decided, url, page, wanted, asked_on));
    }
  }

  [[nodiscard]] robots::audit_decisions verify() const { return robots::verify_decisions(files()); }

  /// Rewrites the hashes from a line on, as an attacker can, and verifies the answers.
  [[nodiscard]] robots::audit_decisions verify_from(std::size_t line) {
    robots::test::chain_anew(lines, line);
    robots::test::write_lines(files().at(0), lines);
    CHECK(robots::verify_audit(files()).fault == robots::audit_result::fault_kind::none);
    return verify();
  }

  [[nodiscard]] std::vector<std::string> files() const {
    return robots::test::files_of((folder.path() / "audit").string());
  }

  robots::test::temporary_folder folder;
  std::vector<permission> given{};
  std::vector<std::string> lines{};
};

TEST_CASE("A permission is recorded with its reason, and the audit computes it again") {
  const permission_trail trail;
  REQUIRE(trail.given.size() == 5);
  CHECK(trail.given[0].answer == permission_answer::no);        // Content-Signal
  CHECK(trail.given[1].answer == permission_answer::no);        // unavailable_after
  CHECK(trail.given[2].answer == permission_answer::on_terms);  // tdmrep.json
  CHECK(trail.given[3].answer == permission_answer::no);        // the policy token
  CHECK(trail.given[4].answer == permission_answer::on_terms);  // the licence
  const std::vector<std::string> lines = robots::test::lines_of(trail.files());
  CHECK(robots::test::count_of(lines, "permission") == 5);
  CHECK(robots::test::count_of(lines, "tdmrep") == 1);
  const std::string& train = lines.at(
      robots::test::line_with(lines, R"("type":"permission","site":"https://example.com")"));
  CHECK(train.find(R"("purpose":"ai_train","answer":"no","reason":[{"kind":"content_signal",)"
                   R"("place":"robots.txt","name":"Content-Signal","addressee":"*",)"
                   R"("text":"ai-train=no","line":2}])") != std::string::npos);
  static_cast<void>(
      robots::test::line_with(lines, R"("place":"headers","name":"X-Robots-Tag","addressee":"*",)"
                                     R"("text":"unavailable_after:2026-11-27","number":2}])"));

  const robots::audit_decisions found = trail.verify();
  for (const auto& one : found.differences) {
    MESSAGE(one.entry << ": " << one.text);
  }
  CHECK(found.differences.empty());
  CHECK(found.unknown == 0);
  CHECK(found.permissions == 5);
}

TEST_CASE("A falsified permission is found, even if the hashes were rewritten") {
  permission_trail trail;
  trail.lines = robots::test::lines_of(trail.files());
  const auto falsify = [&trail](std::string_view line, std::string_view old, std::string_view now) {
    const std::size_t position = robots::test::line_with(trail.lines, line);
    robots::test::replace(trail.lines[position], old, now);
    const robots::audit_decisions found = trail.verify_from(position);
    REQUIRE(found.differences.size() == 1);
    CHECK(found.permissions == 4);
    return found.differences[0].text;
  };
  SUBCASE("the answer") {
    const std::string text =
        falsify(R"("purpose":"ai_train")", R"("answer":"no")", R"("answer":"yes")");
    CHECK(text.starts_with(R"(the permission for ai_train differs: recorded: answer: "yes", )"));
    CHECK(text.find(R"(; computed: answer: "no", )") != std::string::npos);
  }
  SUBCASE("the purpose") {
    falsify(R"("purpose":"ai_train")", R"("purpose":"ai_train")", R"("purpose":"search")");
  }
  SUBCASE("the line of the reason") {
    falsify(R"("purpose":"ai_train")", R"("line":2)", R"("line":3)");
  }
  SUBCASE("a header of the page") {
    falsify(R"("purpose":"index")", "2026-11-27, max", "2026-11-29, max");
  }
  SUBCASE("the time of the question") {
    falsify(R"("purpose":"index")", "\"time\":\"2026-11-28", "\"time\":\"2026-11-26");
  }
  SUBCASE("a number of a field that is none") {
    const std::string text =
        falsify(R"("purpose":"index")", R"("number":2,"name")", R"("number":4000000000,"name")");
    CHECK(text.find("page_field: number is 4000000000: it must rise") != std::string::npos);
  }
  SUBCASE("the URL") {
    falsify(R"("purpose":"ai_train")", "example.com/news", "example.com/private");
  }
  SUBCASE("the site") {
    CHECK(falsify(R"("purpose":"ai_train")", "\"site\":\"https://example.com\"",
                  "\"site\":\"https://other.example\"") ==
          "the site is not that of the URL, or a member is repeated");
  }
  SUBCASE("the tdmrep.json of one answer") {
    CHECK(falsify(R"("purpose":"tdm")", R"("tdmrep":")", R"("tdmrep":"0)") ==
          "the tdmrep.json that it depends on was not recorded before");
  }
}

TEST_CASE("A tdmrep.json that was changed in a trail does not match its hash") {
  permission_trail trail;
  trail.lines = robots::test::lines_of(trail.files());
  const std::size_t position = robots::test::line_with(trail.lines, R"("type":"tdmrep")");
  robots::test::replace(trail.lines[position], R"(reservation\":1)", R"(reservation\":0)");
  const robots::audit_decisions found = trail.verify_from(position);
  REQUIRE(!found.differences.empty());
  CHECK(found.differences[0].text == "the tdmrep.json does not match its hash");
}

/// A trail of answers for one page, by policies that the test chooses.
struct chosen_policies {
  using wall_time = std::chrono::sys_seconds;

  /// Returns the policy that a record gives. With `is_recorded`, the trail has the retrieval.
  std::shared_ptr<const robots::policy> policy_of(robots::record record, wall_time fetched,
                                                  bool is_recorded = true) const {
    record.fetched_at = fetched;
    const auto rules = robots::detail::judge(
        record, names, robots::cache_detail::judge_options_of(options), {}, {});
    if (is_recorded) {
      trail->on(robots::retrieval_event{{.site = "https://example.com"}, *rules, record});
    }
    return rules;
  }

  /// Records the answer for a page whose headers, meta elements and tdmrep.json say nothing.
  permission ask(const std::shared_ptr<const robots::policy>& rules, wall_time when,
                 bool claims_robots_txt = false, std::string_view tdmrep = {}) const {
    constexpr std::string_view url = "https://example.com/news";
    const robots::decision decided = robots::decide(rules, url, {});
    page_statements page = robots::page_of(decided, url, names);
    for (const robots::statement_place place : robots::adapters_detail::statement_places) {
      if (place != robots::statement_place::robots_txt || claims_robots_txt) {
        page.mark_read(place);
      }
    }
    if (!tdmrep.empty()) {
      page.tdmrep(tdmrep);
    }
    return trail->record_permission(decided, url, page, purpose::ai_train, when);
  }

  robots::audit_decisions verify() {
    trail.reset();
    return robots::verify_decisions(robots::test::files_of((folder.path() / "audit").string()));
  }

  robots::test::temporary_folder folder;
  robots::cache_options options{.user_agent = "FooBot",
                                .fallback = robots::fallback_policy::rfc9309()};
  robots::crawler_names names = robots::cache_detail::names_of(options);
  std::optional<robots::AuditTrail> trail{
      std::in_place, robots::audit_options{.path = (folder.path() / "audit").string()}, options};
  wall_time now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
};

using robots::outcome;
using robots::test::record_of_outcome;

TEST_CASE("An answer about use needs the entries that explain its policy") {
  chosen_policies crawl;
  std::string text;
  SUBCASE("a missing robots.txt needs a retrieval") {
    const auto rules = crawl.policy_of(record_of_outcome(outcome::not_found), crawl.now, false);
    CHECK(crawl.ask(rules, crawl.now).answer == permission_answer::unstated);
    text = "no earlier retrieval had the outcome that it depends on";
  }
  SUBCASE("an override needs the order of a person") {
    crawl.ask(robots::policy::by_hand(crawl.names, true), crawl.now);
    text = "no entry sets the override";
  }
  SUBCASE("a file must be the newest that the cache knew") {
    using std::chrono::minutes;
    const auto old =
        crawl.policy_of(record_of_outcome(outcome::success, "User-agent: *\nDisallow: /x\n"),
                        crawl.now - minutes{40});
    crawl.policy_of(
        record_of_outcome(outcome::success, "User-agent: *\nContent-Signal: ai-train=no\n"),
        crawl.now - minutes{20});
    CHECK(crawl.ask(old, crawl.now + minutes{10}).answer == permission_answer::unstated);
    text = "a newer robots.txt of the site was known: see entry ";
  }
  SUBCASE("a policy must not be older than its lifetime") {
    const auto rules = crawl.policy_of(
        record_of_outcome(outcome::success, "User-agent: *\nDisallow: /x\n"), crawl.now);
    crawl.ask(rules, crawl.now + std::chrono::days{30});
    text = "its policy was 30 days and 0 hours old";
  }
  SUBCASE("a robots.txt counts as read only by its policy") {
    const auto rules = crawl.policy_of(record_of_outcome(outcome::client_error), crawl.now);
    CHECK(crawl.ask(rules, crawl.now, true).answer == permission_answer::unstated);
    text = "the permission for ai_train differs: recorded: answer: \"unstated\"";
  }
  const robots::audit_decisions found = crawl.verify();
  CHECK(found.permissions == 0);
  CHECK(found.confirmed == 0);
  REQUIRE(found.differences.size() == 1);
  CHECK_MESSAGE(found.differences[0].text.starts_with(text), found.differences[0].text);
}

TEST_CASE("An answer about use that other entries explain is confirmed") {
  chosen_policies crawl;
  for (const robots::record& record :
       {record_of_outcome(outcome::success, "User-agent: *\nDisallow: /x\n"),
        record_of_outcome(outcome::not_found), record_of_outcome(outcome::client_error)}) {
    crawl.ask(crawl.policy_of(record, crawl.now), crawl.now);
  }
  const robots::audit_decisions found = crawl.verify();
  CHECK(found.differences.empty());
  CHECK(found.unknown == 0);
  CHECK(found.confirmed == 0);
  CHECK(found.permissions == 3);
}

TEST_CASE("A tdmrep.json with the text of a robots.txt is recorded, too") {
  constexpr std::string_view text = R"([{"location":"/*","tdm-reservation":1}])";
  chosen_policies crawl;
  const auto rules = crawl.policy_of(record_of_outcome(outcome::success, text), crawl.now);
  crawl.ask(rules, crawl.now, false, text);
  const robots::audit_decisions found = crawl.verify();
  CHECK(found.differences.empty());
  CHECK(found.permissions == 1);
}

}  // namespace
