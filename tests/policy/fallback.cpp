#include <robots/policy/fallback.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <type_traits>

namespace {

using robots::fallback_policy;
using robots::outcome;
using enum robots::fallback_action;

constexpr fallback_policy permissive = fallback_policy::permissive();
constexpr fallback_policy rfc9309 = fallback_policy::rfc9309();
constexpr fallback_policy strict = fallback_policy::strict();

static_assert(robots::FallbackPolicy<fallback_policy>);
static_assert(!std::is_default_constructible_v<fallback_policy>);

static_assert(permissive.action(outcome::success) == parse);
static_assert(permissive.action(outcome::not_found) == allow_all);
static_assert(permissive.action(outcome::client_error) == allow_all);
static_assert(permissive.action(outcome::too_many_requests) == allow_all);
static_assert(permissive.action(outcome::server_error) == allow_all);
static_assert(permissive.action(outcome::unreachable) == allow_all);
static_assert(permissive.action(outcome::too_many_redirects) == allow_all);
static_assert(permissive.action(outcome::refused) == deny_all);
static_assert(permissive.action(outcome::malformed) == parse);
static_assert(permissive.action(outcome::cancelled) == allow_all);
static_assert(permissive.action(outcome::challenged) == allow_all);
static_assert(permissive.action(outcome::licence_demanded) == allow_all);

static_assert(rfc9309.action(outcome::success) == parse);
static_assert(rfc9309.action(outcome::not_found) == allow_all);
static_assert(rfc9309.action(outcome::client_error) == allow_all);
static_assert(rfc9309.action(outcome::too_many_requests) == last_good_or_deny);
static_assert(rfc9309.action(outcome::server_error) == last_good_or_deny);
static_assert(rfc9309.action(outcome::unreachable) == last_good_or_deny);
static_assert(rfc9309.action(outcome::too_many_redirects) == allow_all);
static_assert(rfc9309.action(outcome::refused) == deny_all);
static_assert(rfc9309.action(outcome::malformed) == parse);
static_assert(rfc9309.action(outcome::cancelled) == last_good_or_deny);
static_assert(rfc9309.action(outcome::challenged) == last_good_or_allow);
static_assert(rfc9309.action(outcome::licence_demanded) == allow_all);

static_assert(strict.action(outcome::success) == parse);
static_assert(strict.action(outcome::not_found) == allow_all);
static_assert(strict.action(outcome::client_error) == deny_all);
static_assert(strict.action(outcome::too_many_requests) == last_good_or_deny);
static_assert(strict.action(outcome::server_error) == last_good_or_deny);
static_assert(strict.action(outcome::unreachable) == last_good_or_deny);
static_assert(strict.action(outcome::too_many_redirects) == deny_all);
static_assert(strict.action(outcome::refused) == deny_all);
static_assert(strict.action(outcome::malformed) == deny_all);
static_assert(strict.action(outcome::cancelled) == last_good_or_deny);
static_assert(strict.action(outcome::challenged) == last_good_or_deny);
static_assert(strict.action(outcome::licence_demanded) == deny_all);

static_assert(permissive.name() == "permissive");
static_assert(rfc9309.name() == "rfc9309");
static_assert(strict.name() == "strict");

constexpr fallback_policy stricter = rfc9309.with(outcome::client_error, deny_all);
static_assert(stricter.action(outcome::client_error) == deny_all);
static_assert(stricter.action(outcome::server_error) == last_good_or_deny);
static_assert(stricter.name() == "custom");
static_assert(stricter != rfc9309);
static_assert(rfc9309.with(outcome::client_error, allow_all) == rfc9309);
static_assert(rfc9309.with(outcome::malformed, deny_all).action(outcome::malformed) == deny_all);
static_assert(strict.with(outcome::malformed, parse).action(outcome::malformed) == parse);

static_assert(strict.halts_hostile());
static_assert(strict.with(outcome::malformed, parse).halts_hostile());
static_assert(strict.counts_guessed_lines());
static_assert(!permissive.counts_guessed_lines());
static_assert(!rfc9309.counts_guessed_lines());
static_assert(!permissive.halts_hostile());
static_assert(!rfc9309.with(outcome::client_error, deny_all).halts_hostile());

static_assert(to_string(last_good_or_deny) == "last_good_or_deny");
static_assert(to_string(last_good_or_allow) == "last_good_or_allow");

}  // namespace

TEST_CASE("The action parse is refused for outcomes without a file") {
  CHECK_THROWS_AS(static_cast<void>(rfc9309.with(outcome::unreachable, parse)),
                  std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(rfc9309.with(outcome::not_found, parse)),
                  std::invalid_argument);
}
