#pragma once

#include <robots/adapters/detail/store_token.hpp>
#include <robots/adapters/redis/detail/channel.hpp>
#include <robots/adapters/redis/detail/client.hpp>
#include <robots/adapters/redis/redis_options.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/printable.hpp>
#include <robots/base/process.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/rulings/ruling_ledger.hpp>
#include <robots/store/shared_store.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
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

/// A `RulingLedger` in Redis for any number of machines.
///
/// The ledger has three keys in one hash slot, without an expiry. (P) stands for
/// `redis_options::key_prefix` and `{rulings}1:`, where 1 is the version of the format.
///
///     (P)state  a hash: the head, and the last order of each ruling
///     (P)ids    a hash: the number of each order's id
///     (P)log    a stream: all orders; the id of an entry is GENERATION-NUMBER
///
/// Each call is a Lua script, so an order is one atomic step, and no process writes what it has
/// read before. A key can be missing, or can belong to another state than the others. Then the
/// script begins a new generation with the rest, and the processes put back what is lost. A new
/// order is also a message on the channel `(P)news`.
///
/// Redis must not evict the keys: set `maxmemory-policy` to `noeviction` or `volatile-*`. The
/// options of Redis decide how many acknowledged orders a crash of the server loses. With
/// `appendfsync always`, it loses none. With `appendfsync everysec`, it loses those of about a
/// second. Without `appendonly yes`, it loses those since the last snapshot. In all cases, the
/// processes of the crawl put back what they know.
///
/// An ACL must permit `~(P)* &(P)*` and the commands eval, del, exists, hget, hmget, hscan, hset,
/// xadd, xrange, xrevrange, publish, subscribe, ping and select; for `settings`, also info and
/// config get. All calls except `watch` and `settings` throw `store_error` if Redis does not answer
/// as expected.
class RedisRulingLedger final : public RulingLedger {
 public:
  /// The settings of a Redis server that decide if it can lose an acknowledged order. A setting is
  /// empty if the server does not say it, as many managed servers refuse the command CONFIG.
  struct server_settings {
    std::optional<std::string> maxmemory_policy{};  ///< such as `noeviction` or `allkeys-lru`
    std::optional<bool> appendonly{};               ///< true if Redis logs each write in a file
    std::optional<std::string> appendfsync{};       ///< `always`, `everysec` or `no`
    std::optional<std::string> save{};              ///< when snapshots are made; `""` for never
  };

  /// Does not open a connection yet. Throws `std::invalid_argument` for a bad URL, a limit of 0, or
  /// a `key_prefix` whose braces would spread the keys over a cluster.
  explicit RedisRulingLedger(const redis_options& options = {})
      : client_{base::make_home<client>(options, "RedisRulingLedger")},
        prefix_{options.key_prefix + "{rulings}" + std::to_string(rulings_detail::order_format) +
                ':'},
        timeout_{options.command_timeout} {
    using adapters_detail::redis_hash_tag;
    if (client_->is_cluster() &&
        redis_hash_tag(prefix_ + "log") != redis_hash_tag(prefix_ + "ids")) {
      throw std::invalid_argument{"redis_options: key_prefix is \"" +
                                  base::printable(options.key_prefix) +
                                  "\", whose braces would put the rulings into several slots of a "
                                  "cluster: leave out the braces"};
    }
  }

  /// See `RulingLedger`. One round trip.
  [[nodiscard]] std::optional<ruling_number> append(const ruling_order& order,
                                                    const ledger_head& known) override {
    static const std::string script = std::string{begin} + R"(
local earlier = redis.call('hget', KEYS[2], ARGV[2])
if earlier then return earlier end
if ARGV[6] ~= '0' and (token ~= ARGV[5] or is_before(generation, number, ARGV[6], ARGV[7])) then
  return ''
end
if not generation then
  generation, number, token = 1, 0, ARGV[1]
end
number = number + 1
local place = text(generation) .. '-' .. text(number)
redis.call('hset', KEYS[1], ARGV[3], place .. '\n' .. ARGV[2] .. '\n' .. ARGV[4])
redis.call('hset', KEYS[2], ARGV[2], place)
log(place, ARGV[2], ARGV[3], ARGV[4])
set_head(place, token, ARGV[2])
redis.call('publish', ARGV[8], ARGV[9])
return place
)";
    const reply got =
        ask({"EVAL", script, "3", key("state"), key("ids"), key("log"),
             adapters_detail::store_token(), order.id, rulings_detail::name_of(order),
             rulings_detail::encode(order), known.token, std::to_string(known.last.generation),
             std::to_string(known.last.number), key("news"), sender_ + "1"},
            reply::kind::text);
    return got.text.empty() ? std::nullopt : std::optional{number_in(got.text)};
  }

  /// See `RulingLedger`. Returns at most about half a MiB at once. If the ledger does not know the
  /// reader, makes several round trips, and returns all rulings.
  [[nodiscard]] ledger_news read(const ledger_head& known) override {
    static const std::string script = std::string{begin} + R"(
if not generation then return {'', '0'} end
local head = redis.call('hget', KEYS[1], 'head')
local place = ARGV[3] .. '-' .. ARGV[4]
local mine = redis.call('xrange', KEYS[3], place, place)[1]
if token ~= ARGV[2] or not mine or mine[2][2] ~= ARGV[5] then return {head, '0'} end
local news, size = {head, '1'}, 0
for _, entry in ipairs(redis.call('xrange', KEYS[3], '(' .. place, '+', 'count', 256)) do
  for _, part in ipairs({entry[1], entry[2][2], entry[2][4], entry[2][6]}) do
    table.insert(news, part)
    size = size + #part
  end
  if size > 524288 then break end
end
return news
)";
    const reply got =
        ask({"EVAL", script, "3", key("state"), key("ids"), key("log"),
             adapters_detail::store_token(), known.token, std::to_string(known.last.generation),
             std::to_string(known.last.number), known.last_id.empty() ? "-" : known.last_id},
            reply::kind::list);
    if (got.list.size() < 2 || got.list.size() % 4 != 2) {
      refuse();
    }
    ledger_news news{.head = head_in(got.list[0].text)};
    news.is_continued = got.list[1].text == "1" || (known.token.empty() && news.head.token.empty());
    if (!news.is_continued) {
      read_all(news);
      return news;
    }
    for (std::size_t i = 2; i + 3 < got.list.size(); i += 4) {
      const ruling_number number = number_in(got.list[i].text);
      const std::string& id = got.list[i + 1].text;
      if (i + 4 == got.list.size() && number < news.head.last) {
        news.has_more = true;
        news.head.last = number;
        news.head.last_id = id;
      }
      if (auto order = rulings_detail::decode_order(got.list[i + 2].text, id, got.list[i + 3].text,
                                                    number)) {
        news.orders.push_back(*std::move(order));
      }
    }
    return news;
  }

  /// See `RulingLedger`. One round trip.
  [[nodiscard]] bool put_back(const ledger_head& expected, const ledger_head& next,
                              std::span<const ruling_order> orders) override {
    static const std::string script = std::string{begin} + R"(
local head = generation and redis.call('hget', KEYS[1], 'head') or ''
if head ~= ARGV[2] then return 0 end
token = ARGV[4]
for i = 8, #ARGV, 4 do
  redis.call('hset', KEYS[1], ARGV[i + 2], ARGV[i] .. '\n' .. ARGV[i + 1] .. '\n' .. ARGV[i + 3])
  redis.call('hset', KEYS[2], ARGV[i + 1], ARGV[i])
end
log(ARGV[3], ARGV[5], '', '')
set_head(ARGV[3], token, ARGV[5])
redis.call('publish', ARGV[6], ARGV[7])
return 1
)";
    command words{"EVAL",
                  script,
                  "3",
                  key("state"),
                  key("ids"),
                  key("log"),
                  adapters_detail::store_token(),
                  text_of(expected),
                  to_string(next.last),
                  next.token,
                  next.last_id,
                  key("news"),
                  sender_ + "1"};
    for (const ruling_order& order : orders) {
      words.insert(words.end(), {to_string(order.number), order.id, rulings_detail::name_of(order),
                                 rulings_detail::encode(order)});
    }
    return ask(words, reply::kind::integer).integer == 1;
  }

  /// Returns the settings of the server, or of the node of a cluster that has the ledger. One round
  /// trip. A server that cannot be reached gives no settings, and no exception.
  [[nodiscard]] server_settings settings() const {
    const std::vector<command> questions{{"INFO", "memory"},
                                         {"INFO", "persistence"},
                                         {"CONFIG", "GET", "appendfsync"},
                                         {"CONFIG", "GET", "save"}};
    std::vector<reply> replies;
    try {
      replies = client_->ask_server_of(key("log"), questions);
    } catch (const store_error&) {
      return {};
    }
    server_settings found{.maxmemory_policy = info_in(replies.at(0), "maxmemory_policy"),
                          .appendfsync = config_in(replies.at(2)),
                          .save = config_in(replies.at(3))};
    if (const auto enabled = info_in(replies.at(1), "aof_enabled")) {
      found.appendonly = *enabled == "1";
    }
    return found;
  }

  /// See `RulingLedger`. Returns when the subscription exists, or when the first try has failed. A
  /// background thread tries again after each failure, at most a second later.
  void watch(std::function<void()> on_news) override {
    client_->check_process();
    const std::scoped_lock lock{*watching_};
    watcher_.reset();
    if (on_news) {
      std::promise<void> tried;
      const std::future<void> first_try = tried.get_future();
      watcher_ = base::make_home<base::jthread>(
          &adapters_detail::follow_redis_channel, client_, key("news"), timeout_, sender_,
          std::make_shared<adapters_detail::redis_watch_state>(),
          [on_news = std::move(on_news)](std::string_view /*message*/) { on_news(); },
          std::move(tried));
      first_try.wait();
    }
  }

 private:
  using client = adapters_detail::redis_client;
  using command = adapters_detail::redis_command;
  using reply = adapters_detail::redis_reply;

  // The beginning of each script. Reads the head `GENERATION NUMBER TOKEN ID` into `generation`,
  // `number` and `token`, or leaves them nil if the ledger is empty. ARGV[1] is a new token, for a
  // ledger that has lost a part of itself: it begins a new generation, with a mark in its log.
  static constexpr std::string_view begin = R"(
local text = function(value) return string.format('%.0f', value) end
local generation, number, token
local set_head = function(place, its_token, id)
  redis.call('hset', KEYS[1], 'head', (place:gsub('%-', ' ')) .. ' ' .. its_token .. ' ' .. id)
  redis.call('hset', KEYS[2], 'token', its_token)
end
local log = function(place, id, name, octets)
  redis.call('xadd', KEYS[3], place, 'id', id, 'name', name, 'octets', octets)
end
local is_before = function(generation, number, other_generation, other_number)
  if not generation then return true end
  local a, b = tonumber(other_generation), tonumber(other_number)
  return generation < a or (generation == a and number < b)
end
local words = redis.call('hget', KEYS[1], 'head')
if words then
  local first, second, third = words:match('^(%d+) (%d+) (%S+) ')
  generation, number, token = tonumber(first), tonumber(second), third
end
local newest = redis.call('xrevrange', KEYS[3], '+', '-', 'count', 1)[1]
if not generation then
  if redis.call('exists', KEYS[1], KEYS[2], KEYS[3]) > 0 then
    redis.call('del', KEYS[1], KEYS[2], KEYS[3])
  end
elseif not newest or newest[1] ~= text(generation) .. '-' .. text(number) or
    redis.call('hget', KEYS[2], 'token') ~= token then
  redis.call('del', KEYS[2], KEYS[3])
  generation, number, token = generation + 1, number + 1, ARGV[1] .. ',' .. token:sub(1, 2000)
  local place = text(generation) .. '-' .. text(number)
  log(place, 'part-' .. ARGV[1], '', '')
  set_head(place, token, 'part-' .. ARGV[1])
end
)";

  [[nodiscard]] std::string key(const char* name) const { return prefix_ + name; }

  [[nodiscard]] reply ask(const command& words, reply::kind wanted) const {
    reply got = client_->ask_one(words, wanted);
    if (got.type == reply::kind::nil) {
      refuse();
    }
    return got;
  }

  [[noreturn]] static void refuse() {
    throw store_error{
        "RedisRulingLedger: the reply to EVAL is not that of a ledger: check that "
        "redis_options::url names a Redis server, and that no other program writes its keys"};
  }

  /// Returns a field of a reply to INFO, whose lines are `NAME:VALUE`.
  [[nodiscard]] static std::optional<std::string> info_in(const reply& got, std::string_view name) {
    std::string_view rest = got.type == reply::kind::text ? got.text : std::string_view{};
    while (!rest.empty()) {
      std::string_view line = rulings_detail::take_until(rest, '\n');
      if (line.ends_with('\r')) {
        line.remove_suffix(1);
      }
      if (rulings_detail::take_until(line, ':') == name) {
        return std::string{line};
      }
    }
    return std::nullopt;
  }

  /// Returns the value in a reply to CONFIG GET, which has the name and the value.
  [[nodiscard]] static std::optional<std::string> config_in(const reply& got) {
    if (got.type != reply::kind::list || got.list.size() != 2) {
      return std::nullopt;
    }
    return got.list[1].text;
  }

  /// Reads `GENERATION-NUMBER`.
  [[nodiscard]] static ruling_number number_in(std::string_view place) {
    const auto generation = base::parse_decimal(rulings_detail::take_until(place, '-'));
    const auto number = base::parse_decimal(place);
    if (!generation || !number) {
      refuse();
    }
    return {*generation, *number};
  }

  /// Reads the text of a head; an empty text means an empty ledger.
  [[nodiscard]] static ledger_head head_in(std::string_view text) {
    ledger_head head;
    if (!text.empty()) {
      const auto generation = base::parse_decimal(rulings_detail::take_until(text, ' '));
      const auto number = base::parse_decimal(rulings_detail::take_until(text, ' '));
      if (!generation || !number) {
        refuse();
      }
      head.last = {*generation, *number};
      head.token = rulings_detail::take_until(text, ' ');
      head.last_id = text;
    }
    return head;
  }
  [[nodiscard]] static std::string text_of(const ledger_head& head) {
    return head.token.empty()
               ? std::string{}
               : std::to_string(head.last.generation) + ' ' + std::to_string(head.last.number) +
                     ' ' + head.token + ' ' + head.last_id;
  }

  /// Adds all rulings of the ledger. Asks for the names first and for the orders next, since a page
  /// of a hash with long orders could be larger than a reply may be.
  void read_all(ledger_news& news) const {
    constexpr const char* names_script =
        "local page = redis.call('hscan', KEYS[1], ARGV[1], 'count', 256) "
        "local names = {page[1]} for i = 1, #page[2], 2 do if page[2][i] ~= 'head' then "
        "table.insert(names, page[2][i]) table.insert(names, #page[2][i + 1]) end end return names";
    constexpr std::int64_t most_octets = 524'288;  // of one reply
    std::string cursor = "0";
    do {
      const reply page = ask({"EVAL", names_script, "1", key("state"), cursor}, reply::kind::list);
      if (page.list.size() % 2 != 1) {
        refuse();
      }
      cursor = page.list[0].text;
      command wanted{"HMGET", key("state")};
      std::int64_t octets = 0;
      for (std::size_t i = 1; i + 1 < page.list.size(); i += 2) {
        wanted.push_back(page.list[i].text);
        octets += page.list[i + 1].integer;
        if (octets > most_octets || i + 2 == page.list.size()) {
          take(news, wanted);
          wanted.resize(2);
          octets = 0;
        }
      }
    } while (cursor != "0");
  }

  /// Adds the orders that the command HMGET `wanted` asks for. Orders that are gone are left out.
  void take(ledger_news& news, const command& wanted) const {
    const reply got = ask(wanted, reply::kind::list);
    for (std::size_t i = 0; i < got.list.size() && i + 2 < wanted.size(); ++i) {
      std::string_view octets = got.list[i].text;
      if (got.list[i].type != reply::kind::text) {
        continue;
      }
      const ruling_number number = number_in(rulings_detail::take_until(octets, '\n'));
      const std::string_view id = rulings_detail::take_until(octets, '\n');
      if (auto order = rulings_detail::decode_order(wanted[i + 2], id, octets, number)) {
        news.orders.push_back(*std::move(order));
      }
    }
  }

  std::shared_ptr<client> client_;
  std::string prefix_;
  std::chrono::milliseconds timeout_;
  std::string sender_ = adapters_detail::store_token();  // identifies this ledger's own messages
  std::unique_ptr<std::mutex> watching_ = std::make_unique<std::mutex>();
  base::home_ptr<base::jthread> watcher_{};
};

}  // namespace robots
