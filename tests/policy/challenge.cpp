#include <robots/policy/challenge.hpp>

#include "policy/record_samples.hpp"
#include <robots/policy/codec.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/site_records.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using robots::fallback_policy;
using robots::http_header;
using robots::outcome;
using robots::policy;
using robots::policy_basis;
using robots::record;
using robots::detail::judge;
using robots::policy_detail::challenge_in;
using robots::test::record_anchor;
using robots::test::record_with;
using robots::test::sample_body;

namespace {

constexpr std::string_view page =
    "<!DOCTYPE html>\n<style>\nbody {\n  color: red\n}\n</style>\n<title>Just a "
    "moment...</title>\n";

std::string seen(int status, std::string_view body, std::vector<http_header> headers = {},
                 const std::shared_ptr<const policy>& last = nullptr) {
  record answer = record_with(outcome::success, status, body);
  answer.headers = std::move(headers);
  return challenge_in(answer, last, {});
}

std::shared_ptr<const policy> judged(const record& answer, const fallback_policy& fallback,
                                     const std::shared_ptr<const policy>& last = nullptr) {
  return judge(answer, "FooBot", {.fallback = fallback}, {.last = last}, record_anchor);
}

std::shared_ptr<const policy> good_file() {
  return judged(record_with(outcome::success, 200, sample_body), fallback_policy::strict());
}

/// The record of a response with a status of 2xx, as a cache makes it.
record recorded(int status, std::string_view body, std::vector<http_header> headers,
                const std::shared_ptr<const policy>& last = nullptr) {
  robots::detail::retrieval_result result;
  result.outcome = outcome::success;
  result.status = status;
  result.url = result.final_url = "https://example.com/robots.txt";
  result.body = body;
  result.headers = std::move(headers);
  return robots::detail::record_of(std::move(result), {.last = last},
                                   {.fallback = fallback_policy::rfc9309()}, record_anchor.wall,
                                   0.0);
}

}  // namespace

TEST_CASE("202 and 205 without a line that parses are a challenge") {
  for (const int status : {202, 205}) {
    CAPTURE(status);
    CHECK_FALSE(seen(status, "").empty());
    CHECK_FALSE(seen(status, page).empty());
    CHECK_FALSE(seen(status, "# wait\n").empty());
    CHECK(seen(status, sample_body).empty());
    CHECK(seen(status, "Sitemap: https://example.com/map.xml\n").empty());
  }
  for (const int status : {200, 201, 203, 204, 207}) {
    CAPTURE(status);
    CHECK(seen(status, "").empty());
    CHECK(seen(status, page).empty());
  }
}

TEST_CASE("A header of a wall means a challenge unless there are lines of a robots.txt") {
  for (const char* const name : {"x-amzn-waf-action", "X-Amzn-Waf-Action", "cf-mitigated"}) {
    CAPTURE(name);
    CHECK_FALSE(seen(200, "", {{name, "challenge"}}).empty());
    CHECK_FALSE(seen(200, page, {{name, "challenge"}}).empty());
    CHECK(seen(200, sample_body, {{name, "challenge"}}).empty());
  }
  CHECK(seen(200, "", {{"cf-ray", "1"}}).empty());
  CHECK(seen(200, "", {{"X-Amzn-Waf-Action", "captcha"}}) ==
        "a bot wall: x-amzn-waf-action: captcha");
}

TEST_CASE("Other content is a challenge only where a good file was known") {
  const std::array<std::string, 4> contents{std::string{page}, "{\"error\": \"blocked\"}",
                                            "\x89PNG\r\n\x1A\n", "GIF89a"};
  for (const std::string& content : contents) {
    CAPTURE(content);
    CHECK(seen(200, content).empty());
    CHECK_FALSE(seen(200, content, {}, good_file()).empty());
    const auto malformed =
        judged(record_with(outcome::success, 200, content), fallback_policy::rfc9309());
    CHECK(malformed->basis() == policy_basis::rules);
    CHECK(seen(200, content, {}, malformed).empty());
    const auto none = judged(record_with(outcome::not_found, 404), fallback_policy::rfc9309());
    CHECK(seen(200, content, {}, none).empty());
  }
  CHECK(seen(200, "", {}, good_file()).empty());
  CHECK(seen(200, "no line of the protocol\n", {}, good_file()).empty());
  CHECK(seen(200, "<pre>\nUser-agent: *\nDisallow: /\n</pre>\n", {}, good_file()).empty());
}

TEST_CASE("A challenge has the lifetime of a failure, and no body, and is never shared") {
  const record answer =
      recorded(202, page, {{"Cache-Control", "max-age=86400"}, {"ETag", "\"1\""}});
  CHECK(answer.outcome == outcome::challenged);
  CHECK(answer.lifetime == 5min);
  CHECK(answer.failures == 1);
  CHECK(answer.body.empty());
  CHECK(answer.validators.empty());
  CHECK_FALSE(robots::detail::is_answer_of_site(answer));
  CHECK(answer.headers.size() == 2);
  CHECK(recorded(202, sample_body, {}).outcome == outcome::success);
  CHECK(recorded(200, page, {}, good_file()).outcome == outcome::challenged);
  CHECK(recorded(200, page, {}).outcome == outcome::success);
}

TEST_CASE("After a challenge, the last good copy stays in force, else the fallback decides") {
  const record answer = recorded(202, page, {});
  CHECK(judged(answer, fallback_policy::permissive())->basis() == policy_basis::allow_all);
  CHECK(judged(answer, fallback_policy::rfc9309())->basis() == policy_basis::allow_all);
  CHECK(judged(answer, fallback_policy::strict())->basis() == policy_basis::deny_all);
  CHECK(judged(answer, fallback_policy::permissive(), good_file())->basis() ==
        policy_basis::allow_all);
  for (const auto& preset : {fallback_policy::rfc9309(), fallback_policy::strict()}) {
    const auto after = judged(answer, preset, good_file());
    CHECK(after->basis() == policy_basis::last_good);
    CHECK(after->outcome() == outcome::challenged);
    CHECK_FALSE(after->allows("/private"));
    CHECK(after->allows("/"));
  }
}

TEST_CASE("The options for parsing decide whether a response is a challenge") {
  const record prefixes =
      record_with(outcome::success, 202, "User-agents here: *\nDisallowed: /private\n");
  CHECK_FALSE(challenge_in(prefixes, nullptr, {}).empty());
  CHECK(challenge_in(prefixes, nullptr, {.dialect = robots::dialect::google}).empty());
  const record guessed = record_with(outcome::success, 202, "Disalow: /private\n");
  CHECK(challenge_in(guessed, nullptr, {}).empty());
  CHECK_FALSE(challenge_in(guessed, nullptr, {.strict = true}).empty());

  const auto judged_as = [](const record& answer, const robots::parse_options& parse) {
    return judge(answer, "FooBot", {.fallback = fallback_policy::rfc9309(), .parse = parse}, {},
                 record_anchor)
        ->outcome();
  };
  CHECK(judged_as(prefixes, {.dialect = robots::dialect::google}) == outcome::success);
  CHECK(judged_as(guessed, {.strict = true}) == outcome::challenged);
  robots::detail::retrieval_result response;
  response.outcome = outcome::success;
  response.status = 202;
  response.body = guessed.body;
  CHECK(
      robots::detail::record_of(std::move(response), {},
                                {.fallback = fallback_policy::strict(), .parse = {.strict = true}},
                                record_anchor.wall, 0.0)
          .outcome == outcome::challenged);
}

TEST_CASE("A page that another process took for a file does not replace a known file") {
  const record shared = record_with(outcome::success, 200, page);
  const auto after = judged(shared, fallback_policy::strict(), good_file());
  CHECK(after->basis() == policy_basis::last_good);
  CHECK(after->outcome() == outcome::challenged);
  CHECK(after->last_retrieval().lifetime == 5min);
}

TEST_CASE("The record of a challenge can be encoded, and is read only with a known outcome") {
  const record answer = record_with(outcome::challenged, 202);
  const auto read = robots::detail::decode(robots::detail::encode(answer));
  REQUIRE(read.value);
  CHECK(*read.value == answer);
  record unknown = answer;
  unknown.outcome = static_cast<outcome>(robots::outcome_count);
  CHECK_FALSE(robots::detail::decode(robots::detail::encode(unknown)).value);
}
