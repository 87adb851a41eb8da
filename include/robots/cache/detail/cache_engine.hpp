#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/background_threads.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/kept_sites.hpp>
#include <robots/cache/detail/look_up_environment.hpp>
#include <robots/cache/detail/resilient_store.hpp>
#include <robots/cache/detail/site_look_up.hpp>
#include <robots/cache/detail/site_work.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/host.hpp>
#include <robots/http/site.hpp>
#include <robots/time/clock.hpp>

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

/// A cache without the user's types. Runs look-ups to their end. A blocking call does the work in
/// the thread of the caller if enough time is left. Threads of the cache do all other work. The
/// threads of `background_` fetch, and the threads of `store_threads_` call the shared store.
class cache_engine : public look_up_environment {
 public:
  /// Throws `std::invalid_argument` if options contradict each other, or if there is a shared store
  /// and no thread is allowed. `own` must outlive this object. `shared` is empty if nothing is
  /// shared.
  cache_engine(cache_options&& user_options, cache_parts& own, const shared_part& shared)
      : look_up_environment(std::move(user_options), own, shared),
        queue_(parts),
        background_(options.background_threads, parts.counters),
        store_threads_(2, parts.counters) {
    if (store == nullptr) {
      return;
    }
    if (options.background_threads == 0) {
      throw std::invalid_argument{
          "background_threads is 0: set it to 1 or more for a cache with a shared store"};
    }
    const auto learn = [this](std::string_view key) {
      on_message(key);
      if (key.empty()) {
        must_ask_for_rulings_ = true;
        run_errands();
      }
    };
    store->watch(learn, [this] { run_errands(); });
  }

  /// Stops the threads, and waits for them. Call this function before the destruction.
  void end() {
    closing_.request_stop();
    if (store != nullptr) {
      store->unwatch();
    }
    store_threads_.end();
    background_.end();
    for (const shared_work& work : queue_.take_all()) {
      publish(*work);  // a flight that has not ended is abandoned instead
    }
  }

  /// Continues a look-up of a caller that does its own network I/O, until the caller must act.
  /// Gives the steps that can block to threads of the cache.
  void proceed(site_look_up& look) {
    look.proceed();
    hand_over_left(look, {.deadline = (time_point::min)()});
    if (look.work && look.work->next() != work_step::fetch) {
      queue(std::exchange(look.work, nullptr));
    }
  }

  /// Returns the policy of a site within the limits of a call. If `refreshes` is true, asks the
  /// site now.
  [[nodiscard]] found load(const site& asked, const call_options& call, bool refreshes) {
    const call_options limits = limits_of(call);
    site_look_up look{*this, call.context, 0};
    look.start(asked);
    look.refreshes = refreshes;
    look.has_no_time =
        limits.stop.stop_requested() || (limits.deadline && *limits.deadline <= parts.now());
    if (rulings.may_be_signed_off_elsewhere(asked)) {
      if (has_time_for_store(limits)) {
        learn_rulings({std::string{detail::without_scheme(look.key)}});
      } else {
        must_ask_for_rulings_ = true;
      }
    }
    for (look.proceed(); look.asked; look.proceed()) {
      if (!advance(look, limits)) {
        look.give_up();
      }
    }
    hand_over_left(look, limits);
    return std::move(look.answer);
  }

  rate_limit refusals{1, 4'096};  ///< limits the events about one refusal to one in ten seconds

 private:
  using shared_work = std::shared_ptr<site_work>;

  /// Asks the shared store for the rulings on some sites. `sites` has the keys of the sites,
  /// without a scheme. Blocks.
  void learn_rulings(const std::vector<std::string>& sites) {
    constexpr std::size_t at_once = 64;
    for (auto next = sites.begin(); next != sites.end();) {
      std::vector<store_question> questions;
      for (; next != sites.end() && questions.size() < at_once; ++next) {
        questions.push_back(ruling_question(*next));
      }
      const std::vector<store_reply> replies = store->ask(questions);
      for (std::size_t i = 0; i < questions.size(); ++i) {
        on_ruling_reply(questions[i].lease_key, replies[i]);
        must_ask_for_rulings_ = must_ask_for_rulings_ || !replies[i].is_answered;
      }
    }
  }

  /// Does the next step of a look-up. Returns false if the deadline of `limits` or a stop request
  /// ended the step before it was complete.
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

  /// Fetches in this thread while the call has time. After that, another thread continues, so that
  /// the fetch does not end with the call.
  [[nodiscard]] bool fetch(site_look_up& look, const call_options& limits) {
    const bool may_stop = limits.stop.stop_possible();
    if (!limits.deadline && !may_stop) {
      fetch_here(*look.work);
      return true;
    }
    if (!may_stop && parts.advance(look.work->fetch(), *limits.deadline)) {
      return true;  // `site_look_up::proceed` handles the result
    }
    // A call with enough time for an exchange fetches in this thread if no other thread is free.
    const auto timeout = options.timeout;
    const bool in_haste =
        limits.deadline &&
        (timeout.count() == 0 || *limits.deadline < base::saturating_add(parts.now(), timeout));
    if (in_background(look.work, in_haste)) {
      look.work = nullptr;
      return true;
    }
    auto result = parts.run(std::move(look.work->fetch()), limits);
    const bool is_stopped = limits.stop.stop_requested();
    const bool is_over = result.outcome == outcome::cancelled || (result.cut_short && is_stopped);
    if (result.outcome == outcome::cancelled && options.background_threads > 0) {
      look.work->start_fetch();
      static_cast<void>(in_background(look.work, true));
      look.work = nullptr;
    } else {
      look.work->on_fetched(std::move(result), is_stopped);
    }
    return !is_over;
  }

  [[nodiscard]] call_options limits_of(const call_options& call) {
    call_options limits = call;
    const auto longest = call.timeout.value_or(options.longest_call);
    if (longest.count() > 0) {
      const time_point until = base::saturating_add(parts.now(), longest);
      limits.deadline = (std::min)(call.deadline.value_or(until), until);
    }
    return limits;
  }

  [[nodiscard]] bool has_time_for_store(const call_options& limits) {
    return !limits.deadline ||
           *limits.deadline >= base::saturating_add(parts.now(), store->options().patience);
  }

  /// Gives the work in `look.left`, for which nobody waits, to threads of the cache. But if
  /// `limits` leave enough time for the shared store, the calling thread publishes results.
  void hand_over_left(site_look_up& look, const call_options& limits) {
    for (shared_work& work : std::exchange(look.left, {})) {
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
              closing_.get_token(), [&led = work->led()] { led.stop.request_stop(); }};
          fetch_here(*work);
          publish(*work);
        },
        may_wait);
  }

  void fetch_here(site_work& work) {
    const stop_token stop = work.led().stop.get_token();
    auto result = parts.run(std::move(work.fetch()), {.deadline = {}, .stop = stop});
    work.on_fetched(std::move(result), stop.stop_requested());
  }

  /// Lets a thread make the calls to the shared store that `resilient_store::owe` noted. If
  /// necessary, the thread also asks the store for rulings.
  void run_errands() noexcept {
    if (has_errands_.exchange(true)) {
      return;
    }
    const auto errands = [this] {
      has_errands_ = false;
      store->deliver();
      if (must_ask_for_rulings_.exchange(false)) {
        learn_rulings(rulings.sites_to_ask_about());
      }
    };
    if (!store_threads_.run(errands, true)) {
      has_errands_ = false;  // a later call runs the errands
    }
  }

  /// Adds work to `queue_`. A thread for the store asks the store when the work is due.
  void queue(shared_work work) {
    if (queue_.add(std::move(work)) && !store_threads_.run([this] { serve(); }, true)) {
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
      parts.counters.add(cache_event::failures);
      static_cast<void>(queue_.take_all());
    }
  }

  /// Asks the store about `works` until each flight has ended, must wait, or must fetch. The first
  /// round trip asks for all flights, and a second asks for the flights that need the lease.
  /// Blocks.
  void ask_store(std::span<const shared_work> works) {
    for (bool is_first = true;; is_first = false) {
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
      if (is_first) {
        for (const site_work* work : asking) {
          questions.push_back(ruling_question(detail::without_scheme(work->led().site_key)));
        }
      }
      std::vector<store_reply> replies = store->ask(questions);
      for (std::size_t i = asking.size(); i < questions.size(); ++i) {
        on_ruling_reply(questions[i].lease_key, replies[i]);
      }
      if (replies.front().is_answered && must_ask_for_rulings_) {
        run_errands();
      }
      for (std::size_t i = 0; i < asking.size(); ++i) {
        try {
          asking[i]->on_store_reply(std::move(replies[i]));
        } catch (...) {
          // The memory ran out for this site. The other sites must still get the leases in their
          // replies.
          parts.counters.add(cache_event::failures);
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
    if (!work->led().offer(work) && work->led().finishes_alone) {
      static_cast<void>(in_background(work, true));
    }
  }

  /// Publishes the result of a flight and releases the lease. Blocks.
  void publish(site_work& work) {
    if (work.next() != work_step::publish) {
      return;
    }
    const flight& led = work.led();
    const bool is_wanted = !work.value().empty() && !led.detached;
    publish_answer answer = publish_answer::failed;
    if (is_wanted && work.lease()) {
      answer = store->publish(led.site_key, work.value(), work.lifetime(), *work.lease());
    }
    for (const std::string& key : work.on_published(answer)) {
      store->owe(key);
    }
    store->release_and_catch_up();
    if (is_wanted && work.announces() && answer != publish_answer::lost && !led.detached) {
      store->announce(led.site_key);
    }
  }

  store_queue queue_;
  stop_source closing_;
  background_threads background_;
  std::atomic<bool> has_errands_ = false;           // a thread is about to run the errands
  std::atomic<bool> must_ask_for_rulings_ = false;  // as soon as the store answers again
  // Separate from `background_`, so that fetches do not delay calls to the store.
  background_threads store_threads_;
};

}  // namespace robots::cache_detail
