#include <robots/testing/fixed_policy_source.hpp>

#include "polite/gate_fixture.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/rep/rules/crawler_directives.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace {

using robots::decision;
using robots::decision_reason;
using robots::fallback_action;
using robots::FixedPolicySource;
using robots::outcome;
using robots::policy;
using robots::PolicySource;

static_assert(PolicySource<FixedPolicySource>);
static_assert(PolicySource<robots::basic_robots_cache<robots::ScriptedFetcher>>);
static_assert(!PolicySource<std::string>);

decision_reason reason(const std::shared_ptr<const policy>& rules, const char* url) {
  const decision answer = FixedPolicySource{rules}.check(url);
  CHECK(answer.allowed == rules->allows(url));
  CHECK(answer.policy == rules);
  return answer.reason;
}

}  // namespace

TEST_CASE("A fixed policy decides about every URL, and gives the reason") {
  const auto rules = robots::test::policy_with("Disallow: /private\n");
  CHECK(reason(rules, "https://example.com/private") == decision_reason::rule);
  CHECK(reason(robots::test::policy_with("Disallow: /x\n"), "/y") == decision_reason::rule);
  const auto silent =
      std::make_shared<const policy>(robots::directives_for("", "FooBot"), robots::record_head{});
  CHECK(reason(silent, "https://example.com/") == decision_reason::no_rule);
  const auto none = std::make_shared<const policy>(
      fallback_action::allow_all, "FooBot", robots::record_head{{.outcome = outcome::not_found}});
  CHECK(reason(none, "/") == decision_reason::no_file);
  const auto broken = std::make_shared<const policy>(
      fallback_action::deny_all, "FooBot", robots::record_head{{.outcome = outcome::server_error}});
  CHECK(reason(broken, "/") == decision_reason::fallback);
  CHECK(FixedPolicySource{rules}.get("https://example.com/") == rules);
}
