#pragma once

#include <robots/adapters/redis/detail/connection.hpp>
#include <robots/adapters/redis/redis_options.hpp>
#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/exceptions.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/store/shared_store.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

enum class redis_topology : std::uint8_t { single, cluster, sentinel };

struct redis_endpoint {
  redis_topology topology = redis_topology::single;
  bool tls = false;
  std::vector<redis_address> servers;  ///< one server, some cluster nodes, or the Sentinels
  std::string user;
  std::optional<std::string> password;
  std::uint64_t database = 0;
  std::string master;  ///< the name of the master, for Sentinels
};

/// Throws `std::invalid_argument`. The message does not repeat the URL, which can have a password.
[[noreturn]] inline void refuse_redis_url(const std::string& why) {
  throw std::invalid_argument{"redis_options: url is not valid: " + why +
                              "; write redis://[user[:password]@]host[:port][/database], and other "
                              "octets than letters and digits of user and password as %XX"};
}

[[nodiscard]] inline std::string percent_decoded(std::string_view text) {
  std::string decoded;
  while (!text.empty()) {
    const bool is_encoded = text.front() == '%';
    const int octet = is_encoded ? base::percent_octet(text) : text.front();
    if (is_encoded && octet < 0) {
      refuse_redis_url("two hexadecimal digits must follow each %");
    }
    decoded += static_cast<char>(octet);
    text.remove_prefix(is_encoded ? 3 : 1);
  }
  return decoded;
}

[[nodiscard]] inline std::uint64_t redis_database(std::string_view text) {
  const auto number = base::parse_decimal(text.empty() ? "0" : text);
  if (!number) {
    refuse_redis_url("the database must be a number");
  }
  return *number;
}

[[nodiscard]] inline std::string redis_host(std::string_view text) {
  std::string host = percent_decoded(text);
  if (host.empty() || host.find('\0') != std::string::npos) {  // the system would stop at the NUL
    refuse_redis_url("a host or path is missing, or has a NUL");
  }
  return host;
}

/// Reads a port from 1 to 65535. Returns an empty optional for any other text.
[[nodiscard]] inline std::optional<std::uint16_t> redis_port(std::string_view text) {
  const std::uint64_t port = base::parse_decimal(text).value_or(0);
  return port == 0 || port > 65'535 ? std::nullopt
                                    : std::optional{static_cast<std::uint16_t>(port)};
}

/// Removes and returns the part of `text` before the first `separator`. Also removes `separator`.
[[nodiscard]] inline std::string_view take_until(std::string_view& text, char separator) {
  const std::string_view taken = text.substr(0, text.find(separator));
  text.remove_prefix((std::min)(taken.size() + 1, text.size()));
  return taken;
}

/// Reads `host[:port]`. `usual_port` replaces a missing port. An IPv6 address has brackets.
[[nodiscard]] inline redis_address parse_redis_address(std::string_view text,
                                                       std::uint16_t usual_port) {
  const bool bracketed = text.starts_with('[') && text.find(']') != std::string_view::npos;
  const std::size_t end = bracketed ? text.find(']') + 1 : (std::min)(text.find(':'), text.size());
  const std::string_view host = bracketed ? text.substr(1, end - 2) : text.substr(0, end);
  const std::string_view rest = text.substr(end);
  std::optional<std::uint16_t> port;
  if (rest.empty()) {
    port = usual_port;
  } else if (rest.starts_with(':')) {
    port = redis_port(rest.substr(1));
  }
  if (!port) {
    refuse_redis_url("a port must be a number from 1 to 65535");
  }
  if (host.find_first_of("[]") != std::string_view::npos) {
    refuse_redis_url("only an IPv6 address has brackets, one at each end");
  }
  return {redis_host(host), *port};
}

/// Reads `redis_options::url`. Throws `std::invalid_argument` if the text is not such a URL.
[[nodiscard]] inline redis_endpoint parse_redis_url(std::string_view url) {
  using enum redis_topology;
  const std::size_t colon = url.find("://");
  const std::string_view scheme = colon == std::string_view::npos ? "" : url.substr(0, colon);
  const bool is_cluster = scheme == "redis+cluster" || scheme == "rediss+cluster";
  const bool is_sentinel = scheme == "redis+sentinel" || scheme == "rediss+sentinel";
  const bool is_socket = scheme == "unix";
  if (!is_cluster && !is_sentinel && !is_socket && scheme != "redis" && scheme != "rediss") {
    refuse_redis_url("it must begin with redis://, unix://, redis+cluster:// or redis+sentinel://");
  }
  redis_endpoint endpoint;
  if (is_cluster) {
    endpoint.topology = cluster;
  } else if (is_sentinel) {
    endpoint.topology = sentinel;
  }
  endpoint.tls = scheme.starts_with("rediss");
  std::string_view query = url.substr(colon + 3);
  std::string_view place = take_until(query, '?');
  if (const std::size_t sign = place.substr(0, place.find('/')).rfind('@');
      sign != std::string_view::npos) {
    std::string_view login = place.substr(0, sign);
    endpoint.user = percent_decoded(take_until(login, ':'));
    endpoint.password = percent_decoded(login);
    place.remove_prefix(sign + 1);
  }
  if (is_socket) {
    endpoint.servers.push_back({redis_host(place), 0});
  } else {
    std::string_view hosts = take_until(place, '/');
    do {
      endpoint.servers.push_back(
          parse_redis_address(take_until(hosts, ','), is_sentinel ? 26'379 : 6'379));
    } while (!hosts.empty());
    endpoint.database = redis_database(place);
  }
  if (endpoint.servers.size() > 1 && endpoint.topology == single) {
    refuse_redis_url("several hosts are for redis+cluster:// and redis+sentinel://");
  }
  while (!query.empty()) {
    std::string_view value = take_until(query, '&');
    const std::string_view name = take_until(value, '=');
    if (name == "db") {
      endpoint.database = redis_database(value);
    } else if (name == "master" && is_sentinel) {
      endpoint.master = percent_decoded(value);
    } else {
      refuse_redis_url("after ? it may have db=NUMBER, and master=NAME for Sentinels");
    }
  }
  if (is_sentinel && endpoint.master.empty()) {
    refuse_redis_url("?master=NAME must name the master that the Sentinels watch");
  }
  if (is_cluster && endpoint.database != 0) {
    refuse_redis_url("a cluster has database 0 only");
  }
  return endpoint;
}

class redis_connector {
 public:
  const redis_options options;
  const redis_endpoint endpoint;

  explicit redis_connector(const redis_options& from)
      : options{from}, endpoint{parse_redis_url(from.url)} {
    base::require(!endpoint.tls || options.tls,
                  "redis_options: rediss:// needs tls: with hiredis 1.0 or later, include "
                  "<robots/adapters/redis/redis_tls.hpp>, link robots::redis_tls and set .tls = "
                  "robots::redis_tls{}; with an older one, put a TLS proxy such as stunnel beside "
                  "the program and write redis:// with its address");
    base::require(options.connect_timeout.count() > 0,
                  "redis_options: connect_timeout must be above 0");
    base::require(options.command_timeout.count() > 0,
                  "redis_options: command_timeout must be above 0");
    base::require(options.max_connections > 0, "redis_options: max_connections must be above 0");
    base::require(options.max_value_bytes > 0, "redis_options: max_value_bytes must be above 0");
  }

  /// Opens a connection to `server`. If `server` is empty, opens a connection to the only server,
  /// or to the master that the Sentinels name.
  [[nodiscard]] std::unique_ptr<redis_connection> connect(const redis_address& server,
                                                          const stop_token& stop = {}) const {
    const redis_time deadline = redis_deadline(options.connect_timeout);
    if (endpoint.topology != redis_topology::sentinel) {
      return open(server.host.empty() ? endpoint.servers.front() : server, deadline, stop);
    }
    const redis_command question{"SENTINEL", "get-master-addr-by-name", endpoint.master};
    const redis_reply answer = ask_any(endpoint.servers, question, stop).second;
    auto master = open(address_in(answer.list), deadline, stop);
    if (!is_master(*master, deadline)) {
      master->fail(
          "is not a master, although the Sentinels name it as one: check their configuration");
    }
    return master;
  }

  /// Returns false if the server says that it is not a master.
  [[nodiscard]] static bool is_master(redis_connection& connection, redis_time deadline) {
    const redis_command role{"ROLE"};
    const redis_reply reply = std::move(connection.ask({&role, 1}, deadline).front());
    return reply.list.empty() || reply.list.front().text == "master";
  }

  /// Sends `question` to one server after another, until one answers with a list. Returns this
  /// server and its list. Takes at most half of `connect_timeout`. Does not log in to Sentinels.
  [[nodiscard]] std::pair<redis_address, redis_reply> ask_any(
      std::span<const redis_address> servers, const redis_command& question,
      const stop_token& stop = {}) const {
    const redis_time deadline = redis_deadline(options.connect_timeout / 2);
    std::string failures;
    auto left = static_cast<int>(servers.size());
    for (const redis_address& server : servers) {
      const redis_time now = std::chrono::steady_clock::now();
      const redis_time until = now + (deadline - now) / left--;
      try {
        const bool logs_in = endpoint.topology != redis_topology::sentinel;
        const auto connection = open(server, until, stop, logs_in);
        redis_reply reply = std::move(connection->ask({&question, 1}, until).front());
        if (!reply.list.empty()) {
          return {server, std::move(reply)};
        }
        std::string asked;
        for (const std::string& word : question) {
          asked += word + ' ';
        }
        connection->fail("answers " + asked + "with " +
                         (reply.text.empty() ? "nothing" : reply.text));
      } catch (const store_error& error) {
        failures += failures.empty() ? "" : "; ";
        failures += error.what();
      }
    }
    throw store_error{failures};
  }

  /// Reads a host and a port at the start of `list`. Throws `store_error` if there is no port.
  [[nodiscard]] static redis_address address_in(const std::vector<redis_reply>& list) {
    std::optional<std::uint16_t> port;
    if (list.size() >= 2) {
      const bool is_number = list[1].type == redis_reply::kind::integer;
      port = redis_port(is_number ? std::to_string(list[1].integer) : list[1].text);
    }
    if (!port) {
      throw store_error{
          "Redis reports a server without a port from 1 to 65535: check its configuration"};
    }
    return {list[0].text, *port};
  }

 private:
  [[nodiscard]] std::unique_ptr<redis_connection> open(const redis_address& server,
                                                       redis_time deadline, const stop_token& stop,
                                                       bool logs_in = true) const {
    // Replies to CLUSTER SLOTS and SCAN can need 1 MiB. The reply to a `store_question` needs four
    // objects: a list and three values.
    constexpr std::size_t least = std::size_t{1} << 20U;
    const std::size_t max_reply_bytes =
        std::clamp(options.max_value_bytes, least, SIZE_MAX / 2) + 4 * sizeof(redis_reply);
    auto connection = std::make_unique<redis_connection>(
        server, deadline, max_reply_bytes, endpoint.tls ? options.tls : nullptr, stop);
    if (!logs_in) {
      return connection;
    }
    std::vector<redis_command> commands;
    if (endpoint.password) {
      commands.push_back(endpoint.user.empty()
                             ? redis_command{"AUTH", *endpoint.password}
                             : redis_command{"AUTH", endpoint.user, *endpoint.password});
    }
    if (endpoint.database != 0) {
      commands.push_back({"SELECT", std::to_string(endpoint.database)});
    }
    const std::vector<redis_reply> replies = connection->ask(commands, deadline);
    for (std::size_t i = 0; i < replies.size(); ++i) {
      if (replies[i].type != redis_reply::kind::status) {
        connection->fail("refuses " + commands[i].front() + ": " + replies[i].text);
      }
    }
    return connection;
  }
};

/// A server with its connections. Any thread may call `ask`. At most `max_connections` calls run at
/// once. Further calls wait.
///
/// A master that becomes a replica may keep its connections. So after an error reply, the
/// connection is closed, and after `READONLY` all of them are. If Sentinels name the master, `ask`
/// also asks it once a second whether it is still one, since a crawler that only reads gets no such
/// error.
class redis_node {
 public:
  const redis_address address;          ///< empty for the only server or the current master
  std::atomic<unsigned> demotions = 0;  ///< how often the master turned out to be none any more
  std::atomic<redis_time> retry_at{redis_time{}};  ///< the earliest retry after a failure

  explicit redis_node(const redis_connector& connector, redis_address server = {})
      : address{std::move(server)}, connector_{connector} {}

  /// Returns the replies to the commands, with one round trip for each 512 commands.
  [[nodiscard]] std::vector<redis_reply> ask(std::span<const redis_command> commands) {
    constexpr std::size_t most_at_once = 512;
    std::unique_lock lock{mutex_};
    const std::size_t most = connector_.options.max_connections;
    const std::chrono::milliseconds timeout = connector_.options.command_timeout;
    if (!is_free_.wait_until(lock, redis_deadline(timeout), [&] { return used_ < most; })) {
      throw store_error{"Redis: all " + std::to_string(most) +
                        " connections are in use: raise redis_options::max_connections"};
    }
    ++used_;
    const auto end = [&lock](redis_node* node) {
      lock.lock();
      --node->used_;
      node->is_free_.notify_one();
    };
    const std::unique_ptr<redis_node, decltype(end)> permit{this, end};
    std::unique_ptr<redis_connection> connection;
    while (!connection && !idle_.empty()) {
      connection = std::move(idle_.back());  // the connection that was used last
      idle_.pop_back();
      lock.unlock();
      if (!connection->is_idle()) {
        connection.reset();
      }
      lock.lock();
    }
    lock.unlock();
    if (!connection) {
      connection = connector_.connect(address);
    } else if (must_check_role() && !connector_.is_master(*connection, redis_deadline(timeout))) {
      leave_replica();
      throw store_refusal{connection->name() +
                          " is no longer a master: the next call asks the Sentinels"};
    }
    std::vector<redis_reply> replies;
    while (!commands.empty()) {
      const auto batch = commands.first((std::min)(most_at_once, commands.size()));
      auto answered = connection->ask(batch, redis_deadline(timeout));
      std::move(answered.begin(), answered.end(), std::back_inserter(replies));
      commands = commands.subspan(batch.size());
    }
    // Drops the connection after an error reply, since the error can mean that another server is
    // now the master.
    const auto is_read_only = [](const redis_reply& reply) { return reply.has_error("READONLY"); };
    if (std::ranges::any_of(replies, is_read_only)) {
      leave_replica();
    } else if (std::ranges::find(replies, redis_reply::kind::error, &redis_reply::type) ==
               replies.end()) {
      const std::scoped_lock keeping{mutex_};
      idle_.push_back(std::move(connection));
    }
    return replies;
  }

 private:
  [[nodiscard]] bool must_check_role() {
    if (connector_.endpoint.topology != redis_topology::sentinel) {
      return false;
    }
    const redis_time now = std::chrono::steady_clock::now();
    const std::scoped_lock lock{mutex_};
    if (now < next_role_check_) {
      return false;
    }
    next_role_check_ = now + std::chrono::seconds{1};
    return true;
  }

  void leave_replica() {
    ++demotions;
    std::vector<std::unique_ptr<redis_connection>> closed;
    const std::scoped_lock lock{mutex_};
    closed.swap(idle_);
  }

  const redis_connector& connector_;
  std::mutex mutex_;
  std::condition_variable is_free_;
  std::vector<std::unique_ptr<redis_connection>> idle_;
  std::size_t used_ = 0;
  redis_time next_role_check_{};
};

}  // namespace robots::adapters_detail
