#include <robots/fetch/outcome.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace {

using robots::fetch_error;
using robots::outcome;
using robots::detail::is_successful;
using robots::detail::outcome_of;

static_assert(is_successful(outcome::success) && is_successful(outcome::not_found));
static_assert(is_successful(outcome::malformed));
static_assert(!is_successful(outcome::client_error) && !is_successful(outcome::server_error));
static_assert(!robots::is_failure(outcome::licence_demanded) &&
              !is_successful(outcome::licence_demanded));
static_assert(robots::is_failure(outcome::challenged) && !is_successful(outcome::challenged));
static_assert(!is_successful(outcome::cancelled) && !is_successful(outcome::circuit_open));

static_assert(outcome_of(200) == outcome::success);
static_assert(outcome_of(204) == outcome::success);
static_assert(outcome_of(205) == outcome::success);
static_assert(outcome_of(206) == outcome::server_error);
static_assert(outcome_of(207) == outcome::success);
static_assert(outcome_of(299) == outcome::success);
static_assert(outcome_of(404) == outcome::not_found);
static_assert(outcome_of(410) == outcome::not_found);
static_assert(outcome_of(400) == outcome::client_error);
static_assert(outcome_of(401) == outcome::client_error);
static_assert(outcome_of(403) == outcome::client_error);
static_assert(outcome_of(451) == outcome::client_error);
static_assert(outcome_of(499) == outcome::client_error);
static_assert(outcome_of(429) == outcome::too_many_requests);
static_assert(outcome_of(500) == outcome::server_error);
static_assert(outcome_of(503) == outcome::server_error);
static_assert(outcome_of(599) == outcome::server_error);

static_assert(outcome_of(100) == outcome::server_error);
static_assert(outcome_of(199) == outcome::server_error);
static_assert(outcome_of(300) == outcome::server_error);
static_assert(outcome_of(304) == outcome::server_error);
static_assert(outcome_of(399) == outcome::server_error);
static_assert(outcome_of(600) == outcome::server_error);
static_assert(outcome_of(0) == outcome::server_error);
static_assert(outcome_of(-404) == outcome::server_error);

static_assert(outcome_of(fetch_error::resolve) == outcome::unreachable);
static_assert(outcome_of(fetch_error::connect) == outcome::unreachable);
static_assert(outcome_of(fetch_error::connection_refused) == outcome::unreachable);
static_assert(outcome_of(fetch_error::tls) == outcome::unreachable);
static_assert(outcome_of(fetch_error::timeout) == outcome::unreachable);
static_assert(outcome_of(fetch_error::protocol) == outcome::unreachable);
static_assert(outcome_of(fetch_error::other) == outcome::unreachable);
static_assert(outcome_of(fetch_error::cancelled) == outcome::cancelled);
static_assert(outcome_of(fetch_error::refused_address) == outcome::refused);

static_assert(to_string(outcome::too_many_redirects) == "too_many_redirects");
static_assert(static_cast<std::size_t>(outcome::licence_demanded) + 1 == robots::outcome_count);

}  // namespace

TEST_CASE("Every outcome has its own name") {
  for (std::size_t a = 0; a < robots::outcome_count; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      CHECK(to_string(static_cast<outcome>(a)) != to_string(static_cast<outcome>(b)));
    }
  }
}
