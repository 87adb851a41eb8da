#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/background_threads.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/exclusion_list.hpp>
#include <robots/cache/detail/flight.hpp>
#include <robots/cache/detail/guarded_store.hpp>
#include <robots/cache/detail/look_up_state.hpp>
#include <robots/cache/detail/policy_loader.hpp>
#include <robots/cache/detail/retrieval_job.hpp>
#include <robots/cache/detail/store_asker.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/site.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::cache_detail {

/// Runs the jobs of look-ups with the blocking parts of the cache: in the thread of a call, or in
/// threads of the cache's own. So it does with what a look-up asks the shared store, or tells it.
class job_runner {
 public:
  /// The arguments outlive it; `store` is null when nothing is shared. Throws
  /// `std::invalid_argument` when something is, and there are no threads for it.
  job_runner(const cache_options& options, const exclusion_list& excluded, cache_parts& parts,
             policy_loader& loader, guarded_store* store)
      : options_(options),
        parts_(parts),
        loader_(loader),
        store_(store),
        background_(options.background_threads, parts.counters),
        store_threads_(2, parts.counters) {
    if (store_ == nullptr) {
      return;
    }
    if (options.background_threads == 0) {
      throw std::invalid_argument{
          "background_threads is 0: a cache with a shared store needs 1 at least"};
    }
    asker_.emplace(*store_, parts_, excluded, loader_.maker(), loader_.kept());
    store_->watch([this](std::string_view key) { loader_.be_told(key); });
  }

  job_runner(const job_runner&) = delete;
  job_runner& operator=(const job_runner&) = delete;
  ~job_runner() { end(); }

  /// Stops what is under way in threads, and waits for them.
  void end() {
    closing_.request_stop();
    if (store_ != nullptr) {
      store_->unwatch();
    }
    // Each may still be given work by the other, and by what the asker drops.
    store_threads_.end();
    background_.end();
    asker_.reset();
  }

  /// Begins a look-up, of which this may already be the end.
  [[nodiscard]] look_up_state begin(const site& where, const std::string& key,
                                    std::shared_ptr<const call_context> context,
                                    std::size_t agent) {
    look_up_state at = loader_.begin(where, key, std::move(context), false, agent);
    run_errands(at);
    return at;
  }

  /// Goes on with a look-up as far as it gets by itself.
  void proceed(look_up_state& at) {
    loader_.proceed(at);
    run_errands(at);
  }

  /// Tells the shared store of invalidations, in a thread of the cache's own.
  void deliver() {
    if (store_ == nullptr || is_delivering_.exchange(true)) {
      return;
    }
    const bool is_sent = store_threads_.run(
        [this] {
          is_delivering_ = false;
          store_->deliver();
        },
        true);
    if (!is_sent) {
      is_delivering_ = false;  // a later call delivers
    }
  }

  /// What the clock shows.
  [[nodiscard]] wall_anchor moment() { return parts_.moment(); }

  /// The policy of a site, however long it takes, within the limits of the call.
  /// With `refresh`, one that is fetched now.
  [[nodiscard]] found load(const site& where, const std::string& key, const call_options& call,
                           bool refresh = false) {
    const call_options limits = limits_of(call);
    if (is_over(limits)) {
      if (found kept = refresh ? found{} : loader_.find_stale(where, key, call.context);
          kept.policy) {
        return kept;
      }
    } else {
      look_up_state at = loader_.begin(where, key, call.context, refresh);
      if (finish(at, limits)) {
        return at.answer;
      }
    }
    return loader_.given_up(where, key);
  }

 private:
  /// Does what a look-up leaves to others: in this thread only what asks the store, and only when
  /// the caller blocks, within its limits.
  void run_errands(look_up_state& at, const call_options* limits = nullptr) {
    errands left = std::exchange(at.to_do, {});
    // Without a free thread, a renewal waits for the next call.
    if (left.renewal) {
      static_cast<void>(in_background(std::move(left.renewal), false));
    }
    publish(left.news);
    if (!left.question) {
      return;
    }
    const bool asks_here =
        limits != nullptr && !left.question->renews &&
        (!limits->deadline ||
         *limits->deadline >= base::saturating_add(parts_.now(), store_->options().patience));
    if (asks_here) {
      asker_->ask({&left.question, 1});
    }
    switch (left.question->next) {
      case after_store::done:
        break;
      case after_store::ask_site:
        loader_.give_job(at, std::move(left.question->lead));
        break;
      case after_store::look_again:
        ask_later(std::move(left.question));
    }
  }

  /// Brings a look-up to its end with blocking parts; false when the call was over first.
  [[nodiscard]] bool finish(look_up_state& at, const call_options& limits) {
    while (run_errands(at, &limits), !at.answer.policy) {
      std::shared_ptr<retrieval_job> job = std::move(at.job);
      // What this caller has no time for, another thread does, so that it need not end when the
      // caller leaves.
      const bool may_stop = limits.stop.stop_possible();
      const bool is_done =
          job && limits.deadline && !may_stop && parts_.advance(job->work, *limits.deadline);
      const bool may_leave = !is_done && (limits.deadline || may_stop);
      if (job && may_leave) {
        job = send_off(std::move(job), limits);
      }
      if (job) {
        if (!(may_leave ? bring_for(*job, limits) : bring(*job))) {
          return false;
        }
      } else if (!at.asked.back().place->wait(parts_, limits)) {
        return false;
      }
      loader_.proceed(at);
    }
    return true;
  }

  /// Does a job for as long as anybody wants it.
  bool bring(retrieval_job& job) {
    auto result = parts_.run(std::move(job.work), {.deadline = {}, .stop = job.stop});
    publish(loader_.complete(job, std::move(result), job.stop.stop_requested()));
    return true;
  }

  /// Does a job within the limits of a call. False when they ended it: then the job is for the next
  /// thread that is free.
  [[nodiscard]] bool bring_for(retrieval_job& job, const call_options& limits) {
    auto result = parts_.run(std::move(job.work), limits);
    const bool is_stopped = limits.stop.stop_requested();
    const bool cut_short = result.outcome == outcome::cancelled || (result.cut_short && is_stopped);
    if (result.outcome == outcome::cancelled && options_.background_threads > 0) {
      // Dropped, and the flight given up, only when the cache ends.
      static_cast<void>(in_background(loader_.make_job(std::move(job.lead)), true));
    } else {
      publish(loader_.complete(job, std::move(result), is_stopped));
    }
    return !cut_short;
  }

  /// Does a job in a thread of the cache's own.
  void bring_alone(retrieval_job& job) {
    const auto led = job.lead.share();
    if (!led->finishes_alone()) {
      bring_until_closing(job);
      return;
    }
    const auto rest = std::make_shared<look_up_state>(loader_.follow_up(job));
    bring_until_closing(job);
    if (led->now() == flight::state::redirected) {
      go_on_alone(rest);
    }
  }

  void bring_until_closing(retrieval_job& job) {
    const auto led = job.lead.share();
    const std::stop_callback closing{closing_.get_token(), [led] { led->request_stop(); }};
    bring(job);
  }

  /// Goes on with a look-up in a thread of the cache's own. Whoever leads the flight that it waits
  /// for may wait for this very thread: so it does not block, but is queued when there is news.
  void go_on_alone(const std::shared_ptr<look_up_state>& rest) {
    while (!closing_.stop_requested()) {
      proceed(*rest);
      if (rest->answer.policy) {
        return;
      }
      const auto job = std::move(rest->job);
      if (!job) {
        return rest->call_on_news([this, rest] {
          try {
            static_cast<void>(background_.run([this, rest] { go_on_alone(rest); }, true));
          } catch (...) {
            // No memory: those who wait go on themselves.
            parts_.counters.add(cache_event::failures);
          }
        });
      }
      bring_until_closing(*job);
    }
  }

  /// Lets another thread do the job. Gives it back when none is free and it may not wait for one.
  [[nodiscard]] std::shared_ptr<retrieval_job> in_background(std::shared_ptr<retrieval_job> job,
                                                             bool may_wait) {
    const bool sent = background_.run([this, job] { bring_alone(*job); }, may_wait);
    return sent ? nullptr : std::move(job);
  }

  /// Tells the store what came of a flight, and ends it: here if this thread may block, else in
  /// another one.
  void publish(const std::shared_ptr<publication>& news) {
    if (!news) {
      return;
    }
    const std::function<void()> tell = [this, news] {
      flight& led = news->lead.led();
      if (!news->value.empty() && !led.detached()) {
        share(led, *news);
      }
      led.known().lease.reset();
      store_->give_back();
      news->lead.end(news->made);
    };
    // Not behind what waits for the web.
    if (background_.is_here()) {
      try {
        tell();
      } catch (...) {
        parts_.counters.add(cache_event::failures);  // no memory: the flight is given up
      }
    } else if (!background_.run(tell) && !store_threads_.run(tell, true)) {
      news->lead.end(news->made);
    }
  }

  /// Gives the other processes what came of a flight.
  void share(const flight& led, const publication& news) {
    const known_site& known = led.known();
    const auto answer = known.lease ? store_->publish(led.site(), news.value, news.lifetime,
                                                      known.lease.get_deleter().lease)
                                    : publish_answer::failed;
    if (answer == publish_answer::lost) {
      // A lease that ended before its time was erased or taken over, and what came under it is not
      // wanted. One that expired says nothing: the answer stays in this process.
      if (parts_.now() < known.lease_until) {
        loader_.forget(led.where());
      }
    } else if (led.detached()) {
      store_->erase(led.site());
    } else if (known.announces()) {
      // What the store has under the site's other names is older, and under its own if this failed.
      for (const site& name : names_of(led.where())) {
        if (name != led.where() || answer == publish_answer::failed) {
          store_->erase(name.key());
        }
      }
      store_->announce(led.site());
    }
  }

  /// Has the thread for the store ask for a site when it is time to.
  void ask_later(std::unique_ptr<store_job> question) {
    if (asker_->add(std::move(question)) && !store_threads_.run([this] { serve(); }, true)) {
      for (auto& each : asker_->take_all()) {
        leave_to_waiters(std::move(each));
      }
    }
  }

  /// Asks the store for what others are to have asked.
  void serve() {
    try {
      for (auto due = asker_->take_due(closing_.get_token()); !due.empty();
           due = asker_->take_due(closing_.get_token())) {
        asker_->ask(due);
        for (auto& job : due) {
          if (job->next == after_store::look_again) {
            static_cast<void>(asker_->add(std::move(job)));
          } else if (job->next == after_store::ask_site) {
            leave_to_waiters(std::move(job));
          }
        }
      }
    } catch (...) {
      // No memory: the flights are given up, those whose time has not come too.
      parts_.counters.add(cache_event::failures);
      static_cast<void>(asker_->take_all());
    }
  }

  /// Has one of those who wait ask the site; where nobody does and it is wanted all the same, a
  /// thread of the cache's own.
  void leave_to_waiters(std::unique_ptr<store_job> question) {
    if (!question->lead.offer() && question->lead.led().finishes_alone()) {
      static_cast<void>(in_background(loader_.make_job(std::move(question->lead)), true));
    }
  }

  /// Lets another thread do the job of a call that may leave. Gives it back when none is free and
  /// the call has the time for an exchange.
  [[nodiscard]] std::shared_ptr<retrieval_job> send_off(std::shared_ptr<retrieval_job> job,
                                                        const call_options& limits) {
    const auto timeout = options_.timeout;
    const bool in_haste =
        limits.deadline &&
        (timeout.count() == 0 || *limits.deadline < base::saturating_add(parts_.now(), timeout));
    return in_background(std::move(job), in_haste);
  }

  [[nodiscard]] call_options limits_of(const call_options& call) {
    call_options limits = call;
    const auto longest = call.longest.value_or(options_.longest_call);
    if (longest.count() > 0) {
      const time_point until = base::saturating_add(parts_.now(), longest);
      limits.deadline = std::min(call.deadline.value_or(until), until);
    }
    return limits;
  }

  [[nodiscard]] bool is_over(const call_options& call) {
    return call.stop.stop_requested() || (call.deadline && *call.deadline <= parts_.now());
  }

  const cache_options& options_;
  cache_parts& parts_;
  policy_loader& loader_;
  guarded_store* const store_;
  std::optional<store_asker> asker_{};  // if there is a store
  std::stop_source closing_;
  background_threads background_;
  std::atomic<bool> is_delivering_ = false;
  background_threads store_threads_;  // to ask the store and to tell it, whatever else goes on
};

}  // namespace robots::cache_detail
