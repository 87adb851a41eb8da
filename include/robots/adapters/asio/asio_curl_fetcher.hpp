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

/// Makes exchanges like `CurlFetcher`, any number at once, on the threads that run an executor of
/// Boost.Asio. This class starts no threads, but libcurl can start threads to look up names.
///
/// Copies share their handles and connections. All copies work on one strand. So any number of
/// threads may run the executor, and any thread may call `async_fetch`. If the last copy is
/// destroyed, its running exchanges end, and their callbacks are not called. Any thread may destroy
/// the last copy, even in a callback. The context of the executor must outlive all copies.
class AsioCurlFetcher {
 public:
  /// Throws `std::invalid_argument` if an option is not valid or this libcurl does not have it, and
  /// `std::runtime_error` if libcurl cannot start.
  explicit AsioCurlFetcher(const boost::asio::any_io_executor& executor,
                           const curl_options& options = {})
      : driver_(std::make_shared<adapters_detail::asio_curl_driver>(executor, options)) {}

  /// Begins an exchange. The executor calls `done` with the response; this function never does. If
  /// `done` throws, the executor's `run` throws this exception. Any thread may call this function.
  void async_fetch(fetch_request request, std::function<void(fetch_response)> done) {
    driver_->start(std::move(request), std::move(done));
  }

 private:
  std::shared_ptr<adapters_detail::asio_curl_driver> driver_;
};

static_assert(AsyncFetcher<AsioCurlFetcher>);

}  // namespace robots
