#include <robots/polite/request_report.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <optional>

namespace {

using namespace std::chrono_literals;
using robots::report_of;
using robots::request_report;
using robots::wall_time;

static_assert(request_report{.status = 429}.overloaded());
static_assert(request_report{.status = 503}.overloaded());
static_assert(!request_report{.status = 500}.overloaded());
static_assert(!request_report{}.overloaded() && !request_report{}.succeeded());
static_assert(request_report{.status = 200}.succeeded());
static_assert(request_report{.status = 304}.succeeded());
static_assert(!request_report{.status = 404}.succeeded());
static_assert(!request_report{.status = 503}.succeeded());

}  // namespace

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
  CHECK(report_of(response, 0s, wall_time{}).retry_after == std::nullopt);
}
