#pragma once

#include <robots/adapters/curl/curl_options.hpp>
#include <robots/adapters/curl/detail/transfers.hpp>
#include <robots/fetch/async_fetcher.hpp>
#include <robots/http/message.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace robots {

/// Makes exchanges as `CurlFetcher` does, but any number at once from one thread, which calls
/// `run_once` again and again and gets the responses by callbacks.
///
///     curl_multi_fetcher web;
///     web.start(request, [](fetch_response response) { ... });
///     while (web.in_flight() != 0) {
///       web.run_once(std::chrono::seconds{1});
///     }
///
/// Everything happens in `run_once`, except name lookup, for which libcurl may start threads. Each
/// exchange ends at its timeout, or when its stop token is requested: any thread may do that, and
/// it wakes a waiting `run_once`. When to use which: `prefetch` to warm a cache, this class for
/// your own loop, `AsioCurlFetcher` with Boost.Asio.
///
/// For one thread at a time; only `wake` may be called from any thread. Do not destroy it in its
/// callbacks. Its destruction ends exchanges under way without a callback.
class curl_multi_fetcher {
 public:
  /// Gets the response of an exchange, once. It may start others, and call `run_once`.
  using on_done = std::function<void(fetch_response)>;

  /// Throws std::invalid_argument if libcurl cannot follow an option, and
  /// std::runtime_error when libcurl cannot start.
  explicit curl_multi_fetcher(const curl_multi_options& options = {}) : transfers_(options) {}

  curl_multi_fetcher(const curl_multi_fetcher&) = delete;
  curl_multi_fetcher& operator=(const curl_multi_fetcher&) = delete;
  ~curl_multi_fetcher() = default;

  /// Begins an exchange. `done` is called from a later `run_once`, never from here.
  void start(fetch_request request, on_done done) {
    transfers_.start(std::move(request), std::move(done));
  }

  /// Does the same, under the name of the concept `AsyncFetcher`.
  void async_fetch(fetch_request request, on_done done) {
    start(std::move(request), std::move(done));
  }

  /// Handles network events, and waits until one has occurred, `wake` was called or `timeout` is
  /// over, and calls back for the exchanges that have ended. Does not wait if one has ended
  /// already. Returns how many were called back. Exceptions of a callback are passed
  /// on; the exchanges that had to wait for it are called back the next time.
  std::size_t run_once(std::chrono::milliseconds timeout = std::chrono::milliseconds{0}) {
    return transfers_.run_once(timeout);
  }

  /// Ends the wait of the `run_once` under way, or of the next one. Any thread.
  void wake() noexcept { transfers_.wake(); }

  /// Exchanges that were started and not called back for.
  [[nodiscard]] std::size_t in_flight() const noexcept { return transfers_.in_flight(); }

  /// Connections opened so far by exchanges that have ended; below their number when some were used
  /// again.
  [[nodiscard]] std::uint64_t connections_opened() const noexcept {
    return transfers_.connections_opened();
  }

 private:
  adapters_detail::curl_transfers transfers_;
};

static_assert(PolledFetcher<curl_multi_fetcher>);

}  // namespace robots
