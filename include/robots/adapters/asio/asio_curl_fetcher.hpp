#pragma once

#include <robots/adapters/curl/curl_multi_fetcher.hpp>
#include <robots/adapters/curl/curl_options.hpp>
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

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace robots {

namespace adapters_detail {

/// Drives one multi handle by libcurl's multi_socket interface: Asio waits for the sockets and for
/// the timer that libcurl asks for. All work runs on one strand. Queued tasks have only weak
/// pointers to the driver, so they do not keep it alive.
class asio_curl_driver : public std::enable_shared_from_this<asio_curl_driver> {
 public:
  asio_curl_driver(const boost::asio::any_io_executor& executor, const curl_options& options)
      : strand_(executor),
        timer_(strand_),
        descriptor_timer_(strand_),
        transfers_(options, [this]() noexcept { post(&asio_curl_driver::collect); }) {
    const curl_multi_timer_callback on_timer = [](CURLM*, long milliseconds, void* self) noexcept {
      return succeeds([&] { static_cast<asio_curl_driver*>(self)->set_timer(milliseconds); });
    };
    const curl_socket_callback on_socket = [](CURL*, curl_socket_t socket, int events, void* self,
                                              void*) noexcept {
      return succeeds([&] { static_cast<asio_curl_driver*>(self)->watch_socket(socket, events); });
    };
    CURLM* const multi = transfers_.multi();
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, static_cast<void*>(this));
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, static_cast<void*>(this));
  }

  void start(fetch_request request, std::function<void(fetch_response)> done) {
    post([request = std::move(request), done = std::move(done)](asio_curl_driver& self) mutable {
      self.transfers_.async_fetch(std::move(request), std::move(done));
      // If libcurl refused the exchange, this call passes the error to `done`. Otherwise, libcurl's
      // timer starts the exchange.
      self.collect();
    });
  }

 private:
  /// A socket that Asio watches. libcurl owns the socket, so this object never closes it.
  struct watch : boost::asio::posix::stream_descriptor {
    using basic_stream_descriptor::basic_stream_descriptor;
    ~watch() {
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

  /// Calls `act`. Returns 0, or -1 if `act` throws, since no exception may pass through libcurl.
  template <class Act>
  [[nodiscard]] static int succeeds(const Act& act) noexcept {
    try {
      act();
      return 0;
    } catch (...) {
      return -1;
    }
  }

  /// Makes Asio wait for `events` of `socket`. The socket stays registered until libcurl removes
  /// it, since a registration takes several system calls.
  void watch_socket(curl_socket_t socket, int events) {
    const auto found = watches_.find(socket);
    if (events == CURL_POLL_REMOVE) {
      if (found != watches_.end()) {
        static_cast<void>(found->second->release());
        watches_.erase(found);
      }
      return;
    }
    std::shared_ptr<watch> watched =
        found != watches_.end() ? found->second : std::make_shared<watch>(strand_, socket);
    if (found == watches_.end()) {
      watches_.emplace(socket, watched);
    }
    watched->wanted = events;
    wait(watched, watch::wait_read, CURL_POLL_IN);
    wait(watched, watch::wait_write, CURL_POLL_OUT);
  }

  /// Waits for `event`, if libcurl wants it and no wait for it is running. Passes the event to
  /// libcurl, and waits again while libcurl wants it.
  void wait(const std::shared_ptr<watch>& watched, watch::wait_type event, int as_poll) {
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
      self->act(watched->native_handle(), error ? CURL_CSELECT_ERR : mask);
      if (watched->is_open()) {
        self->wait(watched, event, as_poll);
      }
    });
    watched->awaited |= as_poll;  // not earlier: the wait can lack memory to begin
  }

  /// Lets libcurl act after this time, or never if it is negative. The timer may run out earlier,
  /// since libcurl often asks for a later time, and each change of the timer is a system call.
  void set_timer(long milliseconds) {
    if (milliseconds < 0) {
      due_.reset();
      runs_until_.reset();
      timer_.cancel();
      return;
    }
    due_ = std::chrono::steady_clock::now() + std::chrono::milliseconds{milliseconds};
    if (milliseconds == 0) {
      if (!is_posted_) {
        post([](asio_curl_driver& self) {
          self.is_posted_ = false;
          self.act_when_due();
        });
        is_posted_ = true;
      }
    } else if (!runs_until_ || *due_ < *runs_until_) {
      start_timer();
    }
  }

  void start_timer() {
    runs_until_.reset();
    timer_.expires_at(*due_);
    timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
      if (const auto self = weak.lock(); self && !error) {
        self->runs_until_.reset();
        self->act_when_due();
      }
    });
    runs_until_ = due_;
  }

  /// Lets libcurl act if its time has come. Otherwise, makes sure that the timer runs.
  void act_when_due() {
    if (!due_) {
      return;
    }
    if (std::chrono::steady_clock::now() >= *due_) {
      due_.reset();
      act(CURL_SOCKET_TIMEOUT, 0);
    } else if (!runs_until_ || *due_ < *runs_until_) {
      start_timer();
    }
  }

  void act(curl_socket_t socket, int mask) {
    int running = 0;
    if (curl_multi_socket_action(transfers_.multi(), socket, mask, &running) != CURLM_OK) {
      transfers_.fail_all();
    }
    collect();
  }

  void collect() {
    try {
      transfers_.collect();
    } catch (...) {
      post(&asio_curl_driver::collect);  // calls the remaining callbacks
      throw;
    }
    if (transfers_.has_ended()) {
      post(&asio_curl_driver::collect);
    }
    if (transfers_.lacks_descriptor()) {
      wait_for_descriptor();
    }
  }

  /// Lets the waiting exchanges try again soon. Another part of the program can free a descriptor.
  void wait_for_descriptor() {
    descriptor_timer_.expires_after(adapters_detail::curl_transfers::descriptor_pause);
    descriptor_timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
      if (const auto self = weak.lock(); self && !error) {
        self->collect();
      }
    });
  }

  boost::asio::strand<boost::asio::any_io_executor> strand_;
  boost::asio::steady_timer timer_;
  std::optional<std::chrono::steady_clock::time_point> due_{};         // when libcurl must act
  std::optional<std::chrono::steady_clock::time_point> runs_until_{};  // when `timer_` runs out
  bool is_posted_ = false;  // true if a task will call `act_when_due`
  boost::asio::steady_timer descriptor_timer_;
  boost::unordered_flat_map<curl_socket_t, std::shared_ptr<watch>> watches_;
  curl_transfers transfers_;  // last, since its destructor still uses the members above
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
      : driver_(std::make_shared<adapters_detail::asio_curl_driver>(executor, options)) {}

  /// Begins an exchange. The executor calls `done` with the response. This function never calls
  /// `done`. If `done` throws, the executor's `run` throws the same exception.
  void async_fetch(fetch_request request, std::function<void(fetch_response)> done) {
    driver_->start(std::move(request), std::move(done));
  }

 private:
  std::shared_ptr<adapters_detail::asio_curl_driver> driver_;
};

static_assert(AsyncFetcher<AsioCurlFetcher>);

}  // namespace robots
