#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/process.hpp>
#include <robots/cache/detail/site_look_up.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

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

/// Runs each look-up to its end. Uses the thread of a blocking call if the call has enough time.
/// Otherwise, uses threads of the cache.
class cache_engine : public look_up_environment {
 public:
  /// Throws `std::invalid_argument` for invalid options, or if there is a shared store but
  /// `background_threads` is 0. `own` must outlive this object.
  cache_engine(cache_options&& user_options, cache_parts& own, const shared_part& shared)
      : look_up_environment(std::move(user_options), own, shared),
        background_(options.background_threads, parts.counters),
        store_threads_(2, parts.counters) {
    if (store == nullptr) {
      return;
    }
    if (options.background_threads == 0) {
      throw std::invalid_argument{
          "background_threads is 0: set it to 1 or more for a cache with a shared store"};
    }
    store->watch([this](std::string_view key) { on_message(key); }, [this] { run_errands(); });
  }

  /// Returns false in a child of the process that made the cache. The child has no threads of the
  /// cache, and the store reports no changes to it.
  [[nodiscard]] bool is_here() const noexcept { return home_.is_here(); }
  void check_process() const { home_.require("basic_robots_cache"); }

  /// Stops the threads and waits for them. The owner must call this before the destructor.
  void end() {
    closing_.request_stop();
    if (store != nullptr) {
      store->unwatch();
    }
    store_threads_.end();
    background_.end();
    for (const shared_work& work : take_queued()) {
      publish(*work);  // has no effect on unfinished work
    }
  }

  /// Continues a look-up until its caller must send a request or wait. Never blocks.
  void proceed(site_look_up& look) {
    check_process();
    look.proceed();
    hand_over_left(look, {.deadline = (time_point::min)()});
    if (look.work && look.work->next() != work_step::fetch) {
      queue(std::exchange(look.work, nullptr));
    }
  }

  /// Returns the policy of a site. Obeys the deadline, timeout and stop token of `call`.
  [[nodiscard]] found load(std::string_view host_or_url, const call_options& call,
                           bool refreshes = false) {
    check_process();
    const auto asked = parse_site(host_or_url);
    if (!asked) {
      return ruling_on(asked, host_or_url);
    }
    call_options limits = call;
    if (const time_point until = detail::end_of_look_up(call, options.longest_call, parts.now());
        until != (time_point::max)()) {
      limits.deadline = (std::min)(call.deadline.value_or(until), until);
    }
    site_look_up look{*this, call.context, 0};
    look.start(*asked);
    look.refreshes = refreshes;
    look.has_no_time = !has_time(limits);
    wait_for_rulings(limits);
    for (look.proceed(); look.asked; look.proceed()) {
      if (!advance(look, limits)) {
        look.give_up();
      }
    }
    hand_over_left(look, limits);
    return std::move(look.answer);
  }

  /// Waits until the rulings of the user were read from their ledger once, but not beyond the
  /// deadline of `limits`. Has no effect without such rulings, or if `limits` leaves no time.
  void wait_for_rulings(const call_options& limits) {
    if (view == nullptr || !has_time(limits)) {
      return;
    }
    std::optional<std::chrono::nanoseconds> longest;
    if (limits.deadline) {
      longest = *limits.deadline - parts.now();
    }
    view->wait_until_ready(longest, limits.stop);
  }

  rate_limit refusals{1, 4'096};  ///< permits one event about a refusal in 10 seconds

 private:
  using shared_work = std::shared_ptr<site_work>;

  [[nodiscard]] bool has_time(const call_options& limits) {
    return !limits.stop.stop_requested() && (!limits.deadline || *limits.deadline > parts.now());
  }

  /// Does the next step of a look-up. Returns false if `limits` ended the step early.
  [[nodiscard]] bool advance(site_look_up& look, const call_options& limits) {
    hand_over_left(look, limits);
    if (!look.work) {
      return look.place->wait(parts, limits);
    }
    if (look.work->next() == work_step::fetch) {
      return fetch(look, limits);
    }
    if (look.work->next() == work_step::ask_store && has_time_for_store(limits)) {
      ask_store({&look.work, 1});
    } else {
      queue(std::exchange(look.work, nullptr));
    }
    return true;
  }

  /// Uses another thread if the fetch may outlast the call. Returns false if the call has ended.
  [[nodiscard]] bool fetch(site_look_up& look, const call_options& limits) {
    const bool may_stop = limits.stop.stop_possible();
    if (limits.deadline && !may_stop && parts.advance(look.work->fetch(), *limits.deadline)) {
      return true;  // `site_look_up::proceed` handles the result
    }
    // If no other thread is free and the call has time for one request, this thread does the fetch.
    const auto timeout = options.timeout;
    const bool in_haste =
        limits.deadline &&
        (timeout.count() == 0 || *limits.deadline < base::saturating_add(parts.now(), timeout));
    if ((limits.deadline || may_stop) && in_background(look.work, in_haste)) {
      look.work = nullptr;
      return true;
    }
    auto result = parts.run(std::move(look.work->fetch()), limits);
    const bool is_stopped = limits.stop.stop_requested();
    const bool is_over = result.outcome == outcome::cancelled || (result.cut_short && is_stopped);
    const bool is_forbidden = is_forbidden_now(*look.work);
    if (result.outcome == outcome::cancelled && options.background_threads > 0 && !is_forbidden) {
      look.work->start_fetch();
      static_cast<void>(in_background(look.work, true));
      look.work = nullptr;
    } else {
      look.work->on_fetched(std::move(result), is_stopped);
    }
    return !is_over || is_forbidden;  // the look-up finds the ruling
  }

  /// Returns true if one of the user's rulings forbids requests to the site of `work`.
  [[nodiscard]] bool is_forbidden_now(const site_work& work) {
    return view && !rulings.may_ask(work.led().asked);
  }

  [[nodiscard]] bool has_time_for_store(const call_options& limits) {
    return !limits.deadline ||
           *limits.deadline >= base::saturating_add(parts.now(), store->options.patience);
  }

  /// Publishes the finished works in `look.left` while there is time. Threads do the other works.
  void hand_over_left(site_look_up& look, const call_options& limits) {
    for (shared_work& work : std::exchange(look.left, {})) {
      const work_step step = work->next();
      if (step == work_step::publish && has_time_for_store(limits)) {
        publish(*work);
      } else if (step == work_step::fetch) {
        // If no thread is free, the renewal is dropped, and the next look-up begins another.
        static_cast<void>(in_background(work, false));
      } else if (step != work_step::done) {
        queue(std::move(work));
      }
    }
  }

  /// Fetches and publishes in a background thread. Returns the result of `background_threads::run`.
  [[nodiscard]] bool in_background(const shared_work& work, bool may_wait) {
    return background_.run(
        [this, work] {
          if (is_forbidden_now(*work)) {  // a ruling was made while the work waited for a thread
            work->abandon();
            return publish(*work);
          }
          stop_source& stop = work->led().stop;
          const stop_callback<std::function<void()>> closing{closing_.get_token(),
                                                             [&stop] { stop.request_stop(); }};
          auto result = parts.run(std::move(work->fetch()), {.stop = stop.get_token()});
          work->on_fetched(std::move(result), stop.stop_requested());
          publish(*work);
        },
        may_wait, [work] { return work->led().is_awaited(); });
  }

  /// Lets a thread make the calls noted by `resilient_store::owe`.
  void run_errands() noexcept {
    if (has_errands_.exchange(true)) {
      return;
    }
    const auto errands = [this] {
      has_errands_ = false;
      store->deliver();
    };
    if (!store_threads_.run(errands, true)) {
      has_errands_ = false;  // a later call tries again
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
    if (!store_threads_.run([this] { serve(); }, true)) {
      for (const shared_work& waiting : take_queued()) {
        go_on_without_store(waiting);
      }
    }
  }

  /// Removes all queued work. No other thread may run `serve` meanwhile.
  [[nodiscard]] std::vector<shared_work> take_queued() {
    const std::scoped_lock lock{queue_mutex_};
    is_served_ = false;
    return std::exchange(queued_, {});
  }

  /// Waits until queued work is due, and removes it. If the result is empty, `serve` must end.
  [[nodiscard]] std::vector<shared_work> take_due() {
    constexpr std::size_t most = 512;  // limits the time of a batch
    const stop_token stop = closing_.get_token();
    std::unique_lock lock{queue_mutex_};
    while (!queued_.empty() && !stop.stop_requested()) {
      std::vector<shared_work> due;
      due.reserve(queued_.size());
      time_point next = (time_point::max)();
      const time_point now = parts.now();
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
      static_cast<void>(parts.wait(queue_changed_, lock, {.deadline = next, .stop = stop},
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
      parts.counters.add(cache_event::failures);
      static_cast<void>(take_queued());
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
      std::vector<store_reply> replies = store->ask(questions);
      for (std::size_t i = 0; i < asking.size(); ++i) {
        try {
          asking[i]->on_store_reply(std::move(replies[i]));
        } catch (...) {
          // Memory ran out. Abandons only this site, since the replies for other sites can contain
          // leases.
          parts.counters.add(cache_event::failures);
          asking[i]->abandon();
        }
      }
    }
  }

  void go_on_without_store(const shared_work& work) {
    if (work->has_ended()) {
      return publish(*work);
    }
    if (work->next() != work_step::fetch) {
      work->start_fetch();
    }
    if (!work->led().offer(work) && work->led().finishes_alone) {
      static_cast<void>(in_background(work, true));
    }
  }

  void publish(site_work& work) { cache_detail::publish(*this, work); }

  base::home_process home_{};
  std::mutex queue_mutex_;  // guards the next four members
  base::clock_condition queue_changed_;
  std::vector<shared_work> queued_;
  std::uint64_t added_ = 0;
  bool is_served_ = false;  // true if a thread runs `serve`
  stop_source closing_;
  background_threads background_;
  std::atomic<bool> has_errands_ = false;  // true if a thread will run the errands
  // Separate from `background_`, so that fetches do not delay calls to the store.
  background_threads store_threads_;
};

}  // namespace robots::cache_detail
