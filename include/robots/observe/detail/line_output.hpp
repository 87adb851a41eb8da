#pragma once

#include <robots/base/work_queue.hpp>
#include <robots/observe/json_log_options.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace robots::observe_detail {

/// Passes lines to a sink. Each line states how many lines before it were lost. Any thread may call
/// it.
class line_output {
 public:
  line_output(std::function<void(std::string_view)> sink, std::size_t queue_bytes)
      : sink_{std::move(sink)} {
    if (queue_bytes > 0) {
      queue_.emplace(queue_bytes, [this](queue::work& now) {
        for (std::string& line : now.items) {
          put(line);
        }
        return std::nullopt;
      });
    }
  }

  /// Passes on a line, a JSON object with at least one member.
  void add(std::string line) {
    if (queue_) {
      const std::size_t size = sizeof(std::string) + line.size();
      if (!queue_->push(std::move(line), size)) {
        ++lost_;
      }
      return;
    }
    const std::scoped_lock lock{mutex_};
    put(line);
  }

  /// Waits until the sink has received all lines so far.
  void flush() {
    if (queue_) {
      static_cast<void>(queue_->flush((std::chrono::milliseconds::max)()));
    }
  }

  [[nodiscard]] std::uint64_t written() const noexcept { return written_.load(); }
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_.load(); }

 private:
  using queue = base::work_queue<std::string>;

  void put(std::string& line) noexcept {
    try {
      const std::uint64_t lost = lost_.load();
      if (lost != told_) {
        line.back() = ',';
        line.append("\"lost\":").append(std::to_string(lost - told_)).append("}");
      }
      line += '\n';
      sink_(line);
      told_ = lost;
      ++written_;
    } catch (...) {
      ++lost_;
    }
  }

  const std::function<void(std::string_view)> sink_;
  std::atomic<std::uint64_t> written_ = 0;
  std::atomic<std::uint64_t> lost_ = 0;
  std::uint64_t told_ = 0;  // lost lines that were reported; used by the thread that calls the sink
  std::mutex mutex_;        // held during a call of the sink if there is no queue
  std::optional<queue> queue_;  // last, since its thread uses the other members
};

}  // namespace robots::observe_detail
