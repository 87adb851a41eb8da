#pragma once

#include <robots/cache/detail/cache_parts.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <iterator>
#include <list>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

// Where this file stands: `cache_threads` runs fetches here, and `store_worker` its queue.
//
//     run(work, is_awaited) --> a free thread, or a new one if there are fewer than `most`
//                          \-> all are busy, and it may wait:
//                                awaited works, the oldest first  --+
//                                works that nobody waits for,       +--> the next free thread
//                                the newest first, at most 1,024  --+
//
// Between the two queues, `sort` moves a work when the last look-up leaves its flight, or when one
// joins it again. This object owns the works until they have run.

namespace robots::cache_detail {

/// Threads of the cache. A thread starts when it is first needed, and later waits for more work.
/// Exceptions of the work are caught and counted as failures.
///
/// Work that somebody waits for comes first, in order. Then comes the work that every caller has
/// left, the newest first. Otherwise, a thousand hosts that hang would delay the hosts that answer.
/// If nobody waits for more than 1,024 works, the oldest of them is dropped. If somebody waits for
/// such a work again, it is the next.
class background_threads {
 public:
  using condition = std::function<bool()>;

  static constexpr std::size_t most_left = 1'024;  ///< works that nobody waits for

  background_threads(std::size_t most, cache_counters& counters) noexcept
      : most_(most), counters_(counters) {}
  ~background_threads() { end(); }

  /// Waits until all accepted work is done. Accepts no more work.
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
  }

  /// Runs `work` in a background thread: at once or, if `may_wait` is true, when a thread is free.
  /// Returns false, and does not run `work`, if no thread is free and `may_wait` is false. Also
  /// returns false if `end` was called, if `most` is 0, or if the system has no thread or no
  /// memory.
  ///
  /// `is_awaited` returns true if somebody waits for `work`. It must not call this object. If it is
  /// empty, somebody always waits. Work for which it returns false can be dropped.
  [[nodiscard]] bool run(std::function<void()> work, bool may_wait = false,
                         condition is_awaited = {}) {
    std::list<queued>
        dropped;  // destroyed after the unlock, since destructors can call this object
    const std::scoped_lock lock{mutex_};
    const std::size_t waiting = awaited_.size() + left_.size();
    const bool busy = idle_ <= waiting;
    const bool full = threads_.size() == most_;
    if (ending_ || (busy && full && (!may_wait || most_ == 0))) {
      return false;
    }
    try {
      if (busy && !full) {
        threads_.emplace_back([this] { serve(); });
      }
      awaited_.push_back({std::move(work), std::move(is_awaited)});
    } catch (...) {
      return false;  // the system has no thread, or no memory
    }
    if (waiting >= sort_at_) {
      sort(dropped);
      sort_at_ = 2 * (most_left + awaited_.size());
    }
    changed_.notify_one();
    return true;
  }

 private:
  struct queued {
    std::function<void()> work;
    condition is_awaited;

    [[nodiscard]] bool is_left() const { return is_awaited && !is_awaited(); }
  };

  /// Sorts the works by whether somebody waits for them now. Moves surplus works to `dropped`.
  void sort(std::list<queued>& dropped) {
    std::list<queued> asked_again;
    for (auto next = left_.begin(); next != left_.end();) {
      const auto one = next++;
      if (!one->is_left()) {
        asked_again.splice(asked_again.end(), left_, one);
      }
    }
    for (auto next = awaited_.begin(); next != awaited_.end();) {
      const auto one = next++;
      if (one->is_left()) {
        left_.splice(left_.begin(), awaited_, one);
      }
    }
    awaited_.splice(awaited_.begin(), asked_again);
    while (left_.size() > most_left) {
      dropped.splice(dropped.end(), left_, std::prev(left_.end()));
    }
  }

  void serve() {
    std::unique_lock lock{mutex_};
    for (;;) {
      ++idle_;
      changed_.wait(lock, [this] { return ending_ || !awaited_.empty() || !left_.empty(); });
      --idle_;
      if (awaited_.empty() && left_.empty()) {
        return;
      }
      std::list<queued> dropped;
      sort(dropped);
      std::list<queued>& from = awaited_.empty() ? left_ : awaited_;
      std::list<queued> taken;
      taken.splice(taken.end(), from, from.begin());
      lock.unlock();
      dropped.clear();  // without the lock, since destructors can call this object
      try {
        taken.front().work();
      } catch (...) {
        counters_.add(cache_event::failures);  // no memory, so the work is abandoned
      }
      taken.clear();
      lock.lock();
    }
  }

  const std::size_t most_;
  cache_counters& counters_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<queued> awaited_;  // the oldest work first
  std::list<queued> left_;     // works that nobody waited for when `sort` ran, the newest first
  std::size_t sort_at_ = 2 * most_left;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool ending_ = false;
};

}  // namespace robots::cache_detail
