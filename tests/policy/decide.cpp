#include "policy/record_samples.hpp"
#include <robots/policy/decision.hpp>
#include <robots/policy/judge.hpp>
#include <robots/rep/rules/crawler_directives.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

using namespace std::chrono_literals;
using robots::decide;
using robots::decision;
using robots::decision_reason;
using robots::fallback_action;
using robots::fallback_policy;
using robots::outcome;
using robots::policy;
using robots::time_point;
using robots::test::record_anchor;
using robots::test::record_of_outcome;
using robots::test::sample_body;

namespace {

std::shared_ptr<const policy> judged(outcome result, fallback_policy fallback,
                                     const std::shared_ptr<const policy>& last = nullptr) {
  return robots::detail::judge(record_of_outcome(result, sample_body), "FooBot",
                               {.fallback = fallback}, {.last = last}, record_anchor);
}

struct answer {
  bool allowed;
  decision_reason reason;
};

void check(const std::shared_ptr<const policy>& rules, answer open, answer hidden) {
  const std::array<std::pair<const char*, answer>, 3> questions{
      {{"https://example.com/", open},
       {"https://example.com/private", hidden},
       {"https://example.com/robots.txt", {true, decision_reason::robots_txt}}}};
  for (const auto& [url, expected] : questions) {
    const decision decided = decide(rules, url, record_anchor.steady + 5s);
    CAPTURE(url);
    CHECK(decided.allowed == expected.allowed);
    CHECK(to_string(decided.reason) == to_string(expected.reason));
    CHECK(decided.policy == rules);
    CHECK(decided.age == 5s);
  }
}

}  // namespace

TEST_CASE("Every basis has its reason") {
  using enum decision_reason;
  using enum outcome;
  const fallback_policy rfc = fallback_policy::rfc9309();
  const auto good = judged(success, rfc);
  check(good, {true, no_rule}, {false, rule});
  check(judged(server_error, rfc, good), {true, no_rule}, {false, rule});
  check(judged(server_error, rfc), {false, fallback}, {false, fallback});
  check(judged(not_found, rfc), {true, no_file}, {true, no_file});
  check(judged(client_error, rfc), {true, fallback}, {true, fallback});
  // If a missing robots.txt denies, the reason is the fallback policy, not the missing file.
  check(judged(not_found, rfc.with(not_found, fallback_action::deny_all)), {false, fallback},
        {false, fallback});
  check(judged(not_found, rfc.with(not_found, fallback_action::last_good_or_deny), good),
        {true, no_rule}, {false, rule});
}

TEST_CASE("Two slashes after a host begin its path, in every dialect") {
  using robots::dialect;
  for (const dialect reading : {dialect::rfc9309, dialect::google}) {
    const auto rules = std::make_shared<const policy>(
        robots::directives_for("User-agent: *\nDisallow: /y\nDisallow: //x/y\n", "FooBot",
                               {.dialect = reading}),
        robots::record_head{});
    for (const char* const url :
         {"example.com//x/y", "https://example.com//x/y", "example.com:8080//x/y?z#//y"}) {
      CAPTURE(url);
      CHECK(decide(rules, url, record_anchor.steady).verdict.pattern == "//x/y");
    }
    CHECK(decide(rules, "example.com/y", record_anchor.steady).verdict.pattern == "/y");
    CHECK(decide(rules, "example.com?y", record_anchor.steady).allowed);
    CHECK(decide(rules, "example.com", record_anchor.steady).allowed);
  }
}

TEST_CASE("A URL that is too long to be compared is denied for that reason") {
  const decision answer =
      decide(judged(outcome::success, fallback_policy::permissive()),
             "https://example.com/" + std::string(1U << 20U, 'x'), record_anchor.steady);
  CHECK_FALSE(answer.allowed);
  CHECK(to_string(answer.reason) == "undecided");
  CHECK(explain(answer) ==
        "not allowed: the URL is too long to compare, or there are too many rules");
}

TEST_CASE("The refusal of a text that is not a URL says what is wrong with it") {
  const auto refused =
      policy::refusal("FooBot", decision_reason::invalid_url, "https://example.com:99999/");
  CHECK(
      explain(decide(refused, "https://example.com:99999/", record_anchor.steady)) ==
      "not allowed: not an http or https URL: the port \"99999\" is not a number from 1 to 65535");
}

TEST_CASE("The refusal of a text that is not a URL does not repeat itself") {
  const auto refused = policy::refusal("FooBot", decision_reason::invalid_url, "mailto:x@y");
  CHECK(explain(decide(refused, "mailto:x@y", record_anchor.steady)) ==
        "not allowed: not an http or https URL: the scheme \"mailto\" is neither http nor https");
}

TEST_CASE("A refusal denies everything, and has its own reason") {
  for (const auto why : {decision_reason::excluded, decision_reason::invalid_url}) {
    const decision answer = decide(policy::refusal("FooBot", why), "https://example.com/robots.txt",
                                   record_anchor.steady);
    CHECK_FALSE(answer.allowed);
    CHECK(answer.reason == why);
    CHECK(answer.age == 0s);
  }
}

TEST_CASE("Rules that are newer than the question have an age of 0") {
  CHECK(decide(judged(outcome::success, fallback_policy::strict()), "/", record_anchor.steady - 1s)
            .age == 0s);
}
