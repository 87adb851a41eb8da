#pragma once

#include <robots/adapters/asio/detail/operation.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/look_up.hpp>
#include <robots/cache/look_up_driver.hpp>
#include <robots/fetch/async_fetcher.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/time/clock.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/wait_traits.hpp>
#include <boost/system/error_code.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <concepts>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace robots {

/// Asks a `basic_robots_cache` without blocking: it fetches through an `AsyncFetcher`, on the
/// threads that run an executor.
///
///     asio_robots_cache loop{context.get_executor(), cache,
///     AsioCurlFetcher{context.get_executor()}}; decision made = co_await loop.async_check(url,
///     boost::asio::use_awaitable);
///
/// Each operation takes any completion token of Boost.Asio. Like the calls that block, operations
/// never fail because of the network: for a site that cannot be reached, the fallback policy
/// decides. An operation that is cancelled (any type of cancellation), or under way when this ends,
/// completes with `boost::asio::error::operation_aborted`; its fetch continues for as long as
/// another operation or a call that blocks waits for it. Handlers are called through their
/// associated executor, or the one given here, never by the initiating function or under a lock.
///
/// Operations may be started from any thread, and any number of threads may run the executor: its
/// own work is done on a strand. Waits between tries are by the cache's clock: a timer, or, for a
/// `ManualClock`, a move of its time. An observer of the cache must not destroy it.
///
/// The cache and the executor's context must be there for longer. Destroying it waits for at most
/// one of its steps, and cancels its fetches: other callers that wait for them start their own.
template <class Cache, AsyncFetcher F>
  requires std::move_constructible<F>
class asio_robots_cache {
 public:
  /// Operations run on `executor`, and fetch through `fetcher`.
  asio_robots_cache(const boost::asio::any_io_executor& executor, Cache& cache, F fetcher)
      : look_ups_(std::make_shared<look_ups>(executor, cache, std::move(fetcher))) {}

  asio_robots_cache(const asio_robots_cache&) = delete;
  asio_robots_cache& operator=(const asio_robots_cache&) = delete;
  ~asio_robots_cache() { look_ups_->close(); }

  /// `basic_robots_cache::check`. Signature: `void(boost::system::error_code, decision)`.
  template <boost::asio::completion_token_for<void(boost::system::error_code, decision)> Token>
  auto async_check(std::string url, Token&& token) {
    return ask<decision>(std::move(url), std::forward<Token>(token),
                         [](Cache& cache, const std::string& about, const look_up& looked_up) {
                           return cache.check(about, looked_up);
                         });
  }

  /// `basic_robots_cache::allowed`. Signature: `void(boost::system::error_code, bool)`.
  template <boost::asio::completion_token_for<void(boost::system::error_code, bool)> Token>
  auto async_allowed(std::string url, Token&& token) {
    return ask<bool>(std::move(url), std::forward<Token>(token),
                     [](Cache& cache, const std::string& about, const look_up& looked_up) {
                       return cache.check(about, looked_up).allowed;
                     });
  }

  /// `basic_robots_cache::get`. Signature: `void(boost::system::error_code,
  /// std::shared_ptr<const policy>)`; the policy is null only with an error.
  template <boost::asio::completion_token_for<void(boost::system::error_code,
                                                   std::shared_ptr<const policy>)>
                Token>
  auto async_get(std::string host_or_url, Token&& token) {
    return ask<std::shared_ptr<const policy>>(
        std::move(host_or_url), std::forward<Token>(token),
        [](Cache&, const std::string&, const look_up& looked_up) { return looked_up.policy(); });
  }

 private:
  using strand = boost::asio::strand<boost::asio::any_io_executor>;
  using timer_type = boost::asio::basic_waitable_timer<
      std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, strand>;
  using clock_type = std::remove_cvref_t<decltype(std::declval<Cache&>().clock())>;

  /// The look-ups under way, and the timer of their driver. Tasks in Asio's queues hold this
  /// weakly, and after `close()` nothing is left that needs the cache.
  class look_ups : public std::enable_shared_from_this<look_ups> {
   public:
    look_ups(const boost::asio::any_io_executor& executor, Cache& cache, F fetcher)
        : strand_(executor), timer_(strand_), cache_(cache), fetcher_(std::move(fetcher)) {}

    /// Begins an operation, from any thread. `handler` gets the result of `answer` for the look-up.
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

    /// Cancels all look-ups and ends all operations with `operation_aborted`. Afterwards the cache
    /// is not used any more. Waits for the task that runs, if one does.
    void close() {
      const std::scoped_lock working{working_};
      is_closed_ = true;
      timer_.cancel();
      driver_.reset();
    }

   private:
    /// Runs `act` on the strand, and then the steps that are due.
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

    /// Has `run` called when the next wait is over.
    void set_timer() {
      const std::optional<time_point> next = driver_->next_run();
      if (!next) {
        timer_.cancel();
      } else if constexpr (NotifyingClock<clock_type>) {
        // Sleeping moves such a clock.
        post(this->weak_from_this(), [](look_ups& self) {
          if (const auto until = self.driver_->next_run()) {
            self.cache_.clock().sleep_until(*until, {});
          }
        });
      } else {
        // The clock may run at any speed, so it is looked at every minute.
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

    strand strand_;
    timer_type timer_;
    Cache& cache_;
    F fetcher_;
    std::atomic<bool> is_closed_ = false;
    // Held while the driver works. Recursive since an observer of the cache may begin operations.
    std::recursive_mutex working_;
    std::optional<look_up_driver<clock_type, F>> driver_{};
  };

  // async_initiate takes every token by reference, and moves it itself.
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
