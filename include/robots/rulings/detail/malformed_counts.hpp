#pragma once

#include <robots/base/site_table.hpp>
#include <robots/time/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::rulings_detail {

/// Counts the malformed files of each site. If there are too many sites, the site that has had no
/// malformed file for the longest time loses its count.
class malformed_counts {
 public:
  explicit malformed_counts(std::size_t most_sites) : sites_{most_sites} {}

  [[nodiscard]] int add(std::string_view key) {
    // A full table forgets the site for which `needed_until` returns the latest time: the site with
    // the smallest `note`. The times have no other meaning.
    const auto needed_until = [](const malformed_files& noted) {
      return (time_point::max)() - time_point::duration{1 + noted.note};
    };
    malformed_files* const noted = sites_.find_or_add(key, {}, needed_until, time_point{});
    if (noted == nullptr) {
      return 0;
    }
    noted->note = ++notes_;
    sites_.forget_after(*noted, needed_until(*noted));
    return ++noted->count;
  }

  void erase(std::string_view key) { sites_.erase(key); }

 private:
  struct malformed_files {
    int count = 0;
    std::int64_t note = 0;  // the number of the last malformed file, counted over all sites
  };

  base::site_table<malformed_files> sites_;
  std::int64_t notes_ = 0;
};

}  // namespace robots::rulings_detail
