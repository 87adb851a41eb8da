// RedisStore over a real cluster of redis-servers.
#include "support/redis_cluster.hpp"

#include "store/store_conformance.hpp"
#include "support/raw_server.hpp"
#include <robots/adapters/redis/redis_store.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using namespace robots::test;
using robots::redis_options;
using robots::RedisStore;
using robots::adapters_detail::with_hash_tag;
using namespace std::chrono_literals;

namespace {

std::size_t slot_of(const std::string& key) {
  return robots::adapters_detail::redis_slot("robots:v2:site:" + with_hash_tag(key));
}

/// Loads the values of keys, and takes a lease for each key without a value.
std::vector<robots::store_reply> ask_for_leases(RedisStore& store,
                                                const std::vector<std::string>& keys) {
  std::vector<robots::store_question> questions;
  for (const std::string& key : keys) {
    questions.push_back({key, key, key, robots::lease_wish::if_missing});
  }
  return store.load_or_lease(questions, 1h);
}

/// Returns a key for each server, in the order of the servers.
std::vector<std::string> key_for_each(const redis_cluster_servers& cluster) {
  std::vector<std::string> keys(redis_cluster_servers::masters);
  for (int i = 0; i < 1'000; ++i) {
    const std::string key = "https://site" + std::to_string(i) + ".example";
    keys[cluster.owner(slot_of(key))] = key;
  }
  return keys;
}

}  // namespace

TEST_CASE("RedisStore over a cluster is a shared store") {
  static redis_cluster_servers cluster;  // starts slowly, so all cases share it
  for (std::size_t i = 0; i < redis_cluster_servers::masters; ++i) {
    cluster[i].tell({"FLUSHALL"});
  }
  store_conformance([&] { return RedisStore{redis_options{.url = cluster.url()}}; });
}

TEST_CASE("RedisStore puts each key on its node, and lists the keys of all nodes") {
  redis_cluster_servers cluster;
  const std::vector<std::string> keys = key_for_each(cluster);
  RedisStore store{redis_options{.url = "redis+cluster://" + cluster[1].address()}};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    store.publish(keys[i], "value", 1h);
    CHECK(cluster[i].tell({"GET", "robots:v2:site:" + with_hash_tag(keys[i])}) == "value");
  }
  std::size_t listed = 0;
  store.for_each([&](std::string_view, std::chrono::milliseconds) { ++listed; });
  CHECK(listed == keys.size());
}

TEST_CASE("RedisStore refuses a prefix whose braces would break a cluster") {
  for (const std::string prefix : {"{crawl:", "{}crawl:", "a{b{c:", "{}{crawl}:", "{"}) {
    CHECK_THROWS_WITH_AS((RedisStore{{.url = "redis+cluster://127.0.0.1", .key_prefix = prefix}}),
                         doctest::Contains(("key_prefix is \"" + prefix + '"').c_str()),
                         std::invalid_argument);
    RedisStore{{.url = "redis://127.0.0.1", .key_prefix = prefix}};  // has no slots
  }
  for (const std::string prefix : {"", "crawl:", "{crawl}:", "a{b}c{:", "}", "}{crawl}:"}) {
    RedisStore{{.url = "redis+cluster://127.0.0.1", .key_prefix = prefix}};
  }
}

TEST_CASE("A prefix with a whole hash tag puts all keys of a cluster on one node") {
  redis_cluster_servers cluster;
  RedisStore store{redis_options{.url = cluster.url(), .key_prefix = "{crawl}:"}};
  std::vector<std::string> keys;
  for (int i = 0; i < 50; ++i) {
    keys.push_back("https://site" + std::to_string(i) + ".example");
  }
  for (const robots::store_reply& reply : ask_for_leases(store, keys)) {
    REQUIRE(reply.lease);
    CHECK(store.publish(reply.lease->key, "value", 1h, *reply.lease));
  }
  CHECK(cluster[cluster.owner(robots::adapters_detail::redis_slot("crawl"))].tell({"DBSIZE"}) ==
        "50");
}

TEST_CASE("RedisStore follows a slot that moves from one node of a cluster to another") {
  redis_cluster_servers cluster;
  const std::vector<std::string> keys = key_for_each(cluster);
  RedisStore store{redis_options{.url = cluster.url()}};
  for (const std::string& key : keys) {
    store.publish(key, "value of " + key, 1h);
  }
  const std::vector<std::optional<std::string>> expected{
      "value of " + keys[0], "value of " + keys[1], "value of " + keys[2]};
  CHECK((store.load_all(keys) == expected));

  const std::string slot = std::to_string(slot_of(keys[0]));
  const std::string key = "robots:v2:site:" + with_hash_tag(keys[0]);
  cluster[1].tell({"CLUSTER", "SETSLOT", slot, "IMPORTING", cluster.id(0)});
  cluster[0].tell({"CLUSTER", "SETSLOT", slot, "MIGRATING", cluster.id(1)});
  CHECK((store.load_all(keys) == expected));  // the slot has not moved yet
  cluster[0].tell({"MIGRATE", "127.0.0.1", std::to_string(cluster[1].port()), key, "0", "5000"});
  CHECK((store.load_all(keys) == expected));  // the reply is ASK
  CHECK(ask_for_leases(store, keys)[1].value == expected[1]);
  store.publish(keys[0], "value of " + keys[0], 1h);
  CHECK((store.load_all(keys) == expected));
  for (const std::size_t i : {1U, 0U, 2U}) {
    cluster[i].tell({"CLUSTER", "SETSLOT", slot, "NODE", cluster.id(1)});
  }
  CHECK((store.load_all(keys) == expected));  // the reply is MOVED
  CHECK(cluster[0].tell({"EXISTS", key}).starts_with("MOVED"));
  const auto lease = store.try_lease(keys[0], 1h);
  REQUIRE(lease);
  store.release(*lease);
  CHECK(store.try_lease(keys[0], 1h));
  store.erase(keys[0]);
  CHECK(store.load(keys[0]) == std::nullopt);
}

TEST_CASE("RedisStore uses the other nodes of a cluster, and the replica of a lost node") {
  redis_cluster_servers cluster{1};
  const std::vector<std::string> keys = key_for_each(cluster);
  RedisStore store{redis_options{.url = cluster.url()}};
  told_keys changes;
  store.watch(changes.listener());
  for (const std::string& key : keys) {
    store.publish(key, "value", 1h);
  }
  cluster[0].tell({"WAIT", "1", "5000"});
  while (cluster[3].tell({"DBSIZE"}) == "0") {
  }
  cluster[0].stop();
  CHECK_THROWS_AS(static_cast<void>(store.load(keys[0])), robots::store_error);
  CHECK(store.load(keys[1]) == "value");
  CHECK(store.load(keys[2]) == "value");
  cluster[3].tell({"CLUSTER", "FAILOVER", "TAKEOVER"});
  CHECK(comes_true(real_time{}, [&] {
    try {
      return store.load(keys[0]) == "value";
    } catch (const robots::store_error&) {
      return false;
    }
  }));
  store.publish(keys[0], "other", 1h);
  CHECK(store.load(keys[0]) == "other");
  RedisStore other{redis_options{.url = "redis+cluster://" + cluster[1].address()}};
  CHECK(is_told(real_time{}, changes, keys[0], [&] { other.erase(keys[0]); }));
}

TEST_CASE("A node that lies about its cluster causes only an error") {
  for (const std::string answer : {
           "*1\r\n*3\r\n:0\r\n:99999999\r\n*2\r\n$9\r\n127.0.0.1\r\n:1\r\n",
           "*1\r\n*3\r\n:5\r\n:1\r\n*2\r\n$9\r\n127.0.0.1\r\n:1\r\n",
           "*1\r\n*3\r\n:-5\r\n:1\r\n*2\r\n$9\r\n127.0.0.1\r\n:1\r\n",
           "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:70000\r\n",
           "*1\r\n*3\r\n:0\r\n:16383\r\n*0\r\n",
           "*1\r\n*3\r\n:5\r\n:-9223372036854775808\r\n*2\r\n$9\r\n127.0.0.1\r\n:1\r\n",
           "*1\r\n:5\r\n",
           "*0\r\n",
           "$5\r\nslots\r\n",
           "-MOVED 0 127.0.0.1:1\r\n",
       }) {
    CAPTURE(answer);
    const raw_server server{answer, raw_ending::stall};
    RedisStore store{
        redis_options{.url = "redis+cluster://127.0.0.1:" + std::to_string(server.port()),
                      .connect_timeout = 300ms}};
    const std::array<std::string, 2> keys{"a", "b"};
    CHECK_THROWS_AS(static_cast<void>(store.load_all(keys)), robots::store_error);
  }
}

TEST_CASE("A server outside a cluster causes a clear error") {
  const redis_server plain;
  RedisStore store{redis_options{.url = "redis+cluster://" + plain.address()}};
  CHECK_THROWS_WITH_AS(static_cast<void>(store.load("key")), doctest::Contains("cluster support"),
                       robots::store_error);
}

TEST_CASE("If one node of a cluster is down, the replies of the other nodes are used") {
  redis_cluster_servers cluster;
  const std::vector<std::string> keys = key_for_each(cluster);
  RedisStore store{redis_options{.url = cluster.url()}};
  for (const std::string& key : keys) {
    store.publish(key, "value", 1h);
  }
  cluster[0].stop();
  for (int i = 0; i < 3; ++i) {
    const std::vector<robots::store_reply> replies = ask_for_leases(store, keys);
    CHECK(!replies[0].is_answered);
    CHECK(!replies[0].lease);
    CHECK(replies[1].value == "value");
    CHECK(replies[2].value == "value");
    CHECK_THROWS_AS(static_cast<void>(store.load_all(keys)), robots::store_part_error);
    CHECK_THROWS_AS(store.publish(keys[0], "other", 1h), robots::store_error);
    CHECK_THROWS_AS(store.erase(keys[0]), robots::store_error);
    store.publish(keys[1], "value", 1h);
  }
  cluster[1].stop();
  cluster[2].stop();
  CHECK_THROWS_AS(static_cast<void>(ask_for_leases(store, keys)), robots::store_error);
}

TEST_CASE("RedisStore reports whether a part of a cluster or the whole cluster is down") {
  redis_cluster_servers cluster;
  const std::vector<std::string> keys = key_for_each(cluster);
  RedisStore store{redis_options{.url = cluster.url()}};
  CHECK(store.load(keys[0]) == std::nullopt);
  cluster[0].stop();
  for (int i = 0; i < 3; ++i) {
    CHECK_THROWS_AS(static_cast<void>(store.load(keys[0])), robots::store_part_error);
    CHECK_THROWS_AS(store.publish(keys[0], "value", 1h), robots::store_part_error);
    CHECK_THROWS_AS(store.erase(keys[0]), robots::store_part_error);
    CHECK_THROWS_AS(static_cast<void>(store.try_lease(keys[0], 1h)), robots::store_part_error);
  }
  cluster[1].stop();
  cluster[2].stop();
  try {
    static_cast<void>(store.load_all(keys));
    FAIL("loaded");
  } catch (const robots::store_error& error) {
    CHECK(dynamic_cast<const robots::store_part_error*>(&error) == nullptr);
  }
}

TEST_CASE("RedisStore erases and notifies while the node of the channel is down") {
  redis_cluster_servers cluster;
  const std::vector<std::string> keys = key_for_each(cluster);
  RedisStore store{redis_options{.url = cluster.url()}};
  RedisStore other{redis_options{.url = cluster.url()}};
  const std::size_t down = cluster.owner(robots::adapters_detail::redis_slot("robots:v2:changed"));
  cluster[down].stop();
  told_keys changes;
  other.watch(changes.listener());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i != down) {
      store.publish(keys[i], "value", 1h);
      CHECK(is_told(real_time{}, changes, keys[i], [&] { store.erase(keys[i]); }));
      CHECK(store.load(keys[i]) == std::nullopt);
    }
    CHECK(is_told(real_time{}, changes, keys[i], [&] { store.announce(keys[i]); }));
  }
}
