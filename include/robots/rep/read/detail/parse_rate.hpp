#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/longest_delay.hpp>
#include <robots/rep/read/detail/parse_delay.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace robots::rep_detail {

/// The value of a Visit-time line.
struct stated_hours {
  std::chrono::minutes from{};  // since midnight UTC, 0 to 1439
  std::chrono::minutes to{};    // since midnight UTC, 0 to 1440
};

/// The value of a Request-rate line.
struct stated_rate {
  std::uint32_t requests = 1;
  std::chrono::milliseconds per{};
  std::optional<stated_hours> hours{};
};

/// Reads `hhmm`, from 0000 to 2400.
[[nodiscard]] constexpr std::optional<std::chrono::minutes> parse_hhmm(
    std::string_view text) noexcept {
  const auto digits = base::parse_decimal(text);
  if (text.size() != 4 || !digits || *digits > 2400 || *digits % 100 > 59) {
    return std::nullopt;
  }
  const auto hhmm = static_cast<int>(*digits);
  return std::chrono::hours{hhmm / 100} + std::chrono::minutes{hhmm % 100};
}

/// Reads the value of a Visit-time line; see `parse_visit_time`.
[[nodiscard]] constexpr std::optional<stated_hours> parse_hours(std::string_view value) noexcept {
  const std::size_t hyphen = value.find('-');
  if (hyphen == std::string_view::npos) {
    return std::nullopt;
  }
  const auto from = parse_hhmm(base::trim(value.substr(0, hyphen), base::is_blank));
  const auto to = parse_hhmm(base::trim(value.substr(hyphen + 1), base::is_blank));
  if (!from || !to) {
    return std::nullopt;
  }
  return stated_hours{.from = *from % std::chrono::hours{24}, .to = *to};
}

/// Returns the seconds of the unit, or 0 if it is unknown.
[[nodiscard]] constexpr std::int64_t unit_seconds(char unit) noexcept {
  switch (base::to_lower(unit)) {
    case 's':
      return 1;
    case 'm':
      return 60;
    case 'h':
      return 3'600;
    case 'd':
      return 86'400;
    default:
      return 0;
  }
}

/// Reads a number with a unit; the default is seconds.
[[nodiscard]] constexpr std::optional<std::chrono::milliseconds> parse_period(
    std::string_view text) noexcept {
  std::int64_t unit = 1;
  if (!text.empty() && unit_seconds(text.back()) > 0) {
    unit = unit_seconds(text.back());
    text.remove_suffix(1);
  }
  const auto number = parse_delay(base::trim(text, base::is_blank));
  if (!number) {
    return std::nullopt;
  }
  return (std::min)(*number * unit, std::chrono::floor<std::chrono::milliseconds>(longest_delay));
}

/// Reads the value of a Request-rate line; see `parse_request_rate`.
[[nodiscard]] constexpr std::optional<stated_rate> parse_rate(std::string_view value) noexcept {
  const std::size_t slash = value.find('/');
  if (slash == std::string_view::npos) {
    return std::nullopt;
  }
  const auto requests = base::parse_decimal(base::trim(value.substr(0, slash), base::is_blank),
                                            (std::numeric_limits<std::uint32_t>::max)());
  std::string_view rest = base::trim(value.substr(slash + 1), base::is_blank);
  std::optional<stated_hours> hours;
  if (const std::size_t hyphen = rest.find('-'); hyphen != std::string_view::npos) {
    const std::string_view before = base::trim(rest.substr(0, hyphen), base::is_blank);
    const std::size_t blank = before.find_last_of(" \t\v\f");
    if (blank == std::string_view::npos) {
      return std::nullopt;
    }
    hours = parse_hours(rest.substr(blank + 1));
    if (!hours) {
      return std::nullopt;
    }
    rest = base::trim(before.substr(0, blank), base::is_blank);
  }
  const auto per = parse_period(rest);
  if (!requests || *requests == 0 || !per || per->count() == 0) {
    return std::nullopt;
  }
  return stated_rate{static_cast<std::uint32_t>(*requests), *per, hours};
}

}  // namespace robots::rep_detail
