#pragma once

#include <robots/adapters/asio/detail/curl_driver.hpp>
#include <robots/adapters/curl/curl_options.hpp>
#include <robots/fetch/async_fetcher.hpp>
#include <robots/http/message.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace robots {

/// Makes exchanges as `CurlFetcher` does, any number at once, on the threads that run an executor
/// of Boost.Asio and on none of its own; for name lookup libcurl may start threads.
///
/// Copies share handles and connections. Everything of theirs runs on a strand of the executor,
/// made here, so that any number of threads may run it and any thread may call `async_fetch`. When
/// the last copy ends, exchanges under way end without being called back for; that may be from any
/// thread, a callback included. The context of the executor must be there for longer.
class AsioCurlFetcher {
 public:
  /// Throws std::invalid_argument when an option is not one that libcurl can follow, and
  /// std::runtime_error when libcurl cannot start.
  explicit AsioCurlFetcher(const boost::asio::any_io_executor& executor,
                           const curl_multi_options& options = {})
      : driver_(std::make_shared<adapters_detail::asio_curl_driver>(executor, options)) {}

  /// Begins an exchange. `done` is called on the executor, never from here; what it throws comes
  /// out of whoever runs that. Any thread.
  void async_fetch(fetch_request request, std::function<void(fetch_response)> done) {
    driver_->start(std::move(request), std::move(done));
  }

 private:
  std::shared_ptr<adapters_detail::asio_curl_driver> driver_;
};

static_assert(AsyncFetcher<AsioCurlFetcher>);

}  // namespace robots
