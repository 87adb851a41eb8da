#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/longest_delay.hpp>
#include <robots/rep/read/detail/parse_delay.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/visit_time.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace robots {

namespace rep_detail {

/// Reads a number with an optional unit; the default is seconds.
[[nodiscard]] constexpr std::optional<std::chrono::milliseconds> parse_period(
    std::string_view text) noexcept {
  constexpr std::string_view units = "smhd";
  constexpr std::array<std::int64_t, 4> seconds{1, 60, 3'600, 86'400};
  const std::size_t unit = text.empty() ? 0 : units.find(base::to_lower(text.back()));
  const bool has_unit = !text.empty() && unit < units.size();
  text.remove_suffix(has_unit ? 1 : 0);
  const auto number = parse_delay(base::trim(text, base::is_blank));
  if (!number) {
    return std::nullopt;
  }
  return (std::min)(*number * (has_unit ? seconds[unit] : 1),
                    std::chrono::floor<std::chrono::milliseconds>(longest_delay));
}

}  // namespace rep_detail

/// The number of requests that a site accepts in a period, such as `Request-rate: 30/1m 0800-1300`.
/// The source is Sean Conner, 1996. A rate never changes a verdict.
struct request_rate {
  static constexpr directive_kind kind = directive_kind::request_rate;  ///< used by `read_lines`
  static constexpr bool views_text = false;  ///< no member is a view of the file's text

  std::uint32_t requests = 1;           ///< the number of requests, at least 1
  std::chrono::milliseconds per{1000};  ///< the period, at least 1 ms, at most 136 years
  std::optional<visit_time> window{};   ///< the hours of the rate; empty means always

  /// Reads `requests/period`. The unit of the period is s, m, h or d; the default is seconds. A
  /// blank and `hhmm-hhmm` in UTC can follow. A number that is too large for `requests` or `per`
  /// becomes the maximum of that member. Returns an empty optional for any other text, for zero
  /// requests and for a period of zero.
  [[nodiscard]] static constexpr std::optional<request_rate> parse(
      std::string_view value) noexcept {
    const std::size_t slash = value.find('/');
    if (slash == std::string_view::npos) {
      return std::nullopt;
    }
    const auto requests = base::parse_decimal(base::trim(value.substr(0, slash), base::is_blank),
                                              (std::numeric_limits<std::uint32_t>::max)());
    std::string_view rest = base::trim(value.substr(slash + 1), base::is_blank);
    std::optional<visit_time> hours;
    if (const std::size_t hyphen = rest.find('-'); hyphen != std::string_view::npos) {
      const std::string_view before = base::trim(rest.substr(0, hyphen), base::is_blank);
      const std::size_t blank = before.find_last_of(" \t\v\f");
      if (blank == std::string_view::npos) {
        return std::nullopt;
      }
      hours = visit_time::parse(rest.substr(blank + 1));
      if (!hours) {
        return std::nullopt;
      }
      rest = base::trim(before.substr(0, blank), base::is_blank);
    }
    const auto per = rep_detail::parse_period(rest);
    if (!requests || *requests == 0 || !per || per->count() == 0) {
      return std::nullopt;
    }
    return request_rate{
        .requests = static_cast<std::uint32_t>(*requests), .per = *per, .window = hours};
  }

  /// Returns the time from one request to the next, rounded up to whole milliseconds.
  [[nodiscard]] constexpr std::chrono::milliseconds interval() const noexcept {
    const std::int64_t count = requests;
    return std::chrono::milliseconds{(per.count() + count - 1) / count};
  }

  /// Returns the slowest rate whose `window` contains `utc`. If no window contains `utc`, returns
  /// the slowest rate without a window. If neither exists, returns an empty optional. `utc` counts
  /// minutes since any midnight UTC.
  [[nodiscard]] static constexpr std::optional<request_rate> slowest_at(
      std::span<const request_rate> rates, std::chrono::minutes utc) noexcept {
    const auto precedence = [](const request_rate& rate) {
      return std::pair{rate.window.has_value(), rate.interval()};
    };
    std::optional<request_rate> slowest;
    for (const request_rate& rate : rates) {
      const bool applies = !rate.window || rate.window->contains(utc);
      if (applies && (!slowest || precedence(rate) > precedence(*slowest))) {
        slowest = rate;
      }
    }
    return slowest;
  }

  [[nodiscard]] friend constexpr bool operator==(const request_rate&,
                                                 const request_rate&) = default;
};

}  // namespace robots
