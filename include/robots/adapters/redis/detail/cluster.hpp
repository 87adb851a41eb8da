#pragma once

#include <robots/adapters/redis/detail/connector.hpp>
#include <robots/adapters/redis/detail/pool.hpp>
#include <robots/adapters/redis/detail/slot.hpp>
#include <robots/adapters/redis/redis_options.hpp>
#include <robots/store/shared_store.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// Sends each command to the node of a Redis Cluster that has the key of the command.
///
/// Loads the table of slots at the first command. After a redirect or a failure, loads the table
/// again, at most once a second. After a failure of a node, sends nothing to that node for a
/// second. A command fails after five redirects.
class redis_cluster {
 public:
  /// `connector` must outlive this object.
  redis_cluster(const redis_options& options, const redis_connector& connector)
      : options_{options}, connector_{connector} {}
  redis_cluster(const redis_cluster&) = delete;
  redis_cluster& operator=(const redis_cluster&) = delete;

  [[nodiscard]] std::vector<redis_reply> ask(std::span<const redis_command> commands) {
    learn_slots();
    if (commands.size() == 1 && commands.front().front() == "PUBLISH") {
      return publish(commands);
    }
    std::vector<route> routes;
    std::vector<std::size_t> open;
    for (const redis_command& command : commands) {
      open.push_back(routes.size());
      routes.push_back({.to = node_of(redis_slot(key_of(command)))});
    }
    std::vector<redis_reply> replies(commands.size());
    constexpr int most_rounds = 6;
    for (int round = 0; !open.empty(); ++round) {
      if (round == most_rounds) {
        throw store_error{
            "Redis Cluster redirects a command more than five times: wait until its slots have "
            "moved, or repair it with redis-cli --cluster fix"};
      }
      std::map<std::shared_ptr<node>, std::vector<std::size_t>> by_node;
      for (const std::size_t i : open) {
        by_node[routes[i].to].push_back(i);
      }
      open.clear();
      for (const auto& [to, indices] : by_node) {
        ask_together(to.get(), indices, routes, commands, replies);
        for (const std::size_t i : indices) {
          if (follow(replies[i], routes[i])) {
            open.push_back(i);
          }
        }
      }
    }
    const auto is_lost = [](const redis_reply& reply) {
      return reply.type == redis_reply::kind::lost;
    };
    if (!replies.empty() && std::all_of(replies.begin(), replies.end(), is_lost)) {
      throw_failure(replies.back().text);
    }
    return replies;
  }

  /// Returns the masters that have slots.
  [[nodiscard]] std::vector<std::shared_ptr<redis_pool>> servers() {
    learn_slots();
    std::vector<std::shared_ptr<redis_pool>> pools;
    for (const auto& one : known_nodes()) {
      pools.emplace_back(one, &one->pool);
    }
    return pools;
  }

  /// Returns up to four nodes, and begins with another node in each call. A subscription may use
  /// any node, since every node delivers the messages of all nodes.
  [[nodiscard]] std::vector<redis_address> some_servers() {
    std::vector<redis_address> servers = connector_.endpoint().servers;
    for (const auto& one : known_nodes()) {
      servers.push_back(one->address);
    }
    const std::scoped_lock lock{mutex_};
    std::rotate(servers.begin(),
                servers.begin() + static_cast<std::ptrdiff_t>(next_server_++ % servers.size()),
                servers.end());
    constexpr std::size_t most_at_once = 4;
    servers.resize((std::min)(servers.size(), most_at_once));
    return servers;
  }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds second{1};

  struct node {
    node(const redis_options& options, const redis_connector& connector, redis_address server)
        : address{std::move(server)},
          pool{options, [&connector, this] { return connector.connect(address); }} {}

    redis_address address;
    redis_pool pool;
    clock::time_point retry_at{};  // the next try after a failure; guarded by `mutex_`
  };

  /// The node to which a command goes next.
  struct route {
    std::shared_ptr<node> to;  ///< null if no node has the slot
    bool asks = false;         ///< true while the slot is moving to that node
  };

  [[nodiscard]] static const std::string& key_of(const redis_command& command) {
    return command.front() == "EVAL" ? command[3] : command[1];
  }

  /// Sends some commands to a node, and stores the replies. If the node cannot be reached, stores
  /// replies of the kind `lost`.
  void ask_together(node* to, const std::vector<std::size_t>& indices,
                    const std::vector<route>& routes, std::span<const redis_command> commands,
                    std::vector<redis_reply>& replies) {
    std::vector<redis_command> batch;
    for (const std::size_t i : indices) {
      if (routes[i].asks) {
        batch.push_back({"ASKING"});
      }
      batch.push_back(commands[i]);
    }
    try {
      std::vector<redis_reply> answered = ask_node(to, batch);
      auto next = answered.begin();
      for (const std::size_t i : indices) {
        next += routes[i].asks ? 1 : 0;
        replies[i] = std::move(*next++);
        if (replies[i].is_error("TRYAGAIN")) {  // only some keys of the slot have moved
          replies[i].type = redis_reply::kind::lost;
        }
      }
    } catch (const store_error& error) {
      for (const std::size_t i : indices) {
        replies[i] = {.type = redis_reply::kind::lost, .text = error.what()};
      }
    }
  }

  [[nodiscard]] std::vector<redis_reply> ask_node(node* to,
                                                  std::span<const redis_command> commands) {
    {
      const std::scoped_lock lock{mutex_};
      if (to == nullptr) {
        is_stale_ = true;
        throw store_error{"Redis Cluster has no node for the slot of a key: assign its slots"};
      }
      if (clock::now() < to->retry_at) {
        throw store_error{"Redis at " + to_string(to->address) +
                          " could not be reached a moment ago: the next try comes within a second"};
      }
    }
    try {
      std::vector<redis_reply> replies = to->pool.ask(commands);
      const std::scoped_lock lock{mutex_};
      to->retry_at = {};
      return replies;
    } catch (const store_error&) {
      const std::scoped_lock lock{mutex_};
      to->retry_at = clock::now() + second;
      is_stale_ = true;
      throw;
    }
  }

  /// If the reply is a redirect, changes the route of its command and returns true.
  [[nodiscard]] bool follow(const redis_reply& reply, route& way) {
    const bool asks = reply.is_error("ASK");
    const auto redirect = asks || reply.is_error("MOVED")
                              ? parse_redis_redirect(reply.text, way.to->address)
                              : std::nullopt;
    if (!redirect) {
      return false;
    }
    const std::scoped_lock lock{mutex_};
    way = {.to = node_at(redirect->server), .asks = asks};
    if (!asks) {
      is_stale_ = true;
      slots_[redirect->slot] = way.to;
    }
    return true;
  }

  /// Sends a command to one node after another until one answers.
  [[nodiscard]] std::vector<redis_reply> publish(std::span<const redis_command> command) {
    std::string failure = "Redis Cluster has no nodes: check redis_options::url";
    for (const auto& one : known_nodes()) {
      try {
        return ask_node(one.get(), command);
      } catch (const store_error& error) {
        failure = error.what();
      }
    }
    throw store_error{failure};
  }

  /// Throws the error for commands that no node has answered: `store_error` if the last try at each
  /// known node has failed, and `store_part_error` otherwise.
  [[noreturn]] void throw_failure(const std::string& why) {
    const std::scoped_lock lock{mutex_};
    for (const auto& [address, one] : nodes_) {
      if (one->retry_at == clock::time_point{}) {
        throw store_part_error{why};
      }
    }
    throw store_error{why};
  }

  [[nodiscard]] std::shared_ptr<node> node_of(std::size_t slot) {
    const std::scoped_lock lock{mutex_};
    return slots_[slot];
  }

  /// Returns the node with this address, or adds it. The caller must have locked `mutex_`.
  [[nodiscard]] std::shared_ptr<node> node_at(const redis_address& address) {
    constexpr std::size_t most_nodes = 1'000;  // the limit in the specification of Redis Cluster
    if (const auto found = nodes_.find(address); found != nodes_.end()) {
      return found->second;
    }
    if (nodes_.size() >= most_nodes) {
      throw store_error{"Redis Cluster has more than 1000 nodes: use fewer"};
    }
    return nodes_[address] = std::make_shared<node>(options_, connector_, address);
  }

  [[nodiscard]] std::vector<std::shared_ptr<node>> known_nodes() {
    std::vector<std::shared_ptr<node>> nodes;
    const std::scoped_lock lock{mutex_};
    nodes.reserve(nodes_.size());
    for (const auto& [address, one] : nodes_) {
      nodes.push_back(one);
    }
    return nodes;
  }

  /// Loads the table of slots if it is unknown or stale, at most once a second. One thread loads
  /// the table, and other threads wait for the result. Throws only if no slots are known.
  void learn_slots() {
    const std::scoped_lock one_thread{learning_};
    {
      const std::scoped_lock lock{mutex_};
      if (!slots_.empty() && (!is_stale_ || clock::now() < next_learning_)) {
        return;
      }
    }
    if (clock::now() < next_learning_) {
      throw store_error{failure_};
    }
    try {
      const auto [from, ranges] = connector_.ask_any(some_servers(), {"CLUSTER", "SLOTS"});
      take_slots(from, ranges);
    } catch (const store_error& error) {
      failure_ = error.what();
    }
    next_learning_ = clock::now() + second;
    if (slots_.empty()) {
      throw store_error{failure_};
    }
  }

  /// Reads a reply to CLUSTER SLOTS. The reply has a list for each range of slots: the first slot,
  /// the last slot, the master and its replicas. A server is a list that begins with its host and
  /// port.
  void take_slots(const redis_address& from, const redis_reply& ranges) {
    std::vector<std::shared_ptr<node>> slots(redis_slots);
    std::map<redis_address, std::shared_ptr<node>> nodes;
    std::int64_t left = redis_slots;
    const std::scoped_lock lock{mutex_};
    for (const redis_reply& range : ranges.list) {
      const std::int64_t first = range.list.size() < 3 ? -1 : range.list[0].integer;
      const std::int64_t last = first < 0 ? 0 : range.list[1].integer;
      if (first < 0 || last < first || last - first >= left ||
          last >= static_cast<std::int64_t>(redis_slots)) {
        throw store_error{"Redis at " + to_string(from) +
                          " reports slots that do not exist, or the same slot twice"};
      }
      left -= last - first + 1;
      redis_address address = redis_connector::address_in(range.list[2].list);
      if (address.host.empty()) {
        address.host = from.host;
      }
      const std::shared_ptr<node> master = nodes[address] = node_at(address);
      std::fill(slots.begin() + first, slots.begin() + last + 1, master);
    }
    slots_ = std::move(slots);
    nodes_ = std::move(nodes);
    is_stale_ = false;
  }

  redis_options options_;
  const redis_connector& connector_;
  std::mutex learning_;  // guards the next two members
  clock::time_point next_learning_;
  std::string failure_;
  std::mutex mutex_;  // guards everything below
  std::vector<std::shared_ptr<node>> slots_;
  std::map<redis_address, std::shared_ptr<node>> nodes_;
  bool is_stale_ = false;
  std::size_t next_server_ = 0;
};

}  // namespace robots::adapters_detail
