#pragma once

#include <robots/adapters/redis/detail/client.hpp>
#include <robots/adapters/redis/detail/connector.hpp>
#include <robots/adapters/redis/detail/pool.hpp>
#include <robots/adapters/redis/detail/slot.hpp>
#include <robots/adapters/redis/redis_options.hpp>
#include <robots/fetch/circuit_breaker.hpp>
#include <robots/store/shared_store.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// Sends each command to the node of a Redis Cluster that has its key.
///
/// Asks for the slots of the nodes at the first command. Asks again, at most once a second, after a
/// redirect or a failed connection. After a failed connection, it does not try a node for a second,
/// and for twice as long after each further failure. A command fails after five redirects.
class redis_cluster final : public redis_client {
 public:
  explicit redis_cluster(const redis_options& options) : options_{options}, connector_{options} {}

  [[nodiscard]] std::vector<redis_reply> ask(std::span<const redis_command> commands) override {
    if (commands.size() == 1 && commands.front().front() == "PUBLISH") {
      return publish(commands);
    }
    std::vector<redis_reply> replies(commands.size());
    std::vector<std::size_t> open(commands.size());
    std::iota(open.begin(), open.end(), std::size_t{0});
    constexpr int most_hops = 5;
    std::string failure;
    const auto lose = [&](std::size_t i, const store_error& why) {
      failure = why.what();
      replies[i] = {.type = redis_reply::kind::error,
                    .text = std::string{unreachable_node} + ' ' + failure};
    };
    for (int hops = 0; !open.empty(); ++hops) {
      if (hops > most_hops) {
        throw store_error{"Redis Cluster sends a command from node to node"};
      }
      learn_slots();
      std::map<std::shared_ptr<node>, std::vector<std::size_t>> by_node;
      for (const std::size_t i : open) {
        try {
          by_node[node_of(redis_slot(key_of(commands[i])))].push_back(i);
        } catch (const store_error& error) {
          lose(i, error);
        }
      }
      open.clear();
      for (const auto& [from, indices] : by_node) {
        std::vector<redis_reply> answered;
        try {
          answered = ask_node(*from, commands, indices);
        } catch (const oversized_reply&) {
          throw;
        } catch (const store_error& error) {
          for (const std::size_t i : indices) {
            lose(i, error);
          }
          continue;
        }
        for (std::size_t i = 0; i < indices.size(); ++i) {
          redis_reply& reply = replies[indices[i]] = std::move(answered[i]);
          if (reply.is_error("ASK")) {
            try {
              reply = ask_elsewhere(*from, reply.text, commands[indices[i]]);
            } catch (const oversized_reply&) {
              throw;
            } catch (const store_error& error) {
              lose(indices[i], error);
            }
          }
          if (reply.is_error("MOVED")) {
            note_move(*from, reply.text);
            open.push_back(indices[i]);
          }
        }
      }
    }
    if (std::ranges::all_of(
            replies, [](const redis_reply& one) { return one.is_error(unreachable_node); }) &&
        !failure.empty()) {
      throw_failure(failure);
    }
    return replies;
  }

  /// Connects to any node: every node delivers the messages of all nodes.
  [[nodiscard]] std::unique_ptr<redis_connection> connect(int interrupt) override {
    return connector_.connect(some_servers().front(), interrupt);
  }

  [[nodiscard]] std::vector<std::shared_ptr<redis_pool>> servers() override {
    learn_slots();
    std::vector<std::shared_ptr<redis_pool>> pools;
    const std::scoped_lock lock{mutex_};
    pools.reserve(nodes_.size());
    for (const auto& [address, one] : nodes_) {
      pools.emplace_back(one, &one->pool);
    }
    return pools;
  }

 private:
  using clock = std::chrono::steady_clock;

  struct node {
    node(const redis_options& options, const redis_connector& connector, redis_address server)
        : address{std::move(server)},
          pool{options, [&connector, this] { return connector.connect(address); }} {}

    redis_address address;
    redis_pool pool;
    detail::circuit_breaker breaker{
        {.failures = 1, .cooldown = std::chrono::seconds{1}}};  // by `mutex_`
  };

  [[nodiscard]] static const std::string& key_of(const redis_command& command) {
    return command.front() == "EVAL" ? command[3] : command[1];
  }

  [[nodiscard]] std::vector<redis_reply> ask_node(node& to, std::span<const redis_command> commands,
                                                  std::span<const std::size_t> indices) {
    {
      const std::scoped_lock lock{mutex_};
      if (!to.breaker.admits(clock::now())) {
        throw store_error{"Redis at " + to_string(to.address) +
                          " could not be reached a moment ago"};
      }
    }
    std::vector<redis_command> own;
    own.reserve(indices.size());
    for (const std::size_t i : indices) {
      own.push_back(commands[i]);
    }
    try {
      std::vector<redis_reply> replies = to.pool.ask(own);
      const std::scoped_lock lock{mutex_};
      to.breaker.on_success();
      return replies;
    } catch (const oversized_reply&) {
      const std::scoped_lock lock{mutex_};
      to.breaker.on_success();
      throw;
    } catch (const store_error&) {
      const std::scoped_lock lock{mutex_};
      to.breaker.on_failure(clock::now());
      is_stale_ = true;
      throw;
    }
  }

  /// Asks the node to which a slot moves, this time only.
  [[nodiscard]] redis_reply ask_elsewhere(const node& from, const std::string& redirect,
                                          const redis_command& command) {
    const std::array<redis_command, 2> commands{{{"ASKING"}, command}};
    constexpr std::array<std::size_t, 2> both{0, 1};
    return std::move(ask_node(*node_at(destination(from, redirect).server), commands, both).back());
  }

  /// Asks the nodes in turn until one answers: every node delivers the messages of all nodes.
  [[nodiscard]] std::vector<redis_reply> publish(std::span<const redis_command> command) {
    learn_slots();
    std::vector<std::shared_ptr<node>> nodes;
    {
      const std::scoped_lock lock{mutex_};
      for (const auto& [address, one] : nodes_) {
        nodes.push_back(one);
      }
    }
    std::string failure = "Redis Cluster has no nodes";
    for (const auto& one : nodes) {
      try {
        constexpr std::array<std::size_t, 1> all{0};
        return ask_node(*one, command, all);
      } catch (const store_error& error) {
        failure = error.what();
      }
    }
    throw store_error{failure};
  }

  /// Throws for commands without an answer of their nodes. It is a `store_part_error`, unless all
  /// nodes failed at the last try.
  [[noreturn]] void throw_failure(const std::string& why) {
    const std::scoped_lock lock{mutex_};
    for (const auto& [address, one] : nodes_) {
      if (one->breaker.state() == breaker_state::closed) {
        throw store_part_error{why};
      }
    }
    throw store_error{why};
  }

  void note_move(const node& from, const std::string& text) {
    const redis_redirect redirect = destination(from, text);
    auto to = node_at(redirect.server);
    const std::scoped_lock lock{mutex_};
    is_stale_ = true;
    if (!slots_.empty()) {
      slots_[redirect.slot] = std::move(to);
    }
  }

  [[nodiscard]] static redis_redirect destination(const node& from, const std::string& text) {
    auto redirect = parse_redis_redirect(text, from.address);
    if (!redirect) {
      throw store_error{"Redis at " + to_string(from.address) + " redirects without an address"};
    }
    return std::move(*redirect);
  }

  [[nodiscard]] std::shared_ptr<node> node_of(std::size_t slot) {
    const std::scoped_lock lock{mutex_};
    if (slots_.empty() || !slots_[slot]) {
      is_stale_ = true;
      throw store_error{"Redis Cluster has no node for slot " + std::to_string(slot)};
    }
    return slots_[slot];
  }

  [[nodiscard]] std::shared_ptr<node> node_at(const redis_address& address) {
    constexpr std::size_t most_nodes = 1'000;  // by the specification
    const std::scoped_lock lock{mutex_};
    if (const auto found = nodes_.find(address); found != nodes_.end()) {
      return found->second;
    }
    if (nodes_.size() >= most_nodes) {
      throw store_error{"Redis Cluster has more than 1000 nodes"};
    }
    return nodes_[address] = std::make_shared<node>(options_, connector_, address);
  }

  /// Returns some of the possible nodes, others each time.
  [[nodiscard]] std::vector<redis_address> some_servers() {
    std::vector<redis_address> servers = connector_.target().servers;
    const std::scoped_lock lock{mutex_};
    servers.reserve(servers.size() + nodes_.size());
    for (const auto& [address, one] : nodes_) {
      servers.push_back(address);
    }
    std::ranges::rotate(servers,
                        servers.begin() + static_cast<std::ptrdiff_t>(turn_++ % servers.size()));
    constexpr std::size_t most_at_once = 4;
    servers.resize((std::min)(servers.size(), most_at_once));
    return servers;
  }

  /// Asks for the slots of the nodes if they are unknown. One thread asks; the others wait for its
  /// result.
  void learn_slots() {
    std::uint64_t seen = 0;
    {
      const std::scoped_lock lock{mutex_};
      constexpr std::chrono::seconds pause{1};
      if (!slots_.empty() && !(is_stale_ && clock::now() >= learned_at_ + pause)) {
        return;
      }
      seen = attempts_;
    }
    const std::scoped_lock one_thread{learning_};
    {
      const std::scoped_lock lock{mutex_};
      if (attempts_ != seen && !failure_.empty()) {
        throw store_error{failure_};
      }
      if (attempts_ != seen) {
        return;
      }
    }
    std::string failure;
    try {
      const auto [from, ranges] = connector_.ask_any(some_servers(), {"CLUSTER", "SLOTS"});
      take_slots(from, ranges);
    } catch (const store_error& error) {
      failure = error.what();
    }
    const std::scoped_lock lock{mutex_};
    ++attempts_;
    failure_ = failure;
    if (!failure.empty()) {
      throw store_error{failure};
    }
  }

  /// Reads a reply to CLUSTER SLOTS: for each range of slots, the first and last slot, the master
  /// and its replicas. These are lists with address, port and more.
  void take_slots(const redis_address& from, const redis_reply& ranges) {
    std::vector<std::shared_ptr<node>> slots(redis_slots);
    std::map<redis_address, std::shared_ptr<node>> nodes;
    std::int64_t left = redis_slots;
    for (const redis_reply& range : ranges.list) {
      const std::int64_t first = range.list.size() < 3 ? -1 : range.list[0].integer;
      const std::int64_t last = first < 0 ? 0 : range.list[1].integer;
      if (first < 0 || last < first || last - first >= left ||
          last >= static_cast<std::int64_t>(redis_slots)) {
        throw store_error{"Redis at " + to_string(from) + " reports impossible slots"};
      }
      left -= last - first + 1;
      redis_address address = redis_connector::address_in(range.list[2].list);
      if (address.host.empty()) {
        address.host = from.host;
      }
      const std::shared_ptr<node> master = nodes[address] = node_at(address);
      for (std::int64_t slot = first; slot <= last; ++slot) {
        slots[static_cast<std::size_t>(slot)] = master;
      }
    }
    const std::scoped_lock lock{mutex_};
    slots_ = std::move(slots);
    nodes_ = std::move(nodes);
    learned_at_ = clock::now();
    is_stale_ = false;
  }

  redis_options options_;
  redis_connector connector_;
  std::mutex learning_;
  std::mutex mutex_;  // guards everything below
  std::vector<std::shared_ptr<node>> slots_;
  std::map<redis_address, std::shared_ptr<node>> nodes_;
  clock::time_point learned_at_;
  bool is_stale_ = false;
  std::uint64_t attempts_ = 0;
  std::string failure_;
  std::size_t turn_ = 0;
};

/// Makes a client for the servers of the options. Throws `std::invalid_argument` for impossible
/// options.
[[nodiscard]] inline std::unique_ptr<redis_client> make_redis_client(const redis_options& options) {
  if (redis_connector{options}.target().topology == redis_topology::cluster) {
    return std::make_unique<redis_cluster>(options);
  }
  return std::make_unique<single_redis>(options);
}

}  // namespace robots::adapters_detail
