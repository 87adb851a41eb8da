// Runs robots-check with a store in Redis.
#include "policy/record_samples.hpp"
#include "support/loopback_server.hpp"
#include "support/redis_server.hpp"
#include "support/run_program.hpp"
#include <robots/adapters/redis/redis_store.hpp>
#include <robots/policy/codec.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <string>

using namespace std::chrono_literals;
using robots::test::run_program;

TEST_CASE("store list and store erase work on Redis") {
  const robots::test::redis_server redis;
  robots::RedisStore store{robots::redis_options{.url = redis.url()}};
  const auto latest = robots::test::record_of_outcome(robots::outcome::not_found);
  store.publish("https://example.com", encode(robots::detail::site_records{.latest = latest}), 24h);
  const auto listed = run_program(ROBOTS_CHECK_PROGRAM, {"store", "list", redis.url()});
  CHECK(listed.status == 0);
  CHECK(listed.output.starts_with("https://example.com "));
  CHECK(listed.output.find("not_found, HTTP 404") != std::string::npos);
  const auto erased = run_program(
      ROBOTS_CHECK_PROGRAM, {"store", "erase", redis.url(), "example.com", "https://example.com"});
  CHECK(erased.output == "example.com was not there\nhttps://example.com is erased\n");
  CHECK(!store.load("https://example.com"));
}

TEST_CASE("rulings list says how its Redis is set, and which orders a crash can lose") {
  const auto errors_of = [](const robots::test::redis_server& redis) {
    const auto listed = run_program(ROBOTS_CHECK_PROGRAM, {"rulings", "list", redis.url()});
    CHECK(listed.status == 0);
    CHECK(listed.output.empty());
    return listed.errors;
  };
  SUBCASE("without a file") {
    const robots::test::redis_server redis{{"--save", ""}};
    CHECK(errors_of(redis) ==
          "robots-check: maxmemory-policy noeviction: Redis evicts no rulings\n"
          "robots-check: warning: appendonly no, save \"\": a crash of the server loses all "
          "orders\n");
    (void)redis.tell({"CONFIG", "SET", "save", "900 1"});
    CHECK(errors_of(redis).find("appendonly no, save \"900 1\": a crash of the server loses the "
                                "orders since the last snapshot\n") != std::string::npos);
  }
  SUBCASE("with each appendfsync") {
    const robots::test::redis_server redis{
        {"--appendonly", "yes", "--maxmemory-policy", "volatile-lru"}};
    CHECK(errors_of(redis) ==
          "robots-check: maxmemory-policy volatile-lru: Redis evicts no rulings, since they never "
          "expire\n"
          "robots-check: appendonly yes, appendfsync everysec: a crash of the server loses the "
          "orders of about a second\n");
    (void)redis.tell({"CONFIG", "SET", "appendfsync", "always"});
    CHECK(errors_of(redis).find("appendfsync always: a crash of the server loses no order that it "
                                "has acknowledged\n") != std::string::npos);
    (void)redis.tell({"CONFIG", "SET", "appendfsync", "no"});
    CHECK(errors_of(redis).find("appendfsync no: a crash of the server loses the orders that the "
                                "system has not written yet") != std::string::npos);
  }
  SUBCASE("with a warning if it can evict rulings; --json prints the list alone") {
    const robots::test::redis_server redis{{"--maxmemory-policy", "allkeys-lru"}};
    CHECK(errors_of(redis).starts_with(
        "robots-check: warning: maxmemory-policy allkeys-lru: Redis can evict rulings: set it to "
        "noeviction or volatile-*\n"));
    (void)run_program(ROBOTS_CHECK_PROGRAM, {"rulings", "halt", redis.url(), "a.example"});
    const auto listed =
        run_program(ROBOTS_CHECK_PROGRAM, {"rulings", "list", "--json", redis.url()});
    CHECK(listed.lines().size() == 1);
    CHECK(listed.output.starts_with('{'));
    CHECK(listed.errors.empty());
  }
  SUBCASE("or that it is unknown, since the server refuses to say it") {
    const robots::test::redis_server redis{{"--appendonly", "yes", "--appendfsync", "always"}};
    (void)redis.tell({"ACL", "SETUSER", "default", "-config"});
    CHECK(errors_of(redis) ==
          "robots-check: maxmemory-policy noeviction: Redis evicts no rulings\n"
          "robots-check: appendonly yes, appendfsync unknown: a crash of the server loses no order "
          "with always, those of about a second with everysec, and more with no\n");
    (void)redis.tell({"ACL", "SETUSER", "default", "-info"});
    CHECK(errors_of(redis) ==
          "robots-check: maxmemory-policy unknown: it must be noeviction or volatile-*, so that "
          "Redis evicts no rulings\n"
          "robots-check: appendonly unknown: if it is no, a crash of the server loses the orders "
          "since the last snapshot\n");
  }
}

TEST_CASE("robots-check denies while Redis is down, since the rulings there are unknown") {
  robots::test::loopback_server server;
  server.get("/robots.txt", "User-agent: *\nDisallow: /private\n");
  const auto result =
      run_program(ROBOTS_CHECK_PROGRAM, {"--store", "redis://127.0.0.1:1", "--allow-address",
                                         "127.0.0.0/8", server.url("/private"), server.url("/")});
  CHECK(result.status == 1);
  CHECK(result.output.starts_with("not allowed"));
  CHECK(server.requests() == 0);
}
