#pragma once

#include <robots/http/message.hpp>

#include <chrono>
#include <functional>
#include <utility>

namespace robots {

/// Makes HTTP exchanges without blocking, for drivers that do not block either.
///
/// A model's `async_fetch(request, done)` begins exactly one GET, as a `Fetcher` makes it: no
/// redirects, no retries, `request.timeout` and `request.max_bytes` obeyed. It returns soon, and
/// `done` is called once with the result: from any thread, from within `async_fetch` too. Once
/// `request.stop` is requested, the exchange ends soon with `fetch_error::cancelled`. An exception
/// of `async_fetch`, and a cancellation before that, count as `fetch_error::other`. It is called by
/// one thread at a time. A model that is destroyed need not call back any more.
///
/// Exemplar: after `f.async_fetch(request, done)`, `done(response)` is called later, with
/// `response.status == 0` exactly when `response.error != fetch_error::none`.
///
/// Models: in `adapters/`, `AsioCurlFetcher` and `curl_multi_fetcher`; one over another client is a
/// small class.
template <class F>
concept AsyncFetcher =
    requires(F& fetcher, fetch_request request, std::function<void(fetch_response)> done) {
      fetcher.async_fetch(std::move(request), std::move(done));
    };

/// An `AsyncFetcher` that works, and calls back, only while its user calls `run_once(most)`.
///
/// That call waits until an exchange has ended or `wake()` was called, and at most for `most`. Any
/// thread may call `wake()`. Without a wait, it ends the next one.
///
/// Models: in `adapters/`, `curl_multi_fetcher`.
template <class F>
concept PolledFetcher = AsyncFetcher<F> && requires(F& fetcher, std::chrono::milliseconds most) {
  fetcher.run_once(most);
  fetcher.wake();
};

}  // namespace robots
