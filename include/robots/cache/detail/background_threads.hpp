#pragma once

#include <robots/cache/detail/cache_parts.hpp>

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
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
    // `dropped` is destroyed after the unlock, since the destructor of work can call this object.
    std::list<std::function<void()>> dropped;
    const std::scoped_lock lock{mutex_};
    dropped.swap(waiting_);
  }

  /// Runs `work` in a background thread: at once or, if `may_wait` is true, when a thread is free.
  /// Returns false, and does not run `work`, if no thread is free and `may_wait` is false. Also
  /// returns false after `end`, if `most` is 0, or if the system has no thread or no memory.
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

  /// Returns the next work. After `end`, returns an empty function when no work is left.
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

}  // namespace robots::cache_detail
