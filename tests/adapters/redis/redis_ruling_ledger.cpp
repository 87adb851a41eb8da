// RedisRulingLedger over a real redis-server.
#include <robots/adapters/redis/redis_ruling_ledger.hpp>

#include "rulings/composed_losses.hpp"
#include "rulings/ledger_conformance.hpp"
#include "rulings/loss_conformance.hpp"
#include "support/raw_server.hpp"
#include "support/redis_cluster.hpp"
#include "support/redis_server.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace robots::test;
using namespace std::chrono_literals;
using robots::redis_options;
using robots::RedisRulingLedger;

namespace {

/// Waits until `ready()` is true, for at most 20 seconds.
template <class Ready>
[[nodiscard]] bool becomes(const Ready& ready) {
  const auto give_up = std::chrono::steady_clock::now() + 20s;
  while (!ready() && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::yield();
  }
  return ready();
}

}  // namespace

TEST_CASE("RedisRulingLedger is a ledger of rulings") {
  const redis_server server;
  ledger_conformance(
      [&] { return std::make_unique<RedisRulingLedger>(redis_options{.url = server.url()}); },
      [&] { (void)server.tell({"FLUSHALL"}); });
}

TEST_CASE("SiteRulings loses no order with a RedisRulingLedger") {
  const redis_server server;
  loss_conformance(
      [&] { return std::make_shared<RedisRulingLedger>(redis_options{.url = server.url()}); },
      [&] { (void)server.tell({"FLUSHALL"}); });
}

TEST_CASE("A halt that is ordered while Redis is frozen or dead holds, and reaches all later") {
  redis_server server;
  const auto open = [&] {
    return std::make_shared<RedisRulingLedger>(
        redis_options{.url = server.url(), .connect_timeout = 200ms, .command_timeout = 200ms});
  };
  crawl_process a{open()};
  crawl_process b{open()};
  (void)a.rulings.halt("first.example");
  CHECK(b.rulings.catch_up());
  server.freeze();
  CHECK(a.rulings.halt("second.example").at(0).number == robots::ruling_number{});
  CHECK(a.effect("https://second.example/") == robots::ruling_effect::halted);
  server.resume();
  CHECK(becomes([&] { return a.rulings.catch_up() && a.rulings.unsent() == 0; }));
  CHECK(b.rulings.catch_up());
  CHECK(b.effect("https://second.example/") == robots::ruling_effect::halted);
  server.stop();  // with SIGKILL, and without a file
  (void)b.rulings.resume("first.example");
  server.start();
  CHECK(becomes([&] { return b.rulings.catch_up(); }));
  crawl_process late{open()};
  CHECK(late.rulings.catch_up());
  CHECK(late.effect("https://first.example/") == robots::ruling_effect::none);
  CHECK(late.effect("https://second.example/") == robots::ruling_effect::halted);
  CHECK(a.rulings.catch_up());
  CHECK(a.rulings.in_force() == late.rulings.in_force());
}

TEST_CASE("Caches lose no order with a RedisRulingLedger") {
  const redis_server server;
  composed_loss_conformance(
      {.open =
           [&] { return std::make_shared<RedisRulingLedger>(redis_options{.url = server.url()}); },
       .lose = [&] { (void)server.tell({"FLUSHALL"}); }});
}

TEST_CASE("Caches obey halts from before and during a pause, and after kill -9, of their Redis") {
  redis_server server;
  const auto open = [&] {
    return std::make_shared<RedisRulingLedger>(
        redis_options{.url = server.url(), .connect_timeout = 200ms, .command_timeout = 200ms});
  };
  composed_process a{open()};
  composed_process b{open()};
  const std::string second = "https://second.example/";
  (void)a.rulings().halt("example.com");
  CHECK(b.reason() == "halted");
  server.freeze();
  (void)a.rulings().halt("second.example");
  composed_process late{open()};
  CHECK(a.reason(second) == "halted");
  CHECK(b.reason() == "halted");
  CHECK(late.reason() == "unread");
  server.resume();
  CHECK(becomes([&] { return a.rulings().catch_up() && late.rulings().catch_up(); }));
  CHECK(late.reason() == "halted");
  CHECK(late.reason(second) == "halted");
  server.stop();  // with SIGKILL, and without a file
  server.start();
  CHECK(becomes([&] { return late.rulings().catch_up(); }));
  composed_process last{open()};
  CHECK(last.reason() == "halted");
  CHECK(last.reason(second) == "halted");
  CHECK(last.rulings().resume("example.com").size() == 1);
  for (composed_process* const one : {&a, &b, &late}) {
    CHECK(becomes([&] { return one->rulings().catch_up(); }));
    CHECK(one->reason() == "no_rule");
    CHECK(one->reason(second) == "halted");
  }
}

TEST_CASE("A RedisRulingLedger that lost one of its keys gets back what it lost") {
  const redis_server server;
  RedisRulingLedger ledger{redis_options{.url = server.url()}};
  (void)ledger.append(order_for("example.com", "by_hand", "1"), {});
  (void)ledger.append(order_for("other.example", "by_hand", "2"), {});
  ledger_reader reader;
  reader.catch_up(ledger);
  for (const char* const key : {"state", "ids", "log"}) {
    CAPTURE(key);
    CHECK(server.tell({"DEL", std::string{"robots:{rulings}1:"} + key}) == "1");
    reader.catch_up(ledger);
    ledger_reader late;
    late.catch_up(ledger);
    CHECK(late.rulings == reader.rulings);
    CHECK(late.value("halt example.com") == "by_hand");
    CHECK(ledger.append(order_for("third.example", "by_hand", key), late.known));
    reader.catch_up(ledger);
  }
}

TEST_CASE("The keys of a RedisRulingLedger never expire, and share one slot of a cluster") {
  const redis_server server;
  RedisRulingLedger ledger{redis_options{.url = server.url(), .key_prefix = "my:"}};
  (void)ledger.append(order_for("example.com", "by_hand", "1"), {});
  for (const char* const key : {"state", "ids", "log"}) {
    CHECK(server.tell({"PTTL", std::string{"my:{rulings}1:"} + key}) == "-1");
  }
  CHECK(server.tell({"DBSIZE"}) == "3");
  CHECK_THROWS_AS(
      (RedisRulingLedger{redis_options{.url = "redis+cluster://127.0.0.1:1", .key_prefix = "{}:"}}),
      std::invalid_argument);
}

TEST_CASE("A RedisRulingLedger neither reads nor changes keys of another version of its format") {
  const redis_server server;
  const auto dumps = [&] {
    std::string all;
    for (const char* const version : {"", "0", "2", "11"}) {
      for (const char* const key : {"state", "ids", "log"}) {
        all += server.tell({"DUMP", "robots:{rulings}" + std::string{version} + ':' + key}) + '\n';
      }
    }
    return all;
  };
  // With the content of the present version, so that a ledger that looks there would take it.
  for (const char* const version : {"", "0", "2", "11"}) {
    const std::string prefix = "robots:{rulings}" + std::string{version} + ':';
    (void)server.tell(
        {"HSET", prefix + "state", "head", "9 9 token 7", "halt example.com",
         "9-9\n7\n" + robots::rulings_detail::encode(order_for("example.com", "by_hand", "7"))});
    (void)server.tell({"HSET", prefix + "ids", "token", "token", "7", "9-9"});
    (void)server.tell({"XADD", prefix + "log", "9-9", "id", "7", "name", "", "octets", ""});
  }
  const std::string before = dumps();
  RedisRulingLedger ledger{redis_options{.url = server.url()}};
  const robots::ledger_news first = ledger.read({});
  CHECK(first.head.token.empty());
  CHECK(first.orders.empty());
  CHECK(ledger.append(order_for("example.com", "by_hand", "7"), {}) ==
        robots::ruling_number{.generation = 1, .number = 1});
  (void)ledger.append(order_for("other.example", "by_hand", "8"), {});
  ledger_reader reader;
  reader.catch_up(ledger);
  CHECK(reader.rulings.size() == 2);
  for (const char* const key : {"state", "ids", "log"}) {  // the scripts then delete the rest
    CHECK(server.tell({"DEL", std::string{"robots:{rulings}1:"} + key}) == "1");
    reader.catch_up(ledger);
  }
  CHECK(reader.rulings.size() == 2);
  CHECK(dumps() == before);
}

TEST_CASE("A RedisRulingLedger in a cluster returns the settings of the node that has its keys") {
  redis_cluster_servers cluster;
  RedisRulingLedger ledger{redis_options{.url = cluster.url()}};
  (void)ledger.append(order_for("example.com", "by_hand", "1"), {});
  const std::size_t owner = cluster.owner(robots::adapters_detail::redis_slot("{rulings}"));
  for (std::size_t i = 0; i < redis_cluster_servers::masters; ++i) {
    (void)cluster[i].tell(
        {"CONFIG", "SET", "maxmemory-policy", i == owner ? "volatile-ttl" : "allkeys-lru"});
  }
  const RedisRulingLedger::server_settings found = ledger.settings();
  CHECK(found.maxmemory_policy == "volatile-ttl");
  CHECK(found.appendonly.has_value());
  CHECK(found.appendfsync == "everysec");
}

TEST_CASE("A RedisRulingLedger without a server has unknown settings") {
  const RedisRulingLedger ledger{
      redis_options{.url = "redis://127.0.0.1:1", .connect_timeout = 100ms}};
  const RedisRulingLedger::server_settings found = ledger.settings();
  CHECK(!found.maxmemory_policy);
  CHECK(!found.appendonly);
  CHECK(!found.appendfsync);
  CHECK(!found.save);
}

TEST_CASE("A RedisRulingLedger reports the orders of other processes, also after a reconnect") {
  redis_server server;
  RedisRulingLedger own{redis_options{.url = server.url()}};
  RedisRulingLedger other{redis_options{.url = server.url()}};
  std::atomic<int> news = 0;
  own.watch([&] { ++news; });
  (void)other.append(order_for("example.com", "by_hand", "1"), {});
  CHECK(becomes([&] { return news > 0; }));
  const int before = news;
  server.stop();
  server.start();
  CHECK(becomes([&] { return news > before; }));
  own.watch({});
}

TEST_CASE("A RedisRulingLedger whose server stops and starts keeps what the server has stored") {
  redis_server server{{"--appendonly", "yes", "--appendfsync", "always"}};
  RedisRulingLedger ledger{redis_options{.url = server.url()}};
  (void)ledger.append(order_for("example.com", "by_hand", "1"), {});
  ledger_reader reader;
  reader.catch_up(ledger);
  server.stop();
  CHECK_THROWS_AS((void)ledger.read(reader.known), robots::store_error);
  server.start();
  ledger_reader late;
  CHECK(becomes([&] {
    try {
      late.catch_up(ledger);
      return true;
    } catch (const robots::store_error&) {
      return false;  // the server still loads its file
    }
  }));
  CHECK(late.value("halt example.com") == "by_hand");
  CHECK(late.known == reader.known);
}

TEST_CASE(
    "A RedisRulingLedger reports a server that is no ledger as an error, within its timeouts") {
  SUBCASE("such as one that answers with other data") {
    const redis_server server;
    (void)server.tell({"SET", "robots:{rulings}1:state", "text"});
    RedisRulingLedger ledger{redis_options{.url = server.url()}};
    CHECK_THROWS_AS((void)ledger.read({}), robots::store_error);
    CHECK_THROWS_AS((void)ledger.append(order_for("example.com", "by_hand", "1"), {}),
                    robots::store_error);
  }
  SUBCASE("such as one that is full") {
    const redis_server server{{"--maxmemory", "1"}};
    RedisRulingLedger ledger{redis_options{.url = server.url()}};
    CHECK_THROWS_AS((void)ledger.append(order_for("example.com", "by_hand", "1"), {}),
                    robots::store_refusal);
    std::string advice;
    try {
      (void)ledger.append(order_for("example.com", "by_hand", "1"), {});
    } catch (const robots::store_refusal& refusal) {
      advice = refusal.what();
    }
    CHECK(advice.find("maxmemory-policy to volatile-lru") != std::string::npos);
  }
  SUBCASE("such as none") {
    RedisRulingLedger ledger{redis_options{.url = "redis://127.0.0.1:1", .connect_timeout = 100ms}};
    CHECK_THROWS_AS((void)ledger.read({}), robots::store_error);
  }
}

TEST_CASE("A RedisRulingLedger leaves out an order that it cannot read, and returns the others") {
  const redis_server server;
  RedisRulingLedger ledger{redis_options{.url = server.url()}};
  (void)ledger.append(order_for("example.com", "by_hand", "1"), {});
  (void)server.tell({"HSET", "robots:{rulings}1:state", "halt no site", "1-1\n9\nnonsense"});
  CHECK(ledger.read({}).orders.size() == 1);
}
