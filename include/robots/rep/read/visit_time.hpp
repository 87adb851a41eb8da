#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/read_lines.hpp>

#include <algorithm>
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

/// The hours, in UTC, that a site sets for visits by crawlers, as in `Visit-time: 0600-0845`. The
/// source is Sean Conner, An Extended Standard for Robot Exclusion, 1996. Never changes a verdict.
///
/// The end time is not part of the hours: `0600-0845` ends at 08:45:00. But the end time 2359 means
/// midnight, since people write 0000-2359 for the whole day. The hours can cross midnight
/// (2200-0400). Two equal times mean the whole day.
struct visit_time {
  static constexpr directive_kind kind = directive_kind::visit_time;  ///< used by `read_lines`
  static constexpr bool views_text = false;  ///< no member is a view of the file's text

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

  /// Returns true if `utc` is in these hours. `utc` is the number of whole minutes since any
  /// midnight in UTC, such as the Unix epoch.
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

  /// Returns true if `times` is empty or at least one element contains `utc`.
  [[nodiscard]] static constexpr bool is_open(std::span<const visit_time> times,
                                              std::chrono::minutes utc) noexcept {
    return times.empty() || std::any_of(times.begin(), times.end(), [utc](const visit_time& time) {
             return time.contains(utc);
           });
  }

  [[nodiscard]] friend constexpr bool operator==(const visit_time&, const visit_time&) = default;
};

}  // namespace robots
