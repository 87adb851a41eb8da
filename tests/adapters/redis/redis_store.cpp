// RedisStore over a real redis-server.
#include <robots/adapters/redis/redis_store.hpp>

#include "store/store_conformance.hpp"
#include "support/extremes.hpp"
#include "support/raw_server.hpp"
#include "support/redis_server.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace robots::test;
using robots::redis_options;
using robots::RedisStore;
using namespace std::chrono_literals;

namespace {

void load(RedisStore& store) { static_cast<void>(store.load("key")); }
void lease(RedisStore& store) { static_cast<void>(store.try_lease("key", 1h)); }

}  // namespace

TEST_CASE("RedisStore is a shared store") {
  const redis_server server;
  store_conformance(
      [&] { return RedisStore{redis_options{.url = server.url(), .key_prefix = "robots:"}}; });
}

TEST_CASE("RedisStore with compression is a shared store") {
  const redis_server server;
  store_conformance(
      [&] { return RedisStore{redis_options{.url = server.url(), .compress = true}}; });
}

TEST_CASE("RedisStore compresses values, and reads them with and without the option") {
  const redis_server server;
  RedisStore plain{redis_options{.url = server.url()}};
  RedisStore compressing{redis_options{.url = server.url(), .compress = true}};
  const std::string value(5'000, 'x');
  compressing.publish("https://a.example", value, 1h);
  const auto lease = compressing.try_lease("https://b.example", 1h);
  CHECK(compressing.publish("https://b.example", value, 1h, *lease));
  plain.publish("https://c.example", value, 1h);
  CHECK(std::stoi(server.tell({"STRLEN", "robots:v2:site:https://{a.example}"})) < 100);
  CHECK(std::stoi(server.tell({"STRLEN", "robots:v2:site:https://{b.example}"})) < 100);
  CHECK(server.tell({"STRLEN", "robots:v2:site:https://{c.example}"}) == "5000");
  const std::array<std::string, 3> keys{"https://a.example", "https://b.example",
                                        "https://c.example"};
  const std::vector<std::optional<std::string>> expected(3, value);
  CHECK((plain.load_all(keys) == expected));
  CHECK((compressing.load_all(keys) == expected));
}

TEST_CASE("RedisStore returns a compressed value as it is if it is damaged or above the limit") {
  const redis_server server;
  RedisStore store{redis_options{.url = server.url(), .max_value_bytes = 10'000}};
  RedisStore larger{redis_options{.url = server.url(), .compress = true}};
  larger.publish("bomb", std::string(1'000'000, 'x'), 1h);
  server.tell({"SET", "robots:v2:site:{cut}", "\x83\x10\x20"});
  server.tell({"SET", "robots:v2:site:{no stream}", "\x83\x10\x20\x01\x01 and no stream"});
  larger.publish("good", std::string(10'000, 'x'), 1h);
  CHECK(store.load("bomb").value().size() < 2'000);
  CHECK(store.load("bomb").value().starts_with('\x83'));
  CHECK(store.load("cut") == "\x83\x10\x20");
  CHECK(store.load("no stream") == "\x83\x10\x20\x01\x01 and no stream");
  CHECK(store.load("good") == std::string(10'000, 'x'));
  CHECK_THROWS_WITH_AS(larger.publish("good", std::string((std::size_t{2} << 20U) + 1, 'x'), 1h),
                       doctest::Contains("above max_value_bytes"), robots::store_error);
}

TEST_CASE("The keys of RedisStore begin with the prefix and the format of records") {
  const redis_server server;
  RedisStore store{redis_options{.url = server.url(), .key_prefix = "crawl*:"}};
  store.publish("https://example.com", "value", 1h);
  const auto lease = store.try_lease("https://example.com", 1h);
  CHECK(server.tell({"GET", "crawl*:v2:site:https://{example.com}"}) == "value");
  CHECK(server.tell({"GET", "crawl*:v2:lease:https://{example.com}"}) == lease->token);
  CHECK(server.tell({"DBSIZE"}) == "2");
}

TEST_CASE("RedisStore lists the keys that have values, and their remaining lifetimes") {
  const redis_server server;
  RedisStore store{redis_options{.url = server.url(), .key_prefix = "[a-z]*"}};
  RedisStore other{redis_options{.url = server.url(), .key_prefix = "b"}};
  other.publish("elsewhere", "value", 1h);
  server.tell({"SET", "[a-z]*v2:site:{for ever}", "a stranger's"});
  std::map<std::string, std::chrono::milliseconds> expected;
  for (int i = 0; i < 1'500; ++i) {
    const std::string key = "https://site" + std::to_string(i) + ".example";
    expected[key] = 1h * (i + 1);
    store.publish(key, "value", expected[key]);
    static_cast<void>(store.try_lease(key, 1h));
  }
  std::map<std::string, std::chrono::milliseconds> listed;
  store.for_each([&](std::string_view key, std::chrono::milliseconds left) {
    listed[std::string{key}] = left;
    static_cast<void>(store.load(key));  // a callback can call the store
  });
  CHECK(listed.size() == expected.size());
  for (const auto& [key, left] : listed) {
    CHECK(left <= expected[key]);
    CHECK(left > expected[key] - 5min);
  }
}

TEST_CASE("RedisStore loads nothing from a key whose type is not a string") {
  const redis_server server;
  RedisStore store{redis_options{.url = server.url()}};
  server.tell({"RPUSH", "robots:v2:site:{list}", "element"});
  store.publish("text", "value", 1h);
  CHECK(store.load("list") == std::nullopt);
  CHECK((store.load_all(std::array<std::string, 2>{"list", "text"}) ==
         std::vector<std::optional<std::string>>{std::nullopt, "value"}));
  store.publish("list", "value", 1h);
  CHECK(store.load("list") == "value");
}

TEST_CASE("RedisStore logs in with a password, as a user, to a database, and by a socket") {
  const redis_server server{{"--requirepass", "se:cret/", "--user", "crawler", "on", ">s@fe",
                             "~robots:*", "&robots:*", "+@all"}};
  const auto url = [&](std::string_view who, std::string_view path) {
    return "redis://" + std::string{who} + server.address() + std::string{path};
  };
  RedisStore by_password{{.url = url(":se%3Acret%2F@", "")}};
  RedisStore by_user{{.url = url("crawler:s%40fe@", "")}};
  RedisStore by_socket{{.url = "unix://crawler:s%40fe@" + server.socket()}};
  RedisStore elsewhere{{.url = url("crawler:s%40fe@", "/3")}};
  RedisStore elsewhere_by_socket{{.url = "unix://:se%3Acret%2F@" + server.socket() + "?db=3"}};
  by_password.publish("key", "value", 1h);
  CHECK(by_user.load("key") == "value");
  CHECK(by_socket.load("key") == "value");
  CHECK(elsewhere.load("key") == std::nullopt);
  elsewhere.publish("key", "other", 1h);
  CHECK(elsewhere_by_socket.load("key") == "other");
  CHECK(by_socket.load("key") == "value");

  RedisStore without{{.url = url("", "")}};
  CHECK_THROWS_WITH_AS(load(without), doctest::Contains("NOAUTH"), robots::store_error);
  RedisStore wrong{{.url = url("crawler:no@", "")}};
  CHECK_THROWS_WITH_AS(load(wrong), doctest::Contains("refuses AUTH: WRONGPASS"),
                       robots::store_error);
  RedisStore beyond{{.url = url("crawler:s%40fe@", "/99")}};
  CHECK_THROWS_WITH_AS(load(beyond), doctest::Contains("refuses SELECT: ERR"), robots::store_error);
  RedisStore forbidden{{.url = url("crawler:s%40fe@", ""), .key_prefix = "other:"}};
  CHECK_THROWS_WITH_AS(load(forbidden), doctest::Contains("refuses EVAL: NOPERM"),
                       robots::store_error);
}

TEST_CASE("RedisStore refuses impossible options") {
  const auto makes = [](const redis_options& options) { RedisStore{options}; };
  CHECK_THROWS_WITH_AS(makes({.connect_timeout = 0ms}), doctest::Contains("above 0"),
                       std::invalid_argument);
  CHECK_THROWS_AS(makes({.command_timeout = -1ms}), std::invalid_argument);
  CHECK_THROWS_AS(makes({.max_connections = 0}), std::invalid_argument);
  CHECK_THROWS_AS(makes({.max_value_bytes = 0}), std::invalid_argument);
  CHECK_THROWS_AS(makes({.url = "http://127.0.0.1"}), std::invalid_argument);
  CHECK_THROWS_WITH_AS(makes({.url = "rediss://127.0.0.1"}), doctest::Contains("redis_tls{}"),
                       std::invalid_argument);
  CHECK_NOTHROW(makes({.max_connections = SIZE_MAX, .max_value_bytes = SIZE_MAX}));
}

TEST_CASE("RedisStore serves many threads with a few connections") {
  const redis_server server;
  RedisStore store{redis_options{.url = server.url(), .max_connections = 3}};
  std::atomic<int> wrong = 0;
  in_threads(16, [&](std::size_t thread) {
    for (int i = 0; i < 50; ++i) {
      const std::string key = std::to_string(thread);
      store.publish(key, key, 1h);
      wrong += store.load(key) == key ? 0 : 1;
      if (const auto lease = store.try_lease("one", 1h)) {
        store.release(*lease);
      }
      store.announce(key);
    }
  });
  CHECK(wrong == 0);
  const std::string clients = server.tell({"INFO", "clients"});
  CHECK_MESSAGE(clients.find("connected_clients:4\r") != std::string::npos, clients);
}

TEST_CASE("RedisStore works immediately after its server was restarted") {
  redis_server server;
  RedisStore store{redis_options{.url = server.url()}};
  in_threads(4, [&](std::size_t) { store.publish("key", "value", 1h); });
  server.stop();
  CHECK_THROWS_WITH_AS(load(store), doctest::Contains("Connection refused"), robots::store_error);
  CHECK_THROWS_AS(store.publish("key", "value", 1h), robots::store_error);
  CHECK_THROWS_AS(lease(store), robots::store_error);
  server.start();
  CHECK(store.load("key") == std::nullopt);
  store.publish("key", "other", 1h);
  CHECK(store.load("key") == "other");
}

TEST_CASE("RedisStore works with a server that was wiped") {
  const redis_server server;
  RedisStore store{redis_options{.url = server.url()}};
  store.publish("key", "value", 1h);
  const auto lost = store.try_lease("key", 1h);
  server.tell({"FLUSHALL"});
  CHECK(store.load("key") == std::nullopt);
  const auto next = store.try_lease("key", 1h);
  REQUIRE(next);
  store.release(*lost);
  CHECK(!store.try_lease("key", 1h));
  store.publish("key", "other", 1h);
  CHECK(store.load("key") == "other");
}

TEST_CASE("RedisStore notices that its idle connections were closed") {
  const redis_server server;
  RedisStore store{redis_options{.url = server.url()}};
  store.publish("key", "value", 1h);
  server.tell({"CLIENT", "KILL", "TYPE", "normal"});
  CHECK(store.load("key") == "value");
}

TEST_CASE("If a server hangs, RedisStore waits no longer than its timeouts") {
  const redis_server server;
  RedisStore store{redis_options{.url = server.url(), .command_timeout = 100ms}};
  store.publish("key", "value", 1h);
  SUBCASE("because the server is paused") { server.tell({"CLIENT", "PAUSE", "500"}); }
  SUBCASE("because its machine hangs") { server.freeze(); }
  const auto start = std::chrono::steady_clock::now();
  in_threads(8, [&](std::size_t) { CHECK_THROWS_AS(load(store), robots::store_error); });
  CHECK(std::chrono::steady_clock::now() - start < 5s);
  server.resume();
  CHECK(comes_true(real_time{}, [&] {
    try {
      return store.load("key") == "value";
    } catch (const robots::store_error&) {
      return false;
    }
  }));
}

TEST_CASE("RedisStore loads from a full server") {
  const redis_server server{{"--maxmemory-policy", "noeviction"}};
  RedisStore store{redis_options{.url = server.url()}};
  store.publish("key", "value", 1h);
  server.tell({"CONFIG", "SET", "maxmemory", "1"});
  CHECK_THROWS_WITH_AS(store.publish("key", "other", 1h), doctest::Contains("refuses SET: OOM"),
                       robots::store_error);
  CHECK_THROWS_AS(lease(store), robots::store_error);
  CHECK(store.load("key") == "value");
  store.erase("key");
  server.tell({"CONFIG", "SET", "maxmemory", "0"});
  store.publish("key", "other", 1h);
  CHECK(store.load("key") == "other");
}

TEST_CASE("RedisStore neither publishes nor loads a value above the limit") {
  const redis_server server;
  const std::size_t limit = std::size_t{2} << 20U;
  RedisStore store{redis_options{.url = server.url()}};
  RedisStore careless{
      redis_options{.url = server.url(), .command_timeout = 10s, .max_value_bytes = 10 * limit}};
  store.publish("key", std::string(limit, 'x'), 1h);
  CHECK(store.load("key")->size() == limit);
  CHECK_THROWS_WITH_AS(store.publish("key", std::string(limit + 1, 'x'), 1h),
                       doctest::Contains("above max_value_bytes"), robots::store_error);
  CHECK(store.load("key")->size() == limit);
  careless.publish("key", std::string(5 * limit, 'x'), 1h);
  CHECK(careless.load("key")->size() == 5 * limit);
  CHECK(store.load("key") == std::nullopt);
  CHECK(store.load("other") == std::nullopt);
  // A value above a small limit is read and dropped, since replies up to 1 MiB are permitted.
  RedisStore strict{redis_options{.url = server.url(), .max_value_bytes = 10}};
  store.publish("key", "01234567890", 1h);
  CHECK(strict.load("key") == std::nullopt);
  store.publish("key", "0123456789", 1h);
  CHECK(strict.load("key") == "0123456789");
}

TEST_CASE("A value above the limit is treated as missing, and other values are loaded") {
  const redis_server server;
  constexpr std::size_t limit = std::size_t{2} << 20U;
  RedisStore store{redis_options{.url = server.url()}};
  RedisStore careless{
      redis_options{.url = server.url(), .command_timeout = 10s, .max_value_bytes = 10 * limit}};
  std::vector<std::string> keys;
  std::vector<std::optional<std::string>> expected;
  for (std::size_t i = 0; i < 40; ++i) {
    keys.push_back("key-" + std::to_string(i));
    const bool is_oversized = i < 17 || i == 39;
    const std::size_t length = is_oversized ? limit + 1 + i * limit / 8 : i == 20 ? limit : 10;
    careless.publish(keys.back(), std::string(length, 'x'), 1h);
    expected.push_back(is_oversized ? std::nullopt : std::optional{std::string(length, 'x')});
  }
  keys.insert(keys.end(), {"missing", "empty", "of a stranger"});
  store.publish("empty", "", 1h);
  server.tell({"LPUSH", "robots:v2:site:{of a stranger}", "x"});
  expected.insert(expected.end(), {std::nullopt, "", std::nullopt});
  CHECK((store.load_all(keys) == expected));
  CHECK((store.load_all(std::span{keys}.first(17)) == std::vector<std::optional<std::string>>(17)));
}

TEST_CASE("Replies of a hostile server end in an error, in bounded time and memory") {
  struct answer {
    std::string octets;
    raw_ending ending;
  };
  const std::string mebibyte(std::size_t{1} << 20U, 'x');
  const std::vector<answer> answers{
      {"", raw_ending::close},
      {"", raw_ending::reset},
      {"", raw_ending::stall},
      {"HTTP/1.1 400 Bad Request\r\n\r\n", raw_ending::close},
      {std::string(100, '\0'), raw_ending::stall},
      {"$5\r\nval", raw_ending::close},
      {"$5\r\nval", raw_ending::stall},
      {"$536870912\r\nxxx", raw_ending::stall},
      {"$536870912\r\n" + mebibyte, raw_ending::repeat},
      {"$99999999999999999999\r\n", raw_ending::stall},
      {"$-2\r\n", raw_ending::stall},
      {"+" + mebibyte, raw_ending::repeat},
      {":1", raw_ending::repeat},
      {":1\r\n", raw_ending::repeat},
      {"*2\r\n+value\r\n:1\r\n", raw_ending::stall},
      {"*2147483647\r\n", raw_ending::stall},
      {"*2147483647\r\n:1\r\n", raw_ending::repeat},
      {"*9999999\r\n*9999999\r\n*9999999\r\n", raw_ending::repeat},
      {"*1000000000\r\n" + std::string(1'000, '*') + "\r\n", raw_ending::stall},
      {"-LOADING Redis is loading\x1B[2J\r\n", raw_ending::stall},
      {"%1\r\n+key\r\n,1.5\r\n", raw_ending::stall},
      {"#t\r\n", raw_ending::stall},
      {"*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n", raw_ending::repeat},
  };
  for (const answer& row : answers) {
    CAPTURE(row.octets.substr(0, 40));
    const raw_server server{row.octets, row.ending};
    RedisStore store{redis_options{.url = "redis://127.0.0.1:" + std::to_string(server.port()),
                                   .connect_timeout = 100ms,
                                   .command_timeout = 100ms}};
    const auto start = std::chrono::steady_clock::now();
    try {
      static_cast<void>(store.load("key"));
      FAIL("loaded");
    } catch (const robots::store_error& error) {
      const std::string_view text = error.what();
      CHECK(text.size() < 300);
      CHECK(text.find('\x1B') == std::string_view::npos);
    }
    CHECK_THROWS_AS(store.publish("key", "value", 1h), robots::store_error);
    CHECK_THROWS_AS(lease(store), robots::store_error);
    CHECK_THROWS_AS(store.for_each([](auto...) {}), robots::store_error);
    store.watch([](std::string_view) {});
    store.watch({});
    CHECK(std::chrono::steady_clock::now() - start < 5s);
  }
}

TEST_CASE("An unexpected reply is not read as the reply to the next command") {
  const raw_server server{"*3\r\n$5\r\nfirst\r\n$-1\r\n:0\r\n*3\r\n$6\r\nsecond\r\n$-1\r\n:0\r\n",
                          raw_ending::stall};
  RedisStore store{redis_options{.url = "redis://127.0.0.1:" + std::to_string(server.port())}};
  CHECK(store.load("key") == "first");
  CHECK(store.load("key") == "first");
  CHECK(server.connections() == 2);
}

TEST_CASE("A watch reconnects after it has lost its server, and reports missed changes") {
  redis_server server;
  RedisStore here{redis_options{.url = server.url()}};
  RedisStore there{redis_options{.url = server.url(), .command_timeout = 200ms}};
  told_keys keys;
  SUBCASE("because the server was restarted") {
    there.watch(keys.listener());
    server.stop();
    server.start();
  }
  SUBCASE("because the connection was closed") {
    there.watch(keys.listener());
    server.tell({"CLIENT", "KILL", "TYPE", "pubsub"});
  }
  SUBCASE("because its machine hung") {
    there.watch(keys.listener());
    server.freeze();
    std::this_thread::sleep_for(1'500ms);  // longer than a ping waits for an answer
    server.resume();
  }
  SUBCASE("because the server was down when the watch began") {
    server.stop();
    there.watch(keys.listener());
    server.start();
  }
  CHECK(comes_true(real_time{}, [&] { return keys.has(""); }));
  CHECK(keys.size() == 1);
  here.announce("key");
  CHECK(comes_true(real_time{}, [&] { return keys.has("key"); }));
  CHECK(keys.size() == 2);
}

TEST_CASE("A watch ends immediately, whatever the server does") {
  const redis_server server;
  RedisStore store{redis_options{.url = server.url(),
                                 .connect_timeout = std::chrono::milliseconds::max(),
                                 .command_timeout = std::chrono::milliseconds::max()}};
  told_keys keys;
  store.watch(keys.listener());
  SUBCASE("when the server is silent") {}
  SUBCASE("when the machine of the server hangs") {
    server.freeze();
    std::this_thread::sleep_for(1'200ms);  // until the watch sends a ping
  }
  const auto start = std::chrono::steady_clock::now();
  store.watch({});
  CHECK(std::chrono::steady_clock::now() - start < 1s);
  CHECK(keys.size() == 0);
}

TEST_CASE("A watch ignores messages of other programs on the channel") {
  const redis_server server;
  RedisStore store{redis_options{.url = server.url()}};
  told_keys keys;
  store.watch(keys.listener());
  for (const std::string message : {"", "x", "0123456789abcdef", "0123456789abcdefkey"}) {
    server.tell({"PUBLISH", "robots:v2:changed", message});
  }
  CHECK(comes_true(real_time{}, [&] { return keys.has("key"); }));
  CHECK(keys.size() == 2);
  CHECK(keys.has(""));
}

TEST_CASE("Values above the limit affect only themselves, however many there are") {
  const redis_server server;
  constexpr std::size_t limit = 64U << 10U;
  RedisStore store{redis_options{.url = server.url(), .max_value_bytes = limit}};
  RedisStore careless{redis_options{.url = server.url(), .max_value_bytes = 100 * limit}};
  std::vector<std::string> keys;
  std::vector<std::optional<std::string>> expected;
  for (int i = 0; i < 60; ++i) {
    keys.push_back("key-" + std::to_string(i));
    const bool is_oversized = i % 3 == 0;
    if (i % 3 != 2) {
      careless.publish(keys.back(), std::string(is_oversized ? 50 * limit : 10, 'x'), 1h);
    }
    expected.push_back(i % 3 != 1 ? std::nullopt : std::optional{std::string(10, 'x')});
  }
  CHECK((store.load_all(keys) == expected));
}

TEST_CASE("The timeouts of Redis work at their extremes or are refused") {
  using std::chrono::milliseconds;
  const redis_server server;
  int accepted = 0;
  for (const milliseconds timeout : robots::test::extremes<milliseconds>) {
    for (const auto option : {&redis_options::connect_timeout, &redis_options::command_timeout}) {
      redis_options options{.url = server.url()};
      options.*option = timeout;
      try {
        RedisStore store{options};
        store.publish("key", "value", milliseconds::max());
        // CHECK would report the exception of a slow answer as a failure.
        const std::optional<std::string> value = store.load("key");
        CHECK(value == "value");
        ++accepted;
      } catch (const std::invalid_argument&) {
        continue;
      } catch (const robots::store_error&) {
        // A busy machine can take longer than the shortest timeout.
        CHECK(timeout > milliseconds{0});
        CHECK(timeout < milliseconds{100});
        ++accepted;
      }
    }
  }
  CHECK(accepted >= 4);
}
