#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/base/site_table.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <string_view>

namespace robots::cache_detail {

/// Limits how often an action is done for each key: `burst` times in a row, then once in ten
/// seconds. If more than `most_keys` keys must be remembered, some keys are forgotten. Any thread
/// may call any member.
class rate_limit {
 public:
  rate_limit(int burst, std::size_t most_keys) : ahead_((burst - 1) * interval), keys_(most_keys) {}

  /// Returns true if the action is permitted for `key` now, and counts the action.
  [[nodiscard]] bool take(std::string_view key, time_point now) {
    const std::scoped_lock lock{mutex_};
    state* const noted = keys_.find_or_add(key, now, &state::needed_until, now);
    if (noted == nullptr) {
      return true;
    }
    if (noted->free_at > base::saturating_add(now, ahead_)) {
      return false;
    }
    noted->free_at = base::saturating_add((std::max)(noted->free_at, now), interval);
    return true;
  }

 private:
  static constexpr std::chrono::seconds interval{10};

  struct state {
    time_point free_at{(time_point::min)()};  // the time at which a whole burst is possible again

    [[nodiscard]] static time_point needed_until(const state& noted) noexcept {
      return noted.free_at;
    }
  };

  const std::chrono::seconds ahead_;
  std::mutex mutex_;
  base::site_table<state> keys_;
};

}  // namespace robots::cache_detail
