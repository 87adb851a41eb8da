#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

struct redisContext;  // of hiredis

namespace robots {

/// The server of a `RedisStore`, and its timeouts.
struct redis_options {
  /// One of these forms. Parts in brackets are optional, and `%XX` is any octet:
  ///
  ///     redis://[user[:password]@]host[:6379][/database]
  ///     unix://[user[:password]@]/path/of/socket[?db=database]
  ///     redis+cluster://[user[:password]@]host[:6379][,host[:6379]...]
  ///     redis+sentinel://[user[:password]@]host[:26379][,host[:26379]...][/database]?master=name
  ///
  /// The hosts of a cluster are some of its nodes; those of `redis+sentinel` are the Sentinels, and
  /// user and password are the master's. An IPv6 address stands in brackets. With `rediss` in place
  /// of `redis` all connections are encrypted, by `tls`.
  std::string url = "redis://127.0.0.1:6379/0";

  /// The prefix of every key and channel, which separates crawls that share a server. A format of
  /// records behind it keeps processes of different versions apart.
  std::string key_prefix = "robots:";

  /// For opening a connection and logging in. Above 0. Does not bound how long the system takes to
  /// find the address of a name.
  std::chrono::milliseconds connect_timeout{1'000};

  /// For one round trip, and for a connection to become free. Above 0.
  std::chrono::milliseconds command_timeout{1'000};

  /// Most connections to one server, beside one for `watch`. Above 0.
  std::size_t max_connections = 16;

  /// Most octets of one value. A longer one is not published; a server that sends one, or 1 MiB if
  /// that is more, loses the connection. Above 0.
  std::size_t max_value_bytes = std::size_t{2} << 20U;

  /// True if the server is a node of a Redis Cluster, as `redis+cluster://` says, too.
  bool cluster = false;

  /// The TLS implementation for `rediss://`: `redis_tls` of <robots/adapters/redis/redis_tls.hpp>.
  std::function<std::function<short()>(redisContext& connection, const std::string& host)> tls{};
};

}  // namespace robots
