#include <robots/policy/failing_time.hpp>

#include "policy/record_samples.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

using namespace std::chrono_literals;
using robots::fetch_error;
using robots::outcome;
using robots::record;
using robots::detail::counts_as_without_file;
using robots::detail::failing_time;
using robots::detail::without_file_text;
using robots::test::record_of_outcome;
using robots::test::record_with;

namespace {

using optional_seconds = std::optional<std::chrono::seconds>;

/// Returns `from` as it would be `later`, after a record with `earlier` as its time of failure.
optional_seconds time_after(optional_seconds earlier, record from, std::chrono::seconds later) {
  record before = record_of_outcome(outcome::server_error);
  before.failing_for = earlier;
  from.fetched_at = before.fetched_at + later;
  return failing_time(from, &before);
}

}  // namespace

TEST_CASE("Each failure adds the time since the record before it, but at most a day") {
  const record failed = record_of_outcome(outcome::server_error);
  CHECK(failing_time(failed, nullptr) == 0s);
  CHECK(time_after(std::nullopt, failed, 5min) == 0s);
  CHECK(time_after(0s, failed, 5min) == 5min);
  CHECK(time_after(3h, record_of_outcome(outcome::unreachable), 24h) == 27h);
  CHECK(time_after(3h, failed, 100 * 24h) == 27h);
  CHECK(time_after(3h, failed, -1h) == 3h);  // the clock of another process is ahead
}

TEST_CASE("An answer of the site ends the time of failure, and 429 is an answer") {
  for (std::size_t i = 0; i < robots::outcome_count; ++i) {
    const auto kind = static_cast<outcome>(i);
    CAPTURE(to_string(kind));
    const bool adds = kind == outcome::server_error || kind == outcome::unreachable;
    const bool stays = kind == outcome::circuit_open || kind == outcome::cancelled;
    CHECK(time_after(3h, record_of_outcome(kind), 1h) == (adds    ? optional_seconds{4h}
                                                          : stays ? optional_seconds{3h}
                                                                  : std::nullopt));
  }
  for (const int status :
       {302, 304, 206, 600, 999}) {  // a server that answers, but not as it should
    CHECK(time_after(3h, record_with(outcome::server_error, status), 1h) == std::nullopt);
  }
}

TEST_CASE("A failure of this process, its proxy or one of its limits does not count") {
  for (const fetch_error ours :
       {fetch_error::proxy, fetch_error::local, fetch_error::protocol, fetch_error::other}) {
    record lost = record_of_outcome(outcome::unreachable);
    lost.error = ours;
    lost.failing_for = 31 * 24h;
    CAPTURE(to_string(ours));
    CHECK(time_after(3h, lost, 1h) == 3h);
    CHECK_FALSE(counts_as_without_file(lost, 24h));
  }
}

TEST_CASE("A site counts as one without a robots.txt from no_file_after on, and never with 0") {
  record failed = record_of_outcome(outcome::unreachable);
  CHECK_FALSE(counts_as_without_file(failed, 24h));
  failed.failing_for = 24h - 1s;
  CHECK_FALSE(counts_as_without_file(failed, 24h));
  failed.failing_for = 24h;
  CHECK(counts_as_without_file(failed, 24h));
  CHECK_FALSE(counts_as_without_file(failed, 0s));
  failed.outcome = outcome::circuit_open;
  CHECK(counts_as_without_file(failed, 24h));
  failed.outcome = outcome::cancelled;
  CHECK_FALSE(counts_as_without_file(failed, 24h));
  CHECK(without_file_text(31 * 24h + 5h) ==
        "failing for 31 days, so no_file_after applies: unless there is a last good copy, the site "
        "counts as one without a robots.txt");
}
