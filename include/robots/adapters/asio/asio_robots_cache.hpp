#pragma once

#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/look_up_driver.hpp>
#include <robots/fetch/async_fetcher.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/time/clock.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/append.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/system/error_code.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace robots {

namespace adapters_detail {

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

  // A posted handler of `use_future` would run on a system thread, and a dispatched handler would
  // run inside the caller of `finish`. To avoid both, `finish` posts a task to `here_`. The task
  // dispatches the handler to the handler's executor.
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

  std::uint64_t number = 0;  ///< the number of the look-up, for `look_up_driver::leave`

 private:
  std::optional<Handler> handler_;
  boost::asio::executor_work_guard<boost::asio::any_io_executor> here_;
  boost::asio::executor_work_guard<
      boost::asio::associated_executor_t<Handler, boost::asio::any_io_executor>>
      work_;
};

}  // namespace adapters_detail

/// Asks a `basic_robots_cache` without blocking. Fetches through an `AsyncFetcher`, on the threads
/// that run an executor.
///
///     AsioCurlFetcher fetcher{context.get_executor()};
///     asio_robots_cache loop{context.get_executor(), cache, fetcher};
///     const decision answer = co_await loop.async_check(url, boost::asio::use_awaitable);
///
/// Each operation accepts any completion token of Boost.Asio. Like the blocking calls, operations
/// never fail because of the network. An operation completes with
/// `boost::asio::error::operation_aborted` if it is cancelled or if it still runs when this object
/// is destroyed. All types of cancellation work. The fetch of a cancelled operation continues if
/// another operation or a blocking call waits for it, or if `cache_options::finish_abandoned` is
/// true. A handler runs on its associated executor or, if it has none, on the executor of this
/// object. It never runs in the call that starts the operation, and never under a lock.
///
/// Any thread may start operations, and any number of threads may run the executor. Before a retry,
/// a timer waits until the cache's clock reaches the time of the retry. If this clock is a
/// `ManualClock`, this object moves the clock to that time instead. An observer of the cache must
/// not destroy this object.
///
/// The cache and the executor's context must outlive this object. The destructor waits while a
/// thread runs a task of this object. Then it cancels all fetches. If other callers wait for a
/// cancelled fetch, they request the robots.txt themselves.
template <class Cache, AsyncFetcher F>
  requires std::move_constructible<F>
class asio_robots_cache {
 public:
  /// Runs operations on `executor`, and fetches with `fetcher`.
  asio_robots_cache(const boost::asio::any_io_executor& executor, Cache& cache, F fetcher)
      : look_ups_(std::make_shared<look_ups>(executor, cache, std::move(fetcher))) {}

  asio_robots_cache(const asio_robots_cache&) = delete;
  asio_robots_cache& operator=(const asio_robots_cache&) = delete;
  ~asio_robots_cache() { look_ups_->close(); }

  /// Checks `url` without blocking. Signature: `void(boost::system::error_code, decision)`.
  template <boost::asio::completion_token_for<void(boost::system::error_code, decision)> Token>
  auto async_check(std::string url, Token&& token) {
    return ask<decision>(std::move(url), std::forward<Token>(token),
                         [](Cache& cache, const std::string& about, const look_up& looked_up) {
                           return cache.check(about, looked_up);
                         });
  }

  /// Gets the policy of a site without blocking. Signature: `void(boost::system::error_code,
  /// std::shared_ptr<const policy>)`. The policy is null only with an error.
  template <boost::asio::completion_token_for<void(boost::system::error_code,
                                                   std::shared_ptr<const policy>)>
                Token>
  auto async_get(std::string host_or_url, Token&& token) {
    return ask<std::shared_ptr<const policy>>(
        std::move(host_or_url), std::forward<Token>(token),
        [](Cache&, const std::string&, const look_up& looked_up) { return looked_up.policy(); });
  }

 private:
  using clock_type = std::remove_cvref_t<decltype(std::declval<Cache&>().clock())>;

  /// Runs the look-ups with a `look_up_driver` and a timer. Tasks in Asio's queues do not keep this
  /// object alive. After `close()`, nothing uses the cache.
  class look_ups : public std::enable_shared_from_this<look_ups> {
   public:
    look_ups(const boost::asio::any_io_executor& executor, Cache& cache, F fetcher)
        : strand_(executor), timer_(strand_), cache_(cache), fetcher_(std::move(fetcher)) {}

    /// Begins an operation. When the look-up has ended, this object calls `answer` and passes the
    /// result to `handler`.
    template <class Result, class Answer, class Handler>
    void begin(const std::string& url, Answer answer, Handler handler) {
      const auto wanted = std::make_shared<adapters_detail::asio_operation<Result, Handler>>(
          std::move(handler), strand_.get_inner_executor());
      if (is_closed_) {
        return;
      }
      look_up looked_up = cache_.begin(url);
      if (looked_up.policy()) {
        return wanted->finish({}, answer(cache_, url, looked_up));
      }
      const std::scoped_lock working{working_};
      if (is_closed_) {
        return;
      }
      wanted->on_cancel([all = this->weak_from_this(), one = std::weak_ptr{wanted}] {
        post(all, [one](look_ups& self) {
          if (const auto cancelled = one.lock()) {
            self.driver_->leave(cancelled->number);
          }
        });
      });
      if (!driver_) {
        driver_.emplace(cache_.clock(), fetcher_, [all = this->weak_from_this()] { post(all); });
      }
      wanted->number =
          driver_->start(std::move(looked_up), [this, wanted, answer, url](const look_up& ended) {
            wanted->finish({}, answer(cache_, url, ended));
          });
      set_timer();
    }

    /// Ends all operations with `operation_aborted`. Waits for the running task.
    void close() {
      const std::scoped_lock working{working_};
      is_closed_ = true;
      timer_.cancel();
      driver_.reset();
    }

   private:
    /// Posts a task to the strand. The task calls `act` and then runs the steps that are due.
    template <class Act = void (*)(look_ups&)>
    static void post(const std::weak_ptr<look_ups>& all, Act act = [](look_ups&) {}) {
      if (const auto self = all.lock()) {
        boost::asio::post(self->strand_, [all, act] {
          if (const auto here = all.lock()) {
            here->run(act);
          }
        });
      }
    }

    template <class Act>
    void run(const Act& act) {
      const std::scoped_lock working{working_};
      if (is_closed_) {
        return;
      }
      act(*this);
      driver_->run();
      set_timer();
    }

    /// Sets the timer to call `run` when the driver's next step is due.
    void set_timer() {
      const std::optional<time_point> next = driver_->next_run();
      if (!next) {
        timer_.cancel();
      } else if constexpr (detail::NotifyingClock<clock_type>) {
        // A `NotifyingClock` stands still, so this task moves the clock to the driver's next run.
        post(this->weak_from_this(), [](look_ups& self) {
          if (const auto until = self.driver_->next_run()) {
            self.cache_.clock().sleep_until(*until, {});
          }
        });
      } else {
        // The cache's clock can outrun the timer, so `run` reads that clock at least once a minute.
        constexpr time_point::duration longest = std::chrono::minutes{1};
        const time_point now = cache_.clock().now();
        timer_.expires_after((std::min)((std::max)(*next, now) - now, longest));
        timer_.async_wait([all = this->weak_from_this()](const boost::system::error_code& error) {
          if (!error) {
            post(all);
          }
        });
      }
    }

    boost::asio::strand<boost::asio::any_io_executor> strand_;
    boost::asio::steady_timer timer_;
    Cache& cache_;
    F fetcher_;
    std::atomic<bool> is_closed_ = false;
    // Guards `driver_`. A thread that holds the mutex can run an observer that calls `begin`.
    std::recursive_mutex working_;
    std::optional<look_up_driver<clock_type, F>> driver_{};
  };

  // `async_initiate` takes the token by reference and then moves the token. So `ask` does not
  // forward the token.
  template <class Result, class Answer, class Token>
  auto ask(std::string url, Token&& token,  // NOLINT(cppcoreguidelines-missing-std-forward)
           Answer answer) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, Result)>(
        [all = look_ups_, answer](auto handler, const std::string& about) {
          all->template begin<Result>(about, answer, std::move(handler));
        },
        token, std::move(url));
  }

  std::shared_ptr<look_ups> look_ups_;
};

}  // namespace robots
