#pragma once

#include <robots/base/process.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/cache/detail/background_threads.hpp>
#include <robots/cache/detail/far_side.hpp>
#include <robots/cache/detail/site_look_up.hpp>
#include <robots/fetch/run_retrieval.hpp>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace robots::cache_detail {

/// The threads of a cache, and the rules by which they get the works that no look-up does.
///
///     blocking_driver (a call that blocks) --+
///                                            +--> other works of the look-up, and works that it
///     look_up (an event loop) ---------------+    passes on
///                                                      |
///              fetch: background_threads <-------------+-------------> store steps: far_side
///                 request, judge, keep, end the flight                    ask, wait, publish
///
/// A work is owned by the look-up that does it, or by the thread that it was passed on to. Its
/// flight has the result for all look-ups that wait.
class cache_threads {
 public:
  using shared_work = far_side::shared_work;

  /// Throws `std::invalid_argument` if there is a shared store but `background_threads` is 0.
  /// `cache` must outlive this object.
  explicit cache_threads(look_up_environment& cache)
      : cache_(cache), background_(cache.options.background_threads, cache.parts.counters) {
    if (!cache.far_tier) {
      return;
    }
    if (cache.options.background_threads == 0) {
      throw std::invalid_argument{
          "background_threads is 0: set it to 1 or more for a cache with a shared store"};
    }
    cache.far_tier->start(
        [this](const shared_work& work) { static_cast<void>(fetch_in_background(work, true)); });
  }

  /// Returns false in a child of the process that made the cache. The child has no threads of the
  /// cache, and the store reports no changes to it.
  [[nodiscard]] bool is_here() const noexcept { return home_.is_here(); }
  void check_process() const { home_.require("basic_robots_cache"); }

  /// Stops the threads and waits for them. The owner must call this before the destructor.
  void end() {
    closing_.request_stop();
    if (cache_.far_tier) {
      cache_.far_tier->end();
    }
    background_.end();
    if (cache_.far_tier) {
      cache_.far_tier->publish_rest();
    }
  }

  /// Continues a look-up of an event loop until the loop must send a request or wait. Never blocks.
  void proceed(site_look_up& look) {
    check_process();
    look.proceed();
    take_over_other_works(look, {.deadline = (time_point::min)()});
    if (look.work() && look.work()->next() != work_step::fetch) {
      cache_.far_tier->queue(look.pass_work_on());
    }
  }

  /// Publishes the ended works of `look` that nobody waits for while there is time. Threads do the
  /// rest.
  void take_over_other_works(site_look_up& look, const call_options& limits) {
    for (shared_work& work : look.take_other_works()) {
      const work_step step = work->next();
      if (step == work_step::publish && cache_.far_tier->has_time(limits)) {
        cache_.far_tier->publish(*work);
      } else if (step == work_step::fetch) {
        // If no thread is free, the renewal is dropped, and the next look-up begins another.
        static_cast<void>(fetch_in_background(work, false));
      } else if (step != work_step::done) {
        cache_.far_tier->queue(std::move(work));
      }
    }
  }

  /// Asks the shared store about the work of `look` in this thread if there is time. Otherwise, a
  /// thread of the far side does the store step.
  void do_store_step(site_look_up& look, const call_options& limits) {
    far_side& far_tier = *cache_.far_tier;
    if (look.work()->next() == work_step::ask_store && far_tier.has_time(limits)) {
      far_tier.ask(look.work());
    } else {
      far_tier.queue(look.pass_work_on());
    }
  }

  /// Fetches and publishes in a background thread. Returns the result of `background_threads::run`.
  [[nodiscard]] bool fetch_in_background(const shared_work& work, bool may_wait) {
    return background_.run(
        [this, work] {
          if (is_forbidden_now(*work)) {  // a ruling was made while the work waited for a thread
            work->abandon();
            return publish(*work);
          }
          stop_source& stop = work->own_flight().stop;
          const stop_callback<std::function<void()>> closing{closing_.get_token(),
                                                             [&stop] { stop.request_stop(); }};
          auto result = detail::run_retrieval(std::move(work->fetch()), cache_.parts,
                                              {.stop = stop.get_token()});
          work->on_fetched(std::move(result), stop.stop_requested(), cache_.parts.moment());
          publish(*work);
        },
        may_wait, [work] { return work->own_flight().is_awaited(); });
  }

  /// Returns true if one of the user's rulings forbids requests to the site of `work`.
  [[nodiscard]] bool is_forbidden_now(const site_work& work) {
    return cache_.view && !cache_.rulings.may_ask(work.own_flight().asked());
  }

 private:
  /// Publishes what the work has for other processes.
  void publish(site_work& ended) {
    if (cache_.far_tier) {
      cache_.far_tier->publish(ended);
    }
  }

  look_up_environment& cache_;
  base::home_process home_{};
  stop_source closing_;
  background_threads background_;  // for fetches
};

}  // namespace robots::cache_detail
