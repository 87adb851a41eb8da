#pragma once

#include <robots/base/config.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/http/message.hpp>
#include <robots/time/clock.hpp>

#include <utility>

/// One exchange, for a robots.txt and for a page:
///
///     request --> exchange_within: the limits of the call --> the fetcher --> checked --> the
///     machine
///
/// A machine calls `checked` itself, since an event loop has no `exchange_within`.
namespace robots::detail {

/// Returns the response without contradictions. A response without a status and without an error
/// has failed, and so has one whose body is still coded. 407 is the answer of a proxy (RFC 9110,
/// section 15.5.8) and not of the site. A failed exchange has no status.
[[nodiscard]] fetch_response checked(fetch_response response);

/// Turns `fetch_error::cancelled` into `fetch_error::other`. Call this if no stop was requested.
/// Caches do not keep a cancelled result, so the next caller would ask the origin again at once.
void be_no_cancellation(fetch_response& response);

/// Returns the response of an exchange that the deadline of its call forbids: it is not begun.
[[nodiscard]] fetch_response too_late_to_begin();

/// Puts the limits of a call into a request, before it is sent at `now`, before the deadline.
/// Returns true if the deadline can end the exchange before its own timeout.
[[nodiscard]] bool limit_exchange(fetch_request& request, const call_options& limits,
                                  time_point now);

/// Corrects the response of an exchange that ended at `now`. `is_hurried` is the result of
/// `limit_exchange`. If the deadline ended the exchange before its timeout, it counts as cancelled,
/// since such an end says nothing about the origin.
void end_exchange(fetch_response& response, const call_options& limits, bool is_hurried,
                  time_point now);

/// Returns the response for the exception of a fetcher, in a catch block: `fetch_error::local` for
/// `std::bad_alloc`, and `fetch_error::other` for all others.
[[nodiscard]] fetch_response thrown_response() noexcept;

/// Makes one exchange within the limits of a call. After the deadline, it sends nothing. An
/// exception of the fetcher becomes a `thrown_response`.
template <Fetcher F, Clock C>
[[nodiscard]] fetch_response exchange_within(F& fetcher, C& clock, fetch_request request,
                                             const call_options& limits) {
  const time_point begin = clock.now();
  if (limits.deadline && *limits.deadline <= begin) {
    return too_late_to_begin();
  }
  const bool is_hurried = limit_exchange(request, limits, begin);
  fetch_response response;
  try {
    response = fetcher.fetch(request);
  } catch (...) {
    response = thrown_response();
  }
  end_exchange(response, limits, is_hurried, clock.now());
  return response;
}

}  // namespace robots::detail

#ifndef ROBOTS_COMPILED
#include <robots/fetch/one_exchange.bodies.hpp>
#endif
