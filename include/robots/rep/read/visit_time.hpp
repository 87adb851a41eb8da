#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/rep/read/directive.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace robots {

namespace rep_detail {

/// Reads `hhmm`, from 0000 to 2400.
[[nodiscard]] constexpr std::optional<std::chrono::minutes> parse_hhmm(
    std::string_view text) noexcept {
  text = base::trim(text, base::is_blank);
  const auto digits = base::parse_decimal(text);
  if (text.size() != 4 || !digits || *digits > 2400 || *digits % 100 > 59) {
    return std::nullopt;
  }
  const auto hhmm = static_cast<int>(*digits);
  return std::chrono::hours{hhmm / 100} + std::chrono::minutes{hhmm % 100};
}

}  // namespace rep_detail

/// A part of the day, in UTC, from `Visit-time: 0600-0845`. The source is Sean Conner, An Extended
/// Standard for Robot Exclusion, 1996. The part ends at the start of its last minute, here at
/// 08:45:00. As an exception, 2359 means midnight, since people write 0000-2359 for the whole day.
///
/// The part can cross midnight (2200-0400). If both times are equal, the part is the whole day.
/// Visit-time asks a crawler to come at certain hours, and never changes a verdict.
struct visit_time {
  static constexpr directive_kind kind = directive_kind::visit_time;  ///< used by `read_lines`

  std::chrono::minutes from{};  ///< the start, in minutes since midnight UTC, 0 to 1439
  std::chrono::minutes to{};    ///< the end, in minutes since midnight UTC, 0 to 1440

  /// Reads `hhmm-hhmm`, with or without blanks around the hyphen. Returns an empty optional for any
  /// other text.
  [[nodiscard]] static constexpr std::optional<visit_time> parse(std::string_view value) noexcept {
    const std::size_t hyphen = value.find('-');
    if (hyphen == std::string_view::npos) {
      return std::nullopt;
    }
    const auto from = rep_detail::parse_hhmm(value.substr(0, hyphen));
    const auto to = rep_detail::parse_hhmm(value.substr(hyphen + 1));
    if (!from || !to) {
      return std::nullopt;
    }
    return visit_time{.from = *from % std::chrono::hours{24}, .to = *to};
  }

  /// Returns true if `utc` is in this part of the day. `utc` is the number of minutes since any
  /// midnight UTC, such as the minutes since the Unix epoch, rounded down.
  [[nodiscard]] constexpr bool contains(std::chrono::minutes utc) const noexcept {
    constexpr std::chrono::minutes day = std::chrono::hours{24};
    const std::chrono::minutes now = (utc % day + day) % day;
    if (from == to) {
      return true;
    }
    constexpr std::chrono::minutes last_minute = day - std::chrono::minutes{1};
    const std::chrono::minutes end = to == last_minute ? day : to;
    return from < end ? from <= now && now < end : from <= now || now < end;
  }

  /// Returns true if `times` is empty or one of them contains `utc`, so that a crawler is allowed
  /// to come then. `utc` is as in `contains`.
  [[nodiscard]] static constexpr bool is_open(std::span<const visit_time> times,
                                              std::chrono::minutes utc) noexcept {
    bool is_within = times.empty();
    for (const visit_time& time : times) {
      is_within = is_within || time.contains(utc);
    }
    return is_within;
  }

  [[nodiscard]] friend constexpr bool operator==(const visit_time&, const visit_time&) = default;
};

}  // namespace robots
