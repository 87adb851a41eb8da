// RedisStore over a real master with a replica, and a Sentinel that watches both.
#include "store/store_conformance.hpp"
#include "support/raw_server.hpp"
#include "support/redis_server.hpp"
#include <robots/adapters/redis/redis_store.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

using namespace robots::test;
using robots::redis_options;
using robots::RedisStore;
using namespace std::chrono_literals;

namespace {

std::string watching(const redis_server& master) {
  return "sentinel monitor my-master 127.0.0.1 " + std::to_string(master.port()) +
         " 1\n"
         "sentinel auth-pass my-master secret\n"
         "sentinel down-after-milliseconds my-master 300\n"
         "sentinel failover-timeout my-master 1000\n";
}

std::vector<std::string> with_password(std::vector<std::string> options = {}) {
  options.insert(options.end(), {"--requirepass", "secret", "--masterauth", "secret",
                                 "--repl-diskless-sync-delay", "0"});
  return options;
}

}  // namespace

TEST_CASE("RedisStore follows the Sentinels from a lost master to the next master") {
  redis_server master{with_password()};
  const redis_server replica{
      with_password({"--replicaof", "127.0.0.1 " + std::to_string(master.port())})};
  const redis_server sentinel{{}, watching(master)};
  const closed_port lost_sentinel;
  const std::string url =
      "redis+sentinel://:secret@127.0.0.1:" + std::to_string(lost_sentinel.number()) + ',' +
      sentinel.address() + "/2?master=my-master";
  RedisStore here{redis_options{.url = url}};
  RedisStore there{redis_options{.url = url}};
  told_keys keys;
  there.watch(keys.listener());
  here.publish("key", "value", 1h);
  CHECK(there.load("key") == "value");
  CHECK(is_told(real_time{}, keys, "change", [&] { here.announce("change"); }));
  CHECK(comes_true(real_time{}, [&] {  // Sentinel knows the replica, which has the value
    return sentinel.tell({"SENTINEL", "REPLICAS", "my-master"}).find("slave-priority") !=
               std::string::npos &&
           replica.tell({"INFO", "keyspace"}, "secret").find("db2:keys=1") != std::string::npos;
  }));

  master.stop();
  CHECK_THROWS_AS(here.publish("key", "other", 1h), robots::store_error);
  CHECK(comes_true(real_time{}, [&] {
    try {
      here.publish("other", "value", 1h);
      return true;
    } catch (const robots::store_error&) {
      return false;
    }
  }));
  CHECK(there.load("key") == "value");
  CHECK(there.load("other") == "value");
  CHECK(comes_true(real_time{}, [&] { return keys.has(""); }));
  CHECK(is_told(real_time{}, keys, "next change", [&] { here.announce("next change"); }));
}

TEST_CASE("An error about Sentinels says what is wrong with them") {
  const redis_server master;
  const redis_server sentinel{{}, watching(master)};
  RedisStore unknown{
      redis_options{.url = "redis+sentinel://" + sentinel.address() + "?master=other"}};
  CHECK_THROWS_WITH_AS(
      static_cast<void>(unknown.load("key")),
      doctest::Contains("answers SENTINEL get-master-addr-by-name other with nothing"),
      robots::store_error);
  RedisStore none{redis_options{.url = "redis+sentinel://" + master.address() + "?master=other"}};
  CHECK_THROWS_WITH_AS(static_cast<void>(none.load("key")), doctest::Contains("unknown command"),
                       robots::store_error);
}

TEST_CASE("RedisStore never uses a replica as a master, whatever a Sentinel says") {
  const redis_server master;
  const redis_server replica{{"--replicaof", "127.0.0.1 " + std::to_string(master.port())}};
  const std::string port = std::to_string(replica.port());
  const raw_server liar{
      "*2\r\n$9\r\n127.0.0.1\r\n$" + std::to_string(port.size()) + "\r\n" + port + "\r\n",
      raw_ending::stall};
  RedisStore store{redis_options{
      .url = "redis+sentinel://127.0.0.1:" + std::to_string(liar.port()) + "?master=my-master"}};
  CHECK_THROWS_WITH_AS(static_cast<void>(store.load("key")), doctest::Contains("is not a master"),
                       robots::store_error);
}
