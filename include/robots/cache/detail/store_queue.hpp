#pragma once

#include <robots/base/clock_condition.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/site_work.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace robots::cache_detail {

/// Queues work that asks the shared store, at once or at `site_work::next_look`. One thread at a
/// time serves the queue. Any thread may call any member.
class store_queue {
 public:
  /// `parts` must outlive this object.
  explicit store_queue(cache_parts& parts) noexcept : parts_(parts) {}

  /// Adds work. Returns true if no thread serves the queue. Then the caller must start a thread
  /// that serves the queue.
  [[nodiscard]] bool add(std::shared_ptr<site_work> work) {
    const std::scoped_lock lock{mutex_};
    waiting_.push_back(std::move(work));
    ++added_;
    changed_.notify_all();
    return !std::exchange(is_served_, true);
  }

  /// Waits for the work that is due next. Returns an empty list if no work is left or `stop` was
  /// requested. Then the thread must stop serving. After a `std::bad_alloc`, call `take_all`.
  [[nodiscard]] std::vector<std::shared_ptr<site_work>> take_due(const stop_token& stop) {
    constexpr std::size_t most = 512;  // limits the time of a batch
    std::unique_lock lock{mutex_};
    while (!waiting_.empty() && !stop.stop_requested()) {
      std::vector<std::shared_ptr<site_work>> due;
      due.reserve(waiting_.size());
      time_point next = (time_point::max)();
      const time_point now = parts_.now();
      for (auto& work : waiting_) {
        if (work->next() == work_step::wait && work->next_look() > now) {
          next = (std::min)(next, work->next_look());
        } else if (due.size() < most) {
          work->on_wait_over();
          due.push_back(std::move(work));
        } else {
          next = now;
        }
      }
      std::erase(waiting_, nullptr);
      if (!due.empty()) {
        return due;
      }
      static_cast<void>(parts_.wait(changed_, lock, {.deadline = next, .stop = stop},
                                    [this, seen = added_] { return added_ != seen; }));
    }
    is_served_ = false;
    return {};
  }

  /// Removes and returns all work. Call it when no thread serves the queue any more.
  [[nodiscard]] std::vector<std::shared_ptr<site_work>> take_all() {
    const std::scoped_lock lock{mutex_};
    is_served_ = false;
    return std::exchange(waiting_, {});
  }

 private:
  cache_parts& parts_;
  std::mutex mutex_;  // guards the members below
  base::clock_condition changed_;
  std::vector<std::shared_ptr<site_work>> waiting_;
  std::uint64_t added_ = 0;
  bool is_served_ = false;
};

}  // namespace robots::cache_detail
