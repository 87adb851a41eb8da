#include <robots/policy/page_of.hpp>

#include "policy/record_samples.hpp"
#include <robots/policy/judge.hpp>
#include <robots/policy/policy_change.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace {

using robots::crawler_names;
using robots::outcome;
using robots::page_statements;
using robots::permission_answer;
using robots::policy;
using robots::purpose;
using robots::statement_place;

constexpr std::chrono::sys_days usage_day{std::chrono::year{2026} / 11 / 28};

constexpr std::string_view about_use =
    "License: https://e.example/l.xml\n"
    "User-agent: *\n"
    "Disallow: /private\n"
    "Content-Signal: search=yes, ai-train=no\n"
    "User-agent: Google-Extended\n"
    "Disallow: /\n";

const crawler_names bound_bot{"FooBot", {"Google-Extended", purpose::ai_input}};

std::shared_ptr<const policy> judged_for(const crawler_names& crawler,
                                         const robots::record& retrieved,
                                         const robots::fallback_policy& fallback) {
  return robots::detail::judge(retrieved, crawler, {.fallback = fallback}, {}, {});
}

std::shared_ptr<const policy> policy_about_use(std::string_view text) {
  return judged_for(bound_bot, robots::test::record_of_outcome(outcome::success, text),
                    robots::fallback_policy::rfc9309());
}

page_statements page_by(const std::shared_ptr<const policy>& used, std::string_view url) {
  page_statements asked = robots::page_of(robots::decide(used, url, {}), url, bound_bot);
  asked.mark_read(statement_place::headers);
  asked.mark_read(statement_place::meta);
  asked.mark_read(statement_place::tdmrep);
  return asked;
}

}  // namespace

TEST_CASE("A policy answers for the use of a page as its document does") {
  const auto used = policy_about_use(about_use);
  const robots::document file = robots::parse(about_use);
  for (const std::string_view url : {"/news", "/private/x", "https://e.example/news"}) {
    page_statements by_file{file, url, bound_bot};
    by_file.mark_read(statement_place::headers);
    by_file.mark_read(statement_place::meta);
    by_file.mark_read(statement_place::tdmrep);
    const page_statements by_policy = page_by(used, url);
    for (const purpose wanted : {purpose::fetch, purpose::index, purpose::search, purpose::ai_input,
                                 purpose::ai_train, purpose::tdm}) {
      CAPTURE(url);
      CHECK(explain(by_policy.may(wanted, usage_day)) == explain(by_file.may(wanted, usage_day)));
    }
  }
  CHECK(explain(page_by(used, "/news").may(purpose::ai_train, usage_day)) ==
        "no: Content-Signal \"ai-train=no\", line 4, for *; licences: https://e.example/l.xml");
}

TEST_CASE("The last good copy and a confirmed copy keep what the file says about use") {
  const auto used = policy_about_use(about_use);
  robots::record confirmed = robots::test::record_of_outcome(outcome::success);
  confirmed.not_modified = true;
  const auto same = robots::detail::judge(
      confirmed, bound_bot, {.fallback = robots::fallback_policy::rfc9309()}, {used, used}, {});
  const auto after_failure =
      robots::detail::judge(robots::test::record_of_outcome(outcome::server_error), bound_bot,
                            {.fallback = robots::fallback_policy::rfc9309()}, {used, nullptr}, {});
  REQUIRE(after_failure->basis() == robots::policy_basis::last_good);
  for (const auto& later : {same, after_failure}) {
    CHECK(page_by(later, "/news").may(purpose::ai_train, usage_day).answer ==
          permission_answer::no);
  }
}

TEST_CASE("A missing robots.txt says nothing about use, and one that was not read is unread") {
  const auto rfc = robots::fallback_policy::rfc9309();
  const auto missing =
      judged_for(bound_bot, robots::test::record_of_outcome(outcome::not_found), rfc);
  CHECK(page_by(missing, "/a").may(purpose::ai_train, usage_day).answer ==
        permission_answer::unstated);
  const auto refused =
      judged_for(bound_bot, robots::test::record_of_outcome(outcome::client_error), rfc);
  const page_statements asked = page_by(refused, "/a");
  CHECK(asked.may(purpose::fetch, usage_day).answer == permission_answer::yes);
  CHECK(explain(asked.may(purpose::ai_train, usage_day)) == "unread: not read: robots.txt");
  const auto unreachable =
      judged_for(bound_bot, robots::test::record_of_outcome(outcome::unreachable), rfc);
  CHECK(explain(page_by(unreachable, "/a").may(purpose::ai_train, usage_day)) ==
        "no: robots.txt: fallback: unreachable");
  CHECK(explain(page_by(policy::by_hand("FooBot", false), "/a").may(purpose::fetch, usage_day)) ==
        "no: robots.txt: an override of the site decides");
}

TEST_CASE("A change of what a file says about use is a change of the policy") {
  const auto before = policy_about_use(about_use);
  const auto after = policy_about_use(std::string{about_use}.append("Allow: /a\n"));
  const auto other = policy_about_use("User-agent: *\nDisallow: /private\n");
  CHECK(before->fingerprint() == policy_about_use(about_use)->fingerprint());
  CHECK(before->fingerprint() != after->fingerprint());
  CHECK(before->fingerprint() != other->fingerprint());
  CHECK(robots::diff(*before, *after).changed() == 1);
  CHECK(robots::diff(*before, *other).changed() == 3);
  CHECK(before->memory_bytes() > other->memory_bytes());
}
