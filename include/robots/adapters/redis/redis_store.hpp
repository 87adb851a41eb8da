#pragma once

#include <robots/adapters/detail/store_token.hpp>
#include <robots/adapters/redis/detail/client.hpp>
#include <robots/adapters/redis/detail/cluster.hpp>
#include <robots/adapters/redis/detail/subscription.hpp>
#include <robots/adapters/redis/redis_options.hpp>
#include <robots/policy/codec.hpp>
#include <robots/store/shared_store.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

namespace adapters_detail {

/// Returns the pattern with which SCAN finds `text` and nothing else.
[[nodiscard]] inline std::string redis_pattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (std::string_view{"*?[]^-\\"}.find(c) != std::string_view::npos) {
      pattern += '\\';
    }
    pattern += c;
  }
  return pattern;
}

/// Returns the length of a scheme such as `https://` at the start of `key`, or 0 without one.
[[nodiscard]] inline std::size_t scheme_length(std::string_view key) noexcept {
  const std::size_t end = key.find("://");
  return end == std::string_view::npos ? 0 : end + 3;
}

/// `key` with braces around all that follows on its scheme: keys of one site get one slot.
[[nodiscard]] inline std::string with_hash_tag(std::string_view key) {
  const std::size_t scheme = scheme_length(key);
  return std::string{key.substr(0, scheme)}.append("{").append(key.substr(scheme)).append("}");
}

/// The key that `with_hash_tag` made `tagged` of; empty if it made none.
[[nodiscard]] inline std::string without_hash_tag(std::string_view tagged) {
  const std::size_t scheme = scheme_length(tagged);
  const std::string_view tag = tagged.substr(scheme);
  if (tag.size() < 2 || tag.front() != '{' || tag.back() != '}') {
    return {};
  }
  return std::string{tagged.substr(0, scheme)}.append(tag.substr(1, tag.size() - 2));
}

}  // namespace adapters_detail

/// A `SharedStore` in Redis, for any number of machines.
///
/// Values and leases expire by the clock of the server; the clocks of the workers do not matter.
/// The store opens a connection when it is first needed, so that a crawler starts without its
/// Redis. It closes a connection after each error. A call takes at most `connect_timeout` and twice
/// `command_timeout`. `load_all` takes one `command_timeout` more for each further 512 keys. All
/// limits double if a value is above `max_value_bytes`. In a cluster the limits hold for each node,
/// and half of `connect_timeout` is added if nodes have changed.
///
/// The prefix P ends with the format of records. A value is at `P site:KEY`, a lease at
/// `P lease:KEY`, both without the blank. Changes are published on the channel `P changed`. KEY has
/// braces around the text after `https://` or `http://`, so that a cluster keeps all keys of a site
/// in one slot. An ACL of Redis needs `~P* &P*` and the commands get, strlen, set, del, eval,
/// publish, subscribe, ping and select; for `for_each` also scan and pttl; in a cluster also
/// cluster and asking.
class RedisStore : public SharedStore {
 public:
  /// Opens no connection yet. Throws `std::invalid_argument` for a bad URL or a limit of 0; the
  /// message says how to mend it.
  explicit RedisStore(redis_options options = {})
      : parts_{std::make_unique<parts>(std::move(options))} {}

  /// Returns the value of `key`, or nothing. One round trip. Throws `store_error`.
  [[nodiscard]] std::optional<std::string> load(std::string_view key) override {
    return std::move(load_all(std::array{std::string{key}}).front());
  }

  /// Returns the values of many keys in their order. Makes one round trip to each server for each
  /// 512 keys, and a second one if a value is above `max_value_bytes`: such a value counts as
  /// missing. In a cluster, the values of a node out of reach count as missing. Throws
  /// `store_error` if no server answers. Takes at most `max_value_bytes` of memory for each key,
  /// whatever the server sends.
  [[nodiscard]] std::vector<std::optional<std::string>> load_all(
      std::span<const std::string> keys) override {
    return load_partly(keys).values;
  }

  /// Like `load_all`, but says which values belong to a node that is out of reach.
  [[nodiscard]] partial_values load_partly(std::span<const std::string> keys) override {
    try {
      return load_together(
          keys, [&](const std::string& key) { return command{"GET", parts_->value_key(key)}; });
    } catch (const adapters_detail::oversized_reply&) {
      // A value that is too long costs the connection that it came over, and all replies behind it.
      // A script costs more than GET, but leaves such a value out.
      constexpr const char* script =
          "local length = redis.pcall('strlen', KEYS[1]) "
          "if type(length) ~= 'number' then return length end "
          "return length <= tonumber(ARGV[1]) and redis.call('get', KEYS[1])";
      const std::string most = std::to_string(parts_->options.max_value_bytes);
      return load_together(keys, [&](const std::string& key) {
        return command{"EVAL", script, "1", parts_->value_key(key), most};
      });
    }
  }

  /// Loads the values of some sites and takes their leases, as each question wishes. The keys of a
  /// question must be those of one site. Takes a round trip to each server for each 512 of its
  /// questions. Two values of a site that are together above `max_value_bytes` count as one. A
  /// question counts as not answered if the server has no room for the lease. Throws `store_error`.
  [[nodiscard]] std::vector<store_reply> load_or_lease(
      std::span<const store_question> questions, std::chrono::milliseconds duration) override {
    constexpr const char* script =
        "local left = tonumber(ARGV[2]) "
        "local function value(key) "
        "local length = redis.pcall('strlen', key) "
        "if type(length) ~= 'number' or length == 0 or length > left then return false end "
        "left = left - length return redis.call('get', key) end "
        "local own = value(KEYS[1]) local other = value(KEYS[2]) local lease = 0 "
        "local set = nil "
        "if ARGV[1] == 'take' then set = redis.pcall('set', KEYS[3], ARGV[3], 'px', ARGV[4]) "
        "elseif ARGV[1] == 'if_free' or (ARGV[1] == 'if_missing' and not own and not other) then "
        "set = redis.pcall('set', KEYS[3], ARGV[3], 'nx', 'px', ARGV[4]) end "
        "if set then lease = set.ok and 1 or -1 end "
        "return {own, other, lease}";
    const std::string most = std::to_string(parts_->options.max_value_bytes);
    std::vector<command> commands;
    commands.reserve(questions.size());
    for (const store_question& question : questions) {
      commands.push_back({"EVAL", script, "3", parts_->value_key(question.key),
                          parts_->value_key(question.other_key),
                          parts_->lease_key(question.lease_key),
                          std::string{to_string(question.wish)}, most,
                          adapters_detail::store_token(), expiry(duration)});
    }
    std::vector<store_reply> replies(questions.size());
    std::vector<reply> got = parts_->client->ask(commands);
    for (std::size_t i = 0; i < replies.size(); ++i) {
      if (got.at(i).is_error(adapters_detail::unreachable_node)) {
        continue;
      }
      reply answer = client::accepted(commands[i], std::move(got[i]), reply::kind::list);
      if (answer.list.size() != 3) {
        throw store_error{"Redis answers EVAL with what is no list of three"};
      }
      const auto value = [&](reply& from) {
        return from.type == reply::kind::text ? std::optional{std::move(from.text)} : std::nullopt;
      };
      const bool has_room = answer.list[2].integer >= 0;  // a full server grants no lease
      replies[i] = {.value = value(answer.list[0]),
                    .other_value = value(answer.list[1]),
                    .is_answered = has_room};
      if (answer.list[2].integer == 1) {
        replies[i].lease = store_lease{questions[i].lease_key, commands[i][8]};
      }
    }
    return replies;
  }

  /// Stores `value` until `lifetime` has passed, which may be a hundred years. Throws `store_error`
  /// if it cannot be stored or is longer than `max_value_bytes`; then the old value stays.
  void publish(std::string_view key, std::string_view value,
               std::chrono::milliseconds lifetime) override {
    if (lifetime <= std::chrono::milliseconds{0}) {
      return erase(key);
    }
    check_size(value);
    parts_->client->ask_one(
        {"SET", parts_->value_key(key), std::string{value}, "PX", expiry(lifetime)},
        reply::kind::status);
  }

  /// Stores `value`, as above, if `lease` is still held, and ends the lease. Returns whether it was
  /// held. The keys must be those of one site. One round trip. Throws `store_error`.
  [[nodiscard]] bool publish(std::string_view key, std::string_view value,
                             std::chrono::milliseconds lifetime,
                             const store_lease& lease) override {
    check_size(value);
    constexpr const char* script =
        "if redis.call('get', KEYS[2]) ~= ARGV[3] then return 0 end "
        "redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2]) redis.call('del', KEYS[2]) return 1";
    return parts_->client
               ->ask_one({"EVAL", script, "2", parts_->value_key(key), parts_->lease_key(lease.key),
                          std::string{value}, expiry(lifetime), lease.token},
                         reply::kind::integer)
               .integer == 1;
  }

  /// Removes the value of `key`, ends its lease, and notifies the others, through any node of a
  /// cluster answers. Two round trips. Throws `store_error`.
  void erase(std::string_view key) override {
    parts_->client->ask_one({"DEL", parts_->value_key(key), parts_->lease_key(key)},
                            reply::kind::integer);
    announce(key);
  }

  /// Notifies the other processes. One round trip. Throws `store_error`.
  void announce(std::string_view key) override {
    parts_->client->ask_one({"PUBLISH", parts_->channel(), parts_->sender + std::string{key}},
                            reply::kind::integer);
  }

  /// The lease of `key`, unless somebody has it. One round trip. Throws `store_error`; then the
  /// lease may be taken all the same, until `duration` has passed.
  [[nodiscard]] std::optional<store_lease> try_lease(std::string_view key,
                                                     std::chrono::milliseconds duration) override {
    if (duration <= std::chrono::milliseconds{0}) {
      return std::nullopt;
    }
    store_lease lease{.key = std::string{key}, .token = adapters_detail::store_token()};
    const reply taken = parts_->client->ask_one(
        {"SET", parts_->lease_key(key), lease.token, "NX", "PX", expiry(duration)},
        reply::kind::status);
    return taken.type == reply::kind::status ? std::optional{std::move(lease)} : std::nullopt;
  }

  /// Takes the lease of `key`, also from another process. One round trip. Throws `store_error`.
  [[nodiscard]] store_lease take_lease(std::string_view key,
                                       std::chrono::milliseconds duration) override {
    store_lease lease{.key = std::string{key}, .token = adapters_detail::store_token()};
    parts_->client->ask_one({"SET", parts_->lease_key(key), lease.token, "PX", expiry(duration)},
                            reply::kind::status);
    return lease;
  }

  /// Releases a lease if it is still this one. One round trip. Throws `store_error`.
  void release(const store_lease& lease) override {
    constexpr const char* script =
        "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end return 0";
    parts_->client->ask_one({"EVAL", script, "1", parts_->lease_key(lease.key), lease.token},
                            reply::kind::integer);
  }

  /// Calls `on_change` for each key that others erase or announce, and once with "" after the
  /// server was out of reach. Returns when it listens, or when the first attempt has failed. Then
  /// it tries again, at least every two seconds. Failures of the server do not throw.
  void watch(std::function<void(std::string_view)> on_change) override {
    const std::scoped_lock lock{parts_->watching};
    parts_->subscription.reset();
    if (!on_change) {
      return;
    }
    parts_->subscription = std::make_unique<adapters_detail::redis_subscription>(
        [client = parts_->client.get()](int interrupt) { return client->connect(interrupt); },
        parts_->channel(), parts_->options.command_timeout,
        [sender = parts_->sender, on_change = std::move(on_change)](std::string_view message) {
          if (message.empty()) {
            on_change("");
          } else if (message.size() > sender.size() && !message.starts_with(sender)) {
            on_change(message.substr(sender.size()));
          }
        });
  }

  /// Calls `look` with each key that has a value, and how long it still has. For people who look
  /// into a store; not part of `SharedStore`. Values that are published or erased meanwhile may be
  /// there or not, and a key may come twice. Looks at all keys of the server, for as long as it
  /// tells of more. Throws `store_error`.
  void for_each(
      const std::function<void(std::string_view key, std::chrono::milliseconds left)>& look) {
    const std::string prefix = parts_->prefix + "site:";
    const std::string pattern = adapters_detail::redis_pattern(prefix) + '*';
    for (const auto& server : parts_->client->servers()) {
      std::string cursor = "0";
      do {
        const std::array<command, 1> scan{{{"SCAN", cursor, "MATCH", pattern, "COUNT", "512"}}};
        const reply page =
            client::accepted(scan.front(), std::move(server->ask(scan).front()), reply::kind::list);
        if (page.list.size() != 2) {
          throw store_error{"Redis answers SCAN with what is no page of keys"};
        }
        std::vector<command> commands;
        for (const reply& key : page.list[1].list) {
          commands.push_back({"PTTL", key.text});
        }
        const std::vector<reply> times = server->ask(commands);
        for (std::size_t i = 0; i < times.size(); ++i) {
          const std::string_view key = commands[i][1];
          const std::string site =
              key.starts_with(prefix) ? adapters_detail::without_hash_tag(key.substr(prefix.size()))
                                      : std::string{};
          if (times[i].integer > 0 && !site.empty()) {
            look(site, std::chrono::milliseconds{times[i].integer});
          }
        }
        cursor = page.list[0].text;
      } while (cursor != "0");
    }
  }

 private:
  using client = adapters_detail::redis_client;
  using command = adapters_detail::redis_command;
  using reply = adapters_detail::redis_reply;

  /// The parts that keep their address when the store is moved.
  struct parts {
    explicit parts(redis_options given)
        : options{std::move(given)},
          client{adapters_detail::make_redis_client(options)},
          prefix{options.key_prefix + 'v' + std::to_string(record_format) + ':'} {}

    [[nodiscard]] std::string value_key(std::string_view key) const {
      return prefix + "site:" + adapters_detail::with_hash_tag(key);
    }
    [[nodiscard]] std::string lease_key(std::string_view key) const {
      return prefix + "lease:" + adapters_detail::with_hash_tag(key);
    }
    [[nodiscard]] std::string channel() const { return prefix + "changed"; }

    redis_options options;
    std::unique_ptr<adapters_detail::redis_client> client;
    std::string prefix;
    std::string sender = adapters_detail::store_token();  ///< identifies own messages
    std::mutex watching;
    std::unique_ptr<adapters_detail::redis_subscription> subscription;
  };

  template <class Command>
  [[nodiscard]] partial_values load_together(std::span<const std::string> keys,
                                             const Command& command_of) {
    std::vector<command> commands;
    commands.reserve(keys.size());
    for (const std::string& key : keys) {
      commands.push_back(command_of(key));
    }
    partial_values loaded;
    auto& [values, lost] = loaded;
    values.reserve(keys.size());
    lost.reserve(keys.size());
    for (reply& got : parts_->client->ask(commands)) {
      lost.push_back(got.is_error(adapters_detail::unreachable_node));
      // A value of another type is a stranger's.
      if (lost.back() || got.type == reply::kind::nil || got.is_error("WRONGTYPE")) {
        values.emplace_back();
        continue;
      }
      std::string text = client::accepted(commands.front(), std::move(got), reply::kind::text).text;
      const bool is_oversized = text.size() > parts_->options.max_value_bytes;
      values.push_back(is_oversized ? std::nullopt : std::optional{std::move(text)});
    }
    return loaded;
  }

  /// Throws `store_error` for a value that is too long to be stored.
  void check_size(std::string_view value) const {
    const std::size_t most = parts_->options.max_value_bytes;
    if (value.size() > most) {
      throw store_error{"RedisStore: a value of " + std::to_string(value.size()) +
                        " octets is above max_value_bytes, " + std::to_string(most) +
                        ": raise it in every process"};
    }
  }

  /// Returns a time to live that Redis accepts.
  [[nodiscard]] static std::string expiry(std::chrono::milliseconds time) {
    constexpr std::chrono::milliseconds longest = std::chrono::years{100};
    return std::to_string((std::min)(time, longest).count());
  }

  std::unique_ptr<parts> parts_;
};

}  // namespace robots
