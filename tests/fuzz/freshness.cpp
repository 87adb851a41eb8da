#include <robots/http/freshness.hpp>

#include "fuzz/bodies.hpp"
#include "fuzz/input.hpp"
#include <robots/base/ascii.hpp>
#include <robots/http/cache_control.hpp>
#include <robots/http/http_date.hpp>
#include <robots/http/retry_after.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using fuzz::require;
using std::chrono::seconds;
using time_point = robots::wall_time;

constexpr seconds most{std::int64_t{1} << 31};

/// Reads the digits in the first 12 characters of a line as a time from 1901 to 2174.
time_point moment(std::string_view line) {
  std::int64_t value = 0;
  for (const char c : line.substr(0, 12)) {
    value = c >= '0' && c <= '9' ? value * 10 + (c - '0') : value;
  }
  value %= std::int64_t{1} << 33;
  return time_point{seconds{value - (std::int64_t{1} << 31)}};
}

std::string imf_fixdate(std::chrono::sys_seconds when) {
  constexpr std::array<const char*, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(when);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss time{when - day};
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "Mon, %02u %s %04d %02d:%02d:%02d GMT",
                static_cast<unsigned>(date.day()),
                months.at(static_cast<unsigned>(date.month()) - 1), static_cast<int>(date.year()),
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()));
  return text.data();
}

bool within_limits(const std::optional<seconds>& span) {
  return !span || (*span >= seconds{0} && *span <= most);
}

/// Joins all Cache-Control headers into one list (RFC 9110, section 5.3).
std::vector<robots::http_header> joined(const std::vector<robots::http_header>& headers) {
  std::string all;
  for (const robots::http_header& header : headers) {
    if (robots::base::equal_ignoring_case(header.name, "Cache-Control")) {
      all += header.value + ", ";
    }
  }
  return {{"cache-control", all}};
}

void check_date(std::string_view text, time_point now) {
  const auto date = robots::detail::parse_http_date(text, now);
  if (!date) {
    return;
  }
  const auto year =
      std::chrono::year_month_day{std::chrono::floor<std::chrono::days>(*date)}.year();
  if (year >= std::chrono::year{0} && year <= std::chrono::year{9999}) {
    require(robots::detail::parse_http_date(imf_fixdate(*date), now) == date,
            "a date that is written and read again is the same");
  }
  require(robots::detail::parse_http_date(std::string{text} + 'x', now) == std::nullopt,
          "text after a date makes the date invalid");
}

}  // namespace

void fuzz::fuzz_freshness(octets input) {
  reader in{input};
  const time_point now = moment(in.line());
  std::vector<robots::http_header> headers;
  bool quotes = false;
  for (std::string line = in.line(); !line.empty() && headers.size() < 16; line = in.line()) {
    const std::size_t colon = line.find(':');
    const std::string value = colon == std::string::npos ? std::string{} : line.substr(colon + 1);
    headers.push_back({line.substr(0, colon), value});
    quotes = quotes || value.find_first_of("\"\\") != std::string::npos;
    check_date(robots::base::trim(value, robots::base::is_blank), now);
  }

  const auto control = robots::http_detail::cache_control_lifetime(headers);
  const auto lifetime = robots::detail::freshness_lifetime(headers, now);
  const auto wait = robots::detail::retry_after(headers, now);
  require(within_limits(control), "max-age is within its limits");
  require(within_limits(lifetime), "a lifetime is within its limits");
  require(within_limits(wait), "a wait is within its limits");
  require(!control || (lifetime && *lifetime <= *control),
          "no response is fresh for longer than Cache-Control says");
  require(quotes || robots::http_detail::cache_control_lifetime(joined(headers)) == control,
          "several Cache-Control headers mean the same as one list");
  for (robots::http_header& header : headers) {
    for (char& c : header.name) {
      c = robots::base::to_lower(c);
    }
  }
  require(robots::http_detail::cache_control_lifetime(headers) == control &&
              robots::detail::freshness_lifetime(headers, now) == lifetime &&
              robots::detail::retry_after(headers, now) == wait,
          "the case of a header's name changes nothing");
}
