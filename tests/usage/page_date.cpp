#include <robots/usage/page_date.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <string_view>

namespace {

using robots::parse_page_date;
using namespace std::chrono_literals;

constexpr std::chrono::sys_seconds at(int year, unsigned month, unsigned day,
                                      std::chrono::seconds time = 0s) {
  return std::chrono::sys_days{std::chrono::year{year} / std::chrono::month{month} /
                               std::chrono::day{day}} +
         time;
}

constexpr auto last_second = 23h + 59min + 59s;

// RFC 822 and its successors: the weekday is optional, and need not be right.
static_assert(parse_page_date("Wed, 31 Dec 2025 23:59:59 GMT") == at(2025, 12, 31, last_second));
static_assert(parse_page_date("31 Dec 2025 23:59:59 GMT") == at(2025, 12, 31, last_second));
static_assert(parse_page_date("Mon, 31 December 2025 23:59:59") == at(2025, 12, 31, last_second));
static_assert(parse_page_date("Wednesday 31 dec 2025 23:59 UTC") == at(2025, 12, 31, 23h + 59min));
static_assert(parse_page_date("1 Jan 2026") == at(2026, 1, 1));
static_assert(parse_page_date("25 Jun 2010 15:00:00 PST") == at(2010, 6, 25, 23h),
              "the example in Google's documentation");
static_assert(parse_page_date("20 Nov 2026 01:00:00 +0200") == at(2026, 11, 19, 23h));
static_assert(parse_page_date("31 Dec 2025 23:59:59 -0630") == at(2026, 1, 1, 6h + 29min + 59s));

// RFC 850 and asctime.
static_assert(parse_page_date("1-Jan-2000 00:00:00 EST") == at(2000, 1, 1, 5h));
static_assert(parse_page_date("Sunday, 06-Nov-94 08:49:37 GMT") ==
              at(1994, 11, 6, 8h + 49min + 37s));
static_assert(parse_page_date("06-Nov-69") == at(2069, 11, 6));
static_assert(parse_page_date("Wed Dec 31 23:59:59 2025") == at(2025, 12, 31, last_second));
static_assert(parse_page_date("Thu Jan  1 00:00:00 2026") == at(2026, 1, 1));

// ISO 8601. A date alone means its first instant, and a time without a zone is in UTC.
static_assert(parse_page_date("2025-12-31") == at(2025, 12, 31));
static_assert(parse_page_date("20251231") == at(2025, 12, 31));
static_assert(parse_page_date("2025-365") == at(2025, 12, 31));
static_assert(parse_page_date("2024366") == at(2024, 12, 31));
static_assert(parse_page_date("2026-W01-3") == at(2025, 12, 31));
static_assert(parse_page_date("2025W011") == at(2024, 12, 30));
static_assert(parse_page_date("2025-12-31T23:59Z") == at(2025, 12, 31, 23h + 59min));
static_assert(parse_page_date("2025-12-31T23:59:59.0Z") == at(2025, 12, 31, last_second));
static_assert(parse_page_date("2025-12-31 23:59:59") == at(2025, 12, 31, last_second));
static_assert(parse_page_date("20251231T235959Z") == at(2025, 12, 31, last_second));
static_assert(parse_page_date("2025-12-31T23:59:59+01:02") == at(2025, 12, 31, 22h + 57min + 59s));
static_assert(parse_page_date("2025-12-31T23:59:59+01:00[Europe/Berlin]") ==
              at(2025, 12, 31, 22h + 59min + 59s));
static_assert(parse_page_date("2025-12-31T23:59:60Z") == at(2026, 1, 1), "a leap second");

// Anything else is ignored: a zone that RFC 822 lacks, the month first, seconds, nonsense.
constexpr bool is_ignored(std::string_view text) { return !parse_page_date(text).has_value(); }

static_assert(is_ignored(""));
static_assert(is_ignored("25 Jun 2010 15:00:00 CET"));
static_assert(is_ignored("Jun 25, 2010"));
static_assert(is_ignored("Jun 25, 2010 15:00:00 PST"));
static_assert(is_ignored("1735689600"));
static_assert(is_ignored("24:00:00"));
static_assert(is_ignored("soon"));
static_assert(is_ignored("Someday, 1 Jan 2026"));
static_assert(is_ignored("32 Jan 2026"));
static_assert(is_ignored("30 Feb 2026"));
static_assert(is_ignored("2026-02-30"));
static_assert(is_ignored("2026-13-01"));
static_assert(is_ignored("2025-366"));
static_assert(is_ignored("2026-W54-1"));
static_assert(is_ignored("2026-W01-8"));
static_assert(is_ignored("2026-0101"));
static_assert(is_ignored("202601-01"));
static_assert(is_ignored("2025-12-31+00"));
static_assert(is_ignored("2025-12-31T24:00"));
static_assert(is_ignored("2025-12-31T23:60"));
static_assert(is_ignored("2025-12-31T23:59:59+24:00"));
static_assert(is_ignored("2025-12-31T23:59:59Z x"));
static_assert(is_ignored("1 Jan 206"));
static_assert(is_ignored("1 Jan"));
static_assert(is_ignored("111 Jan 2026"));
static_assert(is_ignored("Wed Dec 31 2025"));

TEST_CASE("A prefix of a date is a date or is ignored, and never fails otherwise") {
  for (const std::string_view whole :
       {"Wed, 31 Dec 2025 23:59:59 GMT", "2025-12-31T23:59:59+01:00[Europe/Berlin]",
        "2026-W01-3T00:00", "Wed Dec 31 23:59:59 2025"}) {
    std::size_t dates = 0;
    for (std::size_t size = 0; size <= whole.size(); ++size) {
      dates += parse_page_date(whole.substr(0, size)) ? 1 : 0;
    }
    CHECK(dates > 0);
  }
}

}  // namespace
