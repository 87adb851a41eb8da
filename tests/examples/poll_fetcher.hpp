#pragma once

#include <robots/adapters/curl/curl_options.hpp>
#include <robots/adapters/curl/curl_socket_driver.hpp>
#include <robots/fetch/async_fetcher.hpp>
#include <robots/http/message.hpp>

#include <curl/curl.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

/// A fetcher over libcurl for a loop of the program: here one over poll(). All that it writes is
/// the watching of sockets, one timer and a wake-up. The rest is `curl_socket_driver`, so that it
/// behaves exactly like `CurlFetcher`.
class poll_fetcher final : robots::curl_event_loop {
 public:
  explicit poll_fetcher(const robots::curl_options& options = {}) : driver_(options, *this) {}

  /// Begins an exchange. A later `run_once` calls `done`.
  void async_fetch(robots::fetch_request request,
                   std::function<void(robots::fetch_response)> done) {
    driver_.async_fetch(std::move(request), std::move(done));
  }

  [[nodiscard]] std::size_t in_flight() const noexcept { return driver_.in_flight(); }

  /// Waits for sockets, the timer or a wake-up, and handles them.
  void run_once() {
    std::vector<pollfd> ready{{pipe_.ends[0], POLLIN, 0}};
    for (const auto& [socket, events] : sockets_) {
      ready.push_back({socket, events, 0});
    }
    if (::poll(ready.data(), static_cast<nfds_t>(ready.size()), milliseconds_left()) < 0) {
      return;  // a signal
    }
    if (ready.front().revents != 0) {
      std::array<char, 64> octets{};
      static_cast<void>(::read(pipe_.ends[0], octets.data(), octets.size()));
      driver_.run();
    }
    std::for_each(ready.begin() + 1, ready.end(), [this](const pollfd& one) {
      // An earlier event can have removed the socket.
      if (one.revents != 0 && sockets_.contains(one.fd)) {
        driver_.act(one.fd, ((one.revents & (POLLIN | POLLHUP)) != 0 ? CURL_CSELECT_IN : 0) |
                                ((one.revents & POLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
                                ((one.revents & POLLERR) != 0 ? CURL_CSELECT_ERR : 0));
      }
    });
    if (timer_ && *timer_ <= std::chrono::steady_clock::now()) {
      timer_.reset();
      driver_.on_timer();
    }
  }

 private:
  /// A pipe that ends the wait of `poll`.
  struct wake_pipe {
    wake_pipe() {
      if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
        throw std::runtime_error{"there is no free file descriptor for a pipe"};
      }
    }
    wake_pipe(const wake_pipe&) = delete;
    wake_pipe& operator=(const wake_pipe&) = delete;
    ~wake_pipe() {
      ::close(ends[0]);
      ::close(ends[1]);
    }
    std::array<int, 2> ends{};
  };

  void watch(curl_socket_t socket, int events) override {
    if (events == CURL_POLL_REMOVE) {
      sockets_.erase(socket);
    } else {
      sockets_[socket] = static_cast<short>(((events & CURL_POLL_IN) != 0 ? POLLIN : 0) |
                                            ((events & CURL_POLL_OUT) != 0 ? POLLOUT : 0));
    }
  }

  void set_timer(std::optional<time> when) override { timer_ = when; }

  void wake() noexcept override { static_cast<void>(::write(pipe_.ends[1], "w", 1)); }

  /// Returns how long `poll` may wait: -1 is forever.
  [[nodiscard]] int milliseconds_left() const {
    if (!timer_) {
      return -1;
    }
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(*timer_ - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<long long>(left.count(), 0, 60'000));
  }

  wake_pipe pipe_{};
  std::map<curl_socket_t, short> sockets_{};
  std::optional<time> timer_{};
  robots::curl_socket_driver driver_;  // last, since its destructor still uses the members above
};

static_assert(robots::AsyncFetcher<poll_fetcher>);
