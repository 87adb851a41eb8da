#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots::http_detail {

/// The forms of an `HTTP-date`, each without the name of the day at its start. Each `D`, `M`, `Y`,
/// `H`, `N` or `S` stands for one character of the day, month, year, hour, minute or second. Other
/// letters match in upper or lower case.
inline constexpr std::array<std::string_view, 3> date_forms{
    ", DD MMM YYYY HH:NN:SS gmt", ", DD-MMM-YY HH:NN:SS gmt", " MMM DD HH:NN:SS YYYY"};

inline constexpr std::array<std::string_view, 7> day_names{
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
inline constexpr std::array<std::string_view, 12> month_names{
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// Reads `text`, which has the form `form`. `now` decides the century of a two-digit year.
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
  // Only the form without a comma allows a blank in place of the first digit of the day.
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
  // A year of two digits is at most 50 years after `now` (RFC 9110, section 5.6.7).
  const std::chrono::year_month_day today{std::chrono::floor<std::chrono::days>(now)};
  const int first = static_cast<int>(today.year()) - 49;
  const int full_year = field('Y').size() == 2 ? first + (year - first % 100 + 100) % 100 : year;
  const std::chrono::year_month_day date{
      std::chrono::year{full_year},
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
/// need not match the date. Returns an empty optional for any other text. Takes linear time.
[[nodiscard]] constexpr std::optional<std::chrono::sys_seconds> parse_http_date(
    std::string_view text, wall_time now) noexcept {
  const std::string_view name = text.substr(0, text.find_first_of(", "));
  const std::string_view rest = text.substr(name.size());
  for (const std::string_view form : http_detail::date_forms) {
    const bool has_form =
        std::equal(rest.begin(), rest.end(), form.begin(), form.end(), [](char c, char wanted) {
          return (wanted >= 'A' && wanted <= 'Z') || base::to_lower(c) == wanted;
        });
    const std::size_t length =
        form.find('-') != std::string_view::npos ? std::string_view::npos : 3;
    const auto is_name = [&](std::string_view day) {
      return base::equal_ignoring_case(name, day.substr(0, length));
    };
    if (has_form &&
        std::any_of(http_detail::day_names.begin(), http_detail::day_names.end(), is_name)) {
      return http_detail::parse_moment(rest, form, now);
    }
  }
  return std::nullopt;
}

}  // namespace robots::detail
