#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

struct redisContext;  // a type of hiredis

namespace robots {

/// The options of a `RedisStore` or a `RedisPaceLedger`.
struct redis_options {
  /// Parts in brackets are optional, and `%XX` is an octet in hexadecimal digits. The URL of the
  /// server has one of these forms:
  ///
  ///     redis://[user[:password]@]host[:6379][/database]
  ///     unix://[user[:password]@]/path/of/socket[?db=database]
  ///     redis+cluster://[user[:password]@]host[:6379][,host[:6379]...]
  ///     redis+sentinel://[user[:password]@]host[:26379][,host[:26379]...][/database]?master=name
  ///
  /// The hosts of `redis+cluster` are some nodes of the cluster. The hosts of `redis+sentinel` are
  /// the Sentinels, and user and password are for the master. An IPv6 address has brackets. If the
  /// scheme begins with `rediss`, as in `rediss+cluster`, `tls` encrypts all connections.
  std::string url = "redis://127.0.0.1:6379/0";

  /// The prefix of every key and channel, which separates crawls that share a server. A store adds
  /// the version of the record format to this prefix, so that processes with different versions do
  /// not share records. Braces change the slots of a cluster. With `{crawl}:`, all keys are in one
  /// slot, so one node has all the work. A `RedisStore` refuses a prefix such as `{crawl:` or `{}`
  /// for a cluster, since the keys of one site must share a slot.
  std::string key_prefix = "robots:";

  /// The timeout for opening a connection and logging in. The timeout must be above 0. It does not
  /// limit the system's name lookup.
  std::chrono::milliseconds connect_timeout{1'000};

  /// The timeout for one round trip, and for the wait for a free connection. It must be above 0.
  std::chrono::milliseconds command_timeout{1'000};

  /// The maximum number of connections to one server, in addition to one connection for
  /// `RedisStore::watch`. The number must be above 0.
  std::size_t max_connections = 16;

  /// The maximum size of a value in octets. The store does not publish a longer value. If a
  /// server's reply exceeds both this limit and 1 MiB, the store closes the connection. The limit
  /// must be above 0.
  std::size_t max_value_bytes = std::size_t{2} << 20U;

  /// If true, a `RedisStore` compresses each value of 256 octets or more with zlib, if that makes
  /// it smaller. The records of real sites then take about a quarter of the memory. Every
  /// `RedisStore` reads both forms. Set this option once all processes of the crawl have a version
  /// with this option: an older version ignores a compressed record, and fetches the file itself.
  bool compress = false;

  /// The TLS implementation for `rediss://`: `redis_tls` of <robots/adapters/redis/redis_tls.hpp>.
  std::function<void(redisContext& connection, const std::string& host,
                     const std::function<void(short events)>& wait)>
      tls{};
};

}  // namespace robots
