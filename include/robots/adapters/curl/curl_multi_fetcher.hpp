#pragma once

#include <robots/adapters/curl/curl_options.hpp>
#include <robots/adapters/curl/curl_transfers.hpp>
#include <robots/fetch/async_fetcher.hpp>

namespace robots {

/// Fetches like `CurlFetcher`, but runs up to `curl_options::max_connections` exchanges at once.
/// One thread calls `run_once` again and again, and gets the responses by callbacks.
///
///     curl_multi_fetcher web;
///     web.async_fetch(request, [](fetch_response response) { ... });
///     while (web.in_flight() != 0) {
///       web.run_once(std::chrono::seconds{1});
///     }
///
/// `run_once` does all work except name lookup, for which libcurl can start threads. A stop request
/// of any thread wakes a waiting `run_once`. To fill a cache, use `prefetch`. With Boost.Asio, use
/// `AsioCurlFetcher`. In your own event loop, use this class.
///
/// Only one thread at a time may use this object, but any thread may call `wake`. The destructor
/// ends running exchanges, but calls no callbacks. Do not destroy this object in its callbacks.
class curl_multi_fetcher : private adapters_detail::curl_transfers {
 public:
  /// A callback that gets one response. It may call `async_fetch` and `run_once`.
  using curl_transfers::on_done;

  /// Throws `std::invalid_argument` if an option is not valid or this libcurl lacks a feature that
  /// the fetcher needs, and `std::runtime_error` if libcurl cannot start.
  explicit curl_multi_fetcher(const curl_options& options = {}) : curl_transfers(options) {}

  /// Begins an exchange. A later `run_once` calls `done` with the response.
  using curl_transfers::async_fetch;
  using curl_transfers::in_flight;
  using curl_transfers::run_once;
  using curl_transfers::wake;
};

static_assert(detail::PolledFetcher<curl_multi_fetcher>);

}  // namespace robots
