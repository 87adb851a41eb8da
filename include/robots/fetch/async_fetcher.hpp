#pragma once

#include <robots/http/message.hpp>

#include <chrono>
#include <functional>
#include <utility>

namespace robots {

/// Makes HTTP exchanges without blocking, for drivers that also do not block.
///
/// A model has `async_fetch(request, done)`, which begins one GET with the rules of a `Fetcher`.
/// The model follows no redirect and does not retry, and `request.timeout` and `request.max_bytes`
/// apply. `async_fetch` returns soon. The model calls `done` once with the result, from any thread,
/// before or after `async_fetch` returns. If `request.stop` is requested, the exchange soon ends
/// with `fetch_error::cancelled`. An exception of `async_fetch` counts as `fetch_error::other`, and
/// so does a cancellation without a stop request. One thread at a time calls `async_fetch`. A
/// destroyed model need not call `done`.
///
/// Exemplar: after `f.async_fetch(request, done)`, `done(response)` is called later, with
/// `response.status == 0` exactly when `response.error != fetch_error::none`.
///
/// Models: in `adapters/`, `AsioCurlFetcher` and `curl_multi_fetcher`. To use another HTTP client,
/// write a small class.
template <class F>
concept AsyncFetcher =
    requires(F& fetcher, fetch_request request, std::function<void(fetch_response)> done) {
      fetcher.async_fetch(std::move(request), std::move(done));
    };

}  // namespace robots

namespace robots::detail {

/// An `AsyncFetcher` that works, and calls back, only during a call of `run_once(longest)`.
///
/// The call waits until an exchange has ended or `wake()` was called, but at most `longest`. Any
/// thread may call `wake()`. If no `run_once` is waiting, `wake()` ends the wait of the next
/// `run_once`.
///
/// Models: in `adapters/`, `curl_multi_fetcher`.
template <class F>
concept PolledFetcher = AsyncFetcher<F> && requires(F& fetcher, std::chrono::milliseconds most) {
  fetcher.run_once(most);
  fetcher.wake();
};

}  // namespace robots::detail
