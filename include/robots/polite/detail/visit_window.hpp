#pragma once

#include <robots/rep/read/visit_time.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <span>

// The next time at which a site is open for visits (Visit-time).

namespace robots::polite_detail {

[[nodiscard]] constexpr std::chrono::minutes utc_minutes(wall_time when) noexcept {
  return std::chrono::floor<std::chrono::minutes>(when.time_since_epoch());
}

/// Returns `from` if `times` is empty or if one of its windows contains `from`. Otherwise, returns
/// the start of the next window.
[[nodiscard]] constexpr wall_time next_visit(std::span<const visit_time> times,
                                             wall_time from) noexcept {
  constexpr std::chrono::minutes day = std::chrono::hours{24};
  const std::chrono::minutes now = utc_minutes(from);
  std::chrono::minutes wait = day;
  for (const visit_time& time : times) {
    const std::chrono::minutes until = ((time.from - now) % day + day) % day;
    wait = (std::min)(wait, until > std::chrono::minutes{0} ? until : day);
  }
  // If `now` is close to the maximum of `wall_time`, `now + wait` would overflow.
  const auto last = std::chrono::floor<std::chrono::minutes>((wall_time::duration::max)());
  if (visit_time::is_open(times, now) || now > last - wait) {
    return from;
  }
  return wall_time{std::chrono::duration_cast<wall_time::duration>(now + wait)};
}

}  // namespace robots::polite_detail
