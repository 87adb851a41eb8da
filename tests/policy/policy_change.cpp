#include <robots/policy/policy_change.hpp>

#include "policy/policy_of.hpp"
#include <robots/fetch/outcome.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <utility>

namespace {

using change_kind = robots::change_report::change_kind;
using robots::diff;
using robots::directive_kind;
using robots::fallback_action;
using robots::outcome;
using robots::policy;
using robots::record_head;
using robots::detail::denies_everything;
using robots::test::policy_of;

std::shared_ptr<const policy> without_file(outcome result, fallback_action action,
                                           std::shared_ptr<const policy> good = nullptr) {
  return std::make_shared<const policy>(action, "FooBot/1.0", record_head{{.outcome = result}},
                                        std::move(good));
}

TEST_CASE("Policies can differ in permissions, delays, rates, hours, sitemaps and host") {
  const auto before = policy_of(
      "Crawl-delay: 3\nUser-agent: *\nDisallow: /a\nDisallow: /b\nCrawl-delay: 1\n"
      "Request-rate: 1/5\nVisit-time: 0100-0200\nSitemap: https://example.com/1\nHost: "
      "a.example\n");
  const auto same = policy_of(
      "Sitemap: https://example.com/1\nHost: a.example\nCrawl-delay: 3.0\nUser-agent: FooBot\n"
      "Disallow: /b*\nDisallow: /%61\nCrawl-delay: 1\nVisit-time: 0100 - 0200\n"
      "Request-rate: 1/5s\n");
  CHECK(diff(*before, *same).same());
  CHECK(diff(*before, *same).unchanged == 8);
  const auto other = diff(*before, *policy_of("User-agent: *\nDisallow: /a\nCrawl-delay: 1\n"));
  REQUIRE(other.rules.size() == 1);
  CHECK(other.rules[0].change == change_kind::removed);
  CHECK(other.rules[0].example == "/b");
  CHECK(other.lines.size() == 5);
  CHECK(other.share() == doctest::Approx(6.0 / 8));
  const auto slower = diff(*before, *policy_of("User-agent: *\nDisallow: /a\nCrawl-delay: 2\n"));
  CHECK(slower.lines.front().kind == directive_kind::crawl_delay);
}

TEST_CASE("A policy that denies everything without a robots.txt counts as Disallow: /") {
  const auto denied = without_file(outcome::server_error, fallback_action::deny_all);
  CHECK(diff(*denied, *policy_of("User-agent: *\nDisallow: /\n")).same());
  CHECK(diff(*denied, *policy_of("")).rules.size() == 1);
  const auto good = policy_of("User-agent: *\nDisallow: /a\n");
  CHECK(diff(*good, *without_file(outcome::server_error, fallback_action::last_good_or_deny, good))
            .same());
}

TEST_CASE("A site denies everything if no page is allowed, not even by an exception") {
  CHECK(denies_everything(*policy_of("User-agent: *\nDisallow: /\n")));
  CHECK(denies_everything(*policy_of("User-agent: *\nDisallow: *\nAllow: /robots.txt$\n")));
  CHECK_FALSE(denies_everything(*policy_of("User-agent: *\nDisallow: *\nAllow: /public/\n")));
  CHECK(
      denies_everything(*policy_of("User-agent: *\nDisallow: /\nAllow: private\nDisallow: /a\n")));
  CHECK(denies_everything(*policy_of("User-agent: *\nDisallow: /*\nAllow: /\n")));
  CHECK(denies_everything(*without_file(outcome::server_error, fallback_action::deny_all)));
  CHECK(denies_everything(*policy_of("User-agent: *\nDisallow: /\nAllow: /$\n")));
  CHECK(
      denies_everything(*policy_of("User-agent: *\nDisallow: /\nAllow: /robots.txt\nAllow: /$\n")));
  CHECK_FALSE(denies_everything(*policy_of("User-agent: *\nDisallow: /*?\n")));
  CHECK_FALSE(
      denies_everything(*policy_of("User-agent: FooBot\nDisallow:\nUser-agent: *\nDisallow: /\n")));
}

TEST_CASE("The last answer of an unreachable site is the answer before it became unreachable") {
  const auto good = policy_of("User-agent: *\nDisallow: /a\n");
  const auto none = without_file(outcome::not_found, fallback_action::allow_all);
  CHECK(policy::last_successful(nullptr) == nullptr);
  CHECK(policy::last_successful(good) == good);
  CHECK(policy::last_successful(none) == none);
  CHECK(policy::last_successful(without_file(outcome::server_error, fallback_action::allow_all)) ==
        nullptr);
  CHECK(policy::last_successful(
            without_file(outcome::server_error, fallback_action::deny_all, good)) == good);
}

}  // namespace
