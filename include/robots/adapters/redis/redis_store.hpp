#pragma once

#include <robots/adapters/detail/store_token.hpp>
#include <robots/adapters/redis/detail/client.hpp>
#include <robots/adapters/redis/detail/subscription.hpp>
#include <robots/adapters/redis/redis_options.hpp>
#include <robots/base/stop_token.hpp>
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

/// Returns the pattern with which SCAN finds only `text`.
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

/// Returns the length of a scheme such as `https://` at the start of `key`, or 0 if there is
/// none.
[[nodiscard]] inline std::size_t scheme_length(std::string_view key) noexcept {
  const std::size_t end = key.find("://");
  return end == std::string_view::npos ? 0 : end + 3;
}

/// Returns `key` with braces around the text after its scheme, so that a cluster has all keys of a
/// site in one slot.
[[nodiscard]] inline std::string with_hash_tag(std::string_view key) {
  std::string tagged{key};
  tagged.insert(scheme_length(key), 1, '{');
  return tagged += '}';
}

/// Returns the key from which `with_hash_tag` made `tagged`, or an empty text if `with_hash_tag`
/// did not make it.
[[nodiscard]] inline std::string without_hash_tag(std::string_view tagged) {
  std::string key{tagged.substr(0, tagged.empty() ? 0 : tagged.size() - 1)};
  if (const std::size_t brace = scheme_length(tagged); brace < key.size()) {
    key.erase(brace, 1);
  }
  return with_hash_tag(key) == tagged ? key : std::string{};
}

}  // namespace adapters_detail

/// A `SharedStore` in Redis for any number of machines.
///
/// Values and leases expire by the clock of the server, so the clocks of the workers do not matter.
/// The store opens a connection when it first needs one, so a crawler can start without its Redis.
/// The store closes a connection after each error. A call takes at most `connect_timeout` and twice
/// `command_timeout`. `load_all` takes one `command_timeout` more for each further 512 keys. In a
/// cluster, the limits apply to each node. If nodes have changed, a call takes half of
/// `connect_timeout` more.
///
/// P is `redis_options::key_prefix`, followed by the version of the record format. A value has the
/// key `P site:KEY`, and a lease has the key `P lease:KEY`, both without the blank. The store
/// publishes changes on the channel `P changed`. KEY has braces around the text after `https://` or
/// `http://`, so that a cluster has all keys of a site in one slot. An ACL of Redis needs `~P* &P*`
/// and the commands get, strlen, set, del, eval, publish, subscribe, ping and select; for
/// `for_each` also scan and pttl; in a cluster also cluster and asking.
class RedisStore : public SharedStore {
 public:
  /// Does not open a connection yet. Throws `std::invalid_argument` for a bad URL or a limit of 0.
  /// The message says what to change.
  explicit RedisStore(redis_options options = {})
      : parts_{std::make_unique<parts>(std::move(options))} {}

  /// Returns the values of many keys in the order of `keys`, as `load_or_lease` loads them. A value
  /// above `max_value_bytes` is treated as missing. Throws `store_error` if Redis does not answer
  /// as expected. Needs at most `max_value_bytes` octets of memory for each key, even if the server
  /// sends more.
  [[nodiscard]] std::vector<std::optional<std::string>> load_all(
      std::span<const std::string> keys) override {
    std::vector<store_question> questions;
    for (const std::string& key : keys) {
      questions.emplace_back().key = key;
    }
    std::vector<std::optional<std::string>> values;
    for (store_reply& loaded : load_or_lease(questions, {})) {
      if (!loaded.is_answered) {
        throw store_part_error{
            "Redis Cluster: the node of a key cannot be reached: check the nodes"};
      }
      values.push_back(std::move(loaded.value));
    }
    return values;
  }

  /// Loads the values of some sites. Takes a lease if the question asks for one. The keys of a
  /// question must belong to one site. Sends the questions of a server in groups of 512, with one
  /// round trip for each group. If the two values of a question are together above
  /// `max_value_bytes`, loads only one of them. If the server has no room for the lease, or a node
  /// of a cluster cannot be reached, `is_answered` is false. Throws `store_error` if no server
  /// answers, or a reply is not as expected.
  [[nodiscard]] std::vector<store_reply> load_or_lease(
      std::span<const store_question> questions, std::chrono::milliseconds duration) override {
    // If STRLEN fails, another program stored something else under the key. Then the value is
    // treated as missing.
    constexpr const char* script =
        "local left = tonumber(ARGV[2]) "
        "local function value(key) "
        "local length = redis.pcall('strlen', key) "
        "if type(length) ~= 'number' or length > left then return false end "
        "left = left - length return redis.call('get', key) end "
        "local own = value(KEYS[1]) "
        "local other = #KEYS > 1 and value(KEYS[2]) "
        "local lease = 0 local set = nil "
        "if ARGV[1] == 'take' then set = redis.pcall('set', KEYS[3], ARGV[3], 'px', ARGV[4]) "
        "elseif ARGV[1] == 'if_free' or (ARGV[1] == 'if_missing' and not own and not other) then "
        "set = redis.pcall('set', KEYS[3], ARGV[3], 'nx', 'px', ARGV[4]) end "
        "if set then lease = set.ok and 1 or -1 end "
        "return {own, other, lease}";
    const std::string most = std::to_string(parts_->options.max_value_bytes);
    std::vector<command> commands;
    commands.reserve(questions.size());
    for (const store_question& question : questions) {
      const bool has_lease = !question.lease_key.empty();
      command words{"EVAL", script, has_lease ? "3" : "1", parts_->value_key(question.key)};
      if (has_lease) {
        words.push_back(parts_->value_key(question.other_key));
        words.push_back(parts_->lease_key(question.lease_key));
      }
      words.insert(words.end(), {std::string{to_string(question.wish)}, most,
                                 adapters_detail::store_token(), expiry(duration)});
      commands.push_back(std::move(words));
    }
    std::vector<store_reply> replies(questions.size());
    std::vector<reply> got = parts_->client.ask(commands);
    for (std::size_t i = 0; i < replies.size(); ++i) {
      if (got.at(i).type == reply::kind::lost) {
        continue;
      }
      reply answer = client::accepted(commands[i], std::move(got[i]), reply::kind::list);
      if (answer.list.size() != 3 || answer.list[2].type != reply::kind::integer) {
        throw store_error{
            "RedisStore: the reply to EVAL is not two values and a number: check that "
            "redis_options::url names a Redis server"};
      }
      const auto value = [&](reply& from) {
        return from.type == reply::kind::text ? std::optional{std::move(from.text)} : std::nullopt;
      };
      const bool has_room = answer.list[2].integer >= 0;  // a full server grants no lease
      replies[i] = {.value = value(answer.list[0]),
                    .other_value = value(answer.list[1]),
                    .is_answered = has_room};
      if (answer.list[2].integer == 1) {
        replies[i].lease = store_lease{questions[i].lease_key, commands[i].end()[-2]};
      }
    }
    return replies;
  }

  /// Stores `value` for `lifetime`, or for a hundred years at most. Throws `store_error` if the
  /// value cannot be stored or is longer than `max_value_bytes`. If Redis refuses the value, the
  /// old value remains. After a timeout, Redis has either the old or the new value.
  void publish(std::string_view key, std::string_view value,
               std::chrono::milliseconds lifetime) override {
    if (lifetime <= std::chrono::milliseconds{0}) {
      return erase(key);
    }
    check_size(value);
    parts_->client.ask_one(
        {"SET", parts_->value_key(key), std::string{value}, "PX", expiry(lifetime)},
        reply::kind::status);
  }

  /// Stores `value` if `lease` is still held, and ends the lease. Returns true if the lease was
  /// held. The keys must belong to one site. Makes one round trip. Throws `store_error` if Redis
  /// does not answer as expected.
  [[nodiscard]] bool publish(std::string_view key, std::string_view value,
                             std::chrono::milliseconds lifetime,
                             const store_lease& lease) override {
    check_size(value);
    constexpr const char* script =
        "if redis.call('get', KEYS[2]) ~= ARGV[3] then return 0 end "
        "redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2]) redis.call('del', KEYS[2]) return 1";
    return parts_->client
               .ask_one({"EVAL", script, "2", parts_->value_key(key), parts_->lease_key(lease.key),
                         std::string{value}, expiry(lifetime), lease.token},
                        reply::kind::integer)
               .integer == 1;
  }

  /// Removes the value of `key`, ends its lease, and notifies the other processes like `announce`.
  /// Makes two round trips. Throws `store_error` if Redis does not answer as expected.
  void erase(std::string_view key) override {
    parts_->client.ask_one({"DEL", parts_->value_key(key), parts_->lease_key(key)},
                           reply::kind::integer);
    announce(key);
  }

  /// Notifies the other processes of a change of `key`, in a cluster through any node that answers.
  /// Makes one round trip. Throws `store_error` if Redis does not answer as expected.
  void announce(std::string_view key) override {
    parts_->client.ask_one({"PUBLISH", parts_->channel(), parts_->sender + std::string{key}},
                           reply::kind::integer);
  }

  /// Returns the lease of `key`, unless somebody holds it. Makes one round trip. Throws
  /// `store_error` if Redis does not answer as expected. After an error, the lease may be
  /// taken, and then ends after `duration`.
  [[nodiscard]] std::optional<store_lease> try_lease(std::string_view key,
                                                     std::chrono::milliseconds duration) override {
    if (duration <= std::chrono::milliseconds{0}) {
      return std::nullopt;
    }
    store_lease lease{.key = std::string{key}, .token = adapters_detail::store_token()};
    const reply taken = parts_->client.ask_one(
        {"SET", parts_->lease_key(key), lease.token, "NX", "PX", expiry(duration)},
        reply::kind::status);
    return taken.type == reply::kind::status ? std::optional{std::move(lease)} : std::nullopt;
  }

  /// Takes the lease of `key`, even from another process. Makes one round trip. Throws
  /// `store_error` if Redis does not answer as expected.
  [[nodiscard]] store_lease take_lease(std::string_view key,
                                       std::chrono::milliseconds duration) override {
    store_lease lease{.key = std::string{key}, .token = adapters_detail::store_token()};
    parts_->client.ask_one({"SET", parts_->lease_key(key), lease.token, "PX", expiry(duration)},
                           reply::kind::status);
    return lease;
  }

  /// Ends `lease` if it is still held. Makes one round trip. Throws `store_error` if Redis does not
  /// answer as expected.
  void release(const store_lease& lease) override {
    constexpr const char* script =
        "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end return 0";
    parts_->client.ask_one({"EVAL", script, "1", parts_->lease_key(lease.key), lease.token},
                           reply::kind::integer);
  }

  /// Calls `on_change` for each key that other stores erase or announce. After the server could not
  /// be reached, calls `on_change` once with "". Returns when the subscription exists, or when the
  /// first try has failed. After a failure, a thread tries again, at least every two seconds.
  /// Failures of the server cause no exception.
  void watch(std::function<void(std::string_view)> on_change) override {
    const std::scoped_lock lock{parts_->watching};
    parts_->subscription.reset();
    if (!on_change) {
      return;
    }
    parts_->subscription = std::make_unique<adapters_detail::redis_subscription>(
        [client = &parts_->client](const stop_token& stop) { return client->connect(stop); },
        parts_->channel(), parts_->options.command_timeout,
        [sender = parts_->sender, on_change = std::move(on_change)](std::string_view message) {
          if (message.empty()) {
            on_change("");
          } else if (message.size() > sender.size() && !message.starts_with(sender)) {
            on_change(message.substr(sender.size()));
          }
        });
  }

  /// Calls `look` with each key that has a value, and with the remaining lifetime of this value.
  /// This function is for tools that inspect a store; `SharedStore` does not have it. Values that
  /// are published or erased meanwhile may be included, and a key can come twice. Scans all
  /// keys of the server, even keys of other programs. Throws `store_error` if Redis does not answer
  /// as expected.
  void for_each(
      const std::function<void(std::string_view key, std::chrono::milliseconds left)>& look) {
    const std::string prefix = parts_->prefix + "site:";
    const std::string pattern = adapters_detail::redis_pattern(prefix) + '*';
    for (const auto& server : parts_->client.servers()) {
      std::string cursor = "0";
      do {
        const std::array<command, 1> scan{{{"SCAN", cursor, "MATCH", pattern, "COUNT", "512"}}};
        const reply page =
            client::accepted(scan.front(), std::move(server->ask(scan).front()), reply::kind::list);
        if (page.list.size() != 2) {
          throw store_error{
              "RedisStore: the reply to SCAN is not a page of keys: check that "
              "redis_options::url names a Redis server"};
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

  /// The parts of a store, which keep their addresses if the store moves.
  struct parts {
    explicit parts(redis_options given)
        : options{std::move(given)},
          client{options},
          prefix{options.key_prefix + 'v' + std::to_string(detail::record_format) + ':'} {}

    [[nodiscard]] std::string value_key(std::string_view key) const {
      return prefix + "site:" + adapters_detail::with_hash_tag(key);
    }
    [[nodiscard]] std::string lease_key(std::string_view key) const {
      return prefix + "lease:" + adapters_detail::with_hash_tag(key);
    }
    [[nodiscard]] std::string channel() const { return prefix + "changed"; }

    redis_options options;
    adapters_detail::redis_client client;
    std::string prefix;
    std::string sender = adapters_detail::store_token();  ///< identifies messages of this store
    std::mutex watching;
    std::unique_ptr<adapters_detail::redis_subscription> subscription;
  };

  /// Throws `store_error` if `value` is longer than `max_value_bytes`.
  void check_size(std::string_view value) const {
    const std::size_t most = parts_->options.max_value_bytes;
    if (value.size() > most) {
      throw store_error{"RedisStore: a value of " + std::to_string(value.size()) +
                        " octets is above max_value_bytes, " + std::to_string(most) +
                        ": raise that limit in every process"};
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
