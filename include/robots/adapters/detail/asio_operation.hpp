#pragma once

#include <robots/cache/look_up.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/error_code.hpp>

#include <type_traits>
#include <utility>

namespace robots::adapters_detail {

template <class Cache>
class asio_waiter {
 public:
  asio_waiter() = default;
  asio_waiter(const asio_waiter&) = delete;
  asio_waiter& operator=(const asio_waiter&) = delete;
  virtual ~asio_waiter() = default;

  /// Answers by a look-up that has its policy. Once.
  virtual void finish(Cache& cache, const look_up& at) = 0;
  virtual void fail(boost::system::error_code why) = 0;
};

/// One operation: a completion handler, and how its answer is made. The handler is called through
/// its own executor, never from here.
template <class Cache, class Answer, class Handler>
class asio_operation final : public asio_waiter<Cache> {
 public:
  using result = std::invoke_result_t<const Answer&, Cache&, const look_up&>;

  asio_operation(Handler handler, Answer answer, const boost::asio::any_io_executor& here)
      : handler_(std::move(handler)),
        answer_(std::move(answer)),
        here_(here),
        work_(boost::asio::get_associated_executor(handler_, here)) {}

  void finish(Cache& cache, const look_up& at) override { deliver({}, answer_(cache, at)); }
  void fail(boost::system::error_code why) override { deliver(why, result{}); }

  /// Has `cancel` called when the operation is cancelled, in whatever way.
  template <class Cancel>
  void on_cancel(Cancel cancel) {
    const auto slot = boost::asio::get_associated_cancellation_slot(handler_);
    if (slot.is_connected()) {
      auto assignable = slot;
      assignable.assign([cancel = std::move(cancel)](boost::asio::cancellation_type type) mutable {
        if (type != boost::asio::cancellation_type::none) {
          cancel();
        }
      });
    }
  }

 private:
  using executor = boost::asio::associated_executor_t<Handler, boost::asio::any_io_executor>;

  // By way of the cache's executor, as some executors (that of use_future) run on the spot what is
  // dispatched, and on threads of the system what is posted.
  void deliver(boost::system::error_code why, result answer) {
    const boost::asio::any_io_executor here = here_.get_executor();
    boost::asio::post(here, [handler = std::move(handler_), here_too = std::move(here_),
                             work = std::move(work_), why, answer = std::move(answer)]() mutable {
      const executor where = work.get_executor();
      boost::asio::dispatch(where, [handler = std::move(handler), work = std::move(work), why,
                                    answer = std::move(answer)]() mutable {
        auto slot = boost::asio::get_associated_cancellation_slot(handler);
        if (slot.is_connected()) {
          slot.clear();
        }
        work.reset();
        std::move(handler)(why, std::move(answer));
      });
    });
  }

  Handler handler_;
  Answer answer_;
  boost::asio::executor_work_guard<boost::asio::any_io_executor> here_;
  boost::asio::executor_work_guard<executor> work_;
};

}  // namespace robots::adapters_detail
