#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/fetch/one_exchange.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/fetch/retrieval_step.hpp>
#include <robots/http/message.hpp>
#include <robots/time/clock.hpp>

#include <utility>
#include <variant>

namespace robots::detail {

/// Does the next step of `work`, an exchange or a wait. Cancels `work` if a stop is requested, or
/// if the deadline has passed or would pass during the wait. See `exchange_within`, too.
template <Fetcher F, Clock C>
void take_step(retrieval& work, F& fetcher, C& clock, const call_options& limits) {
  const time_point now = clock.now();
  const auto* const wait = std::get_if<retry_wait>(&work.next());
  if (limits.stop.stop_requested()) {
    work.cancel("the call was stopped", now);
  } else if (limits.deadline && *limits.deadline <= (wait != nullptr ? wait->until : now)) {
    work.cancel("the deadline of the call passed", now);
  } else if (wait != nullptr) {
    clock.sleep_until(wait->until, limits.stop);
    work.on_wait_over(clock.now());
  } else {
    fetch_response response =
        exchange_within(fetcher, clock, std::get<fetch_request>(work.next()), limits);
    work.on_response(std::move(response), clock.now(), wall_now(clock));
  }
}

/// Does the steps of `work`. Stops before an exchange whose timeout would end after `deadline`, and
/// before a wait until `deadline` or longer. Returns true if the retrieval has ended.
template <Fetcher F, Clock C>
[[nodiscard]] bool advance_retrieval(retrieval& work, F& fetcher, C& clock, time_point deadline) {
  while (!std::holds_alternative<retrieval_result>(work.next())) {
    if (const auto* const request = std::get_if<fetch_request>(&work.next())) {
      const auto end = base::saturating_add(clock.now(), request->timeout);
      if (request->timeout.count() == 0 || end > deadline) {
        return false;
      }
    } else if (std::get<retry_wait>(work.next()).until >= deadline) {
      return false;
    }
    take_step(work, fetcher, clock, {});
  }
  return true;
}

/// Runs a retrieval to its end with a blocking fetcher; see `take_step`.
template <Fetcher F, Clock C>
[[nodiscard]] retrieval_result run_retrieval(retrieval work, F& fetcher, C& clock,
                                             const call_options& limits = {}) {
  while (!std::holds_alternative<retrieval_result>(work.next())) {
    take_step(work, fetcher, clock, limits);
  }
  return std::get<retrieval_result>(std::move(work).next());
}

}  // namespace robots::detail
