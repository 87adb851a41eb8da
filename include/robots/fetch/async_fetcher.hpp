#pragma once

#include <robots/http/message.hpp>

#include <chrono>
#include <functional>
#include <utility>

namespace robots {

/// Makes HTTP exchanges without blocking, for event loops.
///
/// A model has `async_fetch(request, done)`, which begins one GET and soon returns. Like a
/// `Fetcher`, the model follows no redirect, does not retry, and obeys `timeout` and `max_bytes`.
/// The model calls `done` once with the result, from any thread, before or after `async_fetch`
/// returns. If `request.stop` is requested, the exchange soon ends with `fetch_error::cancelled`.
/// If `async_fetch` throws, or cancels the exchange without a stop request, the caller treats this
/// as `fetch_error::other`. One thread at a time calls `async_fetch`. A model that is destroyed
/// during an exchange need not call `done`.
///
/// Exemplar: after `f.async_fetch(request, done)`, `done(response)` is called later, with
/// `response.status == 0` exactly when `response.error != fetch_error::none`.
///
/// Models: in `adapters/`, `AsioCurlFetcher` and `curl_multi_fetcher`.
template <class F>
concept AsyncFetcher =
    requires(F& fetcher, fetch_request request, std::function<void(fetch_response)> done) {
      fetcher.async_fetch(std::move(request), std::move(done));
    };

}  // namespace robots

namespace robots::detail {

/// An `AsyncFetcher` that works, and calls `done`, only during a call of `run_once(longest)`.
///
/// `run_once` waits until an exchange has ended or `wake()` was called, but at most `longest`. Any
/// thread may call `wake()`. If no `run_once` is waiting, `wake()` ends the wait of the next
/// `run_once`.
/// `curl_multi_fetcher` is a model.
template <class F>
concept PolledFetcher = AsyncFetcher<F> && requires(F& fetcher, std::chrono::milliseconds most) {
  fetcher.run_once(most);
  fetcher.wake();
};

}  // namespace robots::detail
