#include <robots/policy/judge.hpp>

#include "policy/record_samples.hpp"
#include <robots/policy/codec.hpp>
#include <robots/policy/decision.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

using namespace std::chrono_literals;
using robots::decide;
using robots::decision_reason;
using robots::fallback_action;
using robots::fallback_policy;
using robots::outcome;
using robots::policy;
using robots::policy_basis;
using robots::record;
using robots::time_point;
using robots::wall_anchor;
using robots::detail::earlier_policies;
using robots::detail::judge;
using robots::detail::judge_options;
using robots::test::record_of_outcome;
using robots::test::record_time;

namespace {

constexpr std::string_view two_groups =
    "User-agent: *\nDisallow: /private\nUser-agent: BarBot\nDisallow: /\n";
constexpr wall_anchor judged_at{.steady = time_point{1'000h}, .wall = record_time + 250ms};

judge_options strict_options() { return {.fallback = fallback_policy::strict()}; }
judge_options permissive_options() { return {.fallback = fallback_policy::permissive()}; }

std::shared_ptr<const policy> judged(const record& retrieved, const judge_options& options,
                                     const earlier_policies& before = {},
                                     const wall_anchor& when = judged_at,
                                     std::string_view user_agent = "FooBot/1.0") {
  return judge(retrieved, user_agent, options, before, when);
}

std::string malformed_file() {
  std::string text{two_groups};
  for (int i = 0; i < 40; ++i) {
    text += "no line of the protocol\n";
  }
  return text;
}

}  // namespace

TEST_CASE("Rules without a slash in front make no file malformed, and match nothing") {
  const auto result =
      judged(record_of_outcome(outcome::success,
                               "User-agent: *\nDisallow: a\nDisallow: b\nDisallow: c\nDisallow: d\n"
                               "Disallow: e\nDisallow: /private\n"),
             strict_options());
  CHECK(result->basis() == policy_basis::rules);
  CHECK(result->outcome() == outcome::success);
  CHECK_FALSE(result->allows("/private"));
  CHECK(result->allows("/a"));
}

TEST_CASE("A file that denies only patterns without a slash is malformed, so strict() denies") {
  const record plain =
      record_of_outcome(outcome::success, "User-agent: *\nDisallow: https://example.com/admin/\n");
  const auto result = judged(plain, strict_options());
  CHECK(result->outcome() == outcome::malformed);
  CHECK(result->lines().all_disallows_dead);
  CHECK(result->lines().malformed == 1);
  CHECK_FALSE(result->allows("/a"));
  CHECK(judged(plain, {.fallback = fallback_policy::rfc9309()})->allows("/a"));
}

TEST_CASE("The action for the outcome decides the effect of a record") {
  for (const auto preset :
       {fallback_policy::permissive(), fallback_policy::rfc9309(), fallback_policy::strict()}) {
    for (std::size_t i = 0; i < robots::outcome_count; ++i) {
      const auto kind = static_cast<outcome>(i);
      if (kind == outcome::malformed) {
        continue;  // `judge` finds this outcome itself
      }
      const auto result = judged(record_of_outcome(kind, two_groups), {.fallback = preset});
      CAPTURE(to_string(kind));
      CHECK(result->last_retrieval().outcome == kind);
      CHECK(result->fetched_at() == judged_at.steady);
      switch (preset.action(kind)) {
        case fallback_action::parse:
          CHECK(result->basis() == policy_basis::rules);
          break;
        case fallback_action::allow_all:
        case fallback_action::last_good_or_allow:
          CHECK(result->basis() == policy_basis::allow_all);
          break;
        default:
          CHECK(result->basis() ==
                (kind == outcome::redirected ? policy_basis::redirected : policy_basis::deny_all));
      }
    }
  }
}

TEST_CASE("One record serves crawlers of any name") {
  const record retrieved = record_of_outcome(outcome::success, two_groups);
  CHECK(judged(retrieved, strict_options())->allows("/x"));
  CHECK_FALSE(judged(retrieved, strict_options(), {}, judged_at, "BarBot/2.0")->allows("/x"));
  CHECK(judged(retrieved, strict_options(), {}, judged_at, "*")->allows("/x"));
}

TEST_CASE("A body with the mark of UTF-16 is read as UTF-16") {
  std::string wide{"\xFE\xFF"};
  for (const char octet : std::string{"User-agent: *\nDisallow: /caf\xE9\n"}) {
    wide += '\0';
    wide += octet;
  }
  const record retrieved = record_of_outcome(outcome::success, wide);
  CHECK_FALSE(judged(retrieved, strict_options())->allows("/caf%C3%A9"));
  CHECK(judged(retrieved, strict_options())->allows("/caf%E9"));
}

TEST_CASE("A body without a mark is read in the charset of its Content-Type") {
  const auto read = [](std::string body, std::string content_type, bool truncated = false) {
    robots::detail::retrieval_result result;
    result.outcome = outcome::success;
    result.status = 200;
    result.headers = {{"Content-Type", std::move(content_type)}};
    result.body = std::move(body);
    result.truncated = truncated;
    const auto policy =
        judged(robots::detail::record_of(result, {}, strict_options(), judged_at.wall, 0.0),
               strict_options());
    CHECK(policy->outcome() == outcome::success);
    return policy;
  };
  const std::string western = "User-agent: *\nDisallow: /caf\xE9\nDisallow: /\x80\n";
  for (const bool big : {false, true}) {
    std::string wide;
    for (const char octet : western) {
      wide.append({big ? '\0' : octet, big ? octet : '\0'});
    }
    CHECK_FALSE(read(wide, "text/plain; charset=utf-16le")->allows("/caf%C3%A9"));
    CHECK_FALSE(read(wide, "text/plain; charset=UTF-16")->allows("/caf%C3%A9"));
  }
  for (const char* label :
       {"text/plain; charset=ISO-8859-1", "text/plain;charset=\"windows-1252\""}) {
    CHECK_FALSE(read(western, label)->allows("/caf%C3%A9"));
    CHECK_FALSE(read(western, label)->allows("/%E2%82%AC"));
    CHECK_FALSE(read("User-agent: *\xA0\nDisallow: /x\n", label)->allows("/x"));
    // Many servers name this charset for all files, whatever is in them.
    CHECK_FALSE(read("User-agent: *\nDisallow: /caf\xC3\xA9\n", label)->allows("/caf%C3%A9"));
    CHECK_FALSE(read("User-agent: *\nDisallow: /caf\xC3\xA9\nAllow: /\xC3", label, true)
                    ->allows("/caf%C3%A9"));
  }
  CHECK_FALSE(read("User-agent: *\nDisallow: /x\n", "text/plain; charset=utf-16")->allows("/x"));
}

TEST_CASE("Neither an archive nor UTF-32 counts as UTF-16, however many NULs they have") {
  for (const std::string_view octets :
       {std::string_view{"\x1F\x8B\b\0A\0l\0l\0o\0w\0:\0/\0\n\0", 20},
        std::string_view{"\xFF\xFE\0\0A\0\0\0l\0\0\0l\0\0\0", 16}}) {
    robots::detail::retrieval_result result;
    result.outcome = outcome::success;
    result.body = octets;
    const record retrieved =
        robots::detail::record_of(result, {}, strict_options(), judged_at.wall, 0.0);
    CHECK(retrieved.charset == robots::detail::charset::utf_8);
    CHECK(judged(retrieved, strict_options())->last_retrieval().outcome == outcome::malformed);
  }
}

TEST_CASE("A file that is too malformed has findings, although it is not obeyed") {
  const auto denied =
      judged(record_of_outcome(outcome::success, malformed_file()), strict_options());
  CHECK(denied->last_retrieval().outcome == outcome::malformed);
  CHECK(denied->basis() == policy_basis::deny_all);
  CHECK(denied->lines().non_blank == 44);
  CHECK(denied->lines().malformed == 40);
  REQUIRE(denied->findings().diagnostics.size() == 32);
  CHECK(denied->findings().diagnostics.front().line == 5);
  CHECK(denied->findings().diagnostics.front().code == robots::diagnostic_code::malformed_line);
  CHECK(explain(decide(denied, "/", judged_at.steady)) ==
        "not allowed: fallback: malformed (HTTP 200): 40 of 44 lines mean nothing, the first error "
        "is in line 5");

  const auto obeyed =
      judged(record_of_outcome(outcome::success, malformed_file()), permissive_options());
  CHECK(obeyed->last_retrieval().outcome == outcome::malformed);
  CHECK(obeyed->lines().malformed == 40);
  CHECK(obeyed->findings().diagnostics.size() == 32);
  CHECK(explain(decide(obeyed, "/", judged_at.steady)) ==
        "allowed: no rule matches, though 40 of 44 lines mean nothing, the first error is in line "
        "5");
  CHECK(explain(decide(obeyed, "/private", judged_at.steady)) ==
        "not allowed: disallow \"/private\", line 2, for *, though 40 of 44 lines mean nothing, "
        "the first error is in line 5");
}

TEST_CASE("If misspelled lines count, a file full of them is malformed; strict() counts them") {
  std::string text{"User-agent: *\n"};
  for (int i = 0; i < 5; ++i) {
    text += "Disalow: /a" + std::to_string(i) + "\n";
  }
  const record retrieved = record_of_outcome(outcome::success, text);
  const auto denied = judged(retrieved, strict_options());
  CHECK(denied->outcome() == outcome::malformed);
  CHECK(denied->lines().guessed == 5);
  CHECK(denied->lines().malformed == 0);
  CHECK(explain(decide(denied, "/", judged_at.steady)) ==
        "not allowed: fallback: malformed (HTTP 200): 5 of 6 lines are read by a guess, since they "
        "are misspelled or have no colon");
  CHECK(judged(retrieved, permissive_options())->outcome() == outcome::success);

  judge_options options = strict_options();
  options.malformed.guessed_lines = false;
  const auto obeyed = judged(retrieved, options);
  CHECK(obeyed->outcome() == outcome::success);
  CHECK_FALSE(obeyed->allows("/a1"));
  CHECK(obeyed->lines().guessed == 5);

  options = permissive_options();
  options.malformed.guessed_lines = true;
  const auto mixed = judged(record_of_outcome(outcome::success, text + "nonsense\n"), options);
  CHECK(mixed->outcome() == outcome::malformed);
  CHECK(explain(decide(mixed, "/", judged_at.steady)) ==
        "allowed: no rule matches, though 1 of 7 lines mean nothing and 5 are read by a guess, the "
        "first error is in line 7");
}

TEST_CASE("A malformed file that the last good copy replaces has findings, too") {
  const judge_options options{.fallback = fallback_policy::strict().with(
                                  outcome::malformed, fallback_action::last_good_or_deny)};
  const auto good = judged(record_of_outcome(outcome::success, two_groups), options);
  const auto broken =
      judged(record_of_outcome(outcome::success, malformed_file()), options, {.last = good});
  CHECK(broken->basis() == policy_basis::last_good);
  CHECK(broken->lines().malformed == 40);
  const auto failed = judged(record_of_outcome(outcome::server_error), options, {.last = good});
  CHECK(failed->lines().non_blank == 4);
  CHECK(failed->findings().diagnostics.empty());
}

TEST_CASE("The last good copy applies for as long as the options say") {
  judge_options options = strict_options();
  options.last_good_for = 1h;
  const auto good = judged(record_of_outcome(outcome::success, two_groups), options);
  record failure = record_of_outcome(outcome::server_error);
  failure.fetched_at += 1h;
  wall_anchor later{.steady = judged_at.steady + 1h, .wall = judged_at.wall + 1h};
  CHECK(judged(failure, options, {.last = good}, later)->basis() == policy_basis::last_good);
  failure.fetched_at += 1s;
  later = {.steady = later.steady + 1s, .wall = later.wall + 1s};
  CHECK(judged(failure, options, {.last = good}, later)->basis() == policy_basis::deny_all);
}

TEST_CASE("A record from another process has the age that its date gives") {
  record retrieved = record_of_outcome(outcome::success, two_groups);
  retrieved.fetched_at -= 3h;
  CHECK(judged(retrieved, strict_options())->fetched_at() == judged_at.steady - 3h);
  CHECK(decide(judged(retrieved, strict_options()), "/", judged_at.steady).age == 3h);
  retrieved.fetched_at = record_time + 9h;  // the date of a clock that is ahead
  CHECK(judged(retrieved, strict_options())->fetched_at() == judged_at.steady);
}

TEST_CASE(
    "No record is used for longer than the options permit, even if another process wrote it") {
  record retrieved = record_of_outcome(outcome::success, two_groups);
  retrieved.lifetime = std::chrono::seconds::max();
  CHECK(judged(retrieved, strict_options())->last_retrieval().lifetime == 24h);
  retrieved.lifetime = -1h;
  CHECK(judged(retrieved, strict_options())->last_retrieval().lifetime == 0s);
}

TEST_CASE("A 304 changes neither the rules nor the outcome") {
  const auto known = judged(record_of_outcome(outcome::success, two_groups), strict_options());
  record confirmed = record_of_outcome(outcome::success);
  confirmed.status = 304;
  confirmed.not_modified = true;
  const auto result = judged(confirmed, strict_options(), {.last = known, .unchanged = known});
  CHECK(result->basis() == policy_basis::rules);
  CHECK_FALSE(result->allows("/private"));
  CHECK(result->version() == known->version());
  // `renewed` gives the known record the status of the 304.
  const record whole = renewed(record_of_outcome(outcome::success, two_groups), confirmed);
  CHECK(whole.status == 304);
  CHECK_FALSE(judged(whole, strict_options())->allows("/private"));
}

TEST_CASE("A 304 for an unknown file is a failure, not an empty file") {
  record confirmed = record_of_outcome(outcome::success);
  confirmed.status = 304;
  confirmed.not_modified = true;
  const auto result = judged(confirmed, strict_options());
  CHECK(result->last_retrieval().outcome == outcome::server_error);
  CHECK(result->basis() == policy_basis::deny_all);
}

TEST_CASE("The count of failures in a row does not overflow") {
  record failure = record_of_outcome(outcome::unreachable);
  failure.failures = std::numeric_limits<int>::max();
  robots::detail::retrieval_result again;
  again.outcome = outcome::unreachable;
  const record counted = robots::detail::record_of(
      again, {.last = judged(failure, strict_options())}, strict_options(), judged_at.wall, 0.0);
  CHECK(counted.failures == std::numeric_limits<int>::max());
}

TEST_CASE("The lifetime that the server stated is kept next to the lifetime in use") {
  robots::detail::retrieval_result result;
  result.outcome = outcome::success;
  result.status = 200;
  result.headers = {{"Cache-Control", "max-age=60"}, {"ETag", "\"1\""}};
  result.body = "\xFE\xFF" + std::string{two_groups};
  const record sample =
      robots::detail::record_of(result, {}, strict_options(), judged_at.wall, 0.0);
  CHECK(sample.server_lifetime == 60s);
  CHECK(sample.lifetime == 5min);
  CHECK(sample.fetched_at == record_time);
  CHECK(sample.validators.etag == "\"1\"");
  CHECK(sample.charset == robots::detail::charset::utf_16be);
  CHECK(sample.body == result.body);
}

TEST_CASE("A new policy has the version after the one before it") {
  const auto first = judged(record_of_outcome(outcome::success, two_groups), strict_options());
  CHECK(first->version() == 1);
  const auto same =
      judged(record_of_outcome(outcome::success, two_groups), strict_options(), {.last = first});
  CHECK(same->version() == 1);
  const auto other =
      judged(record_of_outcome(outcome::not_found), strict_options(), {.last = same});
  CHECK(other->version() == 2);
}

TEST_CASE("A record of every outcome has the same policy before and after it was encoded") {
  for (const record& retrieved : robots::test::every_record(two_groups)) {
    const robots::detail::decoded<robots::record> read =
        robots::detail::decode(robots::detail::encode(retrieved));
    REQUIRE(read.value.has_value());
    for (const auto preset :
         {fallback_policy::permissive(), fallback_policy::rfc9309(), fallback_policy::strict()}) {
      const auto good =
          judged(record_of_outcome(outcome::success, two_groups), {.fallback = preset});
      for (const earlier_policies& before : {earlier_policies{}, earlier_policies{good, good}}) {
        const auto one = judged(retrieved, {.fallback = preset}, before);
        const auto two = judged(*read.value, {.fallback = preset}, before);
        CHECK(one->last_retrieval() == two->last_retrieval());
        CHECK(one->basis() == two->basis());
        CHECK(one->fingerprint() == two->fingerprint());
        for (const char* const url : {"https://example.com/", "https://example.com/private"}) {
          CHECK(decide(one, url, judged_at.steady).reason ==
                decide(two, url, judged_at.steady).reason);
          CHECK(decide(one, url, judged_at.steady).allowed ==
                decide(two, url, judged_at.steady).allowed);
        }
      }
    }
  }
}

TEST_CASE("Only the part of a body within the crawler's size limit is read") {
  judge_options options = strict_options();
  options.parse.max_bytes = 36;
  record longer = record_of_outcome(outcome::success, "User-agent: *\nDisallow: /private\n");
  longer.body += "Allow: /\nDisallow: /more\n";
  const auto result = judged(longer, options);
  CHECK_FALSE(result->allows("/private"));
  CHECK(result->allows("/more"));
  CHECK(result->rules().size() == 1);
}

TEST_CASE("Options that contradict each other are refused before they are used") {
  CHECK_NOTHROW(validate(strict_options()));
  judge_options options = strict_options();
  options.default_ttl = -1s;
  CHECK_THROWS_AS(validate(options), std::invalid_argument);
}

TEST_CASE("A share can be 0 or 1, and a share outside this range is refused") {
  const auto set_jitter = [](judge_options& options, double share) {
    options.failure_jitter = share;
  };
  const auto set_malformed = [](judge_options& options, double share) {
    options.malformed.share = share;
  };
  for (void (*const set)(judge_options&, double) : {+set_jitter, +set_malformed}) {
    judge_options options = strict_options();
    for (const double possible : {0.0, 1.0}) {
      set(options, possible);
      CHECK_NOTHROW(validate(options));
    }
    for (const double impossible : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
      set(options, impossible);
      CHECK_THROWS_AS(validate(options), std::invalid_argument);
    }
  }
}

TEST_CASE("How long the target of a redirect has failed says nothing about the redirecting site") {
  judge_options options = strict_options();
  options.no_file_after = 24h;
  record failed = robots::test::record_with(outcome::server_error, 503);
  failed.error_text = "no answer";
  failed.failing_for = std::chrono::seconds{48h};
  const auto target = judged(failed, options);
  CHECK(target->basis() == policy_basis::allow_all);
  CHECK(target->last_retrieval().error_text.find("no_file_after applies") != std::string::npos);
  const auto redirected = robots::detail::judge_redirected(target->last_retrieval(), target,
                                                           "FooBot", options, nullptr);
  CHECK(redirected->basis() == policy_basis::deny_all);
  CHECK(redirected->last_retrieval().error_text == "no answer");
  CHECK_FALSE(redirected->last_retrieval().failing_for.has_value());
}
