// RedisPaceLedger over a real redis-server.
#include <robots/adapters/redis/redis_pace_ledger.hpp>

#include "support/raw_server.hpp"
#include "support/redis_server.hpp"
#include <robots/polite/host_gate.hpp>

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
using robots::RedisPaceLedger;

namespace {

constexpr const char* home = "https://example.com";
using pace_claim = robots::PaceLedger::claim;

constexpr pace_claim hourly{.least = 1h, .after = 1h};

/// Returns true if `wait` is `expected`, minus at most five minutes for a slow machine.
[[nodiscard]] bool is_about(std::chrono::nanoseconds wait, std::chrono::nanoseconds expected) {
  return wait <= expected && wait > expected - 5min;
}

}  // namespace

TEST_CASE("RedisPaceLedger gives one process the turn, and a wait to all others") {
  const redis_server server;
  RedisPaceLedger a{redis_options{.url = server.url()}};
  RedisPaceLedger b{redis_options{.url = server.url()}};
  CHECK(a.take_turn(home, hourly) == 0ns);
  CHECK(is_about(a.take_turn(home, hourly), 1h));
  CHECK(is_about(b.take_turn(home, hourly), 1h));
  CHECK(b.take_turn("https://other.example", hourly) == 0ns);
}

TEST_CASE("RedisPaceLedger gives the turn to only one of many threads") {
  const redis_server server;
  std::atomic<int> turns = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      RedisPaceLedger own{redis_options{.url = server.url()}};
      for (int round = 0; round < 10; ++round) {
        turns += own.take_turn(home, hourly) == 0ns ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(turns == 1);
}

TEST_CASE("RedisPaceLedger gives the next turn once the delay is over") {
  const redis_server server;
  RedisPaceLedger ledger{redis_options{.url = server.url()}};
  constexpr pace_claim soon{.least = 0ns, .after = 20ms};
  const auto start = std::chrono::steady_clock::now();
  CHECK(ledger.take_turn(home, soon) == 0ns);
  while (ledger.take_turn(home, soon) > 0ns) {
  }
  CHECK(std::chrono::steady_clock::now() - start >= 20ms);
}

TEST_CASE("RedisPaceLedger keeps the longest delay of all processes") {
  const redis_server server;
  RedisPaceLedger patient{redis_options{.url = server.url()}};
  RedisPaceLedger hasty{redis_options{.url = server.url()}};
  CHECK(hasty.take_turn(home, {}) == 0ns);
  CHECK(hasty.take_turn(home, {}) == 0ns);
  CHECK(is_about(patient.take_turn(home, hourly), 1h));
  CHECK(is_about(hasty.take_turn(home, {}), 1h));
  CHECK(patient.take_turn(home, {}) == 0ns);  // its delay is now 0
  CHECK(hasty.take_turn(home, {}) == 0ns);
}

TEST_CASE("RedisPaceLedger gives no turn while a host is held") {
  const redis_server server;
  RedisPaceLedger a{redis_options{.url = server.url()}};
  RedisPaceLedger b{redis_options{.url = server.url()}};
  a.hold(home, 2h);
  a.hold(home, 1h);
  CHECK(is_about(b.take_turn(home, {}), 2h));
}

TEST_CASE("RedisPaceLedger counts the delay from the latest start that the claim allows") {
  const redis_server server;
  RedisPaceLedger a{redis_options{.url = server.url()}};
  RedisPaceLedger b{redis_options{.url = server.url()}};
  CHECK(a.take_turn(home, {.after = 1h, .lateness = 1h}) == 0ns);
  CHECK(is_about(b.take_turn(home, {}), 2h));
  CHECK(is_about(b.take_turn(home, {.least = 5h, .after = 5h}), 6h));
}

TEST_CASE("RedisPaceLedger gives a gate its own turn again") {
  const redis_server server;
  RedisPaceLedger a{redis_options{.url = server.url()}};
  RedisPaceLedger b{redis_options{.url = server.url()}};
  const pace_claim first{.after = 1h, .turn = 1};
  const pace_claim again{.after = 1h, .lateness = 1h, .turn = 1};
  CHECK(a.take_turn(home, first) == 0ns);
  CHECK(is_about(b.take_turn(home, first), 1h));
  CHECK(is_about(a.take_turn(home, {.after = 1h, .turn = 2}), 1h));
  CHECK(a.take_turn(home, again) == 0ns);
  CHECK(is_about(b.take_turn(home, {}), 2h));
  SUBCASE("but not while the host is held") {
    b.hold(home, 5h);
    CHECK(is_about(a.take_turn(home, again), 5h));
  }
  SUBCASE("but not after another process had a turn") {
    constexpr const char* other = "https://other.example";
    CHECK(a.take_turn(other, {.turn = 3}) == 0ns);
    CHECK(b.take_turn(other, {.after = 1h}) == 0ns);
    CHECK(is_about(a.take_turn(other, {.turn = 3}), 1h));
  }
}

TEST_CASE("A wiped RedisPaceLedger acts as if there had just been a turn") {
  const redis_server server;
  RedisPaceLedger a{redis_options{.url = server.url()}};
  RedisPaceLedger b{redis_options{.url = server.url()}};
  CHECK(a.take_turn(home, hourly) == 0ns);
  server.tell({"FLUSHALL"});
  CHECK(is_about(b.take_turn(home, {.least = 1h, .after = 1h, .last_asked = 59min}), 1h));
  server.tell({"FLUSHALL"});
  CHECK(b.take_turn(home, {.least = 1h, .after = 1h, .last_asked = 61min}) == 0ns);
  server.tell({"FLUSHALL"});
  CHECK(b.take_turn(home, {.least = 87'600h, .after = 87'600h}) == 0ns);
}

TEST_CASE("RedisPaceLedger forgets hosts that need not be remembered") {
  const redis_server server;
  RedisPaceLedger ledger{redis_options{.url = server.url()}};
  CHECK(ledger.take_turn(home, {.after = 1s}) == 0ns);
  const long long left = std::stoll(server.tell({"PTTL", "robots:pace:https://example.com"}));
  CHECK(left > 50'000);
  CHECK(left <= 61'000);
  ledger.hold(home, 136 * 8'760h);
  CHECK(ledger.take_turn(home, {}) > 130 * 8'760h);
}

TEST_CASE("RedisPaceLedger reports that Redis is down, and works again when it is up") {
  redis_server server;
  RedisPaceLedger ledger{redis_options{.url = server.url()}};
  CHECK(ledger.take_turn(home, hourly) == 0ns);
  server.stop();
  CHECK_THROWS_AS(static_cast<void>(ledger.take_turn(home, hourly)), robots::store_error);
  CHECK_THROWS_AS(ledger.hold(home, 1h), robots::store_error);
  server.start();
  CHECK(ledger.take_turn(home, hourly) == 0ns);
}

TEST_CASE("RedisPaceLedger reports a server with nonsensical answers") {
  for (const std::string nonsense : {"+OK\r\n", ":-5\r\n", "$3\r\nabc\r\n", "*0\r\n", "-ERR no\r\n",
                                     "HTTP/1.1 200 OK\r\n\r\n"}) {
    const raw_server server{nonsense};
    RedisPaceLedger ledger{
        redis_options{.url = "redis://127.0.0.1:" + std::to_string(server.port())}};
    CHECK_THROWS_AS(static_cast<void>(ledger.take_turn(home, hourly)), robots::store_error);
  }
}

TEST_CASE("RedisPaceLedger limits every wait to the longest delay, whatever the server says") {
  const raw_server server{":9223372036854775807\r\n"};
  RedisPaceLedger ledger{
      redis_options{.url = "redis://127.0.0.1:" + std::to_string(server.port())}};
  CHECK(ledger.take_turn(home, hourly) <= robots::longest_delay);
}

TEST_CASE("RedisPaceLedger refuses a text that is not a URL") {
  CHECK_THROWS_AS((RedisPaceLedger{redis_options{.url = "http://example.com"}}),
                  std::invalid_argument);
}

TEST_CASE("Gates take turns by Redis") {
  const redis_server server;
  robots::gate_options options;
  options.delay = {.floor = 1h};
  std::vector<std::unique_ptr<robots::host_gate>> gates;
  for (int i = 0; i < 2; ++i) {
    options.ledger = std::make_shared<RedisPaceLedger>(redis_options{.url = server.url()});
    gates.push_back(std::make_unique<robots::host_gate>(options));
  }
  CHECK(gates[0]->try_acquire("https://example.com/a"));
  const auto refused = gates[1]->try_acquire("https://example.com/b");
  CHECK(refused.reason == robots::admission_reason::not_yet);
  CHECK(refused.plan.decided_by == robots::start_limit::ledger);
  CHECK(is_about(refused.plan.at - refused.planned_at, 1h + 1s));
}
