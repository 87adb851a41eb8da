#pragma once

#include <robots/base/enum_counts.hpp>
#include <robots/base/site_table.hpp>
#include <robots/http/host.hpp>
#include <robots/observe/events.hpp>
#include <robots/observe/metrics_snapshot.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace robots::observe_detail {

/// Counts look-ups and denials by domain, exactly and in bounded memory. The first domains get
/// counters; all later domains share those of the empty domain. No count ever falls: exporters
/// require that of counters. Any thread may call it.
class domain_counters {
 public:
  /// Makes counters for `capacity` domains; 0 counts nothing.
  explicit domain_counters(std::size_t capacity)
      : capacity_{capacity}, room_{capacity}, known_{capacity} {}

  /// Counts a look-up of a site, by its `site::key`.
  void add(std::string_view site, look_up_result result) {
    if (capacity_ != 0) {
      with(host_of(site), [result](counters& own) { own.look_ups.add(result); });
    }
  }

  /// Counts a decision that denied.
  void add(std::string_view site, decision_reason reason) {
    if (capacity_ != 0) {
      with(host_of(site), [reason](counters& own) { own.denied_for.add(reason); });
    }
  }

  /// Returns the counts of each domain, sorted by name. The first are those of the empty domain,
  /// which counts all domains without counters. Empty if nothing was counted.
  [[nodiscard]] std::vector<metrics_snapshot::domain_counts> read() const {
    std::vector<metrics_snapshot::domain_counts> all;
    if (capacity_ == 0) {
      return all;
    }
    all.push_back(others_.read({}));
    {
      const std::shared_lock lock{mutex_};
      known_.for_each([&all](std::string_view domain, const counters& own) {
        all.push_back(own.read(domain));
      });
    }
    std::sort(
        all.begin(), all.end(),
        [](const metrics_snapshot::domain_counts& one,
           const metrics_snapshot::domain_counts& other) { return one.domain < other.domain; });
    return all;
  }

 private:
  struct counters {
    [[nodiscard]] metrics_snapshot::domain_counts read(std::string_view domain) const {
      return {std::string{domain}, look_ups.read(), denied_for.read()};
    }

    base::enum_counters<look_up_result::joined> look_ups;
    base::enum_counters<decision_reason::invalid_url> denied_for;
  };

  template <class Count>
  void with(std::string_view domain, const Count& count) {
    if (domain.empty()) {
      count(others_);
      return;
    }
    {
      const std::shared_lock lock{mutex_};
      if (counters* const own = known_.find(domain)) {
        count(*own);
        return;
      }
    }
    counters* own = nullptr;
    if (room_.load(std::memory_order_relaxed) != 0) {
      // A counter is remembered until further notice: after a gap, it would begin at 0 again.
      using time_point = base::site_table<counters>::time_point;
      const std::scoped_lock lock{mutex_};
      own = known_.find_or_add(domain, time_point{},
                               [](const counters&) { return (time_point::max)(); });
      room_.store(capacity_ - known_.size(), std::memory_order_relaxed);
    }
    count(own != nullptr ? *own : others_);
  }

  const std::size_t capacity_;
  std::atomic<std::size_t> room_;  // lets later domains skip the exclusive lock
  counters others_;
  mutable std::shared_mutex mutex_;  // guards the table; counters never move
  base::site_table<counters> known_;
};

}  // namespace robots::observe_detail
