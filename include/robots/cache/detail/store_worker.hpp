#pragma once

#include <robots/base/clock_condition.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/cache/detail/background_threads.hpp>
#include <robots/cache/detail/far_side.hpp>
#include <robots/cache/detail/look_up_environment.hpp>
#include <robots/cache/detail/resilient_store.hpp>
#include <robots/cache/detail/site_work.hpp>
#include <robots/cache/detail/store_work.hpp>

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
  using shared_work = far_side::shared_work;

  /// `cache` and `store` must outlive this object.
  store_worker(look_up_environment& cache, resilient_store& store)
      : cache_(cache), store_(store), threads_(2, cache.parts.counters) {}

  /// Sets the function that gets each work that must be fetched, that no look-up waits for, and
  /// that must go on even so. Called once, before `queue`.
  void start(far_side::fetching fetch_elsewhere) { fetch_elsewhere_ = std::move(fetch_elsewhere); }

  /// Ends the waits for due work. Called before `end`.
  void close() noexcept { closing_.request_stop(); }

  /// Waits until the threads have ended. The works that are still in the queue stay there.
  void end() { threads_.end(); }

  /// Publishes the works in the queue that have ended, and drops the others. Called after `end`.
  void publish_rest() {
    for (const shared_work& work : take_queued()) {
      publish(*work);  // has no effect on unfinished work
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
      std::vector<store_question> questions;
      const time_point asked_at = cache_.parts.now();
      for (const shared_work& work : works) {
        if (work->next() == work_step::ask_store) {
          questions.push_back(store_work_of(*work).question(asked_at));
        }
      }
      if (questions.empty()) {
        return;
      }
      std::vector<store_reply> replies = store_.ask(questions);
      auto reply = replies.begin();
      for (const shared_work& work : works) {
        if (work->next() != work_step::ask_store) {
          continue;  // it has asked no question
        }
        store_reply& own = *reply++;
        try {
          const wall_anchor now = cache_.parts.moment();
          work->on_decision(store_work_of(*work).on_reply(std::move(own), now), now.steady);
        } catch (...) {
          // Memory ran out. Abandons only this site, since the replies for other sites can contain
          // leases.
          cache_.parts.counters.add(cache_event::failures);
          work->abandon();
        }
      }
    }
  }

  /// Does the step `publish` of `work`, and then the pending calls of the store. Has no effect if
  /// `work` has another step. Blocks.
  void publish(site_work& work) {
    if (work.next() != work_step::publish) {
      return;
    }
    store_work& half = store_work_of(work);
    const flight& under_way = work.own_flight();
    const bool is_wanted = !half.value().empty() && !under_way.detached;
    publish_answer answer = publish_answer::failed;
    if (is_wanted && half.lease()) {
      answer = store_.publish(under_way.site_key(), half.value(), half.lifetime(), *half.lease(),
                              half.orders_before());
    }
    const time_point now = cache_.parts.now();
    work.on_published();
    half.on_published(answer, now);
    store_.release_and_catch_up(now);
    if (is_wanted && half.announces() && answer != publish_answer::lost && !under_way.detached) {
      store_.announce(under_way.site_key());
    }
  }

  /// Lets a thread make the calls noted by `resilient_store::owe`.
  void run_errands() noexcept {
    if (has_errands_.exchange(true)) {
      return;
    }
    const auto errands = [this] {
      has_errands_ = false;
      store_.deliver();
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
        const bool waits = work->next() == work_step::wait;
        if (const time_point look = store_work_of(*work).next_look(); waits && look > now) {
          next = (std::min)(next, look);
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
                                          {.deadline = next, .stop = closing_.get_token()},
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
      return publish(*work);
    }
    if (work->next() != work_step::fetch) {
      work->start_fetch(cache_.parts.now());
    }
    if (!work->own_flight().offer(work) && work->own_flight().finishes_alone) {
      fetch_elsewhere_(work);
    }
  }

  look_up_environment& cache_;
  resilient_store& store_;
  stop_source closing_;
  far_side::fetching fetch_elsewhere_;
  std::mutex queue_mutex_;  // guards the next four members
  base::clock_condition queue_changed_;
  std::vector<shared_work> queued_;
  std::uint64_t added_ = 0;
  bool is_served_ = false;                 // true if a thread runs `serve`
  std::atomic<bool> has_errands_ = false;  // true if a thread will run the errands
  background_threads threads_;
};

}  // namespace robots::cache_detail
