#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/base/site_table.hpp>
#include <robots/observe/json_log_options.hpp>
#include <robots/time/clock.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots::observe_detail {

/// Limits the lines of each kind of event and site in a log. Any thread may call it.
class line_limit {
 public:
  explicit line_limit(const json_log_options& options)
      : lines_{options.rate_lines}, period_{options.rate_period}, seen_{options.rate_sites} {}

  /// Returns the number of lines of this event and site that were suppressed since the last written
  /// one. Returns an empty optional if this line must be suppressed, too.
  [[nodiscard]] std::optional<std::uint64_t> admit(std::string_view event, std::string_view site,
                                                   wall_time when) {
    if (lines_ == 0) {
      return 0;
    }
    const time_point now{when.time_since_epoch()};  // the table only needs the order of the times
    const auto until = [this](const window& counted) {
      return base::saturating_add(counted.began, period_);
    };
    std::string key{event};
    key.append(" ").append(site);
    const std::scoped_lock lock{mutex_};
    window* const counted = seen_.find_or_add(key, now, until, now);
    if (counted == nullptr) {
      return 0;
    }
    counted->forgotten = &forgotten_;
    if (now < counted->began || now >= until(*counted)) {
      counted->began = now;
      counted->lines = 0;
    }
    if (counted->lines == lines_) {
      ++counted->suppressed;
      ++suppressed_;
      return std::nullopt;
    }
    ++counted->lines;
    return std::exchange(counted->suppressed, 0);
  }

  /// Returns the suppressed lines of sites that were forgotten since the last call.
  [[nodiscard]] std::uint64_t take_forgotten() noexcept {
    return forgotten_.load(std::memory_order_relaxed) == 0 ? 0 : forgotten_.exchange(0);
  }

  /// Returns the number of suppressed lines.
  [[nodiscard]] std::uint64_t suppressed() const noexcept { return suppressed_.load(); }

 private:
  struct window {
    window() = default;
    window(const window&) = delete;
    window& operator=(const window&) = delete;
    ~window() {
      if (suppressed > 0) {
        *forgotten += suppressed;
      }
    }

    time_point began{};
    std::size_t lines = 0;
    std::uint64_t suppressed = 0;
    std::atomic<std::uint64_t>* forgotten = nullptr;
  };

  const std::size_t lines_;
  const std::chrono::seconds period_;
  std::atomic<std::uint64_t> suppressed_ = 0;
  std::atomic<std::uint64_t> forgotten_ = 0;
  std::mutex mutex_;
  base::site_table<window> seen_;
};

}  // namespace robots::observe_detail
