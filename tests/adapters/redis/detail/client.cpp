#include <robots/adapters/redis/detail/client.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace robots::adapters_detail;

// From the specification of Redis Cluster.
static_assert(crc16("123456789") == 0x31C3);
static_assert(redis_slot("{user1000}.following") == redis_slot("user1000"));
static_assert(redis_slot("foo{}{bar}") == crc16("foo{}{bar}") % redis_slots);
static_assert(redis_slot("foo{{bar}}zap") == redis_slot("{bar"));
static_assert(redis_slot("foo{bar}{zap}") == redis_slot("bar"));
static_assert(redis_slot("foo") == 12'182);
static_assert(redis_slot("") == 0);
static_assert(redis_slot("}{") == crc16("}{") % redis_slots);

TEST_CASE("A redirection of a cluster names a slot and a server") {
  const redis_address from{"10.0.0.1", 6379};
  const auto moved = parse_redis_redirect("MOVED 3999 127.0.0.1:6381", from);
  REQUIRE(moved);
  CHECK(moved->first == 3999);
  CHECK(to_string(moved->second) == "127.0.0.1:6381");
  CHECK(to_string(parse_redis_redirect("ASK 0 ::1:6381", from)->second) == "::1:6381");
  CHECK(to_string(parse_redis_redirect("MOVED 16383 :6381", from)->second) == "10.0.0.1:6381");
  for (const std::string wrong : {"", "MOVED", "MOVED 1", "MOVED 1 host", "MOVED 16384 host:1",
                                  "MOVED x host:1", "MOVED -1 host:1", "MOVED 1 host:0",
                                  "MOVED 1 host:65536", "MOVED 1 host:", "ASK  host:1"}) {
    CAPTURE(wrong);
    CHECK(!parse_redis_redirect(wrong, from));
  }
}
