#pragma once

#include <robots/rep/read/visit_time.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <chrono>
#include <span>

namespace robots::polite_detail {

/// Returns the minutes since the epoch, rounded down, as `visit_time::contains` takes them.
[[nodiscard]] constexpr std::chrono::minutes utc_minutes(wall_time when) noexcept {
  return std::chrono::floor<std::chrono::minutes>(when.time_since_epoch());
}

/// Returns the first time from `from` on that is within `times`. Without any times, this is `from`;
/// else it is at most a day later. Linear in the times.
[[nodiscard]] constexpr wall_time next_visit(std::span<const visit_time> times,
                                             wall_time from) noexcept {
  constexpr std::chrono::minutes day = std::chrono::hours{24};
  const std::chrono::minutes now = utc_minutes(from);
  if (visit_time::is_open(times, now)) {
    return from;
  }
  std::chrono::minutes wait = day;
  for (const visit_time& time : times) {
    const std::chrono::minutes until = ((time.from - now) % day + day) % day;
    wait = (std::min)(wait, until > std::chrono::minutes{0} ? until : day);
  }
  // At the end of time, there may be no next day.
  const auto last = std::chrono::floor<std::chrono::minutes>((wall_time::duration::max)());
  if (now > last - wait) {
    return from;
  }
  return wall_time{std::chrono::duration_cast<wall_time::duration>(now + wait)};
}

}  // namespace robots::polite_detail
