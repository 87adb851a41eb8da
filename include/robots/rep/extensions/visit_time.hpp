#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/read/detail/read_lines.hpp>
#include <robots/rep/read/directive.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace robots {

/// A stretch of the day, in UTC, from `Visit-time: 0600-0845` (Sean Conner, An Extended Standard
/// for Robot Exclusion, 1996). It is over when its end begins: at 08:45:00 nobody comes. Only an
/// end of 2359 means midnight, since 0000-2359 is how people write the whole day.
///
/// May reach over midnight (2200-0400); one that ends where it begins is the whole day. It asks a
/// crawler to come at certain hours; it never changes a verdict.
struct visit_time {
  std::chrono::minutes from{};  ///< since midnight UTC, 0 to 1439
  std::chrono::minutes to{};    ///< since midnight UTC, 0 to 1440

  /// Whether a time lies within, given as minutes since any midnight UTC: those since the Unix
  /// epoch, rounded down, will do.
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

namespace rep_detail {

/// `hhmm`, from 0000 to 2400.
[[nodiscard]] constexpr std::optional<std::chrono::minutes> parse_hhmm(
    std::string_view text) noexcept {
  const auto digits = base::parse_decimal(text);
  if (text.size() != 4 || !digits || *digits > 2400 || *digits % 100 > 59) {
    return std::nullopt;
  }
  const auto hhmm = static_cast<int>(*digits);
  return std::chrono::hours{hhmm / 100} + std::chrono::minutes{hhmm % 100};
}

}  // namespace rep_detail

/// Reads `hhmm-hhmm`, blanks around the hyphen allowed; nothing for anything else.
[[nodiscard]] constexpr std::optional<visit_time> parse_visit_time(
    std::string_view value) noexcept {
  const std::size_t hyphen = value.find('-');
  if (hyphen == std::string_view::npos) {
    return std::nullopt;
  }
  const auto from = rep_detail::parse_hhmm(base::trim(value.substr(0, hyphen), base::is_blank));
  const auto to = rep_detail::parse_hhmm(base::trim(value.substr(hyphen + 1), base::is_blank));
  if (!from || !to) {
    return std::nullopt;
  }
  return visit_time{.from = *from % std::chrono::hours{24}, .to = *to};
}

/// The Visit-time lines among `lines`, in file order; lines that cannot be read are left out.
/// Linear.
[[nodiscard]] constexpr std::vector<visit_time> visit_times(std::span<const directive> lines) {
  return rep_detail::read_lines(lines, directive_kind::visit_time, parse_visit_time);
}

/// Those that apply to a crawler. Linear in the file.
[[nodiscard]] constexpr std::vector<visit_time> visit_times(const document& file,
                                                            std::string_view user_agent = "*") {
  return visit_times(file.directives_for(user_agent));
}

/// Whether a crawler that keeps to `times` comes now: at any time when there are none, else within
/// one of them. `utc` as in `visit_time::contains`.
[[nodiscard]] constexpr bool is_visit_time(std::span<const visit_time> times,
                                           std::chrono::minutes utc) noexcept {
  return times.empty() || std::any_of(times.begin(), times.end(),
                                      [&](const visit_time& time) { return time.contains(utc); });
}

}  // namespace robots
