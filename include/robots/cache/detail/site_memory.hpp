#pragma once

#include <robots/base/hash.hpp>
#include <robots/time/clock.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <iterator>
#include <mutex>
#include <numeric>
#include <string_view>
#include <utility>

namespace robots::cache_detail {

/// Remembers the facts that can halt a site, even after its policy was evicted or invalidated.
/// These facts are its last answer, the start of its failures, and the share of rules and lines in
/// each of its latest changes. A hash of 64 bits stands for a site. Above 262,144 sites, the least
/// recently used sites are forgotten. Any thread may call any member.
class site_memory {
 public:
  /// Notes an answer of a site. Returns true if the answer denies everything and the previous
  /// answer did not. `was_open` is true if another source shows that the previous answer did not
  /// deny everything.
  [[nodiscard]] bool turns_hostile(std::string_view key, bool denies_everything, bool was_open) {
    const std::scoped_lock lock{mutex_};
    note& noted = find_or_add(key);
    noted.failing_since = (time_point::max)();
    const bool was_noted_open = std::exchange(noted.is_open, !denies_everything);
    return denies_everything && (was_noted_open || was_open);
  }

  /// Notes that a site refused its robots.txt, or that it answered. Returns true if the site
  /// refuses now and answered before. `was_open` is true if another source shows that the site
  /// answered before.
  [[nodiscard]] bool turns_away(std::string_view key, bool refuses, bool was_open) {
    const std::scoped_lock lock{mutex_};
    const bool was_noted_open = std::exchange(find_or_add(key).is_readable, !refuses);
    return refuses && (was_noted_open || was_open);
  }

  /// Notes a change of a site's rules between two retrievals. Returns the sum of the shares of the
  /// changes within the last `window`. If there are more than 16 changes, merges the latest changes
  /// into one change.
  [[nodiscard]] double changed_within(std::chrono::seconds window, std::string_view key,
                                      double share, time_point before, time_point after) {
    // The unit is whole seconds, since the longest window would overflow in nanoseconds.
    const auto is_over = [&](const change& noted) {
      return std::chrono::ceil<std::chrono::seconds>(after - noted.since) > window;
    };
    const std::scoped_lock lock{mutex_};
    std::forward_list<change>& changes = find_or_add(key).changes;
    changes.remove_if(is_over);
    if (const change latest{before, share}; !is_over(latest)) {
      constexpr std::ptrdiff_t most_changes = 16;
      if (std::distance(changes.begin(), changes.end()) < most_changes) {
        changes.push_front(latest);
      } else {
        changes.front() = {before, changes.front().share + share};
      }
    }
    return std::accumulate(changes.begin(), changes.end(), 0.0,
                           [](double sum, const change& noted) { return sum + noted.share; });
  }

  /// Notes that the robots.txt of a site could not be fetched. Returns the time of the first
  /// failure since the last answer of the site.
  [[nodiscard]] time_point failing_since(std::string_view key, time_point now) {
    const std::scoped_lock lock{mutex_};
    note& noted = find_or_add(key);
    return noted.failing_since = (std::min)(noted.failing_since, now);
  }

  /// Resets the time that `failing_since` returns.
  void forgive(std::string_view key) {
    const std::scoped_lock lock{mutex_};
    find_or_add(key).failing_since = (time_point::max)();
  }

 private:
  static constexpr std::size_t most = 262'144;

  struct change {
    time_point since;  // the time when the rules before this change were fetched
    double share = 0;
  };

  struct note {
    time_point failing_since = (time_point::max)();
    bool is_open = false;      // the last answer did not deny everything
    bool is_readable = false;  // the site has answered, and did not refuse its robots.txt since
    std::forward_list<change> changes{};  // the newest change first
  };

  [[nodiscard]] note& find_or_add(std::string_view key) {
    const std::uint64_t hash = base::text_hash{}(key);
    if (const auto found = newer_.find(hash); found != newer_.end()) {
      return found->second;
    }
    note noted;
    if (const auto found = older_.find(hash); found != older_.end()) {
      noted = std::move(found->second);
    }
    if (newer_.size() == most) {
      older_ = std::exchange(newer_, {});
    }
    return newer_.emplace(hash, std::move(noted)).first->second;
  }

  std::mutex mutex_;
  boost::unordered_flat_map<std::uint64_t, note> newer_;
  boost::unordered_flat_map<std::uint64_t, note> older_;
};

}  // namespace robots::cache_detail
