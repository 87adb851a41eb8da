#pragma once

#include <robots/cache/detail/cache_threads.hpp>
#include <robots/cache/detail/site_look_up.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/run_retrieval.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace robots::cache_detail {

/// Drives look-ups in the thread of a call that blocks, within the limits of the call.
///
///     any_robots_cache::check --> load: while the look-up has no answer, advance:
///                                   wait       for the flight
///                                   fetch      here, or in a thread of the cache if the fetch may
///                                              outlast the call
///                                   store step here if there is time, else in a thread of the
///                                   cache
///                                 and give up if the call has ended
///
/// The other driver is `look_up_driver`, for event loops. Has only references, so each
/// call makes one.
class blocking_driver {
 public:
  blocking_driver(look_up_environment& cache, cache_threads& threads) noexcept
      : cache_(cache), threads_(threads) {}

  /// Returns the policy of a site. Obeys the deadline, timeout and stop token of `call`. If `asked`
  /// is null, denies `url`, which names no site.
  [[nodiscard]] found_policy load(std::shared_ptr<const site_keys> asked, std::string_view url,
                                  const call_options& call, bool refreshes = false) {
    threads_.check_process();
    if (!asked) {
      return cache_.ruling_on({}, url);
    }
    call_options limits = call;
    if (const time_point until =
            detail::end_of_look_up(call, cache_.options.longest_call, cache_.parts.now());
        until != (time_point::max)()) {
      limits.deadline = (std::min)(call.deadline.value_or(until), until);
    }
    site_look_up look{
        cache_,
        std::move(asked),
        {.context = call.context, .refreshes = refreshes, .has_no_time = !has_time(limits)}};
    wait_for_rulings(limits);
    for (look.proceed(); look.next() != look_up_step::answered; look.proceed()) {
      if (!advance(look, limits)) {
        look.give_up();
      }
    }
    threads_.take_over_other_works(look, limits);
    return look.take_answer();
  }

  /// Waits until the rulings of the user were read from their ledger once, but not beyond the
  /// deadline of `limits`. Has no effect without such rulings, or if `limits` leaves no time.
  void wait_for_rulings(const call_options& limits) {
    if (cache_.view == nullptr || !has_time(limits)) {
      return;
    }
    std::optional<std::chrono::nanoseconds> longest;
    if (limits.deadline) {
      longest = *limits.deadline - cache_.parts.now();
    }
    cache_.view->wait_until_ready(longest, limits.stop);
  }

 private:
  [[nodiscard]] bool has_time(const call_options& limits) {
    return !detail::has_ended(limits, cache_.parts.now());
  }

  /// Does the next step of a look-up. Returns false if `limits` ended the step early.
  [[nodiscard]] bool advance(site_look_up& look, const call_options& limits) {
    threads_.take_over_other_works(look, limits);
    if (look.next() == look_up_step::wait) {
      return look.wait(limits);
    }
    if (look.work()->next() == work_step::fetch) {
      return fetch(look, limits);
    }
    threads_.do_store_step(look, limits);
    return true;
  }

  /// Uses another thread if the fetch may outlast the call. Returns false if the call has ended.
  [[nodiscard]] bool fetch(site_look_up& look, const call_options& limits) {
    site_work& work = *look.work();
    const bool may_stop = limits.stop.stop_possible();
    if (limits.deadline && !may_stop &&
        detail::advance_retrieval(work.fetch(), cache_.parts, *limits.deadline)) {
      return true;  // `site_look_up::proceed` handles the result
    }
    // If no other thread is free and the call has time for one request, this thread does the fetch.
    const auto timeout = cache_.options.timeout;
    const bool in_haste =
        limits.deadline && (timeout.count() == 0 ||
                            *limits.deadline < base::saturating_add(cache_.parts.now(), timeout));
    if ((limits.deadline || may_stop) && threads_.fetch_in_background(look.work(), in_haste)) {
      static_cast<void>(look.pass_work_on());
      return true;
    }
    auto result = detail::run_retrieval(std::move(work.fetch()), cache_.parts, limits);
    const bool is_stopped = limits.stop.stop_requested();
    const bool is_over = result.outcome == outcome::cancelled || (result.cut_short && is_stopped);
    const bool is_forbidden = threads_.is_forbidden_now(work);
    if (result.outcome == outcome::cancelled && cache_.options.background_threads > 0 &&
        !is_forbidden) {
      work.start_fetch(cache_.parts.now());
      static_cast<void>(threads_.fetch_in_background(look.pass_work_on(), true));
    } else {
      work.on_fetched(std::move(result), is_stopped, cache_.parts.moment());
    }
    return !is_over || is_forbidden;  // the look-up finds the ruling
  }

  look_up_environment& cache_;
  cache_threads& threads_;
};

}  // namespace robots::cache_detail
