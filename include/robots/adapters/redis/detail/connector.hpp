#pragma once

#include <robots/adapters/redis/detail/connection.hpp>
#include <robots/adapters/redis/detail/url.hpp>
#include <robots/adapters/redis/redis_options.hpp>
#include <robots/base/ascii.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/store/shared_store.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// Opens connections, logs in and selects the database that the options name.
class redis_connector {
 public:
  /// Throws `std::invalid_argument` if the options are not valid.
  explicit redis_connector(const redis_options& options)
      : endpoint_{parse_redis_url(options.url)},
        tls_{endpoint_.tls ? options.tls : nullptr},
        timeout_{options.connect_timeout},
        max_reply_bytes_{std::clamp(options.max_value_bytes, least_reply_bytes, SIZE_MAX / 2) +
                         4 * sizeof(redis_reply)} {  // room for a list of three values
    using std::chrono::milliseconds;
    if (endpoint_.tls && !options.tls) {
      throw std::invalid_argument{
          "redis_options: rediss:// needs tls: with hiredis 1.0 or later, include "
          "<robots/adapters/redis/redis_tls.hpp>, link robots::redis_tls and set .tls = "
          "robots::redis_tls{}; with an older one, put a TLS proxy such as stunnel beside the "
          "program and write redis:// with its address"};
    }
    const char* const bad = options.connect_timeout <= milliseconds{0}   ? "connect_timeout"
                            : options.command_timeout <= milliseconds{0} ? "command_timeout"
                            : options.max_connections == 0               ? "max_connections"
                            : options.max_value_bytes == 0               ? "max_value_bytes"
                                                                         : nullptr;
    if (bad != nullptr) {
      throw std::invalid_argument{std::string{"redis_options: "} + bad + " must be above 0"};
    }
  }

  [[nodiscard]] const redis_endpoint& endpoint() const noexcept { return endpoint_; }

  /// Opens a connection to one of the servers.
  [[nodiscard]] std::unique_ptr<redis_connection> connect(const redis_address& server,
                                                          const stop_token& stop = {}) const {
    return open(server, redis_deadline(timeout_), stop);
  }

  /// Opens a connection to the only server, or to the current master, which the Sentinels name.
  [[nodiscard]] std::unique_ptr<redis_connection> connect(const stop_token& stop = {}) const {
    if (endpoint_.topology != redis_topology::sentinel) {
      return connect(endpoint_.servers.front(), stop);
    }
    const redis_time deadline = redis_deadline(timeout_);
    const redis_command question{"SENTINEL", "get-master-addr-by-name", endpoint_.master};
    const redis_reply answer = ask_any(endpoint_.servers, question, stop).second;
    auto master = open(address_in(answer.list), deadline, stop);
    const std::array<redis_command, 1> role{{{"ROLE"}}};
    const redis_reply reply = std::move(master->ask(role, deadline).front());
    if (!reply.list.empty() && reply.list.front().text != "master") {
      master->fail(
          "is not a master, although the Sentinels name it as one: check their configuration");
    }
    return master;
  }

  /// Sends `question` to one server after another, until one answers with a list. Returns the
  /// address of this server, and the list. Divides half of `connect_timeout` equally among the
  /// servers. Does not log in to Sentinels. Throws `store_error` if no server answers with a list.
  [[nodiscard]] std::pair<redis_address, redis_reply> ask_any(
      std::span<const redis_address> servers, const redis_command& question,
      const stop_token& stop = {}) const {
    const redis_time deadline = redis_deadline(timeout_ / 2);
    std::string failures;
    auto left = static_cast<int>(servers.size());
    for (const redis_address& server : servers) {
      const redis_time now = std::chrono::steady_clock::now();
      const redis_time until = now + (deadline - now) / left--;
      try {
        const bool logs_in = endpoint_.topology != redis_topology::sentinel;
        const auto connection = open(server, until, stop, logs_in);
        redis_reply reply = std::move(connection->ask({&question, 1}, until).front());
        if (!reply.list.empty()) {
          return {server, std::move(reply)};
        }
        std::string asked;
        for (const std::string& word : question) {
          asked += base::printable(word) + ' ';
        }
        connection->fail("answers " + asked + "with " +
                         (reply.text.empty() ? "nothing" : base::printable(reply.text)));
      } catch (const store_error& error) {
        failures += failures.empty() ? "" : "; ";
        failures += error.what();
      }
    }
    throw store_error{failures};
  }

  /// Returns the address in a list that begins with a host and a port. Throws `store_error` if the
  /// list begins with anything else.
  [[nodiscard]] static redis_address address_in(const std::vector<redis_reply>& list) {
    const auto port = list.size() < 2 ? std::nullopt
                      : list[1].type == redis_reply::kind::integer
                          ? redis_port(std::to_string(list[1].integer))
                          : redis_port(list[1].text);
    if (!port) {
      throw store_error{
          "Redis reports a server without a port from 1 to 65535: check its configuration"};
    }
    return {list[0].text, *port};
  }

 private:
  /// The lowest limit for the size of a reply. Replies to CLUSTER SLOTS and SCAN need this room,
  /// even if `max_value_bytes` is lower.
  static constexpr std::size_t least_reply_bytes = std::size_t{1} << 20U;

  /// Opens a connection. If `logs_in`, also logs in and selects the database.
  [[nodiscard]] std::unique_ptr<redis_connection> open(const redis_address& server,
                                                       redis_time deadline, const stop_token& stop,
                                                       bool logs_in = true) const {
    auto connection =
        std::make_unique<redis_connection>(server, deadline, max_reply_bytes_, tls_, stop);
    if (!logs_in) {
      return connection;
    }
    std::vector<redis_command> commands;
    if (endpoint_.password) {
      commands.push_back(endpoint_.user.empty()
                             ? redis_command{"AUTH", *endpoint_.password}
                             : redis_command{"AUTH", endpoint_.user, *endpoint_.password});
    }
    if (endpoint_.database != 0) {
      commands.push_back({"SELECT", std::to_string(endpoint_.database)});
    }
    const std::vector<redis_reply> replies = connection->ask(commands, deadline);
    for (std::size_t i = 0; i < replies.size(); ++i) {
      if (replies[i].type != redis_reply::kind::status) {
        connection->fail("refuses " + commands[i].front() + ": " +
                         base::printable(replies[i].text));
      }
    }
    return connection;
  }

  redis_endpoint endpoint_;
  decltype(redis_options::tls) tls_;
  std::chrono::milliseconds timeout_;
  std::size_t max_reply_bytes_;
};

}  // namespace robots::adapters_detail
