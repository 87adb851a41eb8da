#pragma once

#include <robots/base/ascii.hpp>
#include <robots/http/delta_seconds.hpp>
#include <robots/http/freshness.hpp>
#include <robots/http/http_date.hpp>
#include <robots/http/message.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace robots::http_detail {

struct wait_unit {
  std::string_view name;
  double seconds;
};

/// The units that servers write after the number of a `Retry-After`, although RFC 9110 allows none.
inline constexpr std::array<wait_unit, 20> wait_units{{{"", 1},
                                                       {"s", 1},
                                                       {"sec", 1},
                                                       {"secs", 1},
                                                       {"second", 1},
                                                       {"seconds", 1},
                                                       {"ms", 0.001},
                                                       {"millisecond", 0.001},
                                                       {"milliseconds", 0.001},
                                                       {"m", 60},
                                                       {"min", 60},
                                                       {"mins", 60},
                                                       {"minute", 60},
                                                       {"minutes", 60},
                                                       {"h", 3'600},
                                                       {"hour", 3'600},
                                                       {"hours", 3'600},
                                                       {"d", 86'400},
                                                       {"day", 86'400},
                                                       {"days", 86'400}}};

/// Returns true if the comma at `comma` separates thousands, as in `1,000`, and not two waits.
/// Three digits follow it without a blank, and one to three digits precede it.
[[nodiscard]] inline bool separates_thousands(std::string_view text, std::size_t comma) noexcept {
  const auto is_no_digit = [](char c) { return !base::is_digit(c); };
  const std::string_view before = text.substr(0, comma);
  const std::string_view after = text.substr(comma + 1);
  const auto digits_before =
      std::find_if(before.rbegin(), before.rend(), is_no_digit) - before.rbegin();
  const auto digits_after = std::find_if(after.begin(), after.end(), is_no_digit) - after.begin();
  return digits_before >= 1 && digits_before <= 3 && digits_after == 3;
}

/// Returns the place of the first comma from `begin` on that separates two values, or the size.
[[nodiscard]] inline std::size_t end_of_value(std::string_view text, std::size_t begin) noexcept {
  std::size_t comma = text.find(',', begin);
  while (comma != std::string_view::npos && separates_thousands(text, comma)) {
    comma = text.find(',', comma + 1);
  }
  return (std::min)(comma, text.size());
}

/// Reads a number of seconds, rounded up: `120`, `2.5`, `1,000`, `120s`, `1.5 minutes`. Passes over
/// commas in the number, which `end_of_value` has checked.
[[nodiscard]] inline std::optional<std::chrono::seconds> parse_wait(
    std::string_view text) noexcept {
  const auto digits_of = [&text] {
    const auto is_in_number = [](char c) { return base::is_digit(c) || c == ','; };
    const auto length = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(), is_in_number) - text.begin());
    const std::string_view digits = text.substr(0, length);
    text.remove_prefix(length);
    return digits;
  };
  const std::string_view whole = digits_of();
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = digits_of();
  }
  const std::string_view name = base::trim(text, base::is_blank);
  const auto* const unit = std::find_if(
      wait_units.begin(), wait_units.end(),
      [&](const wait_unit& known) { return base::equal_ignoring_case(known.name, name); });
  if ((whole.empty() && fraction.empty()) || unit == wait_units.end()) {
    return std::nullopt;
  }
  double number = 0;
  for (const char digit : whole) {
    number = base::is_digit(digit) ? number * 10 + (digit - '0') : number;
  }
  constexpr std::size_t read = 9;  // of further digits, only the first that is not 0 matters
  const std::string_view rest = fraction.substr((std::min)(read, fraction.size()));
  double place = 1;
  for (const char digit : fraction.substr(0, read)) {
    place /= 10;
    number += place * (digit - '0');
  }
  number += rest.find_first_not_of('0') == std::string_view::npos ? 0 : place;
  const double seconds = std::ceil(number * unit->seconds);
  return std::chrono::seconds{static_cast<std::int64_t>(
      (std::min)(seconds, static_cast<double>(max_delta_seconds.count())))};
}

}  // namespace robots::http_detail

namespace robots::detail {

/// The wait for a `Retry-After` that cannot be read, such as `soon`. The server asks for a wait.
inline constexpr std::chrono::seconds default_retry_after{60};

/// Returns the wait of `Retry-After = HTTP-date / delay-seconds` (RFC 9110, section 10.2.3). Also
/// reads fractions, thousands and units, as in `2.5`, `1,000` and `120 seconds`, and rounds up. A
/// value that cannot be read counts as `default_retry_after`. The longest wait of several values
/// counts.
///
/// The result is from 0 to 2^31 seconds, or empty without the header. A date is compared with the
/// header `Date`, so a wrong server clock does no harm. `now` replaces an invalid `Date`.
[[nodiscard]] inline std::optional<std::chrono::seconds> retry_after(
    const std::vector<http_header>& headers, wall_time now) noexcept {
  std::optional<std::chrono::seconds> longest;
  const auto add = [&](std::chrono::seconds wait) {
    longest = (std::max)(longest.value_or(wait), wait);
  };
  const auto until = [&](std::string_view text) -> std::optional<std::chrono::seconds> {
    const auto date = parse_http_date(text, now);
    return date ? std::optional{seconds_until(*date, headers, now)} : std::nullopt;
  };
  for (const http_header& header : headers) {
    if (!base::equal_ignoring_case(header.name, "Retry-After")) {
      continue;
    }
    const auto is_around = [](char c) { return base::is_blank(c) || c == '"'; };
    const std::string_view value = base::trim(header.value, is_around);
    // A proxy joins several headers with commas (RFC 9110, section 5.3).
    for (std::size_t begin = 0; begin <= value.size();) {
      const auto part_to = [&](std::size_t part_end) {
        return base::trim(value.substr(begin, part_end - begin), is_around);
      };
      std::size_t end = http_detail::end_of_value(value, begin);
      std::optional<std::chrono::seconds> wait = http_detail::parse_wait(part_to(end));
      if (!wait) {
        wait = until(part_to(end));
      }
      if (!wait && end < value.size()) {  // a date can have a comma, too
        const std::size_t end_of_date = http_detail::end_of_value(value, end + 1);
        wait = until(part_to(end_of_date));
        end = wait ? end_of_date : end;
      }
      add(wait.value_or(default_retry_after));
      begin = end + 1;
    }
  }
  return longest;
}

}  // namespace robots::detail
