#include <robots/policy/record.hpp>

#include "policy/record_samples.hpp"
#include <robots/fetch/outcome.hpp>
#include <robots/http/freshness.hpp>

#include <doctest/doctest.h>

using robots::record_head;
using robots::detail::validators;

namespace {

constexpr const char* date = "Sun, 22 Nov 2026 03:00:00 GMT";

/// Returns the validators of the next request, after a 304 with `stated` for a file with `known`.
validators after_304(const validators& known, const validators& stated) {
  record_head file = robots::test::record_of_outcome(robots::outcome::success);
  file.validators = known;
  record_head confirmed = file;
  confirmed.not_modified = true;
  confirmed.validators = stated;
  return robots::detail::renewed(file, confirmed).validators;
}

}  // namespace

TEST_CASE("A 304 without an entity tag keeps the validators, and can add a date") {
  const validators tag{.etag = "\"1\""};
  const validators both{.etag = "\"1\"", .last_modified = date};
  CHECK(after_304(both, {}) == both);
  CHECK(after_304(tag, {.last_modified = date}) == both);
  CHECK(after_304(both, {.last_modified = "Mon, 23 Nov 2026 03:00:00 GMT"}) == both);
}

TEST_CASE("A 304 with the entity tag of another file drops the validators") {
  const validators both{.etag = "\"1\"", .last_modified = date};
  CHECK(after_304(both, {.etag = "\"1\""}) == both);
  CHECK(after_304(both, {.etag = "W/\"1\""}) == both);
  CHECK(after_304(both, {.etag = "\"2\"", .last_modified = date}) == validators{});
  CHECK(after_304({.last_modified = date}, {.etag = "\"2\""}) == validators{});
}
