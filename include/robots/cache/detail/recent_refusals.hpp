#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/base/site_table.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

namespace robots::cache_detail {

/// Remembers refusals of pages for ten seconds. So a refusal counts once, even if both
/// `reservation::complete` and the user report it. Any thread may call it.
class recent_refusals {
 public:
  /// Notes that a page was answered with `status`. Returns false if the same answer counted less
  /// than ten seconds ago. If there are more than 4,096 refusals in ten seconds, some may count
  /// twice.
  [[nodiscard]] bool is_news(std::string_view url, int status, time_point now) {
    std::string key = std::to_string(status);
    key.append(" ").append(url);
    const std::scoped_lock lock{mutex_};
    refusal* const noted = pages_.find_or_add(key, now, &refusal::needed_until, now);
    if (noted == nullptr) {
      return true;
    }
    if (now < noted->until) {
      return false;
    }
    noted->until = base::saturating_add(now, remembered_for);
    return true;
  }

 private:
  static constexpr std::chrono::seconds remembered_for{10};
  static constexpr std::size_t most_pages = 4'096;

  struct refusal {
    time_point until = (time_point::min)();

    [[nodiscard]] static time_point needed_until(const refusal& noted) noexcept {
      return noted.until;
    }
  };

  std::mutex mutex_;
  base::site_table<refusal> pages_{most_pages};
};

}  // namespace robots::cache_detail
