#include <robots/http/http_date.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <string_view>

namespace {

using namespace std::chrono_literals;

constexpr robots::wall_time today = std::chrono::sys_days{2026y / 11 / 20};
constexpr std::chrono::sys_seconds moment =
    std::chrono::sys_days{1994y / 11 / 6} + 8h + 49min + 37s;

constexpr std::optional<std::chrono::sys_seconds> date(std::string_view text) {
  return robots::detail::parse_http_date(text, today);
}

static_assert(date("Sun, 06 Nov 1994 08:49:37 GMT") == moment);
static_assert(date("Sunday, 06-Nov-94 08:49:37 GMT") == moment);
static_assert(date("Sun Nov  6 08:49:37 1994") == moment);
static_assert(date("sun, 06 nov 1994 08:49:37 gmt") == moment);
static_assert(date("Mon, 06 Nov 1994 08:49:37 GMT") == moment);  // the day was a Sunday
static_assert(date("Thu, 01 Jan 1970 00:00:00 GMT") == std::chrono::sys_seconds{});
static_assert(date("Thu Jan  1 00:00:00 1970") == std::chrono::sys_seconds{});
static_assert(date("Wed Dec 16 23:59:60 2026") == std::chrono::sys_days{2026y / 12 / 17});
static_assert(date("Thu, 29 Feb 2024 00:00:00 GMT") == std::chrono::sys_days{2024y / 2 / 29});
static_assert(date("Fri, 31 Dec 9999 23:59:59 GMT") ==
              std::chrono::sys_days{9999y / 12 / 31} + 23h + 59min + 59s);

// A year of two digits is at most 50 years in the future: in 2026, 76 is 2076, and 77 is 1977.
static_assert(date("Monday, 06-Nov-76 00:00:00 GMT") == std::chrono::sys_days{2076y / 11 / 6});
static_assert(date("Monday, 06-Nov-77 00:00:00 GMT") == std::chrono::sys_days{1977y / 11 / 6});
static_assert(date("Monday, 06-Nov-26 00:00:00 GMT") == std::chrono::sys_days{2026y / 11 / 6});
static_assert(robots::detail::parse_http_date("Monday, 06-Nov-01 00:00:00 GMT",
                                              std::chrono::sys_days{2099y / 1 / 1}) ==
              std::chrono::sys_days{2101y / 11 / 6});
static_assert(robots::detail::parse_http_date("Monday, 06-Nov-49 00:00:00 GMT",
                                              std::chrono::sys_days{2099y / 1 / 1}) ==
              std::chrono::sys_days{2149y / 11 / 6});

static_assert(!date(""));
static_assert(!date("0"));
static_assert(!date("-1"));
static_assert(!date(","));
static_assert(!date("Sun, 06 Nov 1994 08:49:37"));
static_assert(!date("Sun, 06 Nov 1994 08:49:37 UTC"));
static_assert(!date("Sun, 06 Nov 1994 08:49:37 +0000"));
static_assert(!date("Sun, 6 Nov 1994 08:49:37 GMT"));
static_assert(!date("Sun, 06 Nox 1994 08:49:37 GMT"));
static_assert(!date("Xxx, 06 Nov 1994 08:49:37 GMT"));
static_assert(!date("Sunday, 06 Nov 1994 08:49:37 GMT"));
static_assert(!date("Sun, 06-Nov-94 08:49:37 GMT"));
static_assert(!date("Sun, 31 Nov 1994 08:49:37 GMT"));
static_assert(!date("Sun, 00 Nov 1994 08:49:37 GMT"));
static_assert(!date("Wed, 29 Feb 2023 00:00:00 GMT"));
static_assert(!date("Sun, 06 Nov 1994 24:00:00 GMT"));
static_assert(!date("Sun, 06 Nov 1994 08:60:00 GMT"));
static_assert(!date("Sun, 06 Nov 1994 08:49:61 GMT"));
static_assert(!date("Sun, 06 Nov -994 08:49:37 GMT"));
static_assert(!date("Sun, 06 Nov 1994 08-49-37 GMT"));
static_assert(!date("Sunday, 06-Nov-xx 08:49:37 GMT"));
static_assert(!date("Sun Nov   08:49:37 1994"));
static_assert(!date("Sun Nov 66 08:49:37 1994"));
static_assert(!date("Xun Nov  6 08:49:37 1994"));
static_assert(!date("Sun Nov  6 08:49:37 19 4"));

}  // namespace

TEST_CASE("A date with one changed octet is a date or nothing") {
  std::mt19937 random{9110};
  for (const std::string_view text :
       {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994"}) {
    for (int round = 0; round < 20'000; ++round) {
      std::string changed{text};
      changed[random() % changed.size()] = static_cast<char>(random() & 0xFFU);
      if (round % 3 == 0) {
        changed.resize(random() % (changed.size() + 1));
      }
      const auto parsed = date(changed);
      if (parsed) {
        CHECK(*parsed < std::chrono::sys_days{10000y / 1 / 1});
      }
    }
  }
}
