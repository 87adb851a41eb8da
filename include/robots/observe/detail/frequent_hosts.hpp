#pragma once

#include <robots/base/text_hash.hpp>
#include <robots/observe/metrics_snapshot.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace robots::observe_detail {

/// Finds the most frequent of any number of hosts, in bounded memory (Space-Saving: Metwally,
/// Agrawal, El Abbadi, 2005). If there is no room, a new host replaces the least frequent one and
/// takes over its count. So counts are never too low, and `metrics_snapshot::host_count::over` says
/// by how much they may be too high. Any thread may call it.
class frequent_hosts {
 public:
  /// Makes room for about `capacity` hosts; 0 counts nothing.
  explicit frequent_hosts(std::size_t capacity) : room_((capacity + parts - 1) / parts) {}

  void add(std::string_view host) {
    if (room_ == 0) {
      return;
    }
    part& own = parts_[base::text_hash{}(host) % parts];
    const std::scoped_lock lock{own.mutex};
    if (const auto known = own.hosts.find(host); known != own.hosts.end()) {
      ++known->second.count;
      return;
    }
    tally begun{.count = 1};
    if (own.hosts.size() >= room_) {
      const auto least = std::min_element(
          own.hosts.begin(), own.hosts.end(),
          [](const auto& a, const auto& b) { return a.second.count < b.second.count; });
      begun = {.count = least->second.count + 1, .over = least->second.count};
      own.hosts.erase(least);
    }
    own.hosts.emplace(host, begun);
  }

  /// Returns the hosts, the most frequent first.
  [[nodiscard]] std::vector<metrics_snapshot::host_count> read() const {
    std::vector<metrics_snapshot::host_count> all;
    for (const part& one : parts_) {
      const std::scoped_lock lock{one.mutex};
      for (const auto& [host, seen] : one.hosts) {
        all.push_back({host, seen.count, seen.over});
      }
    }
    std::sort(all.begin(), all.end(),
              [](const metrics_snapshot::host_count& a, const metrics_snapshot::host_count& b) {
                return a.count != b.count ? a.count > b.count : a.host < b.host;
              });
    return all;
  }

 private:
  struct tally {
    std::uint64_t count = 0;
    std::uint64_t over = 0;
  };
  // Threads that count different hosts rarely wait for each other.
  struct part {
    mutable std::mutex mutex;
    boost::unordered_flat_map<std::string, tally, base::text_hash, std::equal_to<>> hosts;
  };
  static constexpr std::size_t parts = 16;

  std::size_t room_;  // of each part
  std::array<part, parts> parts_;
};

}  // namespace robots::observe_detail
