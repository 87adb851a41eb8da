#pragma once

#include <robots/adapters/detail/redis_connection.hpp>
#include <robots/adapters/detail/redis_url.hpp>
#include <robots/adapters/redis_options.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/printable.hpp>
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

/// Opens connections as the options say, logged in and with their database chosen.
class redis_connector {
 public:
  /// Throws `std::invalid_argument` for options that cannot be.
  explicit redis_connector(const redis_options& options)
      : target_{parse_redis_url(options.url)},
        timeout_{options.connect_timeout},
        max_reply_bytes_{std::clamp(options.max_value_bytes, least_reply_bytes, SIZE_MAX / 2) +
                         sizeof(redis_reply)} {
    using std::chrono::milliseconds;
    if (options.connect_timeout <= milliseconds{0} || options.command_timeout <= milliseconds{0} ||
        options.max_connections == 0 || options.max_value_bytes == 0) {
      throw std::invalid_argument{
          "RedisStore: connect_timeout, command_timeout, max_connections and max_value_bytes must "
          "be above 0"};
    }
  }

  [[nodiscard]] const redis_target& target() const noexcept { return target_; }

  /// A connection to a server that the target names or leads to.
  [[nodiscard]] std::unique_ptr<redis_connection> connect(const redis_address& server,
                                                          int interrupt = -1) const {
    return log_in(server, std::chrono::steady_clock::now() + timeout_, interrupt);
  }

  /// A connection to the only server, or to the one that the Sentinels say is the master now.
  [[nodiscard]] std::unique_ptr<redis_connection> connect(int interrupt = -1) const {
    if (target_.topology != redis_topology::sentinel) {
      return connect(target_.servers.front(), interrupt);
    }
    const redis_time deadline = std::chrono::steady_clock::now() + timeout_;
    auto master = log_in(master_address(deadline, interrupt), deadline, interrupt);
    const std::array<redis_command, 1> role{{{"ROLE"}}};
    const redis_reply reply = std::move(master->ask(role, deadline).front());
    if (!reply.list.empty() && reply.list.front().text != "master") {
      master->fail("is no master, though the Sentinels say so");
    }
    return master;
  }

 private:
  /// CLUSTER SLOTS and the keys that SCAN gives take some room, too.
  static constexpr std::size_t least_reply_bytes = std::size_t{1} << 20U;

  [[nodiscard]] std::unique_ptr<redis_connection> open(const redis_address& server,
                                                       redis_time deadline, int interrupt) const {
    return std::make_unique<redis_connection>(server, deadline, max_reply_bytes_, interrupt);
  }

  [[nodiscard]] std::unique_ptr<redis_connection> log_in(const redis_address& server,
                                                         redis_time deadline, int interrupt) const {
    auto connection = open(server, deadline, interrupt);
    std::vector<redis_command> commands;
    if (target_.password) {
      commands.push_back(target_.user.empty()
                             ? redis_command{"AUTH", *target_.password}
                             : redis_command{"AUTH", target_.user, *target_.password});
    }
    if (target_.database != 0) {
      commands.push_back({"SELECT", std::to_string(target_.database)});
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

  /// Asks one Sentinel after the other. Each gets an equal part of the time that is left.
  [[nodiscard]] redis_address master_address(redis_time deadline, int interrupt) const {
    std::string failures;
    std::size_t left = target_.servers.size() + 1;  // the master needs time, too
    for (const redis_address& sentinel : target_.servers) {
      const redis_time now = std::chrono::steady_clock::now();
      const redis_time until = now + (deadline - now) / static_cast<int>(left--);
      try {
        const std::array<redis_command, 1> question{
            {{"SENTINEL", "get-master-addr-by-name", target_.master}}};
        const auto connection = open(sentinel, until, interrupt);
        const redis_reply reply = std::move(connection->ask(question, until).front());
        const auto port = reply.list.size() == 2
                              ? base::parse_decimal(reply.list[1].text, UINT16_MAX)
                              : std::nullopt;
        if (port) {
          return {reply.list[0].text, static_cast<std::uint16_t>(*port)};
        }
        connection->fail("knows no master " + base::printable(target_.master) + ' ' +
                         base::printable(reply.text));
      } catch (const store_error& error) {
        failures += failures.empty() ? "" : "; ";
        failures += error.what();
      }
    }
    throw store_error{"No Sentinel tells the master: " + failures};
  }

  redis_target target_;
  std::chrono::milliseconds timeout_;
  std::size_t max_reply_bytes_;
};

}  // namespace robots::adapters_detail
