#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/background_threads.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/look_up_environment.hpp>
#include <robots/cache/detail/look_ups.hpp>
#include <robots/cache/detail/resilient_store.hpp>
#include <robots/cache/detail/site_work.hpp>
#include <robots/cache/detail/store_queue.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/site.hpp>
#include <robots/http/site_key.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::cache_detail {

/// Runs look-ups to their end. A blocking call does the work in the thread of the caller if enough
/// time is left. Threads of the cache do all other work. The threads of `background_` fetch, and
/// the threads of `store_threads_` call the shared store.
class look_up_runner {
 public:
  /// `cache` must outlive this object. Throws `std::invalid_argument` if there is a shared store
  /// and no thread is allowed.
  explicit look_up_runner(look_up_environment& cache)
      : cache_(cache),
        look_ups_(cache),
        queue_(cache.parts),
        background_(cache.options.background_threads, cache.parts.counters),
        store_threads_(2, cache.parts.counters) {
    if (cache.store == nullptr) {
      return;
    }
    if (cache.options.background_threads == 0) {
      throw std::invalid_argument{
          "background_threads is 0: set it to 1 or more for a cache with a shared store"};
    }
    const auto on_message = [this](std::string_view key) {
      cache_.on_message(key);
      if (key.empty()) {
        must_ask_for_rulings_ = true;
        run_errands();
      }
    };
    cache.store->watch(on_message, [this] { run_errands(); });
  }

  look_up_runner(const look_up_runner&) = delete;
  look_up_runner& operator=(const look_up_runner&) = delete;
  ~look_up_runner() { end(); }

  /// Stops the work of the threads, and waits for them.
  void end() {
    closing_.request_stop();
    if (cache_.store != nullptr) {
      cache_.store->unwatch();
    }
    store_threads_.end();
    background_.end();
    for (const shared_work& work : queue_.take_all()) {
      publish(*work);  // has no effect on flights that have not ended, which are abandoned
    }
  }

  /// Begins a look-up for a caller that does its own network I/O. The look-up can have its answer
  /// at once.
  void begin(look_up_state& state, const site& asked) {
    look_ups_.begin(state, asked);
    hand_over(state);
  }

  /// Continues a look-up of a caller that does its own network I/O, until the caller must act.
  void proceed(look_up_state& state) {
    look_ups_.proceed(state);
    hand_over(state);
  }

  /// Returns the policy of a site within the limits of a call. `tried` is a key that has no fresh
  /// entry. If `refreshes` is true, asks the site now.
  [[nodiscard]] found load(const site& asked, std::string_view tried, const call_options& call,
                           bool refreshes) {
    const call_options limits = limits_of(call);
    look_up_state state{.key = asked.key(), .context = call.context, .refreshes = refreshes};
    state.has_no_entry = state.key == tried;
    state.has_no_time =
        limits.stop.stop_requested() || (limits.deadline && *limits.deadline <= cache_.parts.now());
    if (cache_.rulings.may_be_signed_off_elsewhere(asked)) {
      if (has_time_for_store(&limits)) {
        learn_rulings({std::string{detail::without_scheme(state.key)}});
      } else {
        must_ask_for_rulings_ = true;
      }
    }
    look_ups_.begin(state, asked);
    while (state.asked) {
      if (!advance(state, limits)) {
        look_ups_.give_up(state);
      } else {
        look_ups_.proceed(state);
      }
    }
    hand_over_left(state, &limits);
    return std::move(state.answer);
  }

  [[nodiscard]] wall_anchor moment() { return cache_.parts.moment(); }

 private:
  using shared_work = std::shared_ptr<site_work>;

  /// Asks the shared store for the rulings on some sites. `sites` has the keys of the sites,
  /// without a scheme. Blocks.
  void learn_rulings(const std::vector<std::string>& sites) {
    constexpr std::size_t at_once = 64;
    for (std::size_t i = 0; i < sites.size(); i += at_once) {
      const auto batch = std::span{sites}.subspan(i, (std::min)(at_once, sites.size() - i));
      std::vector<store_question> questions;
      for (const std::string& bare_site : batch) {
        questions.push_back(look_up_environment::ruling_question(bare_site));
      }
      const std::vector<store_reply> replies = cache_.store->ask(questions);
      for (std::size_t j = 0; j < batch.size(); ++j) {
        cache_.on_ruling_reply(batch[j], replies[j]);
        if (!replies[j].is_answered) {
          must_ask_for_rulings_ = true;
        }
      }
    }
  }

  // The following members serve callers that wait for the policy (`load`).

  /// Does the next step of a look-up. Returns false if the deadline of `limits` or a stop request
  /// ended the step before it was complete.
  [[nodiscard]] bool advance(look_up_state& state, const call_options& limits) {
    hand_over_left(state, &limits);
    if (!state.work) {
      return state.place->wait(cache_.parts, limits);
    }
    if (state.work->next() == work_step::fetch) {
      return fetch(state, limits);
    }
    if (state.work->next() == work_step::ask_store && has_time_for_store(&limits)) {
      ask_store({&state.work, 1});
    } else {
      queue(std::exchange(state.work, nullptr));
    }
    return true;
  }

  /// Fetches in this thread while the call has time. After that, another thread continues, so that
  /// the fetch does not end with the call.
  [[nodiscard]] bool fetch(look_up_state& state, const call_options& limits) {
    const bool may_stop = limits.stop.stop_possible();
    if (!limits.deadline && !may_stop) {
      fetch_here(*state.work);
      return true;
    }
    if (!may_stop && cache_.parts.advance(state.work->fetch(), *limits.deadline)) {
      return true;  // `look_ups::proceed` handles the result
    }
    // A call with enough time for an exchange fetches in this thread if no other thread is free.
    const auto timeout = cache_.options.timeout;
    const bool in_haste =
        limits.deadline && (timeout.count() == 0 ||
                            *limits.deadline < base::saturating_add(cache_.parts.now(), timeout));
    if (in_background(state.work, in_haste)) {
      state.work = nullptr;
      return true;
    }
    auto result = cache_.parts.run(std::move(state.work->fetch()), limits);
    const bool is_stopped = limits.stop.stop_requested();
    const bool is_over = result.outcome == outcome::cancelled || (result.cut_short && is_stopped);
    if (result.outcome == outcome::cancelled && cache_.options.background_threads > 0) {
      state.work->start_fetch();
      static_cast<void>(in_background(state.work, true));
      state.work = nullptr;
    } else {
      state.work->on_fetched(std::move(result), is_stopped);
    }
    return !is_over;
  }

  [[nodiscard]] call_options limits_of(const call_options& call) {
    call_options limits = call;
    const auto longest = call.timeout.value_or(cache_.options.longest_call);
    if (longest.count() > 0) {
      const time_point until = base::saturating_add(cache_.parts.now(), longest);
      limits.deadline = (std::min)(call.deadline.value_or(until), until);
    }
    return limits;
  }

  [[nodiscard]] bool has_time_for_store(const call_options* limits) {
    return limits != nullptr &&
           (!limits->deadline ||
            *limits->deadline >=
                base::saturating_add(cache_.parts.now(), cache_.store->options().patience));
  }

  // The part for threads of the cache.

  /// Gives the steps that can block to threads of the cache.
  void hand_over(look_up_state& state) {
    hand_over_left(state, nullptr);
    if (state.work && state.work->next() != work_step::fetch) {
      queue(std::exchange(state.work, nullptr));
    }
  }

  /// Gives the work in `state.left`, for which nobody waits, to threads of the cache. But if
  /// `limits` leave enough time for the shared store, the calling thread publishes results. Null
  /// `limits` leave no time.
  void hand_over_left(look_up_state& state, const call_options* limits) {
    for (shared_work& work : std::exchange(state.left, {})) {
      const work_step step = work->next();
      if (step == work_step::publish && has_time_for_store(limits)) {
        publish(*work);
      } else if (step == work_step::fetch) {
        // If no thread is free, a renewal waits for the next call.
        static_cast<void>(in_background(work, false));
      } else if (step != work_step::done) {
        queue(std::move(work));
      }
    }
  }

  /// Lets a thread of the cache fetch and publish. Returns false if no thread is free and
  /// `may_wait` is false.
  [[nodiscard]] bool in_background(const shared_work& work, bool may_wait) {
    return background_.run(
        [this, work] {
          const stop_callback<std::function<void()>> closing{
              closing_.get_token(), [led = work->led()] { led->stop.request_stop(); }};
          fetch_here(*work);
          publish(*work);
        },
        may_wait);
  }

  void fetch_here(site_work& work) {
    const stop_token stop = work.led()->stop.get_token();
    auto result = cache_.parts.run(std::move(work.fetch()), {.deadline = {}, .stop = stop});
    work.on_fetched(std::move(result), stop.stop_requested());
  }

  // The part for the shared store.

  /// Lets a thread make the calls that the shared store has missed. If necessary, the thread also
  /// asks the store for rulings.
  void run_errands() noexcept {
    if (has_errands_.exchange(true)) {
      return;
    }
    const auto errands = [this] {
      has_errands_ = false;
      cache_.store->deliver();
      if (must_ask_for_rulings_.exchange(false)) {
        learn_rulings(cache_.rulings.sites_to_ask_about());
      }
    };
    try {
      if (store_threads_.run(errands, true)) {
        return;
      }
    } catch (...) {
      cache_.parts.counters.add(cache_event::failures);  // no memory
    }
    has_errands_ = false;  // a later call runs the errands
  }

  /// Adds work to `queue_`. A thread for the store asks the store when the work is due.
  void queue(shared_work work) {
    if (!queue_.add(std::move(work))) {
      return;
    }
    bool is_served = false;
    try {
      is_served = store_threads_.run([this] { serve(); }, true);
    } catch (...) {
      cache_.parts.counters.add(cache_event::failures);  // no memory
    }
    if (!is_served) {
      for (const shared_work& waiting : queue_.take_all()) {
        go_on_without_store(waiting);
      }
    }
  }

  void serve() {
    try {
      for (auto due = queue_.take_due(closing_.get_token()); !due.empty();
           due = queue_.take_due(closing_.get_token())) {
        ask_store(due);
        for (shared_work& work : due) {
          if (work->next() == work_step::wait) {
            static_cast<void>(queue_.add(std::move(work)));
          } else {
            go_on_without_store(work);
          }
        }
      }
    } catch (...) {
      // Memory ran out, so all flights are abandoned, even flights that were not due yet.
      cache_.parts.counters.add(cache_event::failures);
      static_cast<void>(queue_.take_all());
    }
  }

  /// Asks the store until each flight has ended, must wait, or must fetch. The first round trip
  /// asks for all flights. A second round trip asks for the flights that need the lease. Blocks.
  void ask_store(std::span<const shared_work> works) {
    for (bool is_first = true;; is_first = false) {
      std::vector<site_work*> asking;
      std::vector<store_question> questions;
      std::vector<std::string> sites;
      for (const shared_work& work : works) {
        if (work->next() == work_step::ask_store) {
          asking.push_back(work.get());
          questions.push_back(work->question());
          if (is_first) {
            sites.emplace_back(detail::without_scheme(work->led()->site_key));
          }
        }
      }
      if (asking.empty()) {
        return;
      }
      for (const std::string& bare_site : sites) {
        questions.push_back(look_up_environment::ruling_question(bare_site));
      }
      std::vector<store_reply> replies = cache_.store->ask(questions);
      for (std::size_t i = 0; i < sites.size(); ++i) {
        cache_.on_ruling_reply(sites[i], replies[asking.size() + i]);
      }
      if (replies.front().is_answered && must_ask_for_rulings_) {
        run_errands();
      }
      for (std::size_t i = 0; i < asking.size(); ++i) {
        try {
          asking[i]->on_store_reply(std::move(replies[i]));
        } catch (...) {
          // There is no memory for this site. The other sites must still get the leases in their
          // replies.
          cache_.parts.counters.add(cache_event::failures);
          asking[i]->abandon();
        }
      }
    }
  }

  /// Publishes the record of finished work. If the work is not finished, a waiting caller takes the
  /// work over. If nobody waits and `flight::finishes_alone` is true, a thread of the cache takes
  /// the work over.
  void go_on_without_store(const shared_work& work) {
    if (work->has_ended()) {
      return publish(*work);
    }
    if (work->next() != work_step::fetch) {
      work->start_fetch();
    }
    const std::shared_ptr<flight> led = work->led();
    if (!led->offer(work) && led->finishes_alone) {
      static_cast<void>(in_background(work, true));
    }
  }

  /// Publishes the result of a flight and releases the lease. Blocks.
  void publish(site_work& work) {
    if (work.next() != work_step::publish) {
      return;
    }
    const flight& led = *work.led();
    resilient_store& store = *cache_.store;
    const bool is_wanted = !work.value().empty() && !led.detached;
    publish_answer answer = publish_answer::failed;
    if (is_wanted && work.lease()) {
      answer = store.publish(led.site_key, work.value(), work.lifetime(), *work.lease());
    }
    for (const std::string& key : work.on_published(answer)) {
      store.owe(key);
    }
    store.release_and_catch_up();
    if (is_wanted && work.announces() && answer != publish_answer::lost && !led.detached) {
      store.announce(led.site_key);
    }
  }

  look_up_environment& cache_;
  look_ups look_ups_;
  store_queue queue_;
  stop_source closing_;
  background_threads background_;
  std::atomic<bool> has_errands_ = false;           // a thread is about to run the errands
  std::atomic<bool> must_ask_for_rulings_ = false;  // ask for rulings when the store answers again
  // Separate, so that fetches do not delay calls to the store.
  background_threads store_threads_;
};

}  // namespace robots::cache_detail
