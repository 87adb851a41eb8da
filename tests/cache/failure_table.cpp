// The effect of each failure on the cache's decisions, under each of the three policies.
#include "cache_fixture.hpp"
#include "rulings/ruled_cache.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/policy/decision.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using robots::cache_options;
using robots::decision;
using robots::decision_reason;
using robots::explain;
using robots::fallback_policy;
using robots::fetch_error;
using robots::fetch_request;
using robots::fetch_response;
using robots::outcome;
using robots::policy_basis;
using robots::ScriptedFetcher;
using robots::test::foo_bot;
using robots::test::foo_bot_that_asks_once;
using robots::test::home;
using robots::test::robots_url;
using robots::test::rules;
using robots::test::scripted;
using robots::test::secret;

namespace {

enum class expected { parse, allow, deny, last_good, last_good_or_allow };

constexpr auto parse = expected::parse;
constexpr auto allow = expected::allow;
constexpr auto deny = expected::deny;
constexpr auto last_good = expected::last_good;
constexpr auto last_good_or_allow = expected::last_good_or_allow;

constexpr std::array<fallback_policy, 3> policies{
    fallback_policy::permissive(), fallback_policy::rfc9309(), fallback_policy::strict()};

struct row {
  std::string cause;
  ScriptedFetcher::handler answer;
  robots::outcome outcome;
  std::array<expected, 3> then;  // permissive, rfc9309, strict
};

ScriptedFetcher::handler always(const fetch_response& response) {
  return [response](const fetch_request&) { return response; };
}

fetch_response endless_redirects(const fetch_request& request) {
  return ScriptedFetcher::redirect(301, request.url + "x");
}

/// Returns a file that disallows /private, and has too many malformed lines.
std::string malformed_file() {
  std::string text{rules};
  for (int i = 0; i < 5; ++i) {
    text += "no line of the protocol\n";
  }
  return text;
}

std::vector<row> table() {
  std::vector<row> rows;
  const auto add = [&rows](std::string cause, ScriptedFetcher::handler answer, outcome name,
                           std::array<expected, 3> then) {
    rows.push_back({std::move(cause), std::move(answer), name, then});
  };
  const auto add_status = [&add](int status, outcome name, std::array<expected, 3> then) {
    fetch_response response = robots::test::ok();
    response.status = status;
    add("status " + std::to_string(status), always(response), name, then);
  };
  for (const int status : {200, 203, 299}) {
    add_status(status, outcome::success, {parse, parse, parse});
  }
  for (const int status : {404, 410}) {
    add_status(status, outcome::not_found, {allow, allow, allow});
  }
  for (const int status : {400, 401, 403, 405, 418, 451, 499}) {
    add_status(status, outcome::client_error, {allow, allow, deny});
  }
  for (const int status : {401, 402}) {
    fetch_response demand = ScriptedFetcher::status(status);
    demand.headers.push_back({"WWW-Authenticate", "License error=\"insufficient_scope\""});
    add("a demand for a licence with status " + std::to_string(status), always(demand),
        outcome::licence_demanded, {allow, allow, deny});
  }
  add_status(429, outcome::too_many_requests, {allow, last_good, last_good});
  for (const int status : {500, 502, 503, 504, 599, 304, 300, 101, 600, 999}) {
    add_status(status, outcome::server_error, {allow, last_good, last_good});
  }
  for (const auto error : {fetch_error::resolve, fetch_error::connect, fetch_error::tls,
                           fetch_error::timeout, fetch_error::protocol, fetch_error::other,
                           fetch_error::connection_refused, fetch_error::proxy}) {
    add("error " + std::string{to_string(error)}, always(ScriptedFetcher::failure(error)),
        outcome::unreachable, {allow, last_good, last_good});
  }
  add("a proxy that wants credentials", always(ScriptedFetcher::status(407)), outcome::unreachable,
      {allow, last_good, last_good});
  add("more than 5 redirects", endless_redirects, outcome::too_many_redirects,
      {allow, allow, deny});
  add("a loop of redirects", always(ScriptedFetcher::redirect(302, robots_url)),
      outcome::too_many_redirects, {allow, allow, deny});
  add("a Location that cannot be used", always(ScriptedFetcher::redirect(302, "http://a b/")),
      outcome::too_many_redirects, {allow, allow, deny});
  add("a redirect to nowhere", always(ScriptedFetcher::status(302)), outcome::server_error,
      {allow, last_good, last_good});
  for (const char* target : {"file:///etc/passwd", "ftp://example.com/robots.txt", "data:,x"}) {
    add(std::string{"a redirect to "} + target, always(ScriptedFetcher::redirect(301, target)),
        outcome::refused, {deny, deny, deny});
  }
  add("a refused address", always(ScriptedFetcher::failure(fetch_error::refused_address)),
      outcome::refused, {deny, deny, deny});
  fetch_response wall = robots::test::ok("<html><title>Just a moment...</title></html>\n");
  for (const int status : {202, 205}) {
    wall.status = status;
    add("a bot wall with status " + std::to_string(status), always(wall), outcome::challenged,
        {allow, last_good_or_allow, last_good});
  }
  for (const char* const name : {"x-amzn-waf-action", "cf-mitigated"}) {
    add(std::string{"a bot wall with the header "} + name,
        always(robots::test::ok("", {{name, "challenge"}})), outcome::challenged,
        {allow, last_good_or_allow, last_good});
  }
  add("a malformed file", always(robots::test::ok(malformed_file())), outcome::malformed,
      {parse, parse, deny});
  return rows;
}

bool agree(const decision& one, const decision& two) {
  return one.allowed == two.allowed && one.reason == two.reason && explain(one) == explain(two);
}

decision decision_by(const std::shared_ptr<const robots::policy>& rules, std::string_view url) {
  return robots::decide(rules, url, rules->rules_fetched_at());
}

/// Checks the decisions on three URLs. For `last_good`, `copy` is the age of a copy that can still
/// be used, or empty.
void check_decisions(scripted& world, const row& from, expected then,
                     std::optional<std::chrono::nanoseconds> copy) {
  const decision open = world.cache.check(home);
  const decision hidden = world.cache.check(secret);
  const decision itself = world.cache.check(robots_url);
  const std::string why = explain(hidden);
  CAPTURE(why);

  for (const decision* tested : {&open, &hidden, &itself}) {
    CHECK(to_string(tested->policy->last_retrieval().outcome) == to_string(from.outcome));
    CHECK(tested->policy == open.policy);
    CHECK(tested->allowed == tested->verdict.allowed);
  }
  // The policy alone gives the same decisions.
  CHECK(agree(decision_by(open.policy, home), open));
  CHECK(agree(decision_by(open.policy, secret), hidden));
  CHECK(agree(decision_by(open.policy, robots_url), itself));
  CHECK_FALSE(open.from_cache);
  CHECK(hidden.from_cache);
  CHECK(itself.allowed);
  if (then == last_good && !copy) {
    then = deny;
  }
  if (then == last_good_or_allow) {
    then = copy ? last_good : allow;
  }
  const bool obeys_rules = then == parse || then == last_good;
  CHECK(open.allowed == (then != deny));
  CHECK(hidden.allowed == (then == allow));
  CHECK(hidden.verdict.line == (obeys_rules ? 2 : 0));
  CHECK(open.age == (then == last_good ? *copy : 0ns));

  switch (then) {
    case parse:
      CHECK(to_string(open.policy->basis()) == "rules");
      CHECK(to_string(open.reason) == "no_rule");
      CHECK(to_string(hidden.reason) == "rule");
      break;
    case allow:
      CHECK(to_string(open.policy->basis()) == "allow_all");
      CHECK(to_string(open.reason) ==
            (from.outcome == outcome::not_found ? "no_file" : "fallback"));
      CHECK(to_string(hidden.reason) == to_string(open.reason));
      CHECK(why.find(to_string(from.outcome)) != std::string::npos);
      break;
    case deny:
      CHECK(to_string(open.policy->basis()) == "deny_all");
      CHECK(to_string(open.reason) == "fallback");
      CHECK(to_string(hidden.reason) == "fallback");
      CHECK(to_string(itself.reason) == "robots_txt");
      CHECK(why.find(to_string(from.outcome)) != std::string::npos);
      break;
    case last_good:
    case last_good_or_allow:
      CHECK(to_string(open.policy->basis()) == "last_good");
      CHECK(to_string(open.reason) == "no_rule");
      CHECK(to_string(hidden.reason) == "rule");
      CHECK(to_string(hidden.policy->rules_source().outcome) == "success");
      CHECK(why.find("last good copy") != std::string::npos);
      CHECK(why.find(to_string(from.outcome)) != std::string::npos);
      break;
  }
}

template <class Check>
void for_each_row(Check check) {
  for (const row& tested : table()) {
    for (std::size_t i = 0; i < policies.size(); ++i) {
      CAPTURE(tested.cause);
      CAPTURE(policies[i].name());
      check(tested, policies[i], tested.then[i]);
    }
  }
}

}  // namespace

TEST_CASE("Every row of the failure table is right for a new site") {
  for_each_row([](const row& tested, fallback_policy fallback, expected then) {
    scripted world{foo_bot(fallback)};
    world.web.otherwise_call(tested.answer);
    check_decisions(world, tested, then, std::nullopt);
    CHECK(world.cache.stats().retrievals == 1);
    CHECK(world.cache.stats().failures == (robots::detail::is_successful(tested.outcome) ? 0 : 1));
    CHECK(world.cache.stats().size == 1);
  });
}

TEST_CASE("Every row of the failure table is right for a site with a good copy") {
  for_each_row([](const row& tested, fallback_policy fallback, expected then) {
    scripted world{foo_bot_that_asks_once(fallback)};
    world.web.on(robots_url, robots::test::ok());
    CHECK_FALSE(world.cache.allowed(secret));
    world.clock.advance(24h);
    world.web.on_call(robots_url, tested.answer);
    world.web.otherwise_call(tested.answer);
    check_decisions(world, tested, then, 24h);
  });
}

TEST_CASE("Every row of the failure table is right when the last good copy is too old") {
  for_each_row([](const row& tested, fallback_policy fallback, expected then) {
    scripted world{foo_bot(fallback)};
    world.web.on(robots_url, robots::test::ok());
    CHECK_FALSE(world.cache.allowed(secret));
    world.clock.advance(std::chrono::days{30} + 1s);
    world.web.on_call(robots_url, tested.answer);
    world.web.otherwise_call(tested.answer);
    check_decisions(world, tested, then, std::nullopt);
  });
}

TEST_CASE("After a failure, a site is asked again in five minutes; after an answer, in a day") {
  for_each_row([](const row& tested, fallback_policy fallback, expected /*then*/) {
    scripted world{foo_bot_that_asks_once(fallback)};
    world.web.otherwise_call(tested.answer);
    const auto lifetime = is_failure(tested.outcome) ? 5min : std::chrono::minutes{24h};
    static_cast<void>(world.cache.check(home));
    const std::size_t requests = world.web.count();
    world.clock.advance(lifetime - 1ns);
    CHECK(world.cache.check(home).from_cache);
    CHECK(world.web.count() == requests);
    world.clock.advance(1ns);
    CHECK_FALSE(world.cache.check(home).from_cache);
    CHECK(world.web.count() == 2 * requests);
  });
}

TEST_CASE("The last good copy applies through any number of failures, for 30 days in all") {
  for (const fallback_policy fallback : {fallback_policy::rfc9309(), fallback_policy::strict()}) {
    scripted world{foo_bot_that_asks_once(fallback)};
    world.web.on(robots_url, robots::test::ok(), ScriptedFetcher::status(503));
    CHECK(world.cache.allowed(home));
    for (int day = 1; day < 30; ++day) {
      world.clock.advance(24h);
      const decision result = world.cache.check(home);
      CHECK(result.allowed);
      CHECK(to_string(result.policy->basis()) == "last_good");
      CHECK(result.age == day * 24h);
      CHECK_FALSE(result.from_cache);
    }
    world.clock.advance(24h + 1s);
    const decision result = world.cache.check(home);
    CHECK_FALSE(result.allowed);
    CHECK(to_string(result.policy->basis()) == "deny_all");
    CHECK(result.age == 0s);
    CHECK(world.web.count() == 31);
  }
}

TEST_CASE("After no_file_after, only a 5xx or a site out of reach acts as if there were no file") {
  for_each_row([](const row& tested, fallback_policy fallback, expected then) {
    cache_options options = foo_bot_that_asks_once(fallback);
    options.no_file_after = std::chrono::days{30};
    scripted world{options};
    world.web.otherwise_call(tested.answer);
    bool allowed = then == allow || then == parse || then == last_good_or_allow;
    for (int day = 0; day < 30; ++day) {
      CHECK(world.cache.allowed(home) == allowed);
      world.clock.advance(24h);
    }
    const decision answer = world.cache.check(home);
    const auto source = answer.policy->last_retrieval();
    const bool is_failing = source.failing_for == std::chrono::days{30};
    const bool is_answer = source.status != 0 && (source.status < 500 || source.status > 599);
    const bool is_ours = source.error == fetch_error::proxy ||
                         source.error == fetch_error::protocol ||
                         source.error == fetch_error::other || source.error == fetch_error::none;
    const bool is_out_of_reach = tested.outcome == outcome::unreachable && !is_ours;
    CHECK(is_failing ==
          (is_out_of_reach || (tested.outcome == outcome::server_error && !is_answer)));
    allowed = allowed || is_failing;
    CHECK(answer.allowed == allowed);
    if (is_failing && then == last_good) {
      CHECK(to_string(answer.reason) == "fallback");
      CHECK(to_string(answer.policy->basis()) == "allow_all");
      CHECK(explain(answer).find("failing for 30 days, so no_file_after applies") !=
            std::string::npos);
    }
  });
}

TEST_CASE("The rules of a last good copy hold after no_file_after, as long as the copy lasts") {
  cache_options options = foo_bot_that_asks_once();
  options.no_file_after = 24h;
  options.last_good_for = 72h;
  scripted world{options};
  world.web.on(robots_url, robots::test::ok(), ScriptedFetcher::status(503));
  for (int day = 0; day <= 3; ++day) {
    CHECK_FALSE(world.cache.allowed(secret));
    world.clock.advance(24h);
  }
  CHECK(world.cache.allowed(secret));
  CHECK(world.cache.get(home)->last_retrieval().failing_for == 72h);
}

TEST_CASE("The time of failure ends with an answer, and outlasts short lifetimes and pauses") {
  const auto broken = ScriptedFetcher::status(500);
  for (const fetch_response& answer : {robots::test::ok(), ScriptedFetcher::status(429)}) {
    cache_options options = foo_bot_that_asks_once();
    options.no_file_after = 48h;
    options.last_good_for = 0s;
    scripted world{options};
    world.web.on(robots_url, broken, broken, answer, broken, broken, broken);
    for (const auto pause : {24h, 24h, 24h, 48h, 48h}) {  // a pause of two days counts as one
      CHECK_FALSE(world.cache.allowed(secret));
      world.clock.advance(pause);
    }
    CHECK(world.cache.allowed(secret));
    CHECK(world.cache.get(home)->last_retrieval().failing_for == 48h);
  }
}

TEST_CASE("A site that answers again is obeyed at once, and its new file is the good copy") {
  scripted world{foo_bot_that_asks_once()};
  world.web.on(robots_url, robots::test::ok(), ScriptedFetcher::status(500),
               robots::test::ok("User-agent: *\nDisallow: /new\n"), ScriptedFetcher::status(500));
  CHECK_FALSE(world.cache.allowed(secret));
  world.clock.advance(24h);
  CHECK_FALSE(world.cache.allowed(secret));
  world.clock.advance(5min);
  CHECK(world.cache.allowed(secret));
  CHECK_FALSE(world.cache.allowed("https://example.com/new"));
  world.clock.advance(24h);
  const decision result = world.cache.check("https://example.com/new");
  CHECK(to_string(result.policy->basis()) == "last_good");
  CHECK(to_string(result.reason) == "rule");
  CHECK(result.age == 24h);
}

TEST_CASE("The good copy survives a different failure in between") {
  const auto loop = ScriptedFetcher::redirect(302, robots_url);
  const auto broken = ScriptedFetcher::status(503);
  for (const fallback_policy fallback : {fallback_policy::rfc9309(), fallback_policy::strict()}) {
    for (const fetch_response& between :
         {loop, ScriptedFetcher::failure(fetch_error::refused_address)}) {
      scripted world{foo_bot_that_asks_once(fallback)};
      world.web.on(robots_url, robots::test::ok(), between, broken);
      CHECK(world.cache.allowed(home));
      world.clock.advance(24h);
      CHECK(to_string(world.cache.check(home).policy->basis()) != "last_good");
      world.clock.advance(24h);
      const decision result = world.cache.check(home);
      CAPTURE(fallback.name());
      CHECK(to_string(result.policy->basis()) == "last_good");
      CHECK(result.age == 48h);
    }
  }
}

TEST_CASE("A page instead of a known file keeps the file in force, and is asked again soon") {
  const std::string page = "<html>\n<title>Are you a robot?</title>\n</html>\n";
  for (const fallback_policy fallback : {fallback_policy::rfc9309(), fallback_policy::strict()}) {
    for (const std::string& content : {page, std::string{"{\"error\": \"blocked\"}"}}) {
      robots::test::ruled_process world{{.quarantine_after = 1}, foo_bot_that_asks_once(fallback)};
      world.web.on(robots_url, robots::test::ok(), robots::test::ok(content), robots::test::ok());
      CHECK_FALSE(world.cache.allowed(secret));
      world.clock.advance(24h);
      const decision answer = world.cache.check(secret);
      CHECK_FALSE(answer.allowed);
      CHECK(to_string(answer.policy->basis()) == "last_good");
      CHECK(to_string(answer.policy->outcome()) == "challenged");
      CHECK(explain(answer).find("challenged (HTTP 200) (a bot wall: ") != std::string::npos);
      world.clock.advance(5min);
      CHECK(to_string(world.cache.check(home).policy->outcome()) == "success");
      CHECK(world.rulings().in_force().empty());
    }
  }
}

TEST_CASE("A decision names the header by which a bot wall was found") {
  scripted world{foo_bot(fallback_policy::strict())};
  world.web.on(robots_url, robots::test::ok("", {{"cf-mitigated", "challenge"}}));
  CHECK(explain(world.cache.check(home)) ==
        "not allowed: fallback: challenged (HTTP 200) (a bot wall: cf-mitigated: challenge)");
}

namespace {

/// Denies if the server is one that the user does not trust.
struct ByServer {
  robots::fallback_action action(const robots::record_head& head) const {
    return robots::detail::find_header(head.headers, "Server") == "wall"
               ? robots::fallback_action::deny_all
               : robots::fallback_action::allow_all;
  }
};

}  // namespace

TEST_CASE("A fallback policy gets the headers of the robots.txt's response") {
  scripted world{foo_bot_that_asks_once(ByServer{})};
  world.web.on(robots_url, ScriptedFetcher::status(403, {{"Server", "wall"}}));
  world.web.on("https://other.example/robots.txt", ScriptedFetcher::status(403));
  CHECK_FALSE(world.cache.allowed(home));
  CHECK(world.cache.allowed("https://other.example/"));
}

TEST_CASE("One action of a policy can be replaced") {
  using robots::fallback_action;
  scripted world{foo_bot(
      fallback_policy::permissive().with(outcome::server_error, fallback_action::deny_all))};
  world.web.on(robots_url, ScriptedFetcher::status(500));
  CHECK_FALSE(world.cache.allowed(home));
  world.web.on("https://other.example/robots.txt", ScriptedFetcher::status(429));
  CHECK(world.cache.allowed("https://other.example/"));
}

TEST_CASE("If an option says that a missing file denies everything, the fallback policy decides") {
  using robots::fallback_action;
  scripted world{
      foo_bot(fallback_policy::strict().with(outcome::not_found, fallback_action::deny_all))};
  world.web.on(robots_url, ScriptedFetcher::status(404));
  const decision result = world.cache.check(home);
  CHECK(agree(decision_by(result.policy, home), result));
  CHECK_FALSE(result.allowed);
  CHECK(to_string(result.reason) == "fallback");
  CHECK(explain(result) == "not allowed: fallback: not_found (HTTP 404)");
}

TEST_CASE(
    "A file is malformed above the share and the least number of lines, or if all lines are") {
  struct sample {
    int good;
    int bad;
    bool malformed;
  };
  for (const sample& tested :
       {sample{0, 1, true}, sample{1, 4, false}, sample{44, 5, true}, sample{45, 5, false},
        sample{46, 5, false}, sample{200, 22, false}, sample{200, 23, true}}) {
    std::string text;
    for (int i = 0; i < tested.good; ++i) {
      text += i == 0 ? "User-agent: *\n" : "Allow: /x\n# a comment\n\n";
    }
    for (int i = 0; i < tested.bad; ++i) {
      text += "these words mean nothing\n";
    }
    CAPTURE(tested.good);
    CAPTURE(tested.bad);
    scripted strict{foo_bot(fallback_policy::strict())};
    strict.web.on(robots_url, robots::test::ok(text));
    const decision result = strict.cache.check(home);
    CHECK(result.allowed != tested.malformed);
    CHECK(to_string(result.policy->last_retrieval().outcome) ==
          (tested.malformed ? "malformed" : "success"));
    CHECK(result.policy->last_retrieval().status == 200);

    scripted permissive{foo_bot(fallback_policy::permissive())};
    permissive.web.on(robots_url, robots::test::ok(text));
    CHECK(permissive.cache.allowed(home));
  }
}

TEST_CASE("Options set the share of malformed lines that makes a file malformed") {
  const std::string text = "User-agent: *\nDisallow: /private\nwhat\nis\nthis\n";
  robots::cache_options options = foo_bot(fallback_policy::strict());

  SUBCASE("to be lower") {
    options.malformed = {.share = 0.5, .lines = 1};
    scripted world{options};
    world.web.on(robots_url, robots::test::ok(text));
    CHECK_FALSE(world.cache.allowed(home));
  }
  SUBCASE("to be higher") {
    options.malformed = {.share = 0.6, .lines = 1};
    scripted world{options};
    world.web.on(robots_url, robots::test::ok(text));
    CHECK(world.cache.allowed(home));
    CHECK_FALSE(world.cache.allowed(secret));
  }
}

TEST_CASE(
    "Content that is not a robots.txt is malformed however short it is, and decisions say so") {
  using std::literals::operator""s;
  for (const std::string& content :
       {"<html><title>Just a moment...</title></html>\n"s, "PK\3\4\x14\0\0\0"s,
        "\x1F\x8B\b\0\0\0\0\0\0\3\1\0"s, "{\"message\": \"Forbidden\"}"s,
        "\xFF\xFE\0\0U\0\0\0s\0\0\0"s}) {
    CAPTURE(content);
    for (const fallback_policy fallback : policies) {
      scripted world{foo_bot(fallback)};
      world.web.on(robots_url, robots::test::ok(content));
      const decision result = world.cache.check(home);
      const bool strict = fallback.name() == "strict";
      CHECK(result.allowed != strict);
      CHECK(to_string(result.policy->last_retrieval().outcome) == "malformed");
      CHECK(explain(result) ==
            (strict ? "not allowed: fallback: malformed (HTTP 200): the content is not a robots.txt"
                    : "allowed: no rule matches, though the content is not a robots.txt"));
    }
  }
}

TEST_CASE(
    "An HTML page instead of a robots.txt denies under strict, and allows under other policies") {
  std::string page = "<!DOCTYPE html>\n<html>\n<head>\n<title>Welcome</title>\n</head>\n<body>\n";
  for (int i = 0; i < 20; ++i) {
    page += "<p>All about robots.</p>\n";
  }
  for (const fallback_policy fallback : policies) {
    scripted world{foo_bot(fallback)};
    world.web.on(robots_url, robots::test::ok(page));
    const decision result = world.cache.check(home);
    CHECK(result.allowed == (fallback.name() != "strict"));
    CHECK(to_string(result.policy->last_retrieval().outcome) == "malformed");
  }
}
