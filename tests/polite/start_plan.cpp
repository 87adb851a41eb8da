#include <robots/polite/start_plan.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <optional>

namespace {

using namespace std::chrono_literals;
using delay_term = robots::computed_delay::source;
using robots::explain;
using robots::report_of;
using robots::request_report;
using robots::start_limit;
using robots::start_plan;
using robots::time_point;
using robots::wall_time;

static_assert(to_string(start_limit::none) == "none");
static_assert(to_string(start_limit::delay) == "delay");
static_assert(to_string(start_limit::slow_down) == "slow_down");
static_assert(to_string(start_limit::retry_after) == "retry_after");
static_assert(to_string(start_limit::visit_time) == "visit_time");
static_assert(to_string(start_limit::ledger) == "ledger");

constexpr time_point now{100h};

constexpr start_plan later_of_two() {
  start_plan plan{.at = now};
  plan.not_before(now + 2s, start_limit::delay);
  plan.not_before(now + 1s, start_limit::retry_after);
  plan.not_before(now + 2s, start_limit::visit_time);
  return plan;
}
static_assert(later_of_two().at == now + 2s);
static_assert(later_of_two().decided_by == start_limit::delay);

start_plan in_two_seconds(start_limit limit) {
  start_plan plan{.at = now + 2s, .decided_by = limit};
  plan.delay = {.delay = 1s,
                .term = delay_term::crawl_delay,
                .asked = 1s,
                .asked_by = delay_term::crawl_delay};
  plan.slowed = 2s;
  return plan;
}

static_assert(request_report{.status = 429}.overloaded());
static_assert(request_report{.status = 503}.overloaded());
static_assert(!request_report{.status = 500}.overloaded());
static_assert(!request_report{}.overloaded());

}  // namespace

TEST_CASE("The explanation of a start plan has the delay and its reason") {
  CHECK(explain(start_plan{.at = now}, now) == "at once");
  CHECK(explain(in_two_seconds(start_limit::none), now + 5s) == "at once");
  CHECK(explain(in_two_seconds(start_limit::delay), now) ==
        "in 2.000 s: delay of 1.000 s (crawl_delay)");
  CHECK(explain(in_two_seconds(start_limit::slow_down), now) ==
        "in 2.000 s: delay of 2.000 s after 429 or 503, without them 1.000 s (crawl_delay)");
  CHECK(explain(in_two_seconds(start_limit::retry_after), now) == "in 2.000 s: Retry-After");
  CHECK(explain(in_two_seconds(start_limit::visit_time), now) == "in 2.000 s: Visit-time");
  CHECK(explain(in_two_seconds(start_limit::ledger), now) ==
        "in 2.000 s: other processes visit the host, too");
}

TEST_CASE("The explanation of a start plan has the requested delay even if it is above the cap") {
  start_plan capped = in_two_seconds(start_limit::delay);
  capped.delay.term = delay_term::cap;
  capped.delay.asked = 90s;
  CHECK(explain(capped, now) ==
        "in 2.000 s: delay of 1.000 s (cap, crawl_delay asks for 90.000 s)");
  capped.skip_host = true;
  CHECK(explain(capped, now) == "never: crawl_delay asks for 90.000 s, more than the cap");
}

TEST_CASE("The explanation of a start plan rounds up, and says if no reservation can be made") {
  start_plan full{.at = now + 1ns, .decided_by = start_limit::retry_after, .can_reserve = false};
  CHECK(explain(full, now) ==
        "in 0.001 s: Retry-After; no further reservation at the host for now");
  full.at = time_point::max();
  CHECK_FALSE(explain(full, now).empty());
  CHECK_FALSE(explain(full, time_point::min()).empty());
}

TEST_CASE("A report has the status, the response time and the Retry-After of a response") {
  robots::fetch_response response;
  response.status = 503;
  response.headers = {{"Retry-After", "120"}};
  const request_report report = report_of(response, 250ms, wall_time{});
  CHECK(report.status == 503);
  CHECK(report.response_time == 250ms);
  CHECK(report.retry_after == 120s);

  response.headers = {{"retry-after", "Thu, 01 Jan 1970 00:01:00 GMT"}};
  CHECK(report_of(response, 0s, wall_time{}).retry_after == 60s);
  CHECK(report_of(response, 0s).retry_after == 0s);  // the date is in the past
  response.headers = {{"Retry-After", "soon"}};
  CHECK(report_of(response, 0s, wall_time{}).retry_after == 60s);
  response.headers = {{"Retry-After", "2.5 s"}};
  CHECK(report_of(response, 0s, wall_time{}).retry_after == 3s);
  response.headers = {};
  CHECK(report_of(response, 0s, wall_time{}).retry_after == std::nullopt);
}
