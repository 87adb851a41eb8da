#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots::http_detail {

/// A form of an `HTTP-date` after the name of the day. A capital letter stands for an octet of the
/// day, month, year, hour, minute (`N`) or second. Any other octet stands for itself, in any case.
struct date_form {
  std::string_view text;
  bool has_long_name;  ///< false if the name of the day has three letters
};

inline constexpr std::array<date_form, 3> date_forms{{{", DD MMM YYYY HH:NN:SS gmt", false},
                                                      {", DD-MMM-YY HH:NN:SS gmt", true},
                                                      {" MMM DD HH:NN:SS YYYY", false}}};

inline constexpr std::array<std::string_view, 7> day_names{
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
inline constexpr std::array<std::string_view, 12> month_names{
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

[[nodiscard]] constexpr bool has_form(std::string_view text, std::string_view form) noexcept {
  return std::equal(text.begin(), text.end(), form.begin(), form.end(), [](char c, char wanted) {
    return (wanted >= 'A' && wanted <= 'Z') || base::to_lower(c) == wanted;
  });
}

[[nodiscard]] constexpr bool is_day_name(std::string_view text, bool is_long) noexcept {
  return std::any_of(day_names.begin(), day_names.end(), [&](std::string_view name) {
    return base::equal_ignoring_case(text, is_long ? name : name.substr(0, 3));
  });
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

/// Reads a text of this form. `now` decides the century of a year of two digits.
[[nodiscard]] constexpr std::optional<std::chrono::sys_seconds> parse_moment(
    std::string_view text, std::string_view form, wall_time now) noexcept {
  const auto field = [&](char letter) {
    const std::size_t begin = form.find(letter);
    return text.substr(begin, form.rfind(letter) + 1 - begin);
  };
  bool is_valid = true;
  const auto number = [&](std::string_view digits) {
    const std::optional<std::uint64_t> value = base::parse_decimal(digits);
    is_valid = is_valid && value;
    return static_cast<int>(value.value_or(0));
  };
  // Only the form without a comma has a blank before a day of one digit.
  const std::string_view day_text = field('D');
  const bool is_padded = form.front() == ' ' && day_text.front() == ' ';
  const int day = number(is_padded ? day_text.substr(1) : day_text);
  const auto month = std::find_if(
      month_names.begin(), month_names.end(),
      [&](std::string_view name) { return base::equal_ignoring_case(name, field('M')); });
  const int year = number(field('Y'));
  const int hour = number(field('H'));
  const int minute = number(field('N'));
  const int second = number(field('S'));  // 60 is a leap second
  const std::chrono::year_month_day date{
      std::chrono::year{field('Y').size() == 2 ? full_year(year, now) : year},
      std::chrono::month{static_cast<unsigned>(month - month_names.begin() + 1)},
      std::chrono::day{static_cast<unsigned>(day)}};
  if (!is_valid || !date.ok() || hour > 23 || minute > 59 || second > 60) {
    return std::nullopt;
  }
  return std::chrono::sys_days{date} + std::chrono::hours{hour} + std::chrono::minutes{minute} +
         std::chrono::seconds{second};
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
  const std::string_view name = text.substr(0, text.find_first_of(", "));
  const std::string_view rest = text.substr(name.size());
  for (const http_detail::date_form& form : http_detail::date_forms) {
    if (http_detail::has_form(rest, form.text) &&
        http_detail::is_day_name(name, form.has_long_name)) {
      return http_detail::parse_moment(rest, form.text, now);
    }
  }
  return std::nullopt;
}

}  // namespace robots::detail
