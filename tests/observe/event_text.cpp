#include <robots/observe/event_text.hpp>

#include <robots/base/json_writer.hpp>
#include <robots/fetch/exchange.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/observe/events.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/order_reference.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/rep/diff/change_report.hpp>
#include <robots/usage/license_link.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace {

std::string explain(const robots::any_event& event) {
  robots::base::json_writer line;
  return robots::detail::describe(line, event);
}

}  // namespace

TEST_CASE("Events of look-ups, requests and breakers are explained in a sentence") {
  using robots::look_up_result;
  CHECK(explain(robots::look_up_event{{}, look_up_result::hit}) == "the cache has fresh rules");
  CHECK(explain(robots::look_up_event{{}, look_up_result::stale_hit}) ==
        "the rules in the cache are stale, but can still be used");
  CHECK(explain(robots::look_up_event{{}, look_up_result::miss}) ==
        "the cache has no fresh rules, so the site or the shared store is asked");
  CHECK(explain(robots::look_up_event{{}, look_up_result::joined}) ==
        "another call fetched the rules");

  const robots::detail::exchange refused{.url = "https://a.example/robots.txt", .status = 403};
  CHECK(explain(robots::exchange_event{{}, refused}) == "the site answered with status 403");
  const robots::detail::exchange silent{.url = "https://a.example/robots.txt",
                                        .error = robots::fetch_error::timeout};
  CHECK(explain(robots::exchange_event{{}, silent}) == "the request got no response: timeout");

  CHECK(explain(robots::breaker_event{{}, robots::breaker_state::open}) ==
        "the circuit breaker opened: the origin is not asked for a while");
  CHECK(explain(robots::breaker_event{{}, robots::breaker_state::half_open}) ==
        "the circuit breaker lets one request through");
  CHECK(explain(robots::breaker_event{{}, robots::breaker_state::closed}) ==
        "the circuit breaker closed: the origin answers again");
  CHECK(explain(robots::drop_event{{}, true}) == "the cache dropped an entry that had expired");
  CHECK(explain(robots::drop_event{}) == "the cache dropped an entry to make room");
}

TEST_CASE("The sentence about a retrieval has the outcome, and what applies until the next one") {
  robots::record record;
  record.outcome = robots::outcome::server_error;
  record.status = 503;
  const robots::policy denies{robots::fallback_action::deny_all, "FooBot", record};
  const robots::policy allows{robots::fallback_action::allow_all, "FooBot", record};
  CHECK(explain(robots::retrieval_event{{}, denies, record}) ==
        "the retrieval of robots.txt ended: server_error (HTTP 503)");
  CHECK(explain(robots::far_hit_event{{}, denies, record}) ==
        "another process had fetched robots.txt: server_error (HTTP 503)");
  CHECK(explain(robots::far_old_record_event{{}, denies, record}) ==
        "the shared store has an older robots.txt: server_error (HTTP 503)");
  CHECK(explain(robots::fallback_event{{}, denies}) ==
        "there is no robots.txt to obey: server_error (HTTP 503); everything is denied");
  CHECK(explain(robots::fallback_event{{}, allows}) ==
        "there is no robots.txt to obey: server_error (HTTP 503); everything is allowed");
  CHECK(explain(robots::parse_event{{}, denies}) == "robots.txt was read: 0 rules");
  CHECK(explain(robots::parse_event{{}, denies, {}, true}) ==
        "robots.txt was read: 0 rules, but it is not valid UTF-8");
}

TEST_CASE("The event of an order has its number, its id and its maker") {
  const robots::order_reference order{.number = {2, 7}, .id = "a-1", .maker = "ann"};
  const auto check = [](const robots::any_event& event, const std::string& sentence) {
    robots::base::json_writer json;
    CHECK(robots::detail::describe(json, event) == sentence + "order 2-7 by ann");
    const std::string line = std::move(json).finish();
    CHECK_MESSAGE(line.find(R"("order":"2-7","order_id":"a-1","maker":"ann")") != line.npos, line);
  };
  using robots::halt_reason;
  check(robots::halt_event{{}, halt_reason::by_hand, false, order},
        "the site was halted: by an operator; ");
  check(robots::halt_event{{}, halt_reason::by_hand, true, order}, "the site was resumed; ");
  check(robots::sign_off_event{{}, true, false, order}, "the site was signed off; ");
  check(robots::quarantine_event{{}, true, order}, "the site was released from quarantine; ");
  check(robots::override_event{{}, robots::site_override::text, order, "User-agent: *\n"},
        "the site has an override: text; ");
  check(robots::order_event{{}, order}, "the ledger has numbered an order: ");

  const robots::order_reference unnumbered{.id = "a-2", .maker = "ann"};
  CHECK(explain(robots::halt_event{{}, halt_reason::by_hand, false, unnumbered}) ==
        "the site was halted: by an operator; order without a number yet by ann");
}

TEST_CASE("The event of a cache with rulings lists the sites that need a sign-off") {
  const std::vector<std::string> hosts{"gov"};
  robots::base::json_writer json;
  CHECK(robots::detail::describe(json, robots::rulings_event{{}, hosts, true}) ==
        "a cache began with rulings; needs_sign_off has 1 host");
  CHECK(std::move(json).finish() ==
        R"({"needs_sign_off":[{"host":"gov"}],"has_own_risk":true,"has_ledger":false,)"
        R"("denies_unread":false})");
}

TEST_CASE("Events of decisions, changes and operators are explained in a sentence") {
  robots::decision denied;
  CHECK(explain(robots::decision_event{{}, "x", denied}) == "not allowed: invalid_url");
  CHECK(explain(robots::admission_event{{}, "x", denied, robots::admission_reason::busy}) ==
        "not now: busy");
  CHECK(explain(robots::admission_event{{}, "x", denied}) == "the request may start");

  const robots::record record;
  const robots::policy before{robots::fallback_action::deny_all, "FooBot", record};
  robots::change_report changes;
  changes.unchanged = 2;
  changes.rules.emplace_back();
  CHECK(explain(robots::policy_change_event{{}, before, before, changes, {}, true, true}) ==
        "robots.txt has changed: 1 change, 2 lines unchanged, faster than the limit; it denies "
        "everything now");
  CHECK(explain(robots::access_revoked_event{{}, "x", 403}) ==
        "the site refused a page that its robots.txt allows, with status 403");
  CHECK(explain(robots::access_revoked_event{{}, "x", 200}) ==
        "the site refused a page that its robots.txt allows, with a challenge and status 200");
  const robots::licence_demand_result demand{
      robots::licence_need::payment, "License", {"https://e.example/l.xml"}};
  CHECK(explain(robots::licence_demanded_event{{}, "x", 402, demand}) ==
        "the server demands a licence, with status 402: <https://e.example/l.xml>");
  using robots::halt_reason;
  CHECK(explain(robots::halt_event{{}, halt_reason::hostile}) ==
        "the site was halted: its robots.txt denies everything now");
  CHECK(explain(robots::halt_event{{}, halt_reason::by_hand}) ==
        "the site was halted: by an operator");
  CHECK(explain(robots::halt_event{{}, halt_reason::by_hand, true}) == "the site was resumed");
  const std::vector<std::string> hosts{"gov", "mil"};
  CHECK(explain(robots::exclusions_event{{}, hosts}) ==
        "the excluded hosts were replaced: there are 2 now");
  CHECK(explain(robots::sign_off_event{{}, true}) == "the site was signed off");
  CHECK(explain(robots::sign_off_event{{}, false, true}) ==
        "the site is high-risk and waits for somebody to sign it off");
  CHECK(explain(robots::sign_off_event{}) == "the sign-off of the site was withdrawn");
  CHECK(explain(robots::quarantine_event{{}, true}) == "the site was released from quarantine");
  CHECK(explain(robots::quarantine_event{}) ==
        "the site was put in quarantine: its files are malformed again and again");
  CHECK(explain(robots::override_event{{}, robots::site_override::deny}) ==
        "the site has an override: deny");
  CHECK(explain(robots::override_event{}) == "the override of the site was lifted");
  CHECK(explain(robots::far_store_event{{}, true, {}}) == "the shared store answers again");
  CHECK(explain(robots::lost_invalidation_event{}).find("old rules") != std::string::npos);
  CHECK(explain(robots::far_store_event{{}, false, "no\nroute"}) ==
        "the shared store failed: no\\x0Aroute");
}
