// Servers that answer, but refuse some or all calls: each refusal is counted and reported.
#include "store/store_conformance.hpp"
#include "support/raw_server.hpp"
#include "support/redis_server.hpp"
#include <robots/adapters/redis/redis_pace_ledger.hpp>
#include <robots/adapters/redis/redis_store.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/tiered_storage.hpp>
#include <robots/observe/events.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace robots::test;
using robots::redis_options;
using robots::RedisPaceLedger;
using robots::RedisStore;
using namespace std::chrono_literals;

namespace {

/// Notes the events about the store.
struct StoreObserver {
  struct notes {
    std::mutex mutex;
    std::vector<std::string> heard;
  };
  std::shared_ptr<notes> all = std::make_shared<notes>();

  void on(const robots::far_store_event& event) const {
    const std::scoped_lock lock{all->mutex};
    all->heard.push_back(event.up ? "up" : "down: " + std::string{event.message});
  }
  [[nodiscard]] std::vector<std::string> heard() const {
    const std::scoped_lock lock{all->mutex};
    return all->heard;
  }
};

using storage = robots::TieredStorage<robots::LruStorage<100>, RedisStore>;
using shared_cache = robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock,
                                                storage, StoreObserver>;

/// A cache over `url`, whose sites all have the same robots.txt.
struct crawler {
  explicit crawler(const std::string& url)
      : cache{{.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::rfc9309()},
              web(),
              clock,
              storage{RedisStore{redis_options{.url = url}}},
              observer} {}

  static robots::ScriptedFetcher web() {
    robots::ScriptedFetcher sites;
    sites.otherwise(robots::ScriptedFetcher::ok("User-agent: *\nDisallow: /private\n"));
    return sites;
  }

  /// Asks for a site that was never asked for before.
  void ask_new_site() {
    const std::string site = "https://site-" + std::to_string(++sites) + ".example/";
    CHECK(cache.allowed(site));
    CHECK_FALSE(cache.allowed(site + "private"));
  }

  int sites = 0;
  robots::ManualClock clock;
  StoreObserver observer;
  shared_cache cache;
};

[[nodiscard]] robots::store_reply ask_for_lease(RedisStore& store, const std::string& key) {
  const robots::store_question question{.key = "https://" + key,
                                        .other_key = "http://" + key,
                                        .lease_key = key,
                                        .wish = robots::lease_wish::if_missing};
  return store.load_or_lease({&question, 1}, 1min).front();
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string master_file(const redis_server& master) {
  return "sentinel monitor my-master 127.0.0.1 " + std::to_string(master.port()) +
         " 1\n"
         "sentinel down-after-milliseconds my-master 60000\n";
}

/// Makes the Sentinel name another master.
void rename_master(const redis_server& sentinel, const redis_server& master) {
  sentinel.tell({"SENTINEL", "REMOVE", "my-master"});
  sentinel.tell(
      {"SENTINEL", "MONITOR", "my-master", "127.0.0.1", std::to_string(master.port()), "1"});
}

}  // namespace

TEST_CASE("A full server that refuses leases is counted and reported once") {
  const redis_server server{{"--maxmemory-policy", "noeviction"}};
  crawler own{server.url()};
  own.ask_new_site();
  CHECK(own.cache.stats().far_failures == 0);
  server.tell({"CONFIG", "SET", "maxmemory", "1"});
  for (int i = 0; i < 4; ++i) {
    own.ask_new_site();
  }
  CHECK(own.cache.stats().far_failures >= 4);
  REQUIRE(own.observer.heard().size() == 1);
  CHECK(has(own.observer.heard()[0], "down: Redis refuses"));
  CHECK(has(own.observer.heard()[0], "OOM"));
  CHECK(has(own.observer.heard()[0], "maxmemory"));

  server.tell({"CONFIG", "SET", "maxmemory", "0"});
  own.clock.advance(2min);
  own.ask_new_site();
  CHECK(own.observer.heard().size() == 2);
  CHECK(own.observer.heard().back() == "up");
}

TEST_CASE("A full server still answers with the records that it has") {
  const redis_server server{{"--maxmemory-policy", "noeviction"}};
  crawler own{server.url()};
  own.ask_new_site();
  server.tell({"CONFIG", "SET", "maxmemory", "1"});
  crawler other{server.url()};
  other.ask_new_site();
  CHECK(other.cache.stats().far_hits == 1);
  CHECK(other.observer.heard().empty());
}

TEST_CASE("A replica that is read-only is counted and reported once") {
  const redis_server master;
  const redis_server replica{{"--replicaof", "127.0.0.1 " + std::to_string(master.port())}};
  crawler own{replica.url()};
  for (int i = 0; i < 4; ++i) {
    own.ask_new_site();
  }
  CHECK(own.cache.stats().far_failures >= 4);
  REQUIRE(own.observer.heard().size() == 1);
  CHECK(has(own.observer.heard()[0], "READONLY"));
  CHECK(has(own.observer.heard()[0], "redis_options::url"));
}

TEST_CASE("A command that an ACL forbids is counted and reported, even if others work") {
  const redis_server server{
      {"--user", "crawler", "on", ">word", "~robots:*", "&robots:*", "+@all", "-publish"}};
  crawler own{"redis://crawler:word@" + server.address()};
  own.ask_new_site();
  CHECK(own.observer.heard().empty());
  own.cache.invalidate("https://site-1.example/");
  own.ask_new_site();
  REQUIRE(own.observer.heard().size() == 1);
  CHECK(has(own.observer.heard()[0], "down: Redis refuses"));
}

TEST_CASE("A lost master that keeps its connections is left for the master of the Sentinels") {
  const redis_server old_master;
  const redis_server new_master;
  const redis_server sentinel{{}, master_file(old_master)};
  const std::string url = "redis+sentinel://" + sentinel.address() + "?master=my-master";
  SUBCASE("because a lease was refused") {
    crawler own{url};
    own.ask_new_site();
    old_master.tell({"REPLICAOF", "127.0.0.1", std::to_string(new_master.port())});
    rename_master(sentinel, new_master);
    CHECK(comes_true(real_time{}, [&] {
      own.ask_new_site();
      return new_master.tell({"DBSIZE"}) != "0";
    }));
    CHECK(own.cache.stats().far_failures > 0);
    REQUIRE(!own.observer.heard().empty());
    CHECK(has(own.observer.heard()[0], "down: Redis"));
  }
  SUBCASE("even if the crawler only reads, and the old master no longer gets changes") {
    const closed_port nobody;
    RedisStore store{redis_options{.url = url}};
    store.publish("key", "old", 1h);
    CHECK(store.load("key") == "old");
    told_keys keys;
    store.watch(keys.listener());
    old_master.tell({"REPLICAOF", "127.0.0.1", std::to_string(nobody.number())});
    rename_master(sentinel, new_master);
    RedisStore there{redis_options{.url = new_master.url()}};
    there.publish("key", "new", 1h);
    CHECK(comes_true(real_time{}, [&] {
      try {
        return store.load("key") == "new";
      } catch (const robots::store_error&) {
        return false;
      }
    }));
    CHECK(comes_true(real_time{}, [&] { return keys.has(""); }));
    CHECK(is_told(real_time{}, keys, "change", [&] { there.announce("change"); }));
  }
}

TEST_CASE("A watch of an idle process leaves a lost master that keeps its connections") {
  const redis_server old_master;
  const redis_server new_master;
  const closed_port nobody;
  const redis_server sentinel{{}, master_file(old_master)};
  RedisStore store{
      redis_options{.url = "redis+sentinel://" + sentinel.address() + "?master=my-master"}};
  told_keys keys;
  store.watch(keys.listener());
  old_master.tell({"REPLICAOF", "127.0.0.1", std::to_string(nobody.number())});
  rename_master(sentinel, new_master);
  CHECK(comes_true(real_time{}, [&] { return keys.has(""); }));
}

TEST_CASE("RedisPaceLedger reports a full server, and leaves a lost master") {
  SUBCASE("a full server") {
    const redis_server server{{"--maxmemory-policy", "noeviction", "--maxmemory", "1"}};
    RedisPaceLedger ledger{redis_options{.url = server.url()}};
    CHECK_THROWS_WITH_AS(ledger.hold("host", 1s), doctest::Contains("OOM"), robots::store_error);
  }
  SUBCASE("a lost master") {
    const redis_server old_master;
    const redis_server new_master;
    const redis_server sentinel{{}, master_file(old_master)};
    RedisPaceLedger ledger{
        redis_options{.url = "redis+sentinel://" + sentinel.address() + "?master=my-master"}};
    ledger.hold("host", 1s);
    old_master.tell({"REPLICAOF", "127.0.0.1", std::to_string(new_master.port())});
    rename_master(sentinel, new_master);
    CHECK_THROWS_AS(ledger.hold("other", 1s), robots::store_error);
    ledger.hold("other", 1s);
    CHECK(new_master.tell({"DBSIZE"}) != "0");
  }
}

TEST_CASE("A refused SUBSCRIBE is counted and reported, and the watch goes on trying") {
  const redis_server server{
      {"--user", "crawler", "on", ">word", "~robots:*", "&robots:*", "+@all", "-subscribe"}};
  crawler own{"redis://crawler:word@" + server.address()};
  own.ask_new_site();
  CHECK(own.cache.stats().far_failures > 0);
  REQUIRE(own.observer.heard().size() == 1);
  CHECK(has(own.observer.heard()[0], "down: Redis refuses SUBSCRIBE: NOPERM"));
  RedisStore other{redis_options{.url = server.url()}};
  CHECK(ask_for_lease(other, "example.com").lease);

  server.tell({"ACL", "SETUSER", "crawler", "+subscribe"});
  CHECK(comes_true(real_time{}, [&] {
    own.ask_new_site();
    return own.observer.heard().size() == 2;
  }));
  CHECK(own.observer.heard().back() == "up");
}

TEST_CASE("The pauses between refused subscriptions grow to half a minute") {
  using robots::adapters_detail::redis_watch_pause;
  CHECK(redis_watch_pause(0, 0.0) == 100ms);  // the connection was lost, not refused
  CHECK(redis_watch_pause(0, 1.0) == 1s);
  CHECK(redis_watch_pause(1, 1.0) == 1s);
  CHECK(redis_watch_pause(2, 1.0) == 2s);
  CHECK(redis_watch_pause(5, 1.0) == 16s);
  CHECK(redis_watch_pause(6, 0.0) == 15s);
  CHECK(redis_watch_pause(6, 1.0) == 30s);
  CHECK(redis_watch_pause(1'000'000'000, 1.0) == 30s);
}

TEST_CASE("RedisStore asks again after a refused subscription, and says that changes were missed") {
  const redis_server server{
      {"--user", "crawler", "on", ">word", "~robots:*", "&robots:*", "+@all", "-subscribe"}};
  RedisStore store{redis_options{.url = "redis://crawler:word@" + server.address()}};
  told_keys keys;
  store.watch(keys.listener());
  CHECK(keys.has(""));  // the copies in this process may be outdated
  CHECK(store.watching().refusals == 1);
  CHECK(has(store.watching().failure, "NOPERM"));
  store.watch({});
  CHECK(store.watching().failure.empty());
}
