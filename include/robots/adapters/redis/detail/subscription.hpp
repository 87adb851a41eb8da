#pragma once

#include <robots/adapters/redis/detail/connection.hpp>
#include <robots/base/counter_random.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/store/shared_store.hpp>

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace robots::adapters_detail {

/// A pipe that wakes a thread which waits for its read end.
class redis_interrupt {
 public:
  redis_interrupt() {
    if (::pipe(ends_.data()) != 0) {
      throw std::system_error{errno, std::generic_category(), "RedisStore: no pipe for watch"};
    }
  }
  redis_interrupt(const redis_interrupt&) = delete;
  redis_interrupt& operator=(const redis_interrupt&) = delete;
  ~redis_interrupt() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }

  [[nodiscard]] int waited_for() const noexcept { return ends_[0]; }

  void interrupt() const noexcept {
    [[maybe_unused]] const auto written = ::write(ends_[1], "", 1);
  }

 private:
  std::array<int, 2> ends_{};
};

/// Listens to a channel in a background thread. Reconnects after each failure.
class redis_subscription {
 public:
  /// Opens a connection whose waits end if there are data in the pipe.
  using connector = std::function<std::unique_ptr<redis_connection>(int interrupt)>;
  using listener = std::function<void(std::string_view message)>;

  /// Calls `on_message` with each message, and with an empty one if messages may have been missed.
  /// Returns when the subscription exists or the first try has failed.
  redis_subscription(connector connect, std::string channel, std::chrono::milliseconds timeout,
                     listener on_message)
      : connect_{std::move(connect)},
        channel_{std::move(channel)},
        timeout_{timeout},
        on_message_{std::move(on_message)},
        thread_{[this](const stop_token& stop) { run(stop); }} {
    first_attempt_.get_future().wait();
  }
  redis_subscription(const redis_subscription&) = delete;
  redis_subscription& operator=(const redis_subscription&) = delete;

  /// Ends the subscription. After its return, no call of `on_message` is running.
  ~redis_subscription() {
    thread_.request_stop();
    interrupt_.interrupt();
  }

 private:
  void run(const stop_token& stop) {
    constexpr std::chrono::milliseconds shortest{50};
    constexpr std::chrono::milliseconds longest{2'000};
    base::counter_random random{std::nullopt};
    auto pause = shortest;
    bool is_first = true;
    while (!stop.stop_requested()) {
      try {
        const auto connection = connect_(interrupt_.waited_for());
        ask(*connection, {"SUBSCRIBE", channel_});
        pause = shortest;
        if (is_first) {
          first_attempt_.set_value();
        } else {
          on_message_("");
        }
        is_first = false;
        listen(*connection, stop);
      } catch (const std::exception&) {  // the subscription is lost, or never began
        if (is_first) {
          first_attempt_.set_value();
        }
        is_first = false;
      }
      // Half of it is random, so that not all workers reconnect at once.
      wait(
          std::chrono::duration_cast<std::chrono::milliseconds>(pause * (0.5 + random.draw() / 2)));
      pause = (std::min)(2 * pause, longest);
    }
  }

  /// Sends a command that the server must answer in time. Meanwhile, it handles messages.
  void ask(redis_connection& connection, const redis_command& command) {
    connection.send(command);
    hear(connection, next(connection));
  }

  [[nodiscard]] redis_reply next(redis_connection& connection) const {
    std::optional<redis_reply> reply = connection.receive(redis_deadline(timeout_));
    if (!reply) {
      connection.fail("does not answer in time");
    }
    return std::move(*reply);
  }

  /// Handles messages until the connection is lost. Sends a command from time to time, to notice a
  /// server that vanished.
  void listen(redis_connection& connection, const stop_token& stop) {
    constexpr std::chrono::milliseconds quiet{1'000};
    while (!stop.stop_requested()) {
      if (auto reply = connection.receive(redis_deadline(quiet))) {
        hear(connection, *reply);
      } else if (!stop.stop_requested()) {
        ask(connection, {"PING"});
      }
    }
  }

  void hear(const redis_connection& connection, const redis_reply& reply) const {
    if (reply.type != redis_reply::kind::list || reply.list.empty()) {
      connection.fail("refuses to report changes");
    }
    if (reply.list.size() == 3 && reply.list[0].text == "message") {
      on_message_(reply.list[2].text);
    }
  }

  void wait(std::chrono::milliseconds time) const {
    pollfd end{.fd = interrupt_.waited_for(), .events = POLLIN, .revents = 0};
    ::poll(&end, 1, static_cast<int>(time.count()));
  }

  connector connect_;
  std::string channel_;
  std::chrono::milliseconds timeout_;
  listener on_message_;
  redis_interrupt interrupt_;
  std::promise<void> first_attempt_;
  base::jthread thread_;
};

}  // namespace robots::adapters_detail
