#pragma once

#include <robots/adapters/redis/detail/connection.hpp>
#include <robots/adapters/redis/redis_options.hpp>
#include <robots/store/shared_store.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// Keeps the connections to one server. Any thread may call the pool. At most `max_connections`
/// calls use a connection at once, and further calls wait.
class redis_pool {
 public:
  using connector = std::function<std::unique_ptr<redis_connection>()>;

  redis_pool(const redis_options& options, connector connect)
      : connect_{std::move(connect)},
        timeout_{options.command_timeout},
        max_connections_{options.max_connections} {}

  /// Returns the replies to the commands, even replies that are errors. Makes one round trip for
  /// each 512 commands.
  [[nodiscard]] std::vector<redis_reply> ask(std::span<const redis_command> commands) {
    constexpr std::size_t most_at_once = 512;
    const permit own{*this};
    auto connection = idle();
    if (!connection) {
      connection = connect_();
    }
    std::vector<redis_reply> replies;
    while (!commands.empty()) {
      const auto batch = commands.first((std::min)(most_at_once, commands.size()));
      auto answered = connection->ask(batch, redis_deadline(timeout_));
      std::move(answered.begin(), answered.end(), std::back_inserter(replies));
      commands = commands.subspan(batch.size());
    }
    // After an error, drops the connection, since another server can be the master now.
    if (std::none_of(replies.begin(), replies.end(), [](const redis_reply& reply) {
          return reply.type == redis_reply::kind::error;
        })) {
      const std::scoped_lock lock{mutex_};
      idle_.push_back(std::move(connection));
    }
    return replies;
  }

 private:
  /// The right of one thread to use a connection.
  struct permit {
    explicit permit(redis_pool& from) : pool{from} {
      std::unique_lock lock{pool.mutex_};
      if (!pool.is_free_.wait_until(lock, redis_deadline(pool.timeout_),
                                    [this] { return pool.used_ < pool.max_connections_; })) {
        throw store_error{"Redis: all " + std::to_string(pool.max_connections_) +
                          " connections are in use: raise redis_options::max_connections"};
      }
      ++pool.used_;
    }
    permit(const permit&) = delete;
    permit& operator=(const permit&) = delete;
    ~permit() {
      {
        const std::scoped_lock lock{pool.mutex_};
        --pool.used_;
      }
      pool.is_free_.notify_one();
    }

    redis_pool& pool;
  };

  /// Returns the open connection that was used most recently, or null.
  [[nodiscard]] std::unique_ptr<redis_connection> idle() {
    const std::scoped_lock lock{mutex_};
    while (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      if (connection->is_idle()) {
        return connection;
      }
    }
    return nullptr;
  }

  connector connect_;
  std::chrono::milliseconds timeout_;
  std::size_t max_connections_;
  std::mutex mutex_;
  std::condition_variable is_free_;
  std::vector<std::unique_ptr<redis_connection>> idle_;
  std::size_t used_ = 0;
};

}  // namespace robots::adapters_detail
