#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/append.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/error_code.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace robots::adapters_detail {

/// Calls a completion handler once, on the handler's executor. If `finish` was not called, the
/// destructor calls the handler with `operation_aborted`.
template <class Result, class Handler>
class asio_operation {
 public:
  asio_operation(Handler handler, const boost::asio::any_io_executor& here)
      : handler_(std::move(handler)),
        here_(here),
        work_(boost::asio::get_associated_executor(*handler_, here)) {}
  asio_operation(const asio_operation&) = delete;
  asio_operation& operator=(const asio_operation&) = delete;
  ~asio_operation() {
    try {
      finish(boost::asio::error::operation_aborted, Result{});
    } catch (...) {
      handler_.reset();  // there is no memory for the call
    }
  }

  // The executor of `use_future` runs dispatched work at once, and posted work on system threads.
  // So this function posts to `here_`, which then dispatches to the handler's executor.
  void finish(boost::system::error_code why, Result result) {
    if (handler_) {
      Handler handler = *std::exchange(handler_, std::nullopt);
      boost::asio::post(here_.get_executor(),
                        boost::asio::append(std::move(handler), why, std::move(result)));
    }
  }

  /// Calls `cancel` when the operation is cancelled, by any type of cancellation.
  template <class Cancel>
  void on_cancel(Cancel cancel) {
    if (auto slot = boost::asio::get_associated_cancellation_slot(*handler_); slot.is_connected()) {
      slot.assign([cancel = std::move(cancel)](boost::asio::cancellation_type type) {
        if (type != boost::asio::cancellation_type::none) {
          cancel();
        }
      });
    }
  }

  std::uint64_t number = 0;  ///< the number that the driver has given to the look-up

 private:
  using executor = boost::asio::associated_executor_t<Handler, boost::asio::any_io_executor>;

  std::optional<Handler> handler_;
  boost::asio::executor_work_guard<boost::asio::any_io_executor> here_;
  boost::asio::executor_work_guard<executor> work_;
};

}  // namespace robots::adapters_detail
