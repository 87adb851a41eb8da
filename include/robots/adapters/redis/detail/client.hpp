#pragma once

#include <robots/adapters/redis/detail/connection.hpp>
#include <robots/adapters/redis/detail/connector.hpp>
#include <robots/adapters/redis/detail/pool.hpp>
#include <robots/adapters/redis/redis_options.hpp>
#include <robots/base/printable.hpp>
#include <robots/store/shared_store.hpp>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// The error in place of a reply from a node that cannot be reached, if other nodes have replied.
inline constexpr std::string_view unreachable_node = "UNREACHABLENODE";

/// Sends each command to the server that has its key. Any thread may call it.
///
/// A call takes at most the time to open a connection plus twice `command_timeout` for each 512
/// commands. Throws `store_error` if a command has no reply.
class redis_client {
 public:
  redis_client() = default;
  redis_client(const redis_client&) = delete;
  redis_client& operator=(const redis_client&) = delete;
  virtual ~redis_client() = default;

  /// Returns the replies to independent commands, in their order. A reply of a node that cannot be
  /// reached is the error `unreachable_node`; throws if no node replies.
  [[nodiscard]] virtual std::vector<redis_reply> ask(std::span<const redis_command> commands) = 0;

  /// Returns a connection for a subscription. Data in the pipe end its waits.
  [[nodiscard]] virtual std::unique_ptr<redis_connection> connect(int interrupt) = 0;

  /// Returns the servers that have keys.
  [[nodiscard]] virtual std::vector<std::shared_ptr<redis_pool>> servers() = 0;

  /// Returns the reply to one command, which must be of that kind or nil.
  redis_reply ask_one(redis_command command, redis_reply::kind wanted) {
    const std::array<redis_command, 1> commands{std::move(command)};
    return accepted(commands.front(), std::move(ask(commands).front()), wanted);
  }

  /// Returns a reply that must be of that kind or nil. Throws `store_error` for any other.
  [[nodiscard]] static redis_reply accepted(const redis_command& command, redis_reply reply,
                                            redis_reply::kind wanted) {
    if (reply.type != wanted && reply.type != redis_reply::kind::nil) {
      throw store_error{"Redis refuses " + command.front() + ": " + base::printable(reply.text)};
    }
    return reply;
  }
};

/// Sends everything to one server, or to the current master.
class single_redis final : public redis_client {
 public:
  explicit single_redis(const redis_options& options)
      : connector_{options},
        pool_{std::make_shared<redis_pool>(options, [this] { return connector_.connect(); })} {}

  [[nodiscard]] std::vector<redis_reply> ask(std::span<const redis_command> commands) override {
    return pool_->ask(commands);
  }
  [[nodiscard]] std::unique_ptr<redis_connection> connect(int interrupt) override {
    return connector_.connect(interrupt);
  }
  [[nodiscard]] std::vector<std::shared_ptr<redis_pool>> servers() override { return {pool_}; }

 private:
  redis_connector connector_;
  std::shared_ptr<redis_pool> pool_;
};

}  // namespace robots::adapters_detail
