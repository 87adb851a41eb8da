#pragma once

#include <robots/base/process.hpp>
#include <robots/cache/detail/background_threads.hpp>
#include <robots/cache/detail/rate_limit.hpp>
#include <robots/cache/detail/site_look_up.hpp>
#include <robots/cache/detail/store_worker.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace robots::cache_detail {

/// Runs each look-up to its end. Uses the thread of a blocking call if the call has enough time.
/// Otherwise, uses threads of the cache.
class cache_engine : public look_up_environment {
 public:
  /// Throws `std::invalid_argument` for invalid options, or if there is a shared store but
  /// `background_threads` is 0. `own` must outlive this object.
  cache_engine(cache_options&& user_options, cache_parts& own, const shared_part& shared)
      : look_up_environment(std::move(user_options), own, shared),
        background_(options.background_threads, parts.counters) {
    if (store == nullptr) {
      return;
    }
    if (options.background_threads == 0) {
      throw std::invalid_argument{
          "background_threads is 0: set it to 1 or more for a cache with a shared store"};
    }
    store_worker_.emplace(*this, closing_.get_token(), [this](const shared_work& work) {
      static_cast<void>(in_background(work, true));
    });
    store->watch([this](std::string_view key) { on_message(key); },
                 [this] { store_worker_->run_errands(); });
  }

  /// Returns false in a child of the process that made the cache. The child has no threads of the
  /// cache, and the store reports no changes to it.
  [[nodiscard]] bool is_here() const noexcept { return home_.is_here(); }
  void check_process() const { home_.require("basic_robots_cache"); }

  /// Stops the threads and waits for them. The owner must call this before the destructor.
  void end() {
    closing_.request_stop();
    if (store_worker_) {
      store->unwatch();
      store_worker_->end();
    }
    background_.end();
    if (store_worker_) {
      store_worker_->publish_rest();
    }
  }

  /// Continues a look-up until its caller must send a request or wait. Never blocks.
  void proceed(site_look_up& look) {
    check_process();
    look.proceed();
    hand_over_other_works(look, {.deadline = (time_point::min)()});
    if (look.work() && look.work()->next() != work_step::fetch) {
      store_worker_->queue(look.pass_work_on());
    }
  }

  /// Returns the policy of a site. Obeys the deadline, timeout and stop token of `call`. If `asked`
  /// is null, denies `url`, which names no site.
  [[nodiscard]] found load(std::shared_ptr<const site_keys> asked, std::string_view url,
                           const call_options& call, bool refreshes = false) {
    check_process();
    if (!asked) {
      return ruling_on({}, url);
    }
    call_options limits = call;
    if (const time_point until = detail::end_of_look_up(call, options.longest_call, parts.now());
        until != (time_point::max)()) {
      limits.deadline = (std::min)(call.deadline.value_or(until), until);
    }
    site_look_up look{
        *this,
        std::move(asked),
        {.context = call.context, .refreshes = refreshes, .has_no_time = !has_time(limits)}};
    wait_for_rulings(limits);
    for (look.proceed(); look.next() != look_up_step::answered; look.proceed()) {
      if (!advance(look, limits)) {
        look.give_up();
      }
    }
    hand_over_other_works(look, limits);
    return look.take_answer();
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
    hand_over_other_works(look, limits);
    if (look.next() == look_up_step::wait) {
      return look.wait(limits);
    }
    const work_step step = look.work()->next();
    if (step == work_step::fetch) {
      return fetch(look, limits);
    }
    if (step == work_step::ask_store && has_time_for_store(limits)) {
      store_worker_->ask_store({&look.work(), 1});
    } else {
      store_worker_->queue(look.pass_work_on());
    }
    return true;
  }

  /// Uses another thread if the fetch may outlast the call. Returns false if the call has ended.
  [[nodiscard]] bool fetch(site_look_up& look, const call_options& limits) {
    site_work& work = *look.work();
    const bool may_stop = limits.stop.stop_possible();
    if (limits.deadline && !may_stop && parts.advance(work.fetch(), *limits.deadline)) {
      return true;  // `site_look_up::proceed` handles the result
    }
    // If no other thread is free and the call has time for one request, this thread does the fetch.
    const auto timeout = options.timeout;
    const bool in_haste =
        limits.deadline &&
        (timeout.count() == 0 || *limits.deadline < base::saturating_add(parts.now(), timeout));
    if ((limits.deadline || may_stop) && in_background(look.work(), in_haste)) {
      static_cast<void>(look.pass_work_on());
      return true;
    }
    auto result = parts.run(std::move(work.fetch()), limits);
    const bool is_stopped = limits.stop.stop_requested();
    const bool is_over = result.outcome == outcome::cancelled || (result.cut_short && is_stopped);
    const bool is_forbidden = is_forbidden_now(work);
    if (result.outcome == outcome::cancelled && options.background_threads > 0 && !is_forbidden) {
      work.start_fetch();
      static_cast<void>(in_background(look.pass_work_on(), true));
    } else {
      work.on_fetched(std::move(result), is_stopped);
    }
    return !is_over || is_forbidden;  // the look-up finds the ruling
  }

  /// Returns true if one of the user's rulings forbids requests to the site of `work`.
  [[nodiscard]] bool is_forbidden_now(const site_work& work) {
    return view && !rulings.may_ask(work.own_flight().asked());
  }

  [[nodiscard]] bool has_time_for_store(const call_options& limits) {
    return !limits.deadline ||
           *limits.deadline >= base::saturating_add(parts.now(), store->options.patience);
  }

  /// Publishes the ended works of `look` that nobody waits for while there is time. Threads do the
  /// rest.
  void hand_over_other_works(site_look_up& look, const call_options& limits) {
    for (shared_work& work : look.take_other_works()) {
      const work_step step = work->next();
      if (step == work_step::publish && has_time_for_store(limits)) {
        publish(*work);
      } else if (step == work_step::fetch) {
        // If no thread is free, the renewal is dropped, and the next look-up begins another.
        static_cast<void>(in_background(work, false));
      } else if (step != work_step::done) {
        store_worker_->queue(std::move(work));
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
          stop_source& stop = work->own_flight().stop;
          const stop_callback<std::function<void()>> closing{closing_.get_token(),
                                                             [&stop] { stop.request_stop(); }};
          auto result = parts.run(std::move(work->fetch()), {.stop = stop.get_token()});
          work->on_fetched(std::move(result), stop.stop_requested());
          publish(*work);
        },
        may_wait, [work] { return work->own_flight().is_awaited(); });
  }

  void publish(site_work& work) { cache_detail::publish(*this, work); }

  base::home_process home_{};
  stop_source closing_;
  background_threads background_;               // for fetches
  std::optional<store_worker> store_worker_{};  // empty if there is no shared store
};

}  // namespace robots::cache_detail
