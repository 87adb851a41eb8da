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

/// Limits how often messages of a shared store make a process ask that store about a site with a
/// fresh answer: four times in a row, then once in ten seconds. Any thread may call it.
class question_pace {
 public:
  /// Returns true if the store may be asked for a site now, and counts the question.
  [[nodiscard]] bool take(std::string_view key, time_point now) {
    const std::scoped_lock lock{mutex_};
    state* const noted = sites_.find_or_add(key, now, &state::needed_until);
    if (noted == nullptr || noted->free_at > base::saturating_add(now, burst - interval)) {
      return false;
    }
    noted->free_at = base::saturating_add((std::max)(noted->free_at, now), interval);
    return true;
  }

 private:
  static constexpr std::chrono::seconds interval{10};
  static constexpr std::chrono::seconds burst = 4 * interval;
  static constexpr std::size_t most_sites = 65'536;

  struct state {
    time_point free_at{(time_point::min)()};  // the time when no earlier question counts any more

    [[nodiscard]] static time_point needed_until(const state& noted) noexcept {
      return noted.free_at;
    }
  };

  std::mutex mutex_;
  base::site_table<state> sites_{most_sites};
};

}  // namespace robots::cache_detail
