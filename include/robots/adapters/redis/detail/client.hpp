#pragma once

#include <robots/adapters/redis/detail/connection.hpp>
#include <robots/adapters/redis/detail/connector.hpp>
#include <robots/adapters/redis/redis_options.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/printable.hpp>
#include <robots/base/process.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/store/shared_store.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

inline constexpr std::size_t redis_slots = 16'384;

/// Computes CRC-16/XMODEM, which the specification of Redis Cluster uses.
[[nodiscard]] constexpr std::uint16_t crc16(std::string_view text) noexcept {
  std::uint32_t crc = 0;
  for (const char c : text) {
    crc ^= static_cast<std::uint32_t>(static_cast<unsigned char>(c)) << 8U;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc << 1U) ^ ((crc & 0x8000U) != 0 ? 0x1021U : 0U);
    }
  }
  return static_cast<std::uint16_t>(crc);
}

/// Returns the part of a key that decides its slot in a Redis Cluster. This part is the text
/// between the first `{` and the next `}`. If there is no such text, or if it is empty, it is the
/// whole key.
[[nodiscard]] constexpr std::string_view redis_hash_tag(std::string_view key) noexcept {
  if (const std::size_t open = key.find('{'); open != std::string_view::npos) {
    const std::size_t close = key.find('}', open);
    if (close != std::string_view::npos && close > open + 1) {
      return key.substr(open + 1, close - open - 1);
    }
  }
  return key;
}

/// Returns the slot of a key in a Redis Cluster.
[[nodiscard]] constexpr std::size_t redis_slot(std::string_view key) noexcept {
  return crc16(redis_hash_tag(key)) % redis_slots;
}

/// Returns `key` with braces around the text after its scheme. Only this text decides the slot.
[[nodiscard]] inline std::string with_hash_tag(std::string_view key) {
  std::string tagged{key};
  tagged.insert(key.rfind('/') + 1, 1, '{');  // without a scheme, npos + 1 is 0
  return tagged += '}';
}

/// Reads `MOVED slot host:port` and `ASK slot host:port`, which the server `from` sent. Returns the
/// slot and the server. If the host is missing, the server has the host of `from`.
[[nodiscard]] inline std::optional<std::pair<std::size_t, redis_address>> parse_redis_redirect(
    std::string_view text, const redis_address& from) {
  static_cast<void>(take_until(text, ' '));  // MOVED or ASK
  const auto slot = base::parse_decimal(take_until(text, ' '), redis_slots);
  const std::size_t colon = text.rfind(':');
  const auto port =
      colon == std::string_view::npos ? std::nullopt : redis_port(text.substr(colon + 1));
  if (!slot || *slot == redis_slots || !port) {
    return std::nullopt;
  }
  const std::string host = colon == 0 ? from.host : std::string{text.substr(0, colon)};
  return std::pair{static_cast<std::size_t>(*slot), redis_address{host, *port}};
}

/// If `reply` is the refusal of a server that works otherwise, returns what to do about the
/// refusal. Else returns an empty text.
[[nodiscard]] inline std::string redis_advice(const redis_reply& reply) {
  struct refusal {
    std::string_view code;
    const char* advice;
  };
  constexpr std::array refusals{
      refusal{"OOM", "raise maxmemory, or set maxmemory-policy to volatile-lru"},
      refusal{"READONLY", "name the master in redis_options::url, or the Sentinels that know it"},
      refusal{"MISCONF", "repair the disk of the server"},
      refusal{"NOREPLICAS", "repair the replicas of the server"},
      refusal{"NOPERM", "permit the command in the ACL; the comments of RedisStore list all"},
  };
  // Redis 7 has no code for a command that an ACL forbids to a script.
  const bool is_forbidden =
      reply.text.find("user executing the script can't run") != std::string::npos;
  for (const auto& [code, advice] : refusals) {
    if (reply.has_error(code) || (is_forbidden && code == "NOPERM")) {
      return std::string{": "} + advice;
    }
  }
  return {};
}

/// Sends each command to the only server, to the master that the Sentinels name, or to the cluster
/// node that has the key of the command. Any thread may use the client.
///
/// For a cluster, the first command loads the table of slots. After a redirect or failure, a
/// command loads it again, at most once a second. A failed node gets no command for a second.
class redis_client {
  using clock = std::chrono::steady_clock;

 public:
  /// `owner` is the name of the class that uses the client, for messages.
  redis_client(const redis_options& options, const char* owner)
      : connector_{options}, owner_{owner} {
    if (!is_cluster()) {
      nodes_[redis_address{}] = std::make_shared<redis_node>(connector_);
    }
  }

  /// Throws `std::logic_error` in a child of the process that made this client, since the
  /// connections are those of the parent.
  void check_process() const { home_.require(owner_); }

  /// Returns the replies to independent commands. Replies of a node that cannot be reached have the
  /// kind `lost`. Throws `store_error` if all replies are lost.
  [[nodiscard]] std::vector<redis_reply> ask(std::span<const redis_command> commands) {
    check_process();
    if (!is_cluster()) {
      return nodes_.begin()->second->ask(commands);
    }
    learn_slots();
    std::map<std::shared_ptr<redis_node>,
             std::pair<std::vector<std::size_t>, std::vector<redis_command>>>
        by_node;
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const std::string& key = commands[i].at(commands[i].front() == "EVAL" ? 3 : 1);
      const std::scoped_lock lock{mutex_};
      auto& [indices, batch] = by_node[slots_[redis_slot(key)]];  // null if no node has the slot
      indices.push_back(i);
      batch.push_back(commands[i]);
    }
    std::vector<redis_reply> replies(commands.size());
    for (const auto& [to, part] : by_node) {
      const auto& [indices, batch] = part;
      std::vector<redis_reply> answered = ask_node(to.get(), batch);
      for (std::size_t j = 0; j < indices.size(); ++j) {
        replies[indices[j]] = follow(to, batch[j], std::move(answered[j]));
      }
    }
    const auto lost = std::ranges::count(replies, redis_reply::kind::lost, &redis_reply::type);
    if (lost > 0 && std::cmp_equal(lost, replies.size())) {
      throw_failure(replies.back().text);
    }
    return replies;
  }

  /// Returns the replies of the server that has `key` to commands that name no key. If the server
  /// cannot be reached, the replies have the kind `lost`, or the function throws `store_error`.
  [[nodiscard]] std::vector<redis_reply> ask_server_of(const std::string& key,
                                                       std::span<const redis_command> commands) {
    check_process();
    if (!is_cluster()) {
      return nodes_.begin()->second->ask(commands);
    }
    learn_slots();
    std::shared_ptr<redis_node> server;
    {
      const std::scoped_lock lock{mutex_};
      server = slots_[redis_slot(key)];
    }
    return ask_node(server.get(), commands);
  }

  /// Calls `ask` for one command, and checks the reply with `accepted`.
  redis_reply ask_one(const redis_command& command, redis_reply::kind wanted) {
    return accepted(command, std::move(ask({&command, 1}).front()), wanted);
  }

  /// Does the same as `ask_one`, but any node of a cluster may answer the command.
  [[nodiscard]] redis_reply ask_any(const redis_command& command, redis_reply::kind wanted) {
    check_process();
    if (!is_cluster()) {
      return ask_one(command, wanted);
    }
    redis_reply reply{.type = redis_reply::kind::lost};
    for (const std::shared_ptr<redis_node>& one : servers()) {
      reply = std::move(ask_node(one.get(), {&command, 1}).front());
      if (reply.type != redis_reply::kind::lost) {
        return accepted(command, std::move(reply), wanted);
      }
    }
    throw_failure(reply.text);
  }

  /// Asks the current master whether it is one. Returns how often a master was none any more. A
  /// subscription from before the last time is to be opened again. Does nothing without Sentinels.
  [[nodiscard]] unsigned demotions() {
    if (!follows_sentinels()) {
      return 0;
    }
    const redis_command role{"ROLE"};
    static_cast<void>(ask({&role, 1}));
    return nodes_.begin()->second->demotions;
  }

  /// Returns a connection for a subscription. Each node of a cluster delivers all messages.
  [[nodiscard]] std::unique_ptr<redis_connection> connect(const stop_token& stop) {
    return connector_.connect(is_cluster() ? some_nodes().front() : redis_address{}, stop);
  }

  /// Returns the only server, or the masters of the cluster.
  [[nodiscard]] std::vector<std::shared_ptr<redis_node>> servers() {
    check_process();
    learn_slots();
    std::vector<std::shared_ptr<redis_node>> nodes;
    const std::scoped_lock lock{mutex_};
    nodes.reserve(nodes_.size());
    for (const auto& [address, one] : nodes_) {
      nodes.push_back(one);
    }
    return nodes;
  }

  /// Returns `reply`. Throws `store_error` if the reply is neither nil nor of the kind `wanted`.
  [[nodiscard]] static redis_reply accepted(const redis_command& command, redis_reply reply,
                                            redis_reply::kind wanted) {
    if (reply.type != wanted && reply.type != redis_reply::kind::nil) {
      const std::string advice = redis_advice(reply);
      const std::string text = refusal_text(command, reply);
      advice.empty() ? throw store_error{text} : throw store_refusal{text + advice};
    }
    return reply;
  }

  /// Returns the message for an error reply to `command`, with what to do about it.
  [[nodiscard]] static std::string refusal_text(const redis_command& command,
                                                const redis_reply& reply) {
    return "Redis refuses " + command.front() + ": " + base::without_controls(reply.text);
  }

  [[nodiscard]] bool is_cluster() const noexcept {
    return connector_.endpoint.topology == redis_topology::cluster;
  }

  [[nodiscard]] bool follows_sentinels() const noexcept {
    return connector_.endpoint.topology == redis_topology::sentinel;
  }

 private:
  [[nodiscard]] std::vector<redis_reply> ask_node(redis_node* to,
                                                  std::span<const redis_command> commands) {
    std::string failure;
    if (to == nullptr) {
      is_stale_ = true;
      failure = "Redis Cluster has no node for the slot of a key: assign its slots";
    } else if (clock::now() < to->retry_at.load()) {
      failure = "Redis at " + to_string(to->address) +
                " could not be reached a moment ago: the next try comes within a second";
    } else {
      try {
        std::vector<redis_reply> replies = to->ask(commands);
        to->retry_at = redis_time{};
        return replies;
      } catch (const store_error& error) {
        to->retry_at = clock::now() + std::chrono::seconds{1};
        is_stale_ = true;
        failure = error.what();
      }
    }
    const redis_reply lost{.type = redis_reply::kind::lost, .text = std::move(failure)};
    return std::vector<redis_reply>(commands.size(), lost);
  }

  /// While `reply` is a redirect, sends `command` to the node that the redirect names. Returns the
  /// last reply. `from` is the node that sent `reply`.
  [[nodiscard]] redis_reply follow(std::shared_ptr<redis_node> from, const redis_command& command,
                                   redis_reply reply) {
    constexpr int most_redirects = 5;
    for (int redirects = 0;; ++redirects) {
      const bool is_moving = reply.is_error("ASK");
      const auto redirect = is_moving || reply.is_error("MOVED")
                                ? parse_redis_redirect(reply.text, from->address)
                                : std::nullopt;
      if (!redirect) {
        if (reply.is_error("TRYAGAIN")) {  // only some keys of the slot have moved
          reply.type = redis_reply::kind::lost;
        }
        return reply;
      }
      if (redirects == most_redirects) {
        throw store_error{
            "Redis Cluster redirects a command more than five times: wait until its slots have "
            "moved, or repair it with redis-cli --cluster fix"};
      }
      {
        const auto& [slot, server] = *redirect;
        const std::scoped_lock lock{mutex_};
        from = node_at(server);
        if (!is_moving) {
          is_stale_ = true;
          slots_[slot] = from;
        }
      }
      const std::vector<redis_command> asking{{"ASKING"}, command};
      reply = std::move(ask_node(from.get(), std::span{asking}.subspan(is_moving ? 0 : 1)).back());
    }
  }

  /// Throws `store_part_error` if only some nodes have failed, or else `store_error`.
  [[noreturn]] void throw_failure(const std::string& why) {
    const std::scoped_lock lock{mutex_};
    for (const auto& [address, one] : nodes_) {
      if (one->retry_at.load() == redis_time{}) {
        throw store_part_error{why};
      }
    }
    throw store_error{why};
  }

  /// Returns the node with this address, or adds it. The caller must have locked `mutex_`.
  [[nodiscard]] std::shared_ptr<redis_node> node_at(const redis_address& address) {
    constexpr std::size_t most_nodes = 1'000;  // the limit in the specification of Redis Cluster
    if (const auto found = nodes_.find(address); found != nodes_.end()) {
      return found->second;
    }
    if (nodes_.size() >= most_nodes) {
      throw store_error{"Redis Cluster has more than 1000 nodes: use fewer"};
    }
    return nodes_[address] = std::make_shared<redis_node>(connector_, address);
  }

  /// Returns up to four addresses of nodes. The order rotates: each call begins with the next
  /// address.
  [[nodiscard]] std::vector<redis_address> some_nodes() {
    std::vector<redis_address> servers = connector_.endpoint.servers;
    const std::scoped_lock lock{mutex_};
    for (const auto& [address, one] : nodes_) {
      servers.push_back(address);
    }
    const auto next = static_cast<std::ptrdiff_t>(next_server_++ % servers.size());
    std::rotate(servers.begin(), servers.begin() + next, servers.end());
    constexpr std::size_t most_at_once = 4;
    servers.resize((std::min)(servers.size(), most_at_once));
    return servers;
  }

  /// Loads the table of slots if it is unknown or stale. Throws only if no slots are known.
  void learn_slots() {
    if (!is_cluster()) {
      return;
    }
    const std::scoped_lock one_thread{learning_};
    if (is_stale_ && clock::now() >= next_learning_) {
      try {
        const auto [from, ranges] = connector_.ask_any(some_nodes(), {"CLUSTER", "SLOTS"});
        take_slots(from, ranges);
      } catch (const store_error& error) {
        failure_ = error.what();
      }
      next_learning_ = clock::now() + std::chrono::seconds{1};
    }
    if (slots_.empty()) {
      throw store_error{failure_};
    }
  }

  /// Reads a reply to CLUSTER SLOTS. Each range is a list of the first slot, the last slot, the
  /// master and its replicas. Each server is a list of the host, the port and more.
  void take_slots(const redis_address& from, const redis_reply& ranges) {
    std::vector<std::shared_ptr<redis_node>> slots(redis_slots);
    std::map<redis_address, std::shared_ptr<redis_node>> nodes;
    std::int64_t left = redis_slots;
    const std::scoped_lock lock{mutex_};
    for (const redis_reply& range : ranges.list) {
      const std::int64_t first = range.list.size() < 3 ? -1 : range.list[0].integer;
      const std::int64_t last = first < 0 ? -1 : range.list[1].integer;
      const bool is_range = first >= 0 && first <= last && last < std::int64_t{redis_slots};
      left -= is_range ? last - first + 1 : 0;
      if (!is_range || left < 0) {
        throw store_error{"Redis at " + to_string(from) +
                          " reports slots that do not exist, or the same slot twice"};
      }
      redis_address address = redis_connector::address_in(range.list[2].list);
      if (address.host.empty()) {
        address.host = from.host;
      }
      const std::shared_ptr<redis_node> master = nodes[address] = node_at(address);
      std::fill(slots.begin() + first, slots.begin() + last + 1, master);
    }
    slots_ = std::move(slots);
    nodes_ = std::move(nodes);
    is_stale_ = false;
  }

  redis_connector connector_;
  const char* owner_;
  base::home_process home_{};
  std::mutex learning_;  // guards the next two members
  clock::time_point next_learning_;
  std::string failure_;
  std::atomic<bool> is_stale_ = true;  // true if the table of slots must be loaded
  std::mutex mutex_;                   // guards everything below
  std::vector<std::shared_ptr<redis_node>> slots_;
  std::map<redis_address, std::shared_ptr<redis_node>> nodes_;
  std::size_t next_server_ = 0;
};

}  // namespace robots::adapters_detail
