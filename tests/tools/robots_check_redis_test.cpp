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
