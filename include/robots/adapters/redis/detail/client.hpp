#pragma once

#include <robots/adapters/redis/detail/cluster.hpp>
#include <robots/adapters/redis/detail/connection.hpp>
#include <robots/adapters/redis/detail/connector.hpp>
#include <robots/adapters/redis/detail/pool.hpp>
#include <robots/adapters/redis/redis_options.hpp>
#include <robots/base/ascii.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/store/shared_store.hpp>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// Sends each command to the only server, to the master that the Sentinels name, or to the cluster
/// node that has the key of the command. Any thread may call this object.
///
/// A call takes at most `connect_timeout`, one `command_timeout` to wait for a free connection, and
/// one for each 512 commands. In a cluster, these limits apply to each node.
class redis_client {
 public:
  /// Throws `std::invalid_argument` if the options are not valid.
  explicit redis_client(const redis_options& options)
      : connector_{options},
        server_{std::make_shared<redis_pool>(options, [this] { return connector_.connect(); })} {
    if (connector_.endpoint().topology == redis_topology::cluster) {
      cluster_ = std::make_unique<redis_cluster>(options, connector_);
    }
  }
  redis_client(const redis_client&) = delete;
  redis_client& operator=(const redis_client&) = delete;

  /// Returns the replies to independent commands, in their order. If a node of a cluster cannot be
  /// reached, its replies have the kind `lost`. Throws `store_error` if no server replies.
  [[nodiscard]] std::vector<redis_reply> ask(std::span<const redis_command> commands) {
    return cluster_ ? cluster_->ask(commands) : server_->ask(commands);
  }

  /// Returns the reply to one command. Throws `store_error` if the reply is neither nil nor of the
  /// kind `wanted`.
  redis_reply ask_one(const redis_command& command, redis_reply::kind wanted) {
    return accepted(command, std::move(ask({&command, 1}).front()), wanted);
  }

  /// Returns a connection for a subscription. A stop request ends the waits of the connection.
  [[nodiscard]] std::unique_ptr<redis_connection> connect(const stop_token& stop) {
    return cluster_ ? connector_.connect(cluster_->some_servers().front(), stop)
                    : connector_.connect(stop);
  }

  /// Returns the servers that have keys.
  [[nodiscard]] std::vector<std::shared_ptr<redis_pool>> servers() {
    return cluster_ ? cluster_->servers() : std::vector{server_};
  }

  /// Returns `reply`. Throws `store_error` if the reply is neither nil nor of the kind `wanted`.
  [[nodiscard]] static redis_reply accepted(const redis_command& command, redis_reply reply,
                                            redis_reply::kind wanted) {
    if (reply.type != wanted && reply.type != redis_reply::kind::nil) {
      throw store_error{"Redis refuses " + command.front() + ": " + base::printable(reply.text)};
    }
    return reply;
  }

 private:
  redis_connector connector_;
  std::shared_ptr<redis_pool> server_;  // not used with a cluster
  std::unique_ptr<redis_cluster> cluster_;
};

}  // namespace robots::adapters_detail
