#pragma once

#include <robots/adapters/curl/curl_options.hpp>
#include <robots/adapters/curl/curl_transfers.hpp>
#include <robots/http/message.hpp>

#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

// Where this file stands: between an event loop and the exchanges of libcurl. It is what all
// fetchers over libcurl's multi_socket interface have in common.
//
//     async_fetch ---> curl_transfers --> libcurl --+--> watch(socket, events) --> the loop waits
//                                                   +--> set_timer(time) --------> the loop waits
//     done(response) <-- curl_transfers <-- libcurl <--- act(socket, mask) <----- an event
//                                                   <--- on_timer() <------------ it is time
//                                                   <--- run() <----------------- wake()
//
// An event loop derives from `curl_event_loop`, and owns a `curl_socket_driver`. It writes `watch`,
// `set_timer` and `wake`. `adapters/asio/asio_curl_fetcher.hpp` does so for Boost.Asio, and
// `tests/examples/poll_fetcher.hpp` for poll().

namespace robots {

/// What a `curl_socket_driver` needs from an event loop. The driver calls all functions in the
/// thread that calls the driver, except `wake`.
class curl_event_loop {
 public:
  /// A time of the clock by which libcurl waits.
  using time = std::chrono::steady_clock::time_point;

  curl_event_loop() = default;
  curl_event_loop(const curl_event_loop&) = delete;
  curl_event_loop& operator=(const curl_event_loop&) = delete;

  /// Waits for `events` of `socket` from now on: CURL_POLL_IN, CURL_POLL_OUT or CURL_POLL_INOUT.
  /// For each event, the loop calls `act`. After CURL_POLL_REMOVE, the loop no longer waits for
  /// events of the socket: libcurl closes it soon, or keeps it for a later exchange. If this
  /// function throws, the exchange fails.
  virtual void watch(curl_socket_t socket, int events) = 0;

  /// Calls `on_timer` at the time `when`, which can have passed, but not within this call. Replaces
  /// the time of the call before. An empty time stops the timer. If this function throws, the
  /// driver calls `wake`, and `run` sets the timer.
  virtual void set_timer(std::optional<time> when) = 0;

  /// Calls `run` soon, but not within this call. Any thread may call this function.
  virtual void wake() noexcept = 0;

 protected:
  ~curl_event_loop() = default;
};

/// Runs the exchanges of a `curl_transfers` in an event loop. Only one thread at a time may use a
/// driver. The loop must outlive it. No callback may destroy the driver.
///
/// The loop must run while `in_flight()` is not 0. `act`, `on_timer` and `run` pass on the
/// exceptions of callbacks, and `std::bad_alloc`. A loop that is written in C must not let them
/// through.
class curl_socket_driver {
 public:
  /// A time of the clock by which libcurl waits.
  using time = curl_event_loop::time;

  /// Throws what `curl_transfers` throws.
  curl_socket_driver(const curl_options& options, curl_event_loop& loop)
      : loop_(loop), transfers_(options, [this]() noexcept { loop_.wake(); }) {
    const curl_multi_timer_callback on_time = [](CURLM*, long milliseconds, void* self) noexcept {
      static_cast<curl_socket_driver*>(self)->set_due(milliseconds);
      return 0;
    };
    const curl_socket_callback on_socket = [](CURL*, curl_socket_t socket, int events, void* self,
                                              void*) noexcept {
      try {
        static_cast<curl_socket_driver*>(self)->loop_.watch(socket, events);
        return 0;
      } catch (...) {
        return -1;  // no exception may pass through libcurl
      }
    };
    CURLM* const multi = transfers_.multi();
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, static_cast<void*>(this));
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_time);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, static_cast<void*>(this));
  }

  /// Begins an exchange. A later call of `act`, `on_timer` or `run` calls `done`. If this function
  /// throws, nobody calls `done`.
  void async_fetch(fetch_request request, std::function<void(fetch_response)> done) {
    transfers_.async_fetch(std::move(request), std::move(done));
    if (!is_collecting_) {
      arrange();
    }
  }

  /// Handles events of a socket. `mask` has CURL_CSELECT_IN, CURL_CSELECT_OUT, CURL_CSELECT_ERR or
  /// several of them. Calls the callbacks of exchanges that have ended. If a callback throws, the
  /// loop is woken, and the next call calls the remaining callbacks.
  void act(curl_socket_t socket, int mask) {
    tell_libcurl(socket, mask);
    collect();
  }

  /// Handles the end of the time of `set_timer`, like `act`. A call at another time does no harm.
  void on_timer() {
    timer_.reset();
    run();
  }

  /// Does what is due, like `act`.
  void run() {
    if (due_ && *due_ <= std::chrono::steady_clock::now()) {
      due_.reset();  // libcurl sets the next time, if it has one
      tell_libcurl(CURL_SOCKET_TIMEOUT, 0);
    }
    collect();
  }

  /// Ends all exchanges with `fetch_error::local`, and calls their callbacks, like `act`. For a
  /// loop that has no memory to call this object later.
  void fail_all() {
    transfers_.fail_all();
    collect();
  }

  /// Returns the number of exchanges whose callbacks have not been called yet.
  [[nodiscard]] std::size_t in_flight() const noexcept { return transfers_.in_flight(); }

 private:
  void set_due(long milliseconds) noexcept {
    due_.reset();
    if (milliseconds >= 0) {
      due_ = std::chrono::steady_clock::now() + std::chrono::milliseconds{milliseconds};
    }
  }

  void tell_libcurl(curl_socket_t socket, int mask) {
    int running = 0;
    if (curl_multi_socket_action(transfers_.multi(), socket, mask, &running) != CURLM_OK) {
      transfers_.fail_all();
    }
  }

  /// Calls the callbacks. Exchanges that they begin are begun together, when the timer runs out.
  void collect() {
    is_collecting_ = true;
    try {
      transfers_.collect();
    } catch (...) {
      is_collecting_ = false;
      loop_.wake();
      throw;
    }
    is_collecting_ = false;
    arrange();
  }

  /// Sets the timer of the loop, unless it runs out early enough. libcurl often asks for a later
  /// time, and in many loops each change of the timer is a system call.
  void arrange() noexcept {
    const auto now = std::chrono::steady_clock::now();
    std::optional<time> next = due_;
    const auto sooner = [&next](time other) { next = next ? (std::min)(*next, other) : other; };
    if (transfers_.has_ended()) {
      sooner(now);
    }
    if (transfers_.lacks_descriptor()) {
      sooner(now + adapters_detail::curl_transfers::descriptor_pause);
    }
    if (next ? !timer_ || *next < *timer_ : timer_.has_value()) {
      timer_.reset();
      try {
        loop_.set_timer(next);
        timer_ = next;
      } catch (...) {
        loop_.wake();  // otherwise, the exchanges could wait for ever
      }
    }
  }

  curl_event_loop& loop_;
  std::optional<time> due_{};    // when libcurl must act
  std::optional<time> timer_{};  // when the timer of the loop runs out
  bool is_collecting_ = false;   // true within `collect`, which arranges the timer at its end
  // Last, since its destructor still uses the members above.
  adapters_detail::curl_transfers transfers_;
};

}  // namespace robots
