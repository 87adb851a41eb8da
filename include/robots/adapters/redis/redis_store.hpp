#pragma once

#include <robots/adapters/detail/store_token.hpp>
#include <robots/adapters/detail/stored_value.hpp>
#include <robots/adapters/redis/detail/channel.hpp>
#include <robots/adapters/redis/detail/client.hpp>
#include <robots/adapters/redis/redis_options.hpp>
#include <robots/base/printable.hpp>
#include <robots/base/process.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/policy/codec.hpp>
#include <robots/store/shared_store.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// A `SharedStore` in Redis for any number of machines.
///
/// Values and leases expire by the clock of the server. A crawler can start while Redis is down.
/// Most calls make one round trip. All calls except `watch` throw `store_error` if Redis does not
/// answer as expected.
///
/// A call for up to 512 keys takes at most `connect_timeout` plus twice `command_timeout`. Each
/// further 512 keys add one `command_timeout`. In a cluster, these limits apply to each node.
/// Loading the list of nodes adds at most half of `connect_timeout` to a call.
///
/// (P) stands for `redis_options::key_prefix`, the letter `v`, the version of the record format,
/// and a colon. A value has the key `(P)site:KEY`, and a lease has the key `(P)lease:KEY`. The
/// store publishes changes on the channel `(P)changed`. KEY is the caller's key with braces around
/// the text after the scheme. So a cluster stores all keys of a site in one slot.
///
/// An ACL of Redis must permit `~(P)* &(P)*` and the commands get, strlen, set, del, eval, publish,
/// subscribe, ping and select. `for_each` also needs scan and pttl. A cluster also needs the
/// commands `cluster` and `asking`.
class RedisStore : public SharedStore {
 public:
  /// Does not open a connection yet. Throws `std::invalid_argument` for a bad URL, a limit of 0, or
  /// a `key_prefix` whose braces would spread the keys of a site over a cluster.
  explicit RedisStore(const redis_options& options = {})
      : client_{base::make_home<client>(options, "RedisStore")},
        prefix_{options.key_prefix + 'v' + std::to_string(detail::record_format) + ':'},
        timeout_{options.command_timeout},
        max_value_bytes_{options.max_value_bytes},
        compresses_{options.compress} {
    using adapters_detail::redis_hash_tag;
    const std::string one_site = "example.com";
    if (client_->is_cluster() &&
        redis_hash_tag(value_key(one_site)) != redis_hash_tag(lease_key(one_site))) {
      throw std::invalid_argument{"redis_options: key_prefix is \"" +
                                  base::printable(options.key_prefix) +
                                  "\", whose braces would put the keys of one site into several "
                                  "slots of a cluster: leave out "
                                  "the braces, or close the first brace after at least one letter, "
                                  "which puts all keys into "
                                  "one slot"};
    }
  }

  /// See `SharedStore`. A value above `max_value_bytes` is treated as missing. Uses at most
  /// `max_value_bytes` octets of memory for each key, even if the server sends a longer value, and
  /// as many for the decoded value. A compressed value that is damaged, or decodes to more, is
  /// returned as it is stored.
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

  /// See `SharedStore`. The keys of a `store_question` must belong to one site. Sends up to 512
  /// questions to a server in one round trip. A question has two keys. If their values are longer
  /// than `max_value_bytes` in total, loads only one of the values. `store_reply::is_answered` is
  /// false if the server refuses the lease, for example since it is full, or if the cluster node of
  /// the keys cannot be reached.
  [[nodiscard]] std::vector<store_reply> load_or_lease(
      std::span<const store_question> questions, std::chrono::milliseconds duration) override {
    // If another program stored a list at the key, STRLEN fails, and the value counts as missing.
    constexpr const char* script =
        "local left = tonumber(ARGV[2]) "
        "local function value(key) "
        "local length = redis.pcall('strlen', key) "
        "if type(length) ~= 'number' or length > left then return false end "
        "left = left - length return redis.call('get', key) end "
        "local own = value(KEYS[1]) "
        "local other = #KEYS > 1 and value(KEYS[2]) "
        "local lease = 0 local set = nil "  // a number, or the error of a server without room
        "if ARGV[1] == 'take' then set = redis.pcall('set', KEYS[3], ARGV[3], 'px', ARGV[4]) "
        "elseif ARGV[1] == 'if_free' or (ARGV[1] == 'if_missing' and not own and not other) then "
        "set = redis.pcall('set', KEYS[3], ARGV[3], 'nx', 'px', ARGV[4]) end "
        "if set then lease = set.ok and 1 or set end "
        "return {own, other, lease}";
    const std::string most = std::to_string(max_value_bytes_);
    std::vector<command> commands;
    for (const store_question& question : questions) {
      const bool has_lease = !question.lease_key.empty();
      command words{"EVAL", script, has_lease ? "3" : "1", value_key(question.key)};
      if (has_lease) {
        words.push_back(value_key(question.other_key));
        words.push_back(lease_key(question.lease_key));
      }
      words.insert(words.end(), {std::string{to_string(question.wish)}, most,
                                 adapters_detail::store_token(), expiry(duration)});
      commands.push_back(std::move(words));
    }
    std::vector<store_reply> replies(questions.size());
    std::vector<reply> got = client_->ask(commands);
    for (std::size_t i = 0; i < replies.size(); ++i) {
      if (got.at(i).type == reply::kind::lost) {
        continue;
      }
      reply answer = client::accepted(commands[i], std::move(got[i]), reply::kind::list);
      if (answer.list.size() == 3 && answer.list[2].type == reply::kind::error) {
        replies[i].refusal = client::refusal_text(commands[i], answer.list[2]) +
                             adapters_detail::redis_advice(answer.list[2]);
        continue;
      }
      if (answer.list.size() != 3 || answer.list[2].type != reply::kind::integer) {
        throw store_error{
            "RedisStore: the reply to EVAL is not two values and a number: check that "
            "redis_options::url names a Redis server"};
      }
      const auto value = [&](reply& from) {
        return from.type == reply::kind::text ? std::optional{adapters_detail::original_value(
                                                    std::move(from.text), max_value_bytes_)}
                                              : std::nullopt;
      };
      replies[i] = {.value = value(answer.list[0]),
                    .other_value = value(answer.list[1]),
                    .is_answered = true};
      if (answer.list[2].integer == 1) {
        replies[i].lease = store_lease{questions[i].lease_key, commands[i].end()[-2]};
      }
    }
    return replies;
  }

  /// See `SharedStore`. Stores the value for at most a hundred years. Throws `store_error` if the
  /// value is longer than `max_value_bytes`. If Redis refuses the value, the old value remains.
  /// After a timeout, Redis has either the old or the new value.
  void publish(std::string_view key, std::string_view value,
               std::chrono::milliseconds lifetime) override {
    if (lifetime <= std::chrono::milliseconds{0}) {
      return erase(key);
    }
    client_->ask_one({"SET", value_key(key), stored(value), "PX", expiry(lifetime)},
                     reply::kind::status);
  }

  /// See `SharedStore`. `key` and `lease.key` must belong to one site.
  [[nodiscard]] bool publish(std::string_view key, std::string_view value,
                             std::chrono::milliseconds lifetime,
                             const store_lease& lease) override {
    constexpr const char* script =
        "if redis.call('get', KEYS[2]) ~= ARGV[3] then return 0 end "
        "redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2]) redis.call('del', KEYS[2]) return 1";
    return client_
               ->ask_one({"EVAL", script, "2", value_key(key), lease_key(lease.key), stored(value),
                          expiry(lifetime), lease.token},
                         reply::kind::integer)
               .integer == 1;
  }

  void erase(std::string_view key) override {
    constexpr const char* script =
        "redis.call('del', KEYS[1], KEYS[2]) return redis.call('publish', ARGV[1], ARGV[2])";
    client_->ask_one({"EVAL", script, "2", value_key(key), lease_key(key), channel(),
                      sender_ + std::string{key}},
                     reply::kind::integer);
  }

  void announce(std::string_view key) override {
    static_cast<void>(
        client_->ask_any({"PUBLISH", channel(), sender_ + std::string{key}}, reply::kind::integer));
  }

  /// See `SharedStore`. If the call throws, Redis may hold a lease without an owner for `duration`.
  [[nodiscard]] std::optional<store_lease> try_lease(std::string_view key,
                                                     std::chrono::milliseconds duration) override {
    if (duration <= std::chrono::milliseconds{0}) {
      return std::nullopt;
    }
    store_lease lease{.key = std::string{key}, .token = adapters_detail::store_token()};
    const reply taken = client_->ask_one(
        {"SET", lease_key(key), lease.token, "NX", "PX", expiry(duration)}, reply::kind::status);
    return taken.type == reply::kind::status ? std::optional{std::move(lease)} : std::nullopt;
  }

  [[nodiscard]] store_lease take_lease(std::string_view key,
                                       std::chrono::milliseconds duration) override {
    store_lease lease{.key = std::string{key}, .token = adapters_detail::store_token()};
    client_->ask_one({"SET", lease_key(key), lease.token, "PX", expiry(duration)},
                     reply::kind::status);
    return lease;
  }

  void release(const store_lease& lease) override {
    constexpr const char* script =
        "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end return 0";
    client_->ask_one({"EVAL", script, "1", lease_key(lease.key), lease.token},
                     reply::kind::integer);
  }

  /// See `SharedStore`. Returns when the subscription exists, or when the first try has failed.
  /// After each failure, a background thread waits for at most a second and tries again. If the
  /// server refuses the subscription, the pauses grow to half a minute. After each refusal, the
  /// thread calls `on_change("")`, so that a cache compares its rules with the store at least as
  /// often.
  void watch(std::function<void(std::string_view)> on_change) override {
    client_->check_process();
    const std::scoped_lock lock{*watching_};
    watcher_.reset();
    seen_->accept();
    if (on_change) {
      std::promise<void> tried;
      const std::future<void> first_try = tried.get_future();
      watcher_ = base::make_home<base::jthread>(&adapters_detail::follow_redis_channel, client_,
                                                channel(), timeout_, sender_, seen_,
                                                std::move(on_change), std::move(tried));
      first_try.wait();
    }
  }

  /// See `SharedStore`.
  [[nodiscard]] watch_state watching() const override { return seen_->get(); }

  /// Calls `look` with each key that has a value, and with the remaining lifetime of this value.
  /// May call `look` twice with the same key. Values that are published or erased during the call
  /// can be included. Scans all keys of the server, even keys of other programs.
  void for_each(
      const std::function<void(std::string_view key, std::chrono::milliseconds left)>& look) {
    const std::string prefix = prefix_ + "site:";
    std::string pattern = prefix + '*';
    const auto is_special = [](char c) {
      return std::string_view{"*?[]^-\\"}.find(c) != std::string_view::npos;
    };
    // `?` matches any octet, so the loop below checks each key.
    std::replace_if(pattern.begin(), pattern.end() - 1, is_special, '?');
    for (const auto& server : client_->servers()) {
      std::string cursor = "0";
      do {
        const command scan{"SCAN", cursor, "MATCH", pattern, "COUNT", "512"};
        const reply page =
            client::accepted(scan, std::move(server->ask({&scan, 1}).front()), reply::kind::list);
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
          const std::string& key = commands[i][1];
          if (key.size() < prefix.size() + 3 || times[i].integer <= 0) {
            continue;  // no key of a value, or a value that has expired
          }
          std::string site = key.substr(prefix.size(), key.size() - prefix.size() - 1);
          site.erase(site.rfind('/') + 1, 1);  // the opening brace
          if (value_key(site) == key) {
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

  [[nodiscard]] std::string value_key(std::string_view key) const {
    return prefix_ + "site:" + adapters_detail::with_hash_tag(key);
  }
  [[nodiscard]] std::string lease_key(std::string_view key) const {
    return prefix_ + "lease:" + adapters_detail::with_hash_tag(key);
  }
  [[nodiscard]] std::string channel() const { return prefix_ + "changed"; }

  /// Returns the octets for the server. Throws `store_error` if the value is above the limit.
  [[nodiscard]] std::string stored(std::string_view value) const {
    if (value.size() > max_value_bytes_) {
      throw store_error{"RedisStore: a value of " + std::to_string(value.size()) +
                        " octets is above max_value_bytes, " + std::to_string(max_value_bytes_) +
                        ": raise that limit in every process"};
    }
    return adapters_detail::stored_value(value, compresses_);
  }

  [[nodiscard]] static std::string expiry(std::chrono::milliseconds time) {
    constexpr std::chrono::milliseconds longest = std::chrono::years{100};
    return std::to_string((std::min)(time, longest).count());
  }

  std::shared_ptr<client> client_;
  std::string prefix_;
  std::chrono::milliseconds timeout_;
  std::size_t max_value_bytes_;
  bool compresses_;
  std::string sender_ = adapters_detail::store_token();  // the prefix of this store's messages
  // Shared with the thread of the watch.
  std::shared_ptr<adapters_detail::redis_watch_state> seen_ =
      std::make_shared<adapters_detail::redis_watch_state>();
  std::unique_ptr<std::mutex> watching_ = std::make_unique<std::mutex>();
  base::home_ptr<base::jthread> watcher_{};
};

}  // namespace robots
