#pragma once

#include <robots/base/ascii.hpp>
#include <robots/http/freshness.hpp>
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

/// Reads a number of seconds, rounded up: `120`, `2.5`, `120s`, `120 seconds`, `1.5 minutes`.
[[nodiscard]] inline std::optional<std::chrono::seconds> parse_wait(
    std::string_view text) noexcept {
  const auto digits_of = [&text] {
    const std::size_t length = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(), base::is_digit) - text.begin());
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
  const auto longest = static_cast<std::uint64_t>(max_delta_seconds.count());
  auto number = static_cast<double>(base::parse_decimal(whole, longest).value_or(0));
  double place = 1;
  for (const char digit : fraction.substr(0, 9)) {
    place /= 10;
    number += place * (digit - '0');
  }
  const double seconds = std::ceil(number * unit->seconds);
  return std::chrono::seconds{static_cast<std::int64_t>(
      (std::min)(seconds, static_cast<double>(max_delta_seconds.count())))};
}

}  // namespace robots::http_detail

namespace robots::detail {

/// The wait for a `Retry-After` that cannot be read, such as `soon`. The server asks for a wait.
inline constexpr std::chrono::seconds default_retry_after{60};

/// Returns the wait of `Retry-After = HTTP-date / delay-seconds` (RFC 9110, section 10.2.3). Also
/// reads fractions and units, as in `2.5` and `120 seconds`, and rounds up. A value that cannot be
/// read counts as `default_retry_after`. The longest wait of several values counts.
///
/// The result is from 0 to 2^31 seconds, or empty without the header. A date is compared with the
/// header `Date`, so a wrong server clock does no harm. `now` replaces an invalid `Date`.
[[nodiscard]] inline std::optional<std::chrono::seconds> retry_after(
    const std::vector<http_header>& headers, wall_time now) noexcept {
  std::optional<std::chrono::seconds> longest;
  const auto add = [&](std::chrono::seconds wait) {
    longest = (std::max)(longest.value_or(wait), wait);
  };
  for (const http_header& header : headers) {
    if (!base::equal_ignoring_case(header.name, "Retry-After")) {
      continue;
    }
    const auto is_around = [](char c) { return base::is_blank(c) || c == '"'; };
    const std::string_view value = base::trim(header.value, is_around);
    if (const auto date = parse_http_date(value, now)) {
      add(seconds_until(*date, headers, now));
      continue;
    }
    // A proxy joins several headers with commas (RFC 9110, section 5.3).
    for (std::size_t begin = 0; begin <= value.size();) {
      const std::size_t end = (std::min)(value.find(',', begin), value.size());
      const std::string_view part = base::trim(value.substr(begin, end - begin), is_around);
      add(http_detail::parse_wait(part).value_or(default_retry_after));
      begin = end + 1;
    }
  }
  return longest;
}

}  // namespace robots::detail
