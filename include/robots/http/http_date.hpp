#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/time/clock.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots::http_detail {

/// Returns the value of one to nine digits, or -1 for any other text.
[[nodiscard]] constexpr int digits_value(std::string_view text) noexcept {
  const std::optional<std::uint64_t> value = base::parse_decimal(text);
  return value && text.size() <= 9 ? static_cast<int>(*value) : -1;
}

/// Returns the index of `name` in `names`, or the number of names.
template <std::size_t N>
[[nodiscard]] constexpr std::size_t index_of_name(const std::array<std::string_view, N>& names,
                                                  std::string_view name) noexcept {
  std::size_t index = 0;
  while (index < N && !base::equal_ignoring_case(names[index], name)) {
    ++index;
  }
  return index;
}

inline constexpr std::array<std::string_view, 7> short_day_names{"Mon", "Tue", "Wed", "Thu",
                                                                 "Fri", "Sat", "Sun"};
inline constexpr std::array<std::string_view, 7> long_day_names{
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
inline constexpr std::array<std::string_view, 12> month_names{
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// Reads `hour ":" minute ":" second`, where second 60 is a leap second.
[[nodiscard]] constexpr std::optional<std::chrono::seconds> parse_time_of_day(
    std::string_view text) noexcept {
  if (text.size() != 8 || text[2] != ':' || text[5] != ':') {
    return std::nullopt;
  }
  const int hour = digits_value(text.substr(0, 2));
  const int minute = digits_value(text.substr(3, 2));
  const int second = digits_value(text.substr(6, 2));
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) {
    return std::nullopt;
  }
  return std::chrono::hours{hour} + std::chrono::minutes{minute} + std::chrono::seconds{second};
}

[[nodiscard]] constexpr std::optional<std::chrono::sys_seconds> parse_moment(
    int year, std::string_view month, std::string_view day, std::string_view time) noexcept {
  const int day_value = digits_value(day);
  const std::size_t month_index = index_of_name(month_names, month);
  const std::optional<std::chrono::seconds> time_of_day = parse_time_of_day(time);
  if (year < 0 || day_value < 0 || !time_of_day) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month_index + 1)},
                                         std::chrono::day{static_cast<unsigned>(day_value)}};
  if (!date.ok()) {
    return std::nullopt;
  }
  return std::chrono::sys_days{date} + *time_of_day;
}

/// Returns the year for two digits, which is at most 50 years ahead (RFC 9110, section 5.6.7).
[[nodiscard]] constexpr int full_year(int two_digits, wall_time now) noexcept {
  const std::chrono::year_month_day today{std::chrono::floor<std::chrono::days>(now)};
  const int this_year = static_cast<int>(today.year());
  int year = this_year - this_year % 100 + two_digits;
  if (year > this_year + 50) {
    year -= 100;
  }
  if (year <= this_year - 50) {
    year += 100;
  }
  return year;
}

}  // namespace robots::http_detail

namespace robots::detail {

/// Reads an `HTTP-date` in whole seconds (RFC 9110, section 5.6.7):
///
///     IMF-fixdate  = Sun, 06 Nov 1994 08:49:37 GMT
///     rfc850-date  = Sunday, 06-Nov-94 08:49:37 GMT
///     asctime-date = Sun Nov  6 08:49:37 1994
///
/// `now` decides the century of the second form. Names may be in any case, and the name of the day
/// need not match the date. Returns an empty optional for any other text. Takes linear time, and
/// does not depend on the locale.
[[nodiscard]] constexpr std::optional<std::chrono::sys_seconds> parse_http_date(
    std::string_view text, wall_time now) noexcept {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) {
    if (text.size() != 24 || text[3] != ' ' || text[7] != ' ' || text[10] != ' ' ||
        text[19] != ' ' ||
        http_detail::index_of_name(http_detail::short_day_names, text.substr(0, 3)) == 7) {
      return std::nullopt;
    }
    const std::size_t day = text[8] == ' ' ? 9 : 8;
    return http_detail::parse_moment(http_detail::digits_value(text.substr(20)), text.substr(4, 3),
                                     text.substr(day, 10 - day), text.substr(11, 8));
  }

  const std::string_view name = text.substr(0, comma);
  const std::string_view rest = text.substr(comma + 1);
  if (!rest.starts_with(' ') || rest.size() < 4 ||
      !base::equal_ignoring_case(rest.substr(rest.size() - 4), " GMT")) {
    return std::nullopt;
  }
  if (rest.size() == 25 && rest[3] == ' ' && rest[7] == ' ' && rest[12] == ' ' &&
      http_detail::index_of_name(http_detail::short_day_names, name) < 7) {
    return http_detail::parse_moment(http_detail::digits_value(rest.substr(8, 4)),
                                     rest.substr(4, 3), rest.substr(1, 2), rest.substr(13, 8));
  }
  if (rest.size() == 23 && rest[3] == '-' && rest[7] == '-' && rest[10] == ' ' &&
      http_detail::index_of_name(http_detail::long_day_names, name) < 7) {
    const int two_digits = http_detail::digits_value(rest.substr(8, 2));
    if (two_digits < 0) {
      return std::nullopt;
    }
    return http_detail::parse_moment(http_detail::full_year(two_digits, now), rest.substr(4, 3),
                                     rest.substr(1, 2), rest.substr(11, 8));
  }
  return std::nullopt;
}

}  // namespace robots::detail
