#pragma once

#include <robots/adapters/redis/detail/client.hpp>
#include <robots/adapters/redis/detail/connection.hpp>
#include <robots/base/random.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/time/steady_clock.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots::adapters_detail {

/// Listens to a channel in a background thread. Reconnects after each failure. The destructor ends
/// the subscription, and waits for a running call of the listener.
class redis_subscription {
 public:
  /// Calls `on_message` with each message. When the subscription exists again after a failure,
  /// calls `on_message` with an empty message, since messages may have been lost. Returns when the
  /// subscription exists or the first try has failed.
  redis_subscription(std::shared_ptr<redis_client> client, std::string channel,
                     std::chrono::milliseconds timeout,
                     std::function<void(std::string_view message)> on_message)
      : client_{std::move(client)},
        channel_{std::move(channel)},
        timeout_{timeout},
        on_message_{std::move(on_message)},
        thread_{[this](const stop_token& stop) { run(stop); }} {
    first_try_.get_future().wait();
  }
  redis_subscription(const redis_subscription&) = delete;
  redis_subscription& operator=(const redis_subscription&) = delete;

 private:
  void run(const stop_token& stop) {
    base::counter_random random{std::nullopt};
    bool has_tried = false;
    const auto note_try = [&] {
      if (!std::exchange(has_tried, true)) {
        first_try_.set_value();
      }
    };
    while (!stop.stop_requested()) {
      try {
        const auto connection = client_->connect(stop);
        ask(*connection, {"SUBSCRIBE", channel_});
        if (has_tried) {
          on_message_("");
        }
        note_try();
        listen(*connection, stop);
      } catch (const std::exception&) {  // the subscription is lost, or never began
        note_try();
      }
      // The pause is random, so that not all workers reconnect at once.
      const std::chrono::milliseconds pause{100 + static_cast<int>(random.draw() * 900)};
      SteadyClock{}.sleep_until(redis_deadline(pause), stop);
    }
  }

  /// Sends a command, and handles the next reply, which must arrive within the timeout. A message
  /// that arrives first counts as the reply.
  void ask(redis_connection& connection, const redis_command& command) {
    connection.send(command);
    const std::optional<redis_reply> reply = connection.receive(redis_deadline(timeout_));
    if (!reply) {
      connection.fail("does not answer in time");
    }
    take(connection, *reply);
  }

  /// Handles messages until the connection is lost. Sends PING after each second without a message,
  /// to notice a lost connection.
  void listen(redis_connection& connection, const stop_token& stop) {
    constexpr std::chrono::milliseconds quiet{1'000};
    while (!stop.stop_requested()) {
      if (const auto reply = connection.receive(redis_deadline(quiet))) {
        take(connection, *reply);
      } else if (!stop.stop_requested()) {
        ask(connection, {"PING"});
      }
    }
  }

  void take(const redis_connection& connection, const redis_reply& reply) const {
    if (reply.type != redis_reply::kind::list || reply.list.empty()) {
      connection.fail("refuses to report changes");
    }
    if (reply.list.size() == 3 && reply.list[0].text == "message") {
      on_message_(reply.list[2].text);
    }
  }

  std::shared_ptr<redis_client> client_;
  std::string channel_;
  std::chrono::milliseconds timeout_;
  std::function<void(std::string_view message)> on_message_;
  std::promise<void> first_try_;
  base::jthread thread_;
};

}  // namespace robots::adapters_detail
