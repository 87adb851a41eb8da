#include <robots/policy/any_fallback_policy.hpp>

#include <robots/policy/fallback.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <string_view>
#include <type_traits>

using robots::fallback_action;
using robots::fallback_policy;
using robots::outcome;
using robots::record_head;
using robots::detail::any_fallback_policy;

namespace {

static_assert(!std::is_default_constructible_v<any_fallback_policy>);
static_assert(std::is_convertible_v<fallback_policy, any_fallback_policy>);
static_assert(robots::FallbackPolicy<any_fallback_policy>);
static_assert(!robots::FallbackPolicy<int>);

/// Denies the sites of governments, and other sites after more than two failures.
struct Cautious {
  [[nodiscard]] fallback_action action(const record_head& head) const {
    if (head.url.find(".gov/") != std::string_view::npos || head.failures > 2) {
      return fallback_action::deny_all;
    }
    return fallback_action::allow_all;
  }
};
static_assert(robots::FallbackPolicy<Cautious>);

struct Careless {
  [[nodiscard]] fallback_action action(const record_head&) const { return fallback_action::parse; }
  [[nodiscard]] static std::string_view name() noexcept { return "careless"; }
};

struct Throwing {
  [[nodiscard]] fallback_action action(const record_head&) const { throw std::runtime_error{""}; }
};

fallback_action action(const any_fallback_policy& policy, outcome kind) {
  return policy.action(record_head{{.outcome = kind}});
}

}  // namespace

TEST_CASE("any_fallback_policy returns the same actions as the preset that it holds") {
  for (const auto preset :
       {fallback_policy::permissive(), fallback_policy::rfc9309(), fallback_policy::strict()}) {
    const any_fallback_policy any = preset;
    CHECK(any.name() == preset.name());
    CHECK(any.halts_hostile() == preset.halts_hostile());
    CHECK(any.counts_guessed_lines() == preset.counts_guessed_lines());
    for (int i = 0; i < static_cast<int>(robots::outcome_count); ++i) {
      const auto kind = static_cast<outcome>(i);
      CHECK(action(any, kind) == preset.action(kind));
    }
  }
}

TEST_CASE("A fallback policy of the user gets all details of the failure") {
  const any_fallback_policy any = Cautious{};
  CHECK(any.name() == "custom");
  CHECK_FALSE(any.halts_hostile());
  CHECK_FALSE(any.counts_guessed_lines());
  record_head head{{.outcome = outcome::server_error, .url = "https://a.gov/robots.txt"}};
  CHECK(any.action(head) == fallback_action::deny_all);
  head.url = "https://a.example/robots.txt";
  head.failures = 2;
  CHECK(any.action(head) == fallback_action::allow_all);
  head.failures = 3;
  CHECK(any.action(head) == fallback_action::deny_all);
}

TEST_CASE("An impossible action, or an exception instead of an action, denies everything") {
  const any_fallback_policy careless = Careless{};
  CHECK(careless.name() == "careless");
  CHECK(action(careless, outcome::success) == fallback_action::parse);
  CHECK(action(careless, outcome::malformed) == fallback_action::parse);
  CHECK(action(careless, outcome::not_found) == fallback_action::deny_all);
  CHECK(action(careless, outcome::unreachable) == fallback_action::deny_all);
  CHECK(action(Throwing{}, outcome::success) == fallback_action::deny_all);
}
