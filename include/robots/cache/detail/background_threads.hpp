#pragma once

#include <robots/base/clock_condition.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/site_work.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace robots::cache_detail {

/// Threads for work that nobody waits for. A thread starts when it is first needed, and later waits
/// for more work. Exceptions of the work are caught and counted as failures.
class background_threads {
 public:
  /// Starts at most `most` threads. `counters` must outlive this object.
  background_threads(std::size_t most, cache_counters& counters) noexcept
      : most_(most), counters_(counters) {}
  background_threads(const background_threads&) = delete;
  background_threads& operator=(const background_threads&) = delete;

  ~background_threads() { end(); }

  /// Waits for running work, and drops waiting work. Accepts no more work.
  void end() {
    {
      const std::scoped_lock lock{mutex_};
      ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) {
      if (thread.joinable()) {
        thread.join();
      }
    }
    // Declared before `lock`, and so destroyed after the unlock: the work can call this object.
    std::list<std::function<void()>> dropped;
    const std::scoped_lock lock{mutex_};
    dropped.swap(waiting_);
  }

  /// Runs `work` in a background thread, at once or, if `may_wait` is true, when a thread is free.
  /// Returns false, and does not run `work`, in three cases: all threads are busy and `may_wait` is
  /// false; no thread can be started, or there is no memory; or `end` was called.
  [[nodiscard]] bool run(std::function<void()> work, bool may_wait = false) {
    const std::scoped_lock lock{mutex_};
    const bool busy = idle_ <= waiting_.size();
    const bool full = threads_.size() == most_;
    if (ending_ || (busy && full && (!may_wait || most_ == 0))) {
      return false;
    }
    try {
      std::list<std::function<void()>> added;
      added.push_back(std::move(work));
      if (busy && !full) {
        threads_.emplace_back([this] { serve(); });
      }
      waiting_.splice(waiting_.end(), added);
    } catch (...) {
      return false;  // the system has no thread, or no memory
    }
    changed_.notify_one();
    return true;
  }

 private:
  void serve() {
    while (const auto work = next()) {
      try {
        work();
      } catch (...) {
        counters_.add(cache_event::failures);  // no memory, so the work is abandoned
      }
    }
  }

  /// Returns the next work, or an empty function after `end`.
  [[nodiscard]] std::function<void()> next() {
    std::unique_lock lock{mutex_};
    ++idle_;
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) {
      return {};
    }
    std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    return work;
  }

  const std::size_t most_;
  cache_counters& counters_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<std::function<void()>> waiting_;  // the oldest work first
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool ending_ = false;
};

/// A queue of work that must ask the shared store, at once or at `site_work::next_look`. One thread
/// at a time serves the queue. Any thread may call any member.
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

  /// Removes and returns all work. Call this function only when no thread serves the queue.
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
