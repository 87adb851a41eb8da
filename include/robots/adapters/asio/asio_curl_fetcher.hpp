#pragma once

#include <robots/adapters/curl/curl_options.hpp>
#include <robots/adapters/curl/curl_socket_driver.hpp>
#include <robots/fetch/async_fetcher.hpp>
#include <robots/http/message.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/system/error_code.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <curl/curl.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <utility>

namespace robots {

namespace adapters_detail {

/// Runs a `curl_socket_driver` on one strand: Asio waits for its sockets and its timer. Queued
/// tasks have only weak pointers to this object, so they do not keep it alive.
class asio_curl_loop final : public std::enable_shared_from_this<asio_curl_loop>, curl_event_loop {
 public:
  asio_curl_loop(const boost::asio::any_io_executor& executor, const curl_options& options)
      : strand_(executor), timer_(strand_), driver_(options, *this) {}

  void start(fetch_request request, std::function<void(fetch_response)> done) {
    post([request = std::move(request), done = std::move(done)](asio_curl_loop& self) mutable {
      self.drive([&](curl_socket_driver& driver) {
        try {
          driver.async_fetch(std::move(request), done);
        } catch (const std::bad_alloc&) {
          done({.error = fetch_error::local});  // nobody else would call it
        }
      });
    });
  }

 private:
  /// A socket that Asio watches. libcurl owns the socket, so this object never closes it.
  struct watched_socket : boost::asio::posix::stream_descriptor {
    using basic_stream_descriptor::basic_stream_descriptor;
    ~watched_socket() {
      if (is_open()) {
        static_cast<void>(release());
      }
    }
    int wanted = 0;   // the events that libcurl waits for: CURL_POLL_IN, CURL_POLL_OUT or both
    int awaited = 0;  // the events that Asio waits for
  };

  template <class Task>
  void post(Task task) {
    boost::asio::post(strand_, [weak = weak_from_this(), task = std::move(task)]() mutable {
      if (const auto self = weak.lock()) {
        std::invoke(task, *self);
      }
    });
  }

  /// Calls the driver in a task of the strand. If `wake` had no memory, does its work. If there is
  /// still no memory to call the driver later, all exchanges end with an error.
  template <class Call>
  void drive(Call call) {
    try {
      std::invoke(call, driver_);
    } catch (...) {
      make_up_for_wake();
      throw;
    }
    make_up_for_wake();
  }

  void make_up_for_wake() {
    if (is_wake_lost_.exchange(false)) {
      driver_.run();
      if (is_wake_lost_.exchange(false)) {
        driver_.fail_all();
      }
    }
  }

  /// The socket stays registered until libcurl removes it, since a registration takes several
  /// system calls.
  void watch(curl_socket_t socket, int events) override {
    const auto found = sockets_.find(socket);
    if (events == CURL_POLL_REMOVE) {
      if (found != sockets_.end()) {
        static_cast<void>(found->second->release());
        sockets_.erase(found);
      }
      return;
    }
    std::shared_ptr<watched_socket> watched =
        found != sockets_.end() ? found->second : std::make_shared<watched_socket>(strand_, socket);
    if (found == sockets_.end()) {
      sockets_.emplace(socket, watched);
    }
    watched->wanted = events;
    wait(watched, watched_socket::wait_read, CURL_POLL_IN);
    wait(watched, watched_socket::wait_write, CURL_POLL_OUT);
  }

  /// Waits for `event`, if libcurl wants it and no wait for it is running. Passes the event to
  /// libcurl, and waits again while libcurl wants it.
  void wait(const std::shared_ptr<watched_socket>& watched, watched_socket::wait_type event,
            int as_poll) {
    if ((watched->wanted & as_poll) == 0 || (watched->awaited & as_poll) != 0) {
      return;
    }
    watched->async_wait(event, [weak = weak_from_this(), watched, event,
                                as_poll](const boost::system::error_code& error) {
      watched->awaited &= ~as_poll;
      const auto self = weak.lock();
      const bool is_wanted = (watched->wanted & as_poll) != 0;
      if (!self || !watched->is_open() || !is_wanted ||
          error == boost::asio::error::operation_aborted) {
        return;
      }
      const int mask = as_poll == CURL_POLL_IN ? CURL_CSELECT_IN : CURL_CSELECT_OUT;
      try {
        self->drive([&](curl_socket_driver& driver) {
          driver.act(watched->native_handle(), error ? CURL_CSELECT_ERR : mask);
        });
      } catch (...) {
        self->wait_again(watched, event, as_poll);  // libcurl asks only once
        throw;
      }
      self->wait_again(watched, event, as_poll);
    });
    watched->awaited |= as_poll;  // not earlier: the wait can lack memory to begin
  }

  /// Waits for the next event. If there is no memory to wait, all exchanges end with an error.
  void wait_again(const std::shared_ptr<watched_socket>& watched, watched_socket::wait_type event,
                  int as_poll) {
    try {
      if (watched->is_open()) {
        wait(watched, event, as_poll);
      }
    } catch (...) {
      driver_.fail_all();
    }
  }

  void set_timer(std::optional<time> when) override {
    if (!when) {
      timer_.cancel();
      return;
    }
    if (*when <= std::chrono::steady_clock::now()) {
      post(&asio_curl_loop::on_timer);  // the timer would take a system call
      return;
    }
    timer_.expires_at(*when);
    timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
      if (const auto self = weak.lock(); self && !error) {
        self->on_timer();
      }
    });
  }

  void on_timer() {
    drive(&curl_socket_driver::on_timer);
    if (driver_.in_flight() == 0) {
      set_timer({});  // a later time can still be set, and would keep the executor's `run`
    }
  }

  void wake() noexcept override {
    try {
      post([](asio_curl_loop& self) { self.drive(&curl_socket_driver::run); });
    } catch (...) {
      is_wake_lost_ = true;  // there is no memory, so the next task does the work
    }
  }

  boost::asio::strand<boost::asio::any_io_executor> strand_;
  boost::asio::steady_timer timer_;
  boost::unordered_flat_map<curl_socket_t, std::shared_ptr<watched_socket>> sockets_;
  std::atomic<bool> is_wake_lost_ = false;  // true if `wake` had no memory
  curl_socket_driver driver_;  // last, since its destructor still uses the members above
};

}  // namespace adapters_detail

/// Fetches like `CurlFetcher`, but runs up to `curl_options::max_connections` exchanges at once, on
/// the threads of a Boost.Asio executor. This class starts no threads, but libcurl can start
/// threads to look up names.
///
/// Copies share their handles and connections. All copies work on one strand. So any number of
/// threads may run the executor, and any thread may call `async_fetch`. When the last copy is
/// destroyed, all running exchanges end without callbacks. Any thread may destroy the last copy,
/// even in a callback. The context of the executor must outlive all copies.
class AsioCurlFetcher {
 public:
  /// Throws `std::invalid_argument` if an option is not valid or this libcurl lacks a feature that
  /// the fetcher needs, and `std::runtime_error` if libcurl cannot start.
  explicit AsioCurlFetcher(const boost::asio::any_io_executor& executor,
                           const curl_options& options = {})
      : loop_(std::make_shared<adapters_detail::asio_curl_loop>(executor, options)) {}

  /// Begins an exchange. The executor calls `done` with the response. This function never calls
  /// `done`. If `done` throws, the executor's `run` throws the same exception.
  void async_fetch(fetch_request request, std::function<void(fetch_response)> done) {
    loop_->start(std::move(request), std::move(done));
  }

 private:
  std::shared_ptr<adapters_detail::asio_curl_loop> loop_;
};

static_assert(AsyncFetcher<AsioCurlFetcher>);

}  // namespace robots
