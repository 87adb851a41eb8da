#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/base/site_table.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <string_view>

namespace robots::cache_detail {

/// For each key, permits `burst` actions in a row, and then one action in each `interval`. If more
/// than `most_keys` keys must be remembered, some are forgotten. Any thread may call any member.
class rate_limit {
 public:
  rate_limit(int burst, std::size_t most_keys,
             std::chrono::seconds interval = std::chrono::seconds{10})
      : interval_(interval), ahead_((burst - 1) * interval), keys_(most_keys) {}

  [[nodiscard]] bool take(std::string_view key, time_point now) {
    const std::scoped_lock lock{mutex_};
    state* const noted =
        keys_.find_or_add(key, now, [](const state& known) { return known.free_at; }, now);
    if (noted == nullptr) {
      return true;
    }
    if (noted->free_at > base::saturating_add(now, ahead_)) {
      return false;
    }
    noted->free_at = base::saturating_add((std::max)(noted->free_at, now), interval_);
    return true;
  }

 private:
  struct state {
    time_point free_at{(time_point::min)()};  // the time at which a whole burst is possible again
  };

  const std::chrono::seconds interval_;
  const std::chrono::seconds ahead_;
  std::mutex mutex_;
  base::site_table<state> keys_;
};

}  // namespace robots::cache_detail
