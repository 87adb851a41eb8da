// The failure table of the design, row by row, under each of the three policies, through the cache.
#include "cache_fixture.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/testing/fixed_policy_source.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
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

enum class expected { parse, allow, deny, last_good };

constexpr auto parse = expected::parse;
constexpr auto allow = expected::allow;
constexpr auto deny = expected::deny;
constexpr auto last_good = expected::last_good;

constexpr std::array<fallback_policy, 3> policies{
    fallback_policy::permissive(), fallback_policy::rfc9309(), fallback_policy::strict()};

struct row {
  std::string what;
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

/// A file of which more than a tenth means nothing, and which forbids /private.
std::string malformed_file() {
  std::string text{rules};
  for (int i = 0; i < 5; ++i) {
    text += "no line of the protocol\n";
  }
  return text;
}

std::vector<row> table() {
  std::vector<row> rows;
  const auto add = [&rows](std::string what, ScriptedFetcher::handler answer, outcome name,
                           std::array<expected, 3> then) {
    rows.push_back({std::move(what), std::move(answer), name, then});
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
  add_status(429, outcome::too_many_requests, {allow, last_good, last_good});
  for (const int status : {500, 502, 503, 504, 599, 304, 300, 101, 600, 999}) {
    add_status(status, outcome::server_error, {allow, last_good, last_good});
  }
  for (const auto error :
       {fetch_error::resolve, fetch_error::connect, fetch_error::tls, fetch_error::timeout,
        fetch_error::protocol, fetch_error::other, fetch_error::connection_refused}) {
    add("error " + std::string{to_string(error)}, always(ScriptedFetcher::failure(error)),
        outcome::unreachable, {allow, last_good, last_good});
  }
  add("more than 5 redirects", endless_redirects, outcome::too_many_redirects,
      {allow, allow, deny});
  add("a loop of redirects", always(ScriptedFetcher::redirect(302, robots_url)),
      outcome::too_many_redirects, {allow, allow, deny});
  add("a redirect to nowhere", always(ScriptedFetcher::status(302)), outcome::server_error,
      {allow, last_good, last_good});
  for (const char* target : {"file:///etc/passwd", "ftp://example.com/robots.txt", "data:,x"}) {
    add(std::string{"a redirect to "} + target, always(ScriptedFetcher::redirect(301, target)),
        outcome::refused, {deny, deny, deny});
  }
  add("a refused address", always(ScriptedFetcher::failure(fetch_error::refused_address)),
      outcome::refused, {deny, deny, deny});
  add("a malformed file", always(robots::test::ok(malformed_file())), outcome::malformed,
      {parse, parse, deny});
  return rows;
}

bool agree(const decision& one, const decision& two) {
  return one.allowed == two.allowed && one.reason == two.reason && explain(one) == explain(two);
}

/// What the decisions on three URLs must be. Where it is `last_good`, `copy` tells the age of a
/// good copy that is still good enough, or is nothing.
void check_decisions(scripted& at, const row& from, expected then,
                     std::optional<std::chrono::nanoseconds> copy) {
  const decision open = at.cache.check(home);
  const decision hidden = at.cache.check(secret);
  const decision itself = at.cache.check(robots_url);
  const std::string why = explain(hidden);
  CAPTURE(why);

  for (const decision* each : {&open, &hidden, &itself}) {
    CHECK(to_string(each->policy->source().outcome) == to_string(from.outcome));
    CHECK(each->policy == open.policy);
    CHECK(each->allowed == each->verdict.allowed);
  }
  // Who has the policy only decides alike.
  robots::FixedPolicySource fixed{open.policy};
  CHECK(agree(fixed.check(home), open));
  CHECK(agree(fixed.check(secret), hidden));
  CHECK(agree(fixed.check(robots_url), itself));
  CHECK_FALSE(open.from_cache);
  CHECK(hidden.from_cache);
  CHECK(itself.allowed);
  if (then == last_good && !copy) {
    then = deny;
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
  for (const row& each : table()) {
    for (std::size_t i = 0; i < policies.size(); ++i) {
      CAPTURE(each.what);
      CAPTURE(policies[i].name());
      check(each, policies[i], each.then[i]);
    }
  }
}

}  // namespace

TEST_CASE("Every row of the failure table holds for a site never seen before") {
  for_each_row([](const row& each, fallback_policy fallback, expected then) {
    scripted at{foo_bot(fallback)};
    at.web.otherwise_call(each.answer);
    check_decisions(at, each, then, std::nullopt);
    CHECK(at.cache.stats().retrievals == 1);
    CHECK(at.cache.stats().failures == (is_successful(each.outcome) ? 0 : 1));
    CHECK(at.cache.stats().size == 1);
  });
}

TEST_CASE("Every row of the failure table holds for a site that was read before") {
  for_each_row([](const row& each, fallback_policy fallback, expected then) {
    scripted at{foo_bot_that_asks_once(fallback)};
    at.web.on(robots_url, robots::test::ok());
    CHECK_FALSE(at.cache.allowed(secret));
    at.clock.advance(24h);
    at.web.on_call(robots_url, each.answer);
    at.web.otherwise_call(each.answer);
    check_decisions(at, each, then, 24h);
  });
}

TEST_CASE("Every row of the failure table holds when the last good copy is too old") {
  for_each_row([](const row& each, fallback_policy fallback, expected then) {
    scripted at{foo_bot(fallback)};
    at.web.on(robots_url, robots::test::ok());
    CHECK_FALSE(at.cache.allowed(secret));
    at.clock.advance(std::chrono::days{30} + 1s);
    at.web.on_call(robots_url, each.answer);
    at.web.otherwise_call(each.answer);
    check_decisions(at, each, then, std::nullopt);
  });
}

TEST_CASE("A failure is asked again after five minutes, an answer after a day") {
  for_each_row([](const row& each, fallback_policy fallback, expected /*then*/) {
    scripted at{foo_bot_that_asks_once(fallback)};
    at.web.otherwise_call(each.answer);
    const auto lifetime = is_failure(each.outcome) ? 5min : std::chrono::minutes{24h};
    static_cast<void>(at.cache.check(home));
    const std::size_t requests = at.web.count();
    at.clock.advance(lifetime - 1ns);
    CHECK(at.cache.check(home).from_cache);
    CHECK(at.web.count() == requests);
    at.clock.advance(1ns);
    CHECK_FALSE(at.cache.check(home).from_cache);
    CHECK(at.web.count() == 2 * requests);
  });
}

TEST_CASE("The last good copy stands in through any number of failures, for 30 days in all") {
  for (const fallback_policy fallback : {fallback_policy::rfc9309(), fallback_policy::strict()}) {
    scripted at{foo_bot_that_asks_once(fallback)};
    at.web.on(robots_url, robots::test::ok(), ScriptedFetcher::status(503));
    CHECK(at.cache.allowed(home));
    for (int day = 1; day < 30; ++day) {
      at.clock.advance(24h);
      const decision made = at.cache.check(home);
      CHECK(made.allowed);
      CHECK(to_string(made.policy->basis()) == "last_good");
      CHECK(made.age == day * 24h);
      CHECK_FALSE(made.from_cache);
    }
    at.clock.advance(24h + 1s);
    const decision made = at.cache.check(home);
    CHECK_FALSE(made.allowed);
    CHECK(to_string(made.policy->basis()) == "deny_all");
    CHECK(made.age == 0s);
    CHECK(at.web.count() == 31);
  }
}

TEST_CASE("A site that answers again is obeyed at once, and its new copy is the good one") {
  scripted at{foo_bot_that_asks_once()};
  at.web.on(robots_url, robots::test::ok(), ScriptedFetcher::status(500),
            robots::test::ok("User-agent: *\nDisallow: /new\n"), ScriptedFetcher::status(500));
  CHECK_FALSE(at.cache.allowed(secret));
  at.clock.advance(24h);
  CHECK_FALSE(at.cache.allowed(secret));
  at.clock.advance(5min);
  CHECK(at.cache.allowed(secret));
  CHECK_FALSE(at.cache.allowed("https://example.com/new"));
  at.clock.advance(24h);
  const decision made = at.cache.check("https://example.com/new");
  CHECK(to_string(made.policy->basis()) == "last_good");
  CHECK(to_string(made.reason) == "rule");
  CHECK(made.age == 24h);
}

TEST_CASE("The good copy survives a failure of another row in between") {
  const auto loop = ScriptedFetcher::redirect(302, robots_url);
  const auto broken = ScriptedFetcher::status(503);
  for (const fallback_policy fallback : {fallback_policy::rfc9309(), fallback_policy::strict()}) {
    for (const fetch_response& between :
         {loop, ScriptedFetcher::failure(fetch_error::refused_address)}) {
      scripted at{foo_bot_that_asks_once(fallback)};
      at.web.on(robots_url, robots::test::ok(), between, broken);
      CHECK(at.cache.allowed(home));
      at.clock.advance(24h);
      CHECK(to_string(at.cache.check(home).policy->basis()) != "last_good");
      at.clock.advance(24h);
      const decision made = at.cache.check(home);
      CAPTURE(fallback.name());
      CHECK(to_string(made.policy->basis()) == "last_good");
      CHECK(made.age == 48h);
    }
  }
}

TEST_CASE("One row of a policy can be replaced") {
  using robots::fallback_action;
  scripted at{foo_bot(
      fallback_policy::permissive().with(outcome::server_error, fallback_action::deny_all))};
  at.web.on(robots_url, ScriptedFetcher::status(500));
  CHECK_FALSE(at.cache.allowed(home));
  at.web.on("https://other.example/robots.txt", ScriptedFetcher::status(429));
  CHECK(at.cache.allowed("https://other.example/"));
}

TEST_CASE("If a missing file denies by option, the fallback decides") {
  using robots::fallback_action;
  scripted at{
      foo_bot(fallback_policy::strict().with(outcome::not_found, fallback_action::deny_all))};
  at.web.on(robots_url, ScriptedFetcher::status(404));
  const decision made = at.cache.check(home);
  CHECK(agree(robots::FixedPolicySource{made.policy}.check(home), made));
  CHECK_FALSE(made.allowed);
  CHECK(to_string(made.reason) == "fallback");
  CHECK(explain(made) == "not allowed: fallback: not_found (HTTP 404)");
}

TEST_CASE("A file is malformed above the share and from the least number of lines on, or wholly") {
  struct sample {
    int good;
    int bad;
    bool malformed;
  };
  for (const sample& each :
       {sample{0, 1, true}, sample{1, 4, false}, sample{44, 5, true}, sample{45, 5, false},
        sample{46, 5, false}, sample{200, 22, false}, sample{200, 23, true}}) {
    std::string text;
    for (int i = 0; i < each.good; ++i) {
      text += i == 0 ? "User-agent: *\n" : "Allow: /x\n# a comment\n\n";
    }
    for (int i = 0; i < each.bad; ++i) {
      text += "these words mean nothing\n";
    }
    CAPTURE(each.good);
    CAPTURE(each.bad);
    scripted strict{foo_bot(fallback_policy::strict())};
    strict.web.on(robots_url, robots::test::ok(text));
    const decision made = strict.cache.check(home);
    CHECK(made.allowed != each.malformed);
    CHECK(to_string(made.policy->source().outcome) == (each.malformed ? "malformed" : "success"));
    CHECK(made.policy->source().status == 200);

    scripted permissive{foo_bot(fallback_policy::permissive())};
    permissive.web.on(robots_url, robots::test::ok(text));
    CHECK(permissive.cache.allowed(home));
  }
}

TEST_CASE("The malformed share can be set") {
  const std::string text = "User-agent: *\nDisallow: /private\nwhat\nis\nthis\n";
  robots::cache_options options = foo_bot(fallback_policy::strict());

  SUBCASE("to be narrower") {
    options.malformed = {.share = 0.5, .lines = 1};
    scripted at{options};
    at.web.on(robots_url, robots::test::ok(text));
    CHECK_FALSE(at.cache.allowed(home));
  }
  SUBCASE("to be wider") {
    options.malformed = {.share = 0.6, .lines = 1};
    scripted at{options};
    at.web.on(robots_url, robots::test::ok(text));
    CHECK(at.cache.allowed(home));
    CHECK_FALSE(at.cache.allowed(secret));
  }
}

TEST_CASE("Content that is not a robots.txt is malformed however short, and decisions say so") {
  using std::literals::operator""s;
  for (const std::string& content :
       {"<html><title>Just a moment...</title></html>\n"s, "PK\3\4\x14\0\0\0"s,
        "\x1F\x8B\b\0\0\0\0\0\0\3\1\0"s, "{\"message\": \"Forbidden\"}"s,
        "\xFF\xFE\0\0U\0\0\0s\0\0\0"s}) {
    CAPTURE(content);
    for (const fallback_policy fallback : policies) {
      scripted at{foo_bot(fallback)};
      at.web.on(robots_url, robots::test::ok(content));
      const decision made = at.cache.check(home);
      const bool strict = fallback.name() == "strict";
      CHECK(made.allowed != strict);
      CHECK(to_string(made.policy->source().outcome) == "malformed");
      CHECK(explain(made) ==
            (strict ? "not allowed: fallback: malformed (HTTP 200): the content is no robots.txt"
                    : "allowed: no rule matches, though the content is no robots.txt"));
    }
  }
}

TEST_CASE(
    "A page of HTML in place of a robots.txt denies under strict and else restricts nothing") {
  std::string page = "<!DOCTYPE html>\n<html>\n<head>\n<title>Welcome</title>\n</head>\n<body>\n";
  for (int i = 0; i < 20; ++i) {
    page += "<p>All about robots.</p>\n";
  }
  for (const fallback_policy fallback : policies) {
    scripted at{foo_bot(fallback)};
    at.web.on(robots_url, robots::test::ok(page));
    const decision made = at.cache.check(home);
    CHECK(made.allowed == (fallback.name() != "strict"));
    CHECK(to_string(made.policy->source().outcome) == "malformed");
  }
}
