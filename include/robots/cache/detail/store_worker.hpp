#pragma once

#include <robots/base/clock_condition.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/cache/detail/background_threads.hpp>
#include <robots/cache/detail/site_work.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace robots::cache_detail {

/// Performs the store steps of works in its own threads, so that fetches do not delay the calls
/// to the shared store.
///
///     look-up without the time for a call --> queue --> due? --> ask_store --> wait: queue again
///                                                                          --> fetch: offer it to
///                                                                              a waiter, or to
///                                                                              `fetch_elsewhere`
///                                                                          --> ended: publish
///     resilient_store::owe ----------------> run_errands --> deliver
///
/// At most one thread takes works from the queue. Another thread makes the calls that the store
/// owes. A work is owned by the queue, by the thread that does its step, or by the waiter that took
/// it.
class store_worker {
 public:
  using shared_work = std::shared_ptr<site_work>;
  using fetching = std::function<void(const shared_work&)>;

  /// `closing` ends the waits for due work. `fetch_elsewhere` gets each work that must be fetched,
  /// that no look-up waits for, and that must go on even so. `cache` must have a store, and must
  /// outlive this object.
  store_worker(look_up_environment& cache, stop_token closing, fetching fetch_elsewhere)
      : cache_(cache),
        closing_(std::move(closing)),
        fetch_elsewhere_(std::move(fetch_elsewhere)),
        threads_(2, cache.parts.counters) {}

  /// Waits until the threads have ended. The caller has requested a stop of `closing`. The works
  /// that are still in the queue stay there.
  void end() { threads_.end(); }

  /// Publishes the works in the queue that have ended, and drops the others. Called after `end`.
  void publish_rest() {
    for (const shared_work& work : take_queued()) {
      publish(cache_, *work);  // has no effect on unfinished work
    }
  }

  /// Lets a thread of the cache do the store steps of `work`, at once or at the time `next_look()`.
  void queue(shared_work work) {
    {
      const std::scoped_lock lock{queue_mutex_};
      queued_.push_back(std::move(work));
      ++added_;
      queue_changed_.notify_all();
      if (std::exchange(is_served_, true)) {
        return;
      }
    }
    if (!threads_.run([this] { serve(); }, true)) {
      for (const shared_work& waiting : take_queued()) {
        go_on_without_store(waiting);
      }
    }
  }

  /// Asks the store about all works whose next step is `ask_store`, in one or two round trips.
  void ask_store(std::span<const shared_work> works) {
    for (;;) {
      std::vector<site_work*> asking;
      std::vector<store_question> questions;
      for (const shared_work& work : works) {
        if (work->next() == work_step::ask_store) {
          asking.push_back(work.get());
          questions.push_back(work->question());
        }
      }
      if (asking.empty()) {
        return;
      }
      std::vector<store_reply> replies = cache_.store->ask(questions);
      for (std::size_t i = 0; i < asking.size(); ++i) {
        try {
          asking[i]->on_store_reply(std::move(replies[i]));
        } catch (...) {
          // Memory ran out. Abandons only this site, since the replies for other sites can contain
          // leases.
          cache_.parts.counters.add(cache_event::failures);
          asking[i]->abandon();
        }
      }
    }
  }

  /// Lets a thread make the calls noted by `resilient_store::owe`.
  void run_errands() noexcept {
    if (has_errands_.exchange(true)) {
      return;
    }
    const auto errands = [this] {
      has_errands_ = false;
      cache_.store->deliver();
    };
    if (!threads_.run(errands, true)) {
      has_errands_ = false;  // a later call tries again
    }
  }

 private:
  /// Removes all queued work. No other thread may run `serve` meanwhile.
  [[nodiscard]] std::vector<shared_work> take_queued() {
    const std::scoped_lock lock{queue_mutex_};
    is_served_ = false;
    return std::exchange(queued_, {});
  }

  /// Waits until queued work is due, and removes it. If the result is empty, `serve` must end.
  [[nodiscard]] std::vector<shared_work> take_due() {
    constexpr std::size_t most = 512;  // limits the time of a batch
    std::unique_lock lock{queue_mutex_};
    while (!queued_.empty() && !closing_.stop_requested()) {
      std::vector<shared_work> due;
      due.reserve(queued_.size());
      time_point next = (time_point::max)();
      const time_point now = cache_.parts.now();
      for (auto& work : queued_) {
        if (work->next() == work_step::wait && work->next_look() > now) {
          next = (std::min)(next, work->next_look());
        } else if (due.size() < most) {
          work->on_wait_over();
          due.push_back(std::move(work));
        } else {
          next = now;
        }
      }
      std::erase(queued_, nullptr);
      if (!due.empty()) {
        return due;
      }
      static_cast<void>(cache_.parts.wait(queue_changed_, lock,
                                          {.deadline = next, .stop = closing_},
                                          [this, seen = added_] { return added_ != seen; }));
    }
    is_served_ = false;
    return {};
  }

  void serve() {
    try {
      for (auto due = take_due(); !due.empty(); due = take_due()) {
        ask_store(due);
        for (shared_work& work : due) {
          if (work->next() == work_step::wait) {
            queue(std::move(work));
          } else {
            go_on_without_store(work);
          }
        }
      }
    } catch (...) {
      // Memory ran out, so all queued work is dropped, even work that was not due yet.
      cache_.parts.counters.add(cache_event::failures);
      static_cast<void>(take_queued());
    }
  }

  void go_on_without_store(const shared_work& work) {
    if (work->has_ended()) {
      return publish(cache_, *work);
    }
    if (work->next() != work_step::fetch) {
      work->start_fetch();
    }
    if (!work->own_flight().offer(work) && work->own_flight().finishes_alone) {
      fetch_elsewhere_(work);
    }
  }

  look_up_environment& cache_;
  const stop_token closing_;
  const fetching fetch_elsewhere_;
  std::mutex queue_mutex_;  // guards the next four members
  base::clock_condition queue_changed_;
  std::vector<shared_work> queued_;
  std::uint64_t added_ = 0;
  bool is_served_ = false;                 // true if a thread runs `serve`
  std::atomic<bool> has_errands_ = false;  // true if a thread will run the errands
  background_threads threads_;
};

}  // namespace robots::cache_detail
