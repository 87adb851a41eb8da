#include <robots/observe/admission_reason.hpp>

#include <robots/base/counters.hpp>
#include <robots/base/enum_counts.hpp>
#include <robots/observe/events.hpp>

#include <doctest/doctest.h>

#include <string_view>

using robots::admission_reason;

static_assert(to_string(admission_reason::go) == "go");
static_assert(to_string(admission_reason::excluded) == "excluded");
static_assert(to_string(admission_reason::disallowed) == "disallowed");
static_assert(to_string(admission_reason::invalid_url) == "invalid_url");
static_assert(to_string(admission_reason::busy) == "busy");
static_assert(to_string(admission_reason::not_yet) == "not_yet");
static_assert(to_string(admission_reason::skip_host) == "skip_host");
static_assert(to_string(admission_reason::no_room) == "no_room");
static_assert(to_string(admission_reason::stopped) == "stopped");
static_assert(to_string(admission_reason::too_late) == "too_late");

TEST_CASE("Even a value that is not an enumerator has a name") {
  CHECK(to_string(static_cast<admission_reason>(200)) == std::string_view{"too_late"});
}

TEST_CASE("A counter has one count for each reason") {
  robots::base::enum_counters<admission_reason::too_late> counters;
  counters.add(admission_reason::busy);
  counters.add(admission_reason::busy);
  counters.add(admission_reason::too_late);
  const robots::base::enum_counts<admission_reason::too_late> stats = counters.read();
  CHECK(stats[admission_reason::go] == 0);
  CHECK(stats[admission_reason::busy] == 2);
  CHECK(stats[admission_reason::too_late] == 1);
  CHECK(stats.total() == 3);
}
