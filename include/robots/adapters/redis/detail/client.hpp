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

/// The error that stands for a reply of a node that is out of reach, while other nodes have
/// replied.
inline constexpr std::string_view unreachable_node = "UNREACHABLENODE";

/// Sends commands to whichever server has their keys. From any thread.
///
/// A call takes at most the time to open a connection plus twice `command_timeout`, for each 512
/// commands. Throws `store_error` if a command has no reply.
class redis_client {
 public:
  redis_client() = default;
  redis_client(const redis_client&) = delete;
  redis_client& operator=(const redis_client&) = delete;
  virtual ~redis_client() = default;

  /// The replies to commands that do not depend on one another, in their order. Those of a node
  /// that is out of reach are errors, `unreachable_node`; if no node replies, it throws.
  [[nodiscard]] virtual std::vector<redis_reply> ask(std::span<const redis_command> commands) = 0;

  /// A connection for a subscription, which waits for nothing once the pipe is written to.
  [[nodiscard]] virtual std::unique_ptr<redis_connection> connect(int interrupt) = 0;

  /// Returns the servers that keep keys.
  [[nodiscard]] virtual std::vector<std::shared_ptr<redis_pool>> servers() = 0;

  /// The reply to one command, which is of that kind or nil.
  redis_reply ask_one(redis_command command, redis_reply::kind wanted) {
    const std::array<redis_command, 1> commands{std::move(command)};
    return accepted(commands.front(), std::move(ask(commands).front()), wanted);
  }

  /// A reply, if it is of that kind or nil. Throws `store_error` if not.
  [[nodiscard]] static redis_reply accepted(const redis_command& command, redis_reply reply,
                                            redis_reply::kind wanted) {
    if (reply.type != wanted && reply.type != redis_reply::kind::nil) {
      throw store_error{"Redis refuses " + command.front() + ": " + base::printable(reply.text)};
    }
    return reply;
  }
};

/// Sends everything to one server, or to the one that is the master at the time.
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
