#pragma once

#include <robots/base/config.hpp>
#include <robots/base/thrown_text.hpp>
#include <robots/fetch/one_exchange.hpp>
#include <robots/http/content_coding.hpp>

#include <chrono>
#include <new>

namespace robots::detail {

ROBOTS_INLINE fetch_response checked(fetch_response response) {
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

ROBOTS_INLINE void be_no_cancellation(fetch_response& response) {
  if (response.error == fetch_error::cancelled) {
    response.error = fetch_error::other;
    if (response.error_text.empty()) {
      response.error_text = "the fetcher cancelled without a stop request";
    }
  }
}

ROBOTS_INLINE fetch_response too_late_to_begin() {
  return {.error = fetch_error::cancelled, .error_text = "the deadline of the call passed"};
}

ROBOTS_INLINE fetch_response thrown_response() noexcept {
  fetch_response response;
  try {
    throw;
  } catch (const std::bad_alloc&) {
    response.error = fetch_error::local;
  } catch (...) {
    response.error = fetch_error::other;
  }
  response.error_text = base::thrown_text("the fetcher");
  return response;
}

ROBOTS_INLINE bool limit_exchange(fetch_request& request, const call_options& limits,
                                  time_point now) {
  using std::chrono::milliseconds;
  request.stop = limits.stop;
  if (!limits.deadline) {
    return false;
  }
  const auto left = std::chrono::ceil<milliseconds>(*limits.deadline - now);
  const bool is_hurried = request.timeout == milliseconds{0} || left < request.timeout;
  if (is_hurried) {
    request.timeout = left;
  }
  return is_hurried;
}

ROBOTS_INLINE void end_exchange(fetch_response& response, const call_options& limits,
                                bool is_hurried, time_point now) {
  if (is_hurried && response.error == fetch_error::timeout) {
    response.error = fetch_error::cancelled;
    response.error_text = "the deadline of the call passed";
  } else if (!has_ended(limits, now)) {
    be_no_cancellation(response);
  }
}

}  // namespace robots::detail
