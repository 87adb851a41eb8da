#pragma once

#include <robots/base/exceptions.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/http/content_coding.hpp>
#include <robots/http/message.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
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
[[nodiscard]] inline fetch_response checked(fetch_response response) {
  if (response.error == fetch_error::none && response.status == 0) {
    response.error = fetch_error::other;
    response.error_text = "the fetcher returned neither a status nor an error";
  }
  if (response.status >= 200 && response.status < 300 &&
      is_still_coded(response.headers, response.body)) {
    response.error = fetch_error::protocol;
    response.error_text =
        "the body is still coded as its Content-Encoding says: the fetcher must decode it";
  }
  if (response.status == 407) {
    response.error = fetch_error::proxy;
    response.error_text = "a proxy on the way wants credentials (HTTP 407)";
  }
  if (response.error != fetch_error::none) {
    response.status = 0;
  }
  return response;
}

/// Turns `fetch_error::cancelled` into `fetch_error::other`. Call this if no stop was requested.
/// Caches do not keep a cancelled result, so the next caller would ask the origin again at once.
inline void be_no_cancellation(fetch_response& response) {
  if (response.error == fetch_error::cancelled) {
    response.error = fetch_error::other;
    if (response.error_text.empty()) {
      response.error_text = "the fetcher cancelled without a stop request";
    }
  }
}

/// Makes one exchange within the limits of a call. If the deadline ends the exchange before its
/// timeout, the exchange counts as cancelled, since such an end says nothing about the origin. An
/// exception of the fetcher becomes `fetch_error::other`.
template <Fetcher F, Clock C>
[[nodiscard]] fetch_response exchange_within(F& fetcher, C& clock, fetch_request request,
                                             const call_options& limits) {
  using std::chrono::milliseconds;
  request.stop = limits.stop;
  bool hurried = false;
  if (limits.deadline) {
    const auto left = std::chrono::ceil<milliseconds>(*limits.deadline - clock.now());
    hurried = request.timeout == milliseconds{0} || left < request.timeout;
    if (hurried) {
      request.timeout = left;
    }
  }
  fetch_response response;
  try {
    response = fetcher.fetch(request);
  } catch (...) {
    response = {.error = fetch_error::other, .error_text = base::thrown_text("the fetcher")};
  }
  if (hurried && response.error == fetch_error::timeout) {
    response.error = fetch_error::cancelled;
    response.error_text = "the deadline of the call passed";
  } else if (!limits.stop.stop_requested() &&
             !(limits.deadline && *limits.deadline <= clock.now())) {
    be_no_cancellation(response);
  }
  return response;
}

}  // namespace robots::detail
