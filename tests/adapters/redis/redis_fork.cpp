// RedisStore and RedisPaceLedger in a process that forks.
#include "support/forked_child.hpp"
#include "support/redis_server.hpp"
#include <robots/adapters/redis/redis_pace_ledger.hpp>
#include <robots/adapters/redis/redis_store.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

using namespace robots::test;
using namespace std::chrono_literals;
using robots::redis_options;
using robots::RedisPaceLedger;
using robots::RedisStore;

TEST_CASE("A RedisStore of the parent refuses calls in a child, and the parent keeps its replies") {
  const redis_server server;
  RedisStore store{{.url = server.url()}};
  store.publish("https://a.example", "of the parent", 1h);
  CHECK(in_forked_child([&] {
          std::string said = refusal_of([&] { (void)store.load("https://a.example"); });
          expect(refusal_of([&] { store.watch([](std::string_view /*key*/) {}); }) == said);
          expect(refusal_of([&] { store.for_each([](auto, auto) {}); }) == said);
          expect(refusal_of([&] { store.announce("https://a.example"); }) == said);
          return said;
        }) == made_before_fork("RedisStore"));
  CHECK(store.load("https://a.example") == "of the parent");
}

TEST_CASE(
    "A RedisStore that watches is destroyed in a child without a wait for the parent's thread") {
  const redis_server server;
  auto store = std::make_unique<RedisStore>(redis_options{.url = server.url()});
  store->watch([](std::string_view /*key*/) {});
  store->publish("https://a.example", "of the parent", 1h);
  CHECK(in_forked_child([&] {
          store.reset();
          RedisStore own{{.url = server.url()}};
          own.watch([](std::string_view /*key*/) {});
          return own.load("https://a.example").value();
        }) == "of the parent");
  CHECK(store->load("https://a.example") == "of the parent");
}

TEST_CASE("A RedisPaceLedger of the parent gives no turn in a child") {
  const redis_server server;
  const redis_options options{.url = server.url()};
  auto ledger = std::make_unique<RedisPaceLedger>(options);
  const robots::PaceLedger::claim hourly{.least = 1h, .after = 1h};
  CHECK(ledger->take_turn("https://a.example", hourly) == 0ns);
  CHECK(in_forked_child([&] {
          std::string said =
              refusal_of([&] { (void)ledger->take_turn("https://b.example", hourly); });
          expect(refusal_of([&] { ledger->hold("https://b.example", 1h); }) == said);
          ledger.reset();
          RedisPaceLedger own{options};
          expect(own.take_turn("https://b.example", hourly) == 0ns);
          return said;
        }) == made_before_fork("RedisPaceLedger"));
  CHECK(ledger->take_turn("https://b.example", hourly) > 0ns);
}
