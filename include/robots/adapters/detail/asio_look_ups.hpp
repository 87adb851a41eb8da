// Look-ups and retrievals driven by Boost.Asio.
#pragma once

#include <robots/adapters/async_fetcher.hpp>
#include <robots/adapters/detail/asio_curl_driver.hpp>
#include <robots/adapters/detail/asio_operation.hpp>
#include <robots/cache/look_up.hpp>
#include <robots/fetch/retrieval_options.hpp>
#include <robots/fetch/retry_options.hpp>
#include <robots/fetch/run_retrieval.hpp>
#include <robots/http/message.hpp>
#include <robots/time/clock.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/error_code.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace robots::adapters_detail {

/// The operations that wait for policies, and the flights by which those come: two things, since a
/// flight goes on for others when the operation that began it is cancelled.
///
/// What happens, happens in tasks on one strand. No queue of Asio's holds anything of the cache:
/// tasks know operations and flights by number, so that `close()` leaves nothing behind.
template <class Cache, AsyncFetcher F>
class asio_look_ups : public std::enable_shared_from_this<asio_look_ups<Cache, F>> {
 public:
  using waiter = asio_waiter<Cache, look_up>;

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
    auto wanted = std::make_unique<asio_operation<Cache, look_up, Answer, Handler>>(
        std::move(handler), std::move(answer), executor_);
    if (is_closed()) {
      return wanted->fail(boost::asio::error::operation_aborted);
    }
    look_up at = cache_.begin(url);
    if (at.policy()) {
      return wanted->finish(cache_, at);
    }
    const number id = next_number();
    // Before anybody else knows of it: from then on it may end at any time.
    wanted->on_cancel([weak = this->weak_from_this(), id] {
      if (const auto self = weak.lock()) {
        self->post([id](asio_look_ups& all) { all.cancel(id); });
      }
    });
    {
      const std::scoped_lock lock{mutex_};
      if (!closed_) {
        incoming_.emplace_back(id, waiting{std::move(at), std::move(wanted)});
      }
    }
    if (wanted) {
      return wanted->fail(boost::asio::error::operation_aborted);
    }
    post([](asio_look_ups&) {});  // each task begins with those that have come in
  }

  /// Gives up all flights and ends all operations, with `operation_aborted`. Afterwards the cache
  /// is not used any more. Waits for the task that runs, if one does.
  void close() {
    std::vector<std::pair<number, waiting>> incoming;
    boost::unordered_flat_map<number, waiting> operations;
    boost::unordered_flat_map<number, std::unique_ptr<flight>> flights;
    {
      const std::scoped_lock working{working_};
      const std::scoped_lock lock{mutex_};
      closed_ = true;
      incoming.swap(incoming_);
      operations.swap(operations_);
      flights.swap(flights_);
    }
    for (auto& [id, each] : operations) {
      each.who->fail(boost::asio::error::operation_aborted);
    }
    for (auto& [id, each] : incoming) {
      each.who->fail(boost::asio::error::operation_aborted);
    }
    // First those who wait, so that exchanges are stopped which nobody else waits for.
    operations.clear();
    incoming.clear();
    flights.clear();
  }

 private:
  using number = std::uint64_t;

  /// An operation that has no answer yet.
  struct waiting {
    look_up at;
    std::unique_ptr<waiter> who;
  };

  /// A retrieval that is this one's to bring to its end.
  struct flight {
    explicit flight(std::unique_ptr<retrieval_job> what) : job(std::move(what)) {}
    std::unique_ptr<retrieval_job> job;
    std::optional<asio_timer> timer{};
    std::optional<std::stop_callback<std::function<void()>>> on_stop{};
  };

  template <class Task>
  void post(Task task) {
    boost::asio::post(strand_, [weak = this->weak_from_this(), task = std::move(task)]() mutable {
      if (const auto self = weak.lock()) {
        self->run(task);
      }
    });
  }

  template <class Task>
  void run(Task& task) {
    const std::scoped_lock working{working_};
    std::vector<std::pair<number, waiting>> incoming;
    {
      const std::scoped_lock lock{mutex_};
      if (closed_) {
        return;
      }
      incoming.swap(incoming_);
    }
    for (auto& [id, each] : incoming) {
      operations_.emplace(id, std::move(each));
      proceed(id);
    }
    task(*this);
  }

  [[nodiscard]] bool is_closed() {
    const std::scoped_lock lock{mutex_};
    return closed_;
  }

  [[nodiscard]] number next_number() {
    const std::scoped_lock lock{mutex_};
    return ++last_number_;
  }

  /// Goes on with an operation, of which nobody knows whether it can be answered.
  void proceed(number id) {
    const auto found = operations_.find(id);
    look_up& at = found->second.at;
    if (at.policy()) {
      const waiting ended = std::move(found->second);
      operations_.erase(found);
      ended.who->finish(cache_, ended.at);
      return;
    }
    std::unique_ptr<retrieval_job> job = at.take_job();
    at.on_landed([weak = this->weak_from_this(), id] {
      if (const auto self = weak.lock()) {
        self->post([id](asio_look_ups& all) { all.resume(id); });
      }
    });
    if (job) {
      const number its = next_number();
      flights_.emplace(its, std::make_unique<flight>(std::move(job)));
      drive(its);
    }
  }

  void resume(number id) {
    if (const auto found = operations_.find(id); found != operations_.end()) {
      cache_.resume(found->second.at);
      proceed(id);
    }
  }

  void cancel(number id) {
    if (const auto found = operations_.find(id); found != operations_.end()) {
      const waiting ended = std::move(found->second);
      operations_.erase(found);
      ended.who->fail(boost::asio::error::operation_aborted);
    }
  }

  /// Does what a flight is to do next.
  void drive(number id) {
    const auto found = flights_.find(id);
    flight& at = *found->second;
    const retrieval_step& step = at.job->work().next();
    if (const auto* const request = std::get_if<fetch_request>(&step)) {
      fetch(id, *request, at.job->stop());
    } else if (const auto* const pause = std::get_if<retry_wait>(&step)) {
      wait(id, at, pause->until);
    } else {
      const std::unique_ptr<flight> ended = std::move(found->second);
      flights_.erase(found);
      cache_.complete(*ended->job);
    }
  }

  void fetch(number id, fetch_request request, std::stop_token stop) {
    request.stop = std::move(stop);
    const auto done = [weak = this->weak_from_this(), id](fetch_response response) {
      if (const auto self = weak.lock()) {
        self->post([id, response = std::move(response)](asio_look_ups& all) mutable {
          all.take(id, std::move(response));
        });
      }
    };
    fetch_response nothing;
    nothing.error = fetch_error::other;
    try {
      return fetcher_.async_fetch(std::move(request), done);
    } catch (const std::exception& thrown) {
      nothing.error_text = thrown.what();
    } catch (...) {
      nothing.error_text = "the fetcher threw what is no std::exception";
    }
    done(std::move(nothing));
  }

  void take(number id, fetch_response response) {
    if (const auto found = flights_.find(id); found != flights_.end()) {
      retrieval_job& job = *found->second->job;
      if (!job.stop().stop_requested()) {
        fetch_detail::be_no_cancellation(response);
      }
      job.work().on_response(std::move(response), now(), wall_now(cache_.clock()));
      drive(id);
    }
  }

  void wait(number id, flight& at, time_point until) {
    if (!at.on_stop) {
      at.on_stop.emplace(at.job->stop(), [weak = this->weak_from_this(), id] {
        if (const auto self = weak.lock()) {
          self->post([id](asio_look_ups& all) { all.end_wait(id); });
        }
      });
    }
    if constexpr (NotifyingClock<clock_type>) {
      // Such a clock is moved by who sleeps by it.
      post([id, until, stop = at.job->stop()](asio_look_ups& all) {
        all.cache_.clock().sleep_until(until, stop);
        all.wake(id);
      });
    } else {
      // The clock may run at any speed: it is looked at every minute.
      constexpr time_point::duration longest = std::chrono::minutes{1};
      at.timer.emplace(strand_, std::min(until - now(), longest));
      at.timer->async_wait(
          [weak = this->weak_from_this(), id](const boost::system::error_code& error) {
            if (const auto self = weak.lock(); self && !error) {
              const auto task = [id](asio_look_ups& all) { all.wake(id); };
              self->run(task);
            }
          });
    }
  }

  /// Looks whether the wait of a flight is over.
  void wake(number id) {
    if (flight* const at = pausing(id)) {
      at->job->work().on_wait_over(now());
      drive_on(id, *at);
    }
  }

  /// Ends the wait of a flight that nobody waits for, with what the last try came to.
  void end_wait(number id) {
    if (flight* const at = pausing(id)) {
      at->job->work().cancel("nobody waits any more", now());
      drive_on(id, *at);
    }
  }

  [[nodiscard]] flight* pausing(number id) {
    const auto found = flights_.find(id);
    const bool pauses = found != flights_.end() &&
                        std::holds_alternative<retry_wait>(found->second->job->work().next());
    return pauses ? found->second.get() : nullptr;
  }

  void drive_on(number id, flight& at) {
    at.timer.reset();
    if (!std::holds_alternative<retry_wait>(at.job->work().next())) {
      at.on_stop.reset();
    }
    drive(id);
  }

  [[nodiscard]] time_point now() { return cache_.clock().now(); }

  using clock_type = std::remove_cvref_t<decltype(std::declval<Cache&>().clock())>;

  asio_strand strand_;
  boost::asio::any_io_executor executor_;
  Cache& cache_;
  F fetcher_;

  std::mutex working_;  // held while a task runs
  boost::unordered_flat_map<number, waiting> operations_;
  boost::unordered_flat_map<number, std::unique_ptr<flight>> flights_;

  std::mutex mutex_;  // guards what follows; nothing is called while it is held
  bool closed_ = false;
  number last_number_ = 0;
  std::vector<std::pair<number, waiting>> incoming_;
};

}  // namespace robots::adapters_detail
