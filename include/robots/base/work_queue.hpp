#pragma once

#include <robots/base/process.hpp>
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
#include <unordered_set>
#include <utility>
#include <vector>

namespace robots::base {

/// Memory that several items of a queue keep alive together.
struct shared_memory {
  const void* object = nullptr;  ///< identifies the memory; null if there is none
  std::size_t size = 0;          ///< the size in octets
};

/// A queue of bounded size, with a thread that passes the waiting items to a function, the worker.
/// A full queue refuses an item at once, unless the caller asks to wait for room. In a child
/// process, where the thread does not exist, the queue refuses all items, and its end waits for
/// nothing.
template <class T>
class work_queue {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  struct work {
    std::vector<T> items{};  ///< the waiting items, in order; the worker may change them
    bool flushes = false;    ///< true if a caller waits until the items are done
    bool ends = false;       ///< true if no more items will come
  };
  /// Does a batch of work. If the worker returns a time, the queue calls the worker again at that
  /// time, even without new items. The call can be late by `gathered` (see the constructor). The
  /// worker must not throw.
  using worker = std::function<std::optional<time_point>(work& now)>;

  /// Makes a queue for up to `capacity` octets of items, including the running batch. Before each
  /// batch, the thread waits up to `gathered` for more items. The batch starts earlier if the queue
  /// is half full or ending, or if `push` or `flush` waits. Throws what `std::thread` throws.
  work_queue(std::size_t capacity, worker does, std::chrono::milliseconds gathered = {})
      : shared_{std::make_shared<shared>(capacity, std::move(does), gathered)},
        thread_{[own = shared_] { own->run(); }} {}
  work_queue(const work_queue&) = delete;
  work_queue& operator=(const work_queue&) = delete;

  ~work_queue() { end((std::chrono::milliseconds::max)()); }

  [[nodiscard]] const home_process& home() const noexcept { return home_; }

  /// Adds an item of `size` octets. The item keeps `keeps.object` alive. Memory shared by waiting
  /// items counts once. Returns false and destroys the item if there is no room or the queue ends.
  ///
  /// If `longest` is above 0, waits up to `longest` until the queue is not full, and then adds an
  /// item of any size. A limit for the size would make the queue refuse a large item forever. If
  /// one call waits in vain, the waits of all other calls of `push` end, too. After that, a full
  /// queue refuses items at once, until the worker has finished a batch. The worker must not call
  /// `push` with a `longest` above 0.
  [[nodiscard]] bool push(T item, std::size_t size, const shared_memory& keeps = {},
                          std::chrono::milliseconds longest = {}) {
    if (!home_.is_here()) {
      return false;
    }
    shared& to = *shared_;
    std::unique_lock lock{to.mutex};
    const auto counted = [&] {
      const bool is_kept = keeps.object == nullptr || to.kept_alive.contains(keeps.object);
      return size + (is_kept ? 0 : keeps.size);
    };
    const bool may_wait = longest > longest.zero();
    const auto has_room = [&] {
      return may_wait ? to.used == 0 || to.used < to.capacity
                      : to.used <= to.capacity && counted() <= to.capacity - to.used;
    };
    if (may_wait && !has_room() && !to.is_stuck) {
      ++to.callers_waiting;
      to.changed.notify_all();  // the worker need not wait for more items
      const bool in_time = to.changed.wait_until(
          lock, until(longest), [&] { return has_room() || to.ends || to.is_stuck; });
      --to.callers_waiting;
      if (!in_time) {
        to.is_stuck = true;
        to.changed.notify_all();
      }
    }
    if (to.ends || !has_room()) {
      return false;
    }
    const std::size_t used = to.used + counted();
    const bool wakes = to.waiting.empty() || to.is_half_full(used);
    to.waiting.push_back(std::move(item));
    if (keeps.object != nullptr) {
      to.kept_alive.insert(keeps.object);
    }
    to.used = used;
    lock.unlock();
    if (wakes) {
      to.changed.notify_all();
    }
    return true;
  }

  /// Waits until all earlier items are done. Returns false if this takes longer than `longest`. If
  /// the queue is ending, returns false at once. The worker's thread must not call `flush`.
  [[nodiscard]] bool flush(std::chrono::milliseconds longest) {
    if (!home_.is_here()) {
      return false;
    }
    std::unique_lock lock{shared_->mutex};
    if (shared_->ends) {
      return false;
    }
    const std::uint64_t own = ++shared_->flushes_asked;
    shared_->changed.notify_all();
    return shared_->changed.wait_until(lock, until(longest),
                                       [&] { return shared_->flushes_done >= own; });
  }

  /// Ends the queue. Waits at most `longest` until the items in the queue are done. After this
  /// time, the thread continues with the items, even if the queue is destroyed. A second call has
  /// no effect.
  void end(std::chrono::milliseconds longest) {
    if (!thread_.joinable()) {
      return;
    }
    if (!home_.is_here()) {
      leave_value_to_parent(std::move(thread_));
      leave_value_to_parent(std::move(shared_));
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
          changed.wait_for(lock, gathering, [&] {
            return is_urgent() || callers_waiting > 0 || is_half_full(used);
          });
        }
        now.items.swap(waiting);  // both vectors keep their memory
        kept_alive.clear();       // an item that comes later adds its object again
        now.flushes = flushes_asked > flushes_done;
        now.ends = ends;
        const std::uint64_t flushes = flushes_asked;
        const std::size_t size = used;
        lock.unlock();
        next = work_at(now);
        now.items.clear();
        lock.lock();
        used -= size;
        is_stuck = false;
        flushes_done = flushes;
        ended = now.ends;
        changed.notify_all();
      }
    }

    const std::size_t capacity;
    const std::chrono::milliseconds gathering;
    const worker work_at;
    std::mutex mutex;  // guards the members below
    std::condition_variable changed;
    std::vector<T> waiting;
    std::unordered_set<const void*> kept_alive;  // objects of the waiting items
    std::size_t used = 0;                        // octets of waiting items and of the running batch
    std::size_t callers_waiting = 0;
    bool is_stuck = false;  // true if a caller waited in vain since the last batch ended
    std::uint64_t flushes_asked = 0;
    std::uint64_t flushes_done = 0;
    bool ends = false;
    bool ended = false;
  };

  [[nodiscard]] static time_point until(std::chrono::milliseconds longest) {
    return saturating_add(std::chrono::steady_clock::now(), longest);
  }

  home_process home_{};
  std::shared_ptr<shared> shared_;
  std::thread thread_;
};

}  // namespace robots::base
