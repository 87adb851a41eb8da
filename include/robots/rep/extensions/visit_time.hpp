#pragma once

#include <robots/rep/document/document.hpp>
#include <robots/rep/read/detail/parse_rate.hpp>
#include <robots/rep/read/detail/read_lines.hpp>
#include <robots/rep/read/directive.hpp>

#include <chrono>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace robots {

/// A part of the day, in UTC, from `Visit-time: 0600-0845`. Source: Sean Conner, An Extended
/// Standard for Robot Exclusion, 1996. It ends at the start of its last minute, here at 08:45:00.
/// Only 2359 means midnight, because people write 0000-2359 for the whole day.
///
/// It may cross midnight (2200-0400). If both times are equal, it is the whole day. It asks a
/// crawler to come at certain hours and never changes a verdict.
struct visit_time {
  std::chrono::minutes from{};  ///< since midnight UTC, 0 to 1439
  std::chrono::minutes to{};    ///< since midnight UTC, 0 to 1440

  /// Returns true if a time is inside. `utc` is minutes since any midnight UTC, such as the minutes
  /// since the Unix epoch, rounded down.
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

  [[nodiscard]] friend constexpr bool operator==(const visit_time&, const visit_time&) = default;
};

/// Reads `hhmm-hhmm`, with or without blanks around the hyphen. Returns an empty optional for
/// anything else.
[[nodiscard]] constexpr std::optional<visit_time> parse_visit_time(
    std::string_view value) noexcept {
  const auto hours = rep_detail::parse_hours(value);
  if (!hours) {
    return std::nullopt;
  }
  return visit_time{.from = hours->from, .to = hours->to};
}

/// Reads the Visit-time lines among `lines`, in file order, without those that cannot be read.
/// Linear.
[[nodiscard]] constexpr std::vector<visit_time> visit_times(std::span<const directive> lines) {
  return rep_detail::read_lines(lines, directive_kind::visit_time, parse_visit_time);
}

/// Reads the Visit-time lines that apply to a crawler. Linear in the file.
[[nodiscard]] constexpr std::vector<visit_time> visit_times(const document& file,
                                                            std::string_view user_agent = "*") {
  return visit_times(file.directives_for(user_agent));
}

/// Returns true if a crawler may come at a time: `times` is empty, or one of them contains it.
/// `utc` is as in `visit_time::contains`.
[[nodiscard]] constexpr bool is_visit_time(std::span<const visit_time> times,
                                           std::chrono::minutes utc) noexcept {
  bool is_within = times.empty();
  for (const visit_time& time : times) {
    is_within = is_within || time.contains(utc);
  }
  return is_within;
}

}  // namespace robots
