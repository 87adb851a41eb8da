#pragma once

#include <robots/http/message.hpp>

#include <chrono>
#include <functional>
#include <utility>

namespace robots {

/// Makes HTTP exchanges without blocking, for event loops.
///
/// An `AsyncFetcher` has `async_fetch(request, done)`, which begins one GET and soon returns. Like
/// a `Fetcher`, `async_fetch` follows no redirect, does not retry, and obeys `timeout` and
/// `max_bytes`. The fetcher calls `done` once with the result, from any thread, before or after
/// `async_fetch` returns. If `request.stop` is requested, the exchange soon ends with
/// `fetch_error::cancelled`. An exception of `async_fetch`, or a cancellation without a stop
/// request, counts as `fetch_error::other`. Only one thread at a time may call `async_fetch`. A
/// fetcher that is destroyed during an exchange need not call `done`.
///
/// Example: after `f.async_fetch(request, done)`, `done(response)` is called once. If the exchange
/// failed, `response.error` is set and `response.status` is 0. Otherwise, `response.error` is
/// `fetch_error::none` and `response.status` is not 0.
///
/// Models: in `adapters/`, `AsioCurlFetcher` and `curl_multi_fetcher`.
template <class F>
concept AsyncFetcher =
    requires(F& fetcher, fetch_request request, std::function<void(fetch_response)> done) {
      fetcher.async_fetch(std::move(request), std::move(done));
    };

}  // namespace robots

namespace robots::detail {

/// An `AsyncFetcher` that makes progress and calls `done` only while `run_once(longest)` runs.
///
/// `run_once` waits until an exchange has ended, `wake()` was called, or the time `longest` is
/// over. Any thread may call `wake()`. If no `run_once` is waiting, `wake()` ends the wait of the
/// next `run_once`. `curl_multi_fetcher` is a model.
template <class F>
concept PolledFetcher = AsyncFetcher<F> && requires(F& fetcher, std::chrono::milliseconds most) {
  fetcher.run_once(most);
  fetcher.wake();
};

}  // namespace robots::detail
