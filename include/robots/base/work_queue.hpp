#pragma once

#include <robots/base/saturating_add.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace robots::base {

/// A queue of bounded size, and a thread that hands what waits in it to a function: whoever adds
/// something never waits for that function, however long it takes.
template <class T>
class work_queue {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// What there is to do.
  struct work {
    std::vector<T> items{};  ///< as many as wait, in their order; they may be changed
    bool flushes = false;    ///< somebody waits for them
    bool ends = false;       ///< nobody adds any more
  };
  /// Does it, and says when to be called again even if nothing is added. Does not throw.
  using worker = std::function<std::optional<time_point>(work& now)>;

  /// Items of at most `capacity` octets wait, or are worked at. The worker waits so long for more
  /// to be `gathered`, unless half of that is used. Throws what `std::thread` throws.
  work_queue(std::size_t capacity, worker does, std::chrono::milliseconds gathered = {})
      : shared_{std::make_shared<shared>(capacity, std::move(does), gathered)},
        thread_{[own = shared_] { own->run(); }} {}
  work_queue(const work_queue&) = delete;
  work_queue& operator=(const work_queue&) = delete;

  /// Ends when what waits is done.
  ~work_queue() { end(std::chrono::milliseconds::max()); }

  /// Adds an item of so many octets, unless there is no room, or the queue ends: then it is gone,
  /// and this is false. Any thread.
  [[nodiscard]] bool push(T item, std::size_t size) {
    bool wakes = false;
    {
      const std::scoped_lock lock{shared_->mutex};
      const std::size_t used = shared_->used;
      if (shared_->ends || size > shared_->capacity - used) {
        return false;
      }
      wakes = shared_->waiting.empty() || shared_->is_half_full(used + size);
      shared_->waiting.push_back(std::move(item));
      shared_->used += size;
    }
    if (wakes) {
      shared_->changed.notify_all();
    }
    return true;
  }

  /// Returns when all that was added before is done; or, with false, when it takes longer, and at
  /// once when the queue ends. Any thread but the working one.
  [[nodiscard]] bool flush(std::chrono::milliseconds longest) {
    std::unique_lock lock{shared_->mutex};
    if (shared_->ends) {
      return false;
    }
    const std::uint64_t own = ++shared_->flushes_asked;
    shared_->changed.notify_all();
    return shared_->changed.wait_until(lock, until(longest),
                                       [&] { return shared_->flushes_done >= own; });
  }

  /// Ends when what waits is done. When that takes longer, the thread is left to itself, with the
  /// worker. Once.
  void end(std::chrono::milliseconds longest) {
    if (!thread_.joinable()) {
      return;
    }
    std::unique_lock lock{shared_->mutex};
    shared_->ends = true;
    shared_->changed.notify_all();
    const bool in_time =
        shared_->changed.wait_until(lock, until(longest), [this] { return shared_->ended; });
    lock.unlock();
    in_time ? thread_.join() : thread_.detach();
  }

 private:
  struct shared {
    shared(std::size_t most, worker does, std::chrono::milliseconds gathered)
        : capacity{most}, gathering{gathered}, work_at{std::move(does)} {}

    [[nodiscard]] bool is_half_full(std::size_t octets) const { return octets > capacity / 2; }

    void run() {
      work now;
      std::optional<time_point> next;
      const auto is_urgent = [this] { return ends || flushes_asked > flushes_done; };
      const auto has_work = [&] { return is_urgent() || !waiting.empty(); };
      std::unique_lock lock{mutex};
      while (!ended) {
        if (next) {
          changed.wait_until(lock, *next, has_work);
        } else {
          changed.wait(lock, has_work);
        }
        if (gathering.count() > 0) {
          changed.wait_for(lock, gathering, [&] { return is_urgent() || is_half_full(used); });
        }
        now.items.swap(waiting);  // each of the two keeps its memory
        now.flushes = flushes_asked > flushes_done;
        now.ends = ends;
        const std::uint64_t flushes = flushes_asked;
        const std::size_t size = used;
        lock.unlock();
        next = work_at(now);
        now.items.clear();
        lock.lock();
        used -= size;
        flushes_done = flushes;
        ended = now.ends;
        changed.notify_all();
      }
    }

    const std::size_t capacity;
    const std::chrono::milliseconds gathering;
    const worker work_at;
    std::mutex mutex;  // of what follows
    std::condition_variable changed;
    std::vector<T> waiting;
    std::size_t used = 0;  // what is worked at included
    std::uint64_t flushes_asked = 0;
    std::uint64_t flushes_done = 0;
    bool ends = false;
    bool ended = false;
  };

  [[nodiscard]] static time_point until(std::chrono::milliseconds longest) {
    return saturating_add(std::chrono::steady_clock::now(), longest);
  }

  std::shared_ptr<shared> shared_;
  std::thread thread_;
};

}  // namespace robots::base
