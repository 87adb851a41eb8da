#pragma once

#include <robots/base/config.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/fetch/retrieval_step.hpp>
#include <robots/fetch/retry_wait.hpp>
#include <robots/fetch/run_retrieval.hpp>
#include <robots/http/message.hpp>

#include <variant>

namespace robots::detail {

/// Does the next step of `work`, an exchange or a wait. Cancels `work` if a stop is requested, or
/// if the deadline has passed or would pass during the wait.
inline void take_step(retrieval& work, blocking_web& web, const call_options& limits) {
  const time_point now = web.now();
  const auto* const wait = std::get_if<retry_wait>(&work.next());
  if (limits.stop.stop_requested()) {
    work.cancel("the call was stopped", now);
  } else if (limits.deadline && *limits.deadline <= (wait != nullptr ? wait->until : now)) {
    work.cancel("the deadline of the call passed", now);
  } else if (wait != nullptr) {
    web.sleep_until(wait->until, limits.stop);
    work.on_wait_over(web.now());
  } else {
    fetch_response response = web.exchange(std::get<fetch_request>(work.next()), limits);
    work.on_response(std::move(response), web.now(), web.wall());
  }
}

ROBOTS_INLINE bool advance_retrieval(retrieval& work, blocking_web& web, time_point deadline) {
  while (!std::holds_alternative<retrieval_result>(work.next())) {
    if (const auto* const request = std::get_if<fetch_request>(&work.next())) {
      const auto end = base::saturating_add(web.now(), request->timeout);
      if (request->timeout.count() == 0 || end > deadline) {
        return false;
      }
    } else if (std::get<retry_wait>(work.next()).until >= deadline) {
      return false;
    }
    take_step(work, web, {});
  }
  return true;
}

ROBOTS_INLINE retrieval_result run_retrieval(retrieval work, blocking_web& web,
                                             const call_options& limits) {
  while (!std::holds_alternative<retrieval_result>(work.next())) {
    take_step(work, web, limits);
  }
  return std::get<retrieval_result>(std::move(work).next());
}

}  // namespace robots::detail
