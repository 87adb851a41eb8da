#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/base/thrown_text.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/message.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <utility>
#include <variant>

namespace robots::detail {

/// Makes one exchange. An exception of the fetcher becomes `fetch_error::other`.
template <Fetcher F>
[[nodiscard]] fetch_response fetch_without_throwing(F& fetcher, const fetch_request& request) {
  try {
    return fetcher.fetch(request);
  } catch (...) {
    return {.error = fetch_error::other, .error_text = base::thrown_text("the fetcher")};
  }
}

/// Turns a cancellation without a stop request into `fetch_error::other`. Caches do not keep a
/// cancelled result, so the next caller would ask the origin again at once.
inline void be_no_cancellation(fetch_response& response) {
  if (response.error == fetch_error::cancelled) {
    response.error = fetch_error::other;
    if (response.error_text.empty()) {
      response.error_text = "the fetcher cancelled without a stop request";
    }
  }
}

/// Does the next step of a retrieval. The step is an exchange, a wait, or a cancellation at the
/// limits of the call.
template <Fetcher F, Clock C>
void take_step(retrieval& work, F& fetcher, C& clock, const call_options& limits) {
  using std::chrono::milliseconds;
  constexpr const char* too_late = "the deadline of the call passed";
  const time_point now = clock.now();
  const auto* const wait = std::get_if<retry_wait>(&work.next());
  if (limits.stop.stop_requested()) {
    work.cancel("the call was stopped", now);
  } else if (limits.deadline && *limits.deadline <= (wait != nullptr ? wait->until : now)) {
    work.cancel(too_late, now);
  } else if (wait != nullptr) {
    clock.sleep_until(wait->until, limits.stop);
    work.on_wait_over(clock.now());
  } else {
    fetch_request request = std::get<fetch_request>(work.next());
    request.stop = limits.stop;
    bool hurried = false;
    if (limits.deadline) {
      const auto left = std::chrono::ceil<milliseconds>(*limits.deadline - now);
      hurried = request.timeout == milliseconds{0} || left < request.timeout;
      if (hurried) {
        request.timeout = left;
      }
    }
    fetch_response response = fetch_without_throwing(fetcher, request);
    if (hurried && response.error == fetch_error::timeout) {
      response.error = fetch_error::cancelled;
      response.error_text = too_late;
    } else if (!limits.stop.stop_requested() &&
               !(limits.deadline && *limits.deadline <= clock.now())) {
      be_no_cancellation(response);
    }
    work.on_response(std::move(response), clock.now(), wall_now(clock));
  }
}

/// Continues a retrieval while the next step surely ends by `deadline`. An exchange can take its
/// whole timeout. Returns true if the retrieval has ended.
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

/// Runs a retrieval to its end with a blocking fetcher.
///
/// Each exchange gets the stop token, and at most the time until the deadline. If the deadline ends
/// an exchange before its own timeout, the exchange is treated as cancelled, since its end says
/// nothing about the origin. A wait that would last until the deadline does not begin. The result
/// is then the result of the last try. An exception of the fetcher becomes `fetch_error::other`
/// with the exception's text. If the fetcher returns `fetch_error::cancelled` before a stop request
/// and before the deadline, this error becomes `fetch_error::other`, too.
template <Fetcher F, Clock C>
[[nodiscard]] retrieval_result run_retrieval(retrieval work, F& fetcher, C& clock,
                                             const call_options& limits = {}) {
  while (!std::holds_alternative<retrieval_result>(work.next())) {
    take_step(work, fetcher, clock, limits);
  }
  return std::get<retrieval_result>(std::move(work).next());
}

}  // namespace robots::detail
