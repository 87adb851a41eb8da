#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/http/http_date.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots::usage_detail {

/// A zone of RFC 822, section 5.1, with its hours east of Greenwich. Sites write such zones, and
/// Google's documentation of `unavailable_after` has `PST` in its example.
struct zone_name {
  std::string_view name;
  int hours;
};

inline constexpr std::array<zone_name, 12> zone_names{{{"GMT", 0},
                                                       {"UTC", 0},
                                                       {"UT", 0},
                                                       {"Z", 0},
                                                       {"EST", -5},
                                                       {"EDT", -4},
                                                       {"CST", -6},
                                                       {"CDT", -5},
                                                       {"MST", -7},
                                                       {"MDT", -6},
                                                       {"PST", -8},
                                                       {"PDT", -7}}};

/// Full names of months. A date has a full name or its first three letters.
inline constexpr std::array<std::string_view, 12> full_month_names{
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};

/// Returns true if `word` is the name of a day of the week, or its first three letters.
[[nodiscard]] constexpr bool is_day_name(std::string_view word) noexcept {
  return std::any_of(http_detail::day_names.begin(), http_detail::day_names.end(),
                     [&](std::string_view day) {
                       return base::equal_ignoring_case(word, day) ||
                              base::equal_ignoring_case(word, day.substr(0, 3));
                     });
}

/// Reads the forms of dates that stand in `unavailable_after`. Each `read_*` function consumes what
/// it accepts, and returns false if the text has another form.
class page_date_reader {
 public:
  constexpr explicit page_date_reader(std::string_view text) noexcept
      : rest_(base::trim(text, base::is_blank)) {}

  constexpr std::optional<std::chrono::sys_seconds> read() noexcept {
    const bool is_date = starts_with_year() ? read_iso_date() && read_time() : read_named_date();
    if (!is_date || !rest_.empty()) {
      return std::nullopt;
    }
    return std::chrono::sys_seconds{day_} + time_ - offset_;
  }

 private:
  [[nodiscard]] constexpr char front() const noexcept { return rest_.empty() ? '\0' : rest_[0]; }

  constexpr bool take(char wanted) noexcept {
    if (!rest_.starts_with(wanted)) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  [[nodiscard]] constexpr std::size_t count_digits() const noexcept {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), base::is_digit);
    return static_cast<std::size_t>(end - rest_.begin());
  }

  /// Takes a number of exactly `digits` digits, without looking at what follows.
  constexpr std::optional<int> take_number(std::size_t digits) noexcept {
    if (digits == 0 || count_digits() < digits) {
      return std::nullopt;
    }
    const auto value = base::parse_decimal(rest_.substr(0, digits));
    rest_.remove_prefix(digits);
    return static_cast<int>(*value);
  }

  constexpr std::string_view take_word() noexcept {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), base::is_alpha);
    const std::string_view word{rest_.begin(), end};
    rest_.remove_prefix(word.size());
    return word;
  }

  constexpr bool take_blanks() noexcept {
    const std::size_t before = rest_.size();
    while (base::is_blank(front())) {
      rest_.remove_prefix(1);
    }
    return rest_.size() != before;
  }

  [[nodiscard]] constexpr bool starts_with_year() const noexcept { return count_digits() >= 4; }

  constexpr bool set_day(int year, int month, int day) noexcept {
    const std::chrono::year_month_day date{std::chrono::year{year},
                                           std::chrono::month{static_cast<unsigned>(month)},
                                           std::chrono::day{static_cast<unsigned>(day)}};
    if (!date.ok()) {
      return false;
    }
    day_ = std::chrono::sys_days{date};
    return true;
  }

  /// Reads a calendar, week or ordinal date of ISO 8601, with or without hyphens: `2025-12-31`,
  /// `2026-W01-3`, `2025-365`.
  constexpr bool read_iso_date() noexcept {
    const std::optional<int> year = take_number(4);
    const bool has_hyphens = take('-');
    if (!year) {
      return false;
    }
    if (take('W')) {
      return read_iso_week(*year, has_hyphens);
    }
    const std::size_t digits = count_digits();
    if (digits == 3) {
      const int day = *take_number(3);
      const bool is_leap = std::chrono::year{*year}.is_leap();
      day_ = std::chrono::sys_days{std::chrono::year{*year} / 1 / 1} + std::chrono::days{day - 1};
      return day >= 1 && day <= (is_leap ? 366 : 365);
    }
    if (digits != (has_hyphens ? 2 : 4)) {
      return false;
    }
    const std::optional<int> month = take_number(2);
    if (has_hyphens && (!take('-') || count_digits() != 2)) {
      return false;
    }
    const std::optional<int> day = take_number(2);
    return month && day && set_day(*year, *month, *day);
  }

  /// Reads the week and the day of the week. Week 1 has the year's first Thursday.
  constexpr bool read_iso_week(int year, bool has_hyphens) noexcept {
    const std::optional<int> week = take_number(2);
    if (has_hyphens && !take('-')) {
      return false;
    }
    const std::optional<int> weekday = take_number(1);
    if (!week || !weekday || *week < 1 || *week > 53 || *weekday < 1 || *weekday > 7) {
      return false;
    }
    const std::chrono::sys_days fourth{std::chrono::year{year} / 1 / 4};  // always in week 1
    const unsigned iso = std::chrono::weekday{fourth}.iso_encoding();
    day_ = fourth - std::chrono::days{iso - 1} + std::chrono::days{7 * (*week - 1) + *weekday - 1};
    return true;
  }

  /// Reads `[weekday [","]] day month year [time]`, or the form of `asctime`: `weekday month day
  /// time year`. The parts are separated by blanks or hyphens. The weekday need not match.
  constexpr bool read_named_date() noexcept {
    bool has_weekday = false;
    if (base::is_alpha(front())) {
      if (!is_day_name(take_word())) {
        return false;
      }
      has_weekday = true;
      take(',');
      take_blanks();
    }
    if (has_weekday && base::is_alpha(front())) {
      return read_asctime();
    }
    const std::size_t digits = count_digits();
    const std::optional<int> day = take_number(digits);
    if (digits == 0 || digits > 2 || !take_separator()) {
      return false;
    }
    const int month = month_number(take_word());
    if (month == 0 || !take_separator()) {
      return false;
    }
    const std::optional<int> year = take_year();
    return day && year && set_day(*year, month, *day) && read_time();
  }

  constexpr bool read_asctime() noexcept {
    const int month = month_number(take_word());
    take_blanks();
    const std::size_t digits = count_digits();
    const std::optional<int> day = take_number(digits);
    if (month == 0 || digits == 0 || digits > 2 || !take_blanks() || !read_clock()) {
      return false;
    }
    take_blanks();
    const std::optional<int> year = take_year();
    return day && year && set_day(*year, month, *day);
  }

  /// Returns 1 to 12, or 0 if `word` names no month.
  [[nodiscard]] static constexpr int month_number(std::string_view word) noexcept {
    for (std::size_t i = 0; i < full_month_names.size(); ++i) {
      if (base::equal_ignoring_case(word, full_month_names[i]) ||
          base::equal_ignoring_case(word, http_detail::month_names[i])) {
        return static_cast<int>(i) + 1;
      }
    }
    return 0;
  }

  constexpr bool take_separator() noexcept { return take('-') || take_blanks(); }

  /// A year of two digits is from 1970 to 2069.
  constexpr std::optional<int> take_year() noexcept {
    const std::size_t digits = count_digits();
    if (digits != 2 && digits != 4) {
      return std::nullopt;
    }
    const int year = *take_number(digits);
    if (digits == 4) {
      return year;
    }
    return year < 70 ? 2000 + year : 1900 + year;
  }

  /// Reads the rest of a date: nothing, or a time of day with or without a zone. A date alone means
  /// its first instant, and a time without a zone is in UTC.
  constexpr bool read_time() noexcept {
    if (rest_.empty()) {
      return true;
    }
    if (!take('T') && !take('t') && !take_blanks()) {
      return false;
    }
    return read_clock() && read_zone();
  }

  /// Reads `hh:mm[:ss[.f]]` or `hhmm[ss]`. A second of 60 is a leap second.
  constexpr bool read_clock() noexcept {
    const std::optional<int> hour = take_number(2);
    const bool has_colons = take(':');
    const std::optional<int> minute = take_number(2);
    std::optional<int> second = 0;
    if (has_colons ? take(':') : base::is_digit(front())) {
      second = take_number(2);
      if (second && take('.')) {
        rest_.remove_prefix(count_digits());
      }
    }
    if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) {
      return false;
    }
    time_ =
        std::chrono::hours{*hour} + std::chrono::minutes{*minute} + std::chrono::seconds{*second};
    return true;
  }

  /// Reads nothing, a name of RFC 822, or `+hh[[:]mm]`. Java adds a name in brackets, which repeats
  /// the offset: `+01:00[Europe/Berlin]`.
  constexpr bool read_zone() noexcept {
    take_blanks();
    if (rest_.empty()) {
      return true;
    }
    if (base::is_alpha(front())) {
      const std::string_view word = take_word();
      for (const zone_name& zone : zone_names) {
        if (base::equal_ignoring_case(word, zone.name)) {
          offset_ = std::chrono::hours{zone.hours};
          return true;
        }
      }
      return false;
    }
    const bool is_west = front() == '-';
    if (!take('+') && !take('-')) {
      return false;
    }
    const std::optional<int> hours = take_number(2);
    std::optional<int> minutes = 0;
    if (take(':') || base::is_digit(front())) {
      minutes = take_number(2);
    }
    if (!hours || !minutes || *hours > 23 || *minutes > 59) {
      return false;
    }
    offset_ = std::chrono::hours{*hours} + std::chrono::minutes{*minutes};
    if (is_west) {
      offset_ = -offset_;
    }
    if (front() == '[' && rest_.ends_with(']')) {
      rest_ = {};
    }
    return true;
  }

  std::string_view rest_;
  std::chrono::sys_days day_{};
  std::chrono::seconds time_{0};
  std::chrono::seconds offset_{0};
};

}  // namespace robots::usage_detail

namespace robots {

/// Reads the date of an `unavailable_after` rule, in the forms that sites use:
///
///     31 Dec 2025 23:59:59 GMT         RFC 822 and its successors; the weekday is optional
///     31-Dec-25 15:00:00 PST           RFC 850, with the zones of RFC 822
///     Wed Dec 31 23:59:59 2025         asctime
///     2025-12-31T23:59:59+01:00        ISO 8601; also 20251231, 2025-365, 2026-W01-3
///
/// A date alone means its first instant. A time without a zone is in UTC. Returns an empty optional
/// for any other text, such as a date with the month first, a zone such as `CET`, or a number of
/// seconds. Takes linear time.
[[nodiscard]] constexpr std::optional<std::chrono::sys_seconds> parse_page_date(
    std::string_view text) noexcept {
  return usage_detail::page_date_reader{text}.read();
}

}  // namespace robots
