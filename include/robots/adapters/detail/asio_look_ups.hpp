#pragma once

#include <robots/adapters/detail/asio_operation.hpp>
#include <robots/base/thrown_text.hpp>
#include <robots/cache/look_up.hpp>
#include <robots/fetch/async_fetcher.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/message.hpp>
#include <robots/time/clock.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/wait_traits.hpp>
#include <boost/system/error_code.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace robots::adapters_detail {

/// The operations that wait for policies. One that is cancelled goes on for others who wait for
/// what it has begun.
///
/// What happens, happens in tasks on one strand. No queue of Asio's holds anything of the cache:
/// tasks know operations by number, so that `close()` leaves nothing behind.
template <class Cache, AsyncFetcher F>
class asio_look_ups : public std::enable_shared_from_this<asio_look_ups<Cache, F>> {
 public:
  asio_look_ups(boost::asio::any_io_executor executor, Cache& cache, F fetcher)
      : strand_(executor),
        executor_(std::move(executor)),
        cache_(cache),
        fetcher_(std::move(fetcher)) {}

  asio_look_ups(const asio_look_ups&) = delete;
  asio_look_ups& operator=(const asio_look_ups&) = delete;
  ~asio_look_ups() = default;

  /// Begins an operation about the site of `url`, from any thread. `handler` gets what `answer`
  /// makes of the look-up.
  template <class Answer, class Handler>
  void begin(std::string_view url, Answer answer, Handler handler) {
    auto wanted = std::make_unique<asio_operation<Cache, Answer, Handler>>(
        std::move(handler), std::move(answer), executor_);
    if (is_closed()) {
      return wanted->fail(boost::asio::error::operation_aborted);
    }
    look_up at = cache_.begin(url);
    if (at.policy()) {
      return wanted->finish(cache_, at);
    }
    const number id = ++last_number_;
    // Before anybody else knows of it: from then on it may end at any time.
    wanted->on_cancel(task(id, &asio_look_ups::cancel));
    auto one = std::make_unique<operation>(std::move(at), std::move(wanted));
    if (std::unique_lock lock{mutex_}; !closed_) {
      operations_.emplace(id, std::move(one));
      lock.unlock();
      return task(id, &asio_look_ups::go_on)();
    }
    one->who->fail(boost::asio::error::operation_aborted);
  }

  /// Gives up all look-ups and ends all operations, with `operation_aborted`. Afterwards the cache
  /// is not used any more. Waits for the task that runs, if one does.
  void close() {
    decltype(operations_) ended;
    {
      const std::scoped_lock both{working_, mutex_};
      closed_ = true;
      ended.swap(operations_);
    }
    for (auto& [id, each] : ended) {
      if (each->who) {
        each->who->fail(boost::asio::error::operation_aborted);
      }
    }
  }

 private:
  using number = std::uint64_t;
  using strand = boost::asio::strand<boost::asio::any_io_executor>;
  using timer_type = boost::asio::basic_waitable_timer<
      std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, strand>;

  /// An operation that has no answer yet, or goes on for others.
  struct operation {
    operation(look_up begun, std::unique_ptr<asio_waiter<Cache>> asker)
        : at(std::move(begun)), who(std::move(asker)) {}
    look_up at;
    std::unique_ptr<asio_waiter<Cache>> who;  // none once it was cancelled
    std::optional<timer_type> timer{};
    std::optional<std::stop_callback<std::function<void()>>> on_stop{};
  };

  /// What any thread may call to have `act` done on the strand with an operation, if that is still
  /// there, and with what it is called with.
  template <class Act>
  [[nodiscard]] auto task(number id, Act act) {
    return [weak = this->weak_from_this(), id, act](auto... what) {
      if (const auto self = weak.lock()) {
        boost::asio::post(self->strand_, [weak, id, act, ... what = std::move(what)]() mutable {
          if (const auto all = weak.lock()) {
            all->run(id,
                     [&](operation& one) { std::invoke(act, *all, id, one, std::move(what)...); });
          }
        });
      }
    };
  }

  template <class Act>
  void run(number id, const Act& act) {
    const std::scoped_lock working{working_};
    operation* one = nullptr;
    {
      const std::scoped_lock lock{mutex_};
      const auto found = operations_.find(id);
      one = found == operations_.end() ? nullptr : found->second.get();
    }
    if (one != nullptr) {
      act(*one);  // which nobody else takes out
    }
  }

  [[nodiscard]] std::unique_ptr<operation> take_out(number id) {
    const std::scoped_lock lock{mutex_};
    std::unique_ptr<operation> one = std::move(operations_.at(id));
    operations_.erase(id);
    return one;
  }

  [[nodiscard]] bool is_closed() {
    const std::scoped_lock lock{mutex_};
    return closed_;
  }

  /// Does what the look-up of an operation wants done next.
  void go_on(number id, operation& one) {
    one.timer.reset();
    one.on_stop.reset();
    look_up_step step = one.at.next();
    if (auto* const request = std::get_if<fetch_request>(&step)) {
      fetch(id, std::move(*request));
    } else if (const auto* const pause = std::get_if<retry_wait>(&step)) {
      wait(id, one, *pause);
    } else if (std::holds_alternative<news_wait>(step)) {
      one.at.call_on_news(task(id, &asio_look_ups::resume));
    } else {
      const std::unique_ptr<operation> ended = take_out(id);
      if (ended->who) {
        ended->who->finish(cache_, ended->at);
      }
    }
  }

  void cancel(number id, operation& one) {
    if (const auto cancelled = std::move(one.who)) {
      cancelled->fail(boost::asio::error::operation_aborted);
      if (!one.at.leave()) {
        static_cast<void>(take_out(id));
      }
    }
  }

  void resume(number id, operation& one) {
    one.at.resume();
    go_on(id, one);
  }

  void fetch(number id, fetch_request request) {
    const auto done = task(id, &asio_look_ups::take);
    try {
      fetcher_.async_fetch(std::move(request), done);
    } catch (...) {
      done(fetch_response{.error = fetch_error::other,
                          .error_text = base::thrown_text("the fetcher")});
    }
  }

  void take(number id, operation& one, fetch_response response) {
    one.at.on_response(std::move(response));
    go_on(id, one);
  }

  void wait(number id, operation& one, const retry_wait& pause) {
    one.on_stop.emplace(pause.stop, task(id, &asio_look_ups::end_wait));
    if constexpr (NotifyingClock<clock_type>) {
      // Such a clock is moved by who sleeps by it.
      task(id, [pause](asio_look_ups& all, number which, operation& waiting) {
        all.cache_.clock().sleep_until(pause.until, pause.stop);
        all.end_wait(which, waiting);
      })();
    } else {
      // The clock may run at any speed: it is looked at every minute.
      constexpr time_point::duration longest = std::chrono::minutes{1};
      one.timer.emplace(strand_, std::min(pause.until - cache_.clock().now(), longest));
      one.timer->async_wait(task(id, &asio_look_ups::on_timer));
    }
  }

  void on_timer(number id, operation& one, const boost::system::error_code& error) {
    if (!error) {
      end_wait(id, one);
    }
  }

  void end_wait(number id, operation& one) {
    if (std::holds_alternative<retry_wait>(one.at.next())) {
      one.at.on_wait_over();
      go_on(id, one);
    }
  }

  using clock_type = std::remove_cvref_t<decltype(std::declval<Cache&>().clock())>;

  strand strand_;
  boost::asio::any_io_executor executor_;
  Cache& cache_;
  F fetcher_;
  std::atomic<number> last_number_ = 0;

  std::mutex working_;  // held while a task runs
  std::mutex mutex_;    // guards what follows; nothing is called while it is held
  bool closed_ = false;
  boost::unordered_flat_map<number, std::unique_ptr<operation>> operations_;
};

}  // namespace robots::adapters_detail
