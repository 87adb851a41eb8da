#include <robots/policy/decision.hpp>

#include "policy/policy_of.hpp"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

using namespace std::chrono_literals;
using robots::decision;
using robots::decision_reason;
using robots::explain;
using robots::fallback_action;
using robots::fetch_error;
using robots::outcome;
using robots::policy;
using robots::record_head;
using robots::test::policy_of;

namespace {

constexpr std::array<std::pair<decision_reason, std::string_view>, 8> names{{
    {decision_reason::rule, "rule"},
    {decision_reason::no_rule, "no_rule"},
    {decision_reason::robots_txt, "robots_txt"},
    {decision_reason::no_file, "no_file"},
    {decision_reason::undecided, "undecided"},
    {decision_reason::fallback, "fallback"},
    {decision_reason::excluded, "excluded"},
    {decision_reason::invalid_url, "invalid_url"},
}};
static_assert([] {
  for (const auto& [reason, name] : names) {
    if (to_string(reason) != name) {
      return false;
    }
  }
  return true;
}());

std::shared_ptr<const policy> fallback(fallback_action action, record_head source,
                                       std::shared_ptr<const policy> good = nullptr) {
  return std::make_shared<const policy>(action, "FooBot", std::move(source), std::move(good));
}

decision decide(std::shared_ptr<const policy> from, decision_reason reason, std::string_view url) {
  decision answer{.reason = reason, .policy = std::move(from)};
  answer.verdict = answer.policy->match(url);
  answer.allowed = answer.verdict.allowed;
  return answer;
}

}  // namespace

TEST_CASE("A default decision denies") {
  const decision nothing;
  CHECK_FALSE(nothing.allowed);
  CHECK(nothing.crawl_delay() == std::nullopt);
  CHECK(explain(nothing) == "not allowed: not an http or https URL");
}

TEST_CASE("A decision has the delay of its policy") {
  const decision answer =
      decide(policy_of("User-agent: *\nCrawl-delay: 2\n"), decision_reason::no_rule, "/");
  CHECK(answer.crawl_delay() == 2'000ms);
}

TEST_CASE("An explanation names the rule, its line and its crawler") {
  const auto rules = policy_of("User-agent: *\nDisallow: /a*\nAllow: /a/b$\n");
  CHECK(explain(decide(rules, decision_reason::rule, "/a/c")) ==
        "not allowed: disallow \"/a*\", line 2, for *");
  CHECK(explain(decide(rules, decision_reason::rule, "/a/b")) ==
        "allowed: allow \"/a/b$\", line 3, for *");
  CHECK(explain(decide(rules, decision_reason::no_rule, "/x")) == "allowed: no rule matches");
  CHECK(explain(decide(rules, decision_reason::robots_txt, "/robots.txt")) ==
        "allowed: /robots.txt itself");
}

TEST_CASE("An explanation names the outcome") {
  CHECK(explain(decide(
            fallback(fallback_action::allow_all, {{.outcome = outcome::not_found, .status = 404}}),
            decision_reason::no_file, "/")) == "allowed: no robots.txt: not_found (HTTP 404)");
  CHECK(
      explain(decide(
          fallback(fallback_action::deny_all, {{.outcome = outcome::server_error, .status = 503}}),
          decision_reason::fallback, "/")) == "not allowed: fallback: server_error (HTTP 503)");
  CHECK(explain(decide(fallback(fallback_action::deny_all, {{.outcome = outcome::unreachable,
                                                             .error = fetch_error::connect,
                                                             .error_text = "refused"}}),
                       decision_reason::fallback, "/")) ==
        "not allowed: fallback: unreachable (refused)");
}

TEST_CASE("An explanation escapes a text from the network once") {
  const auto refused = policy::refusal("FooBot", decision_reason::invalid_url, "http://a:b\xC3/");
  CHECK(explain(decide(refused, decision_reason::invalid_url, "http://a:b\xC3/")) ==
        "not allowed: not an http or https URL: the port \"b\\xC3\" is not a number from 1 to "
        "65535");
  CHECK(explain(decide(fallback(fallback_action::deny_all,
                                {{.outcome = outcome::unreachable, .error_text = "b\xC3\\"}}),
                       decision_reason::fallback, "/")) ==
        "not allowed: fallback: unreachable (b\\xC3\\x5C)");
}

TEST_CASE("An explanation says that a host has timed out, and after how many tries") {
  const auto silent = [](int attempts) {
    return explain(decide(fallback(fallback_action::deny_all, {{.outcome = outcome::unreachable,
                                                                .error = fetch_error::timeout,
                                                                .error_text = "Timeout was reached",
                                                                .attempts = attempts}}),
                          decision_reason::fallback, "/"));
  };
  CHECK(silent(1) ==
        "not allowed: fallback: unreachable, timed out after 1 try (Timeout was reached)");
  CHECK(silent(3) ==
        "not allowed: fallback: unreachable, timed out after 3 tries (Timeout was reached)");
}

TEST_CASE("An explanation says that the last good copy decides, and why") {
  const auto now = fallback(fallback_action::last_good_or_deny,
                            {{.outcome = outcome::too_many_requests, .status = 429}},
                            policy_of("User-agent: *\nDisallow: /a\n"));
  CHECK(explain(decide(now, decision_reason::rule, "/a")) ==
        "not allowed: disallow \"/a\", line 2, for *, by the last good copy since the newest is "
        "too_many_requests (HTTP 429)");
  CHECK(explain(decide(now, decision_reason::no_rule, "/b")) ==
        "allowed: no rule matches, by the last good copy since the newest is too_many_requests "
        "(HTTP 429)");
}

TEST_CASE("An explanation says that the crawler's own configuration denies") {
  const auto refused = fallback(fallback_action::deny_all, {{.outcome = outcome::refused}});
  CHECK(explain(decide(refused, decision_reason::excluded, "/")) ==
        "not allowed: the host is excluded");
  CHECK(explain(decide(refused, decision_reason::invalid_url, "/")) ==
        "not allowed: not an http or https URL");
}
