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
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// The connections to one server. Any number of threads may call it. As many as there may be
/// connections work at once; the others wait.
class redis_pool {
 public:
  using connector = std::function<std::unique_ptr<redis_connection>()>;

  redis_pool(const redis_options& options, connector connect)
      : connect_{std::move(connect)},
        timeout_{options.command_timeout},
        max_connections_{options.max_connections} {}

  /// Returns the replies to the commands, including errors, in few round trips.
  [[nodiscard]] std::vector<redis_reply> ask(std::span<const redis_command> commands) {
    constexpr std::size_t most_at_once = 512;
    lease borrowed{*this};
    std::vector<redis_reply> replies;
    while (!commands.empty()) {
      const auto batch = commands.first((std::min)(most_at_once, commands.size()));
      auto answered = borrowed.connection->ask(batch, redis_deadline(timeout_));
      std::ranges::move(answered, std::back_inserter(replies));
      commands = commands.subspan(batch.size());
    }
    // If a server refuses something, another one may be the right one now.
    borrowed.keep = std::ranges::none_of(
        replies, [](const redis_reply& reply) { return reply.type == redis_reply::kind::error; });
    return replies;
  }

 private:
  /// A connection for one thread. It is closed at the end, unless it is kept.
  struct lease {
    explicit lease(redis_pool& from) : pool{from}, connection{from.take()} {
      try {
        if (!connection) {
          connection = pool.connect_();
        }
      } catch (...) {
        pool.put_back(nullptr);
        throw;
      }
    }
    lease(const lease&) = delete;
    lease& operator=(const lease&) = delete;
    ~lease() { pool.put_back(keep ? std::move(connection) : nullptr); }

    redis_pool& pool;
    std::unique_ptr<redis_connection> connection;
    bool keep = false;
  };

  /// Returns the most recently used open connection, or null if a new one may be opened.
  [[nodiscard]] std::unique_ptr<redis_connection> take() {
    std::unique_lock lock{mutex_};
    if (!is_free_.wait_until(lock, redis_deadline(timeout_),
                             [this] { return lent_ < max_connections_; })) {
      throw store_error{"Redis: all connections are in use: raise redis_options::max_connections"};
    }
    idle_.reserve(idle_.size() + lent_ + 1);  // so that returning them cannot fail
    std::unique_ptr<redis_connection> connection;
    while (!connection && !idle_.empty()) {
      connection = std::move(idle_.back());
      idle_.pop_back();
      if (!connection->is_idle()) {  // or throws: then none is lent
        connection.reset();
      }
    }
    ++lent_;
    return connection;
  }

  void put_back(std::unique_ptr<redis_connection> connection) noexcept {
    {
      const std::scoped_lock lock{mutex_};
      --lent_;
      if (connection) {
        idle_.push_back(std::move(connection));
      }
    }
    is_free_.notify_one();
  }

  connector connect_;
  std::chrono::milliseconds timeout_;
  std::size_t max_connections_;
  std::mutex mutex_;
  std::condition_variable is_free_;
  std::vector<std::unique_ptr<redis_connection>> idle_;
  std::size_t lent_ = 0;
};

}  // namespace robots::adapters_detail
