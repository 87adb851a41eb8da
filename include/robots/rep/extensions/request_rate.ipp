#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/inline.hpp>
#include <robots/base/longest_delay.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/extensions/request_rate.hpp>
#include <robots/rep/read/detail/parse_delay.hpp>
#include <robots/rep/read/detail/read_lines.hpp>
#include <robots/rep/read/directive.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace robots {

namespace rep_detail {

/// How many seconds the unit has; 0 of what is no unit.
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

/// A number with a unit; seconds when it has none.
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
  return std::min(*number * unit, std::chrono::floor<std::chrono::milliseconds>(longest_delay));
}

}  // namespace rep_detail

ROBOTS_CONSTEXPR std::optional<request_rate> parse_request_rate(std::string_view value) noexcept {
  const std::size_t slash = value.find('/');
  if (slash == std::string_view::npos) {
    return std::nullopt;
  }
  const auto requests = base::parse_decimal(base::trim(value.substr(0, slash), base::is_blank),
                                            std::numeric_limits<std::uint32_t>::max());
  std::string_view rest = base::trim(value.substr(slash + 1), base::is_blank);
  std::optional<visit_time> window;
  if (const std::size_t hyphen = rest.find('-'); hyphen != std::string_view::npos) {
    const std::string_view before = base::trim(rest.substr(0, hyphen), base::is_blank);
    const std::size_t blank = before.find_last_of(" \t\v\f");
    if (blank == std::string_view::npos) {
      return std::nullopt;
    }
    window = parse_visit_time(rest.substr(blank + 1));
    if (!window) {
      return std::nullopt;
    }
    rest = base::trim(before.substr(0, blank), base::is_blank);
  }
  const auto per = rep_detail::parse_period(rest);
  if (!requests || *requests == 0 || !per || per->count() == 0) {
    return std::nullopt;
  }
  return request_rate{
      .requests = static_cast<std::uint32_t>(*requests), .per = *per, .window = window};
}

ROBOTS_CONSTEXPR std::vector<request_rate> request_rates(std::span<const directive> lines) {
  return rep_detail::read_lines(lines, directive_kind::request_rate, parse_request_rate);
}

ROBOTS_CONSTEXPR std::vector<request_rate> request_rates(const document& file,
                                                         std::string_view user_agent) {
  return request_rates(file.directives_for(user_agent));
}

ROBOTS_CONSTEXPR std::optional<request_rate> rate_at(std::span<const request_rate> rates,
                                                     std::chrono::minutes utc) noexcept {
  const auto place = [](const request_rate& rate) {
    return std::pair{rate.window.has_value(), rate.interval()};
  };
  std::optional<request_rate> slowest;
  for (const request_rate& rate : rates) {
    if (rate.window && !rate.window->contains(utc)) {
      continue;
    }
    if (!slowest || place(rate) > place(*slowest)) {
      slowest = rate;
    }
  }
  return slowest;
}

}  // namespace robots
