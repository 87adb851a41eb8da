#include <robots/fetch/origin_breakers.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using robots::time_point;
using robots::detail::origin_breakers;

namespace {

constexpr time_point start{1h};
constexpr const char* broken = "https://broken.example";
constexpr const char* well = "https://well.example";

}  // namespace

TEST_CASE("Each origin has its own breaker") {
  origin_breakers breakers{{.failures = 2, .cooldown = 10s}};
  breakers.on_failure(broken, start);
  CHECK(breakers.admits(broken, start));
  CHECK(breakers.open() == 0);
  breakers.on_failure(broken, start);
  CHECK_FALSE(breakers.admits(broken, start));
  CHECK_FALSE(breakers.answered(broken));
  breakers.on_failure(broken, start, true);
  CHECK(breakers.answered(broken));
  CHECK_FALSE(breakers.answered(well));
  CHECK_FALSE(breakers.admits(broken, start + 10s - 1ns));
  CHECK(breakers.open() == 1);
  CHECK(breakers.admits(well, start));

  CHECK(breakers.admits(broken, start + 10s));
  breakers.on_abandoned(broken, start + 10s);
  CHECK(breakers.admits(broken, start + 10s));
  breakers.on_success(broken);
  CHECK(breakers.open() == 0);
  CHECK(breakers.admits(broken, start));
}

TEST_CASE("An origin that answers again is treated like a new origin") {
  origin_breakers breakers{{.failures = 1}};
  breakers.on_failure(broken, start);
  CHECK_FALSE(breakers.admits(broken, start));
  breakers.on_success(broken);
  CHECK(breakers.admits(broken, start));
}

TEST_CASE(
    "If an expired probe was replaced by a second one, dropping the first does not permit a "
    "third") {
  origin_breakers breakers{{.failures = 1, .cooldown = 60s}};
  breakers.on_failure(broken, start);
  CHECK(breakers.admits(broken, start + 60s));
  CHECK(breakers.admits(broken, start + 120s));
  breakers.on_abandoned(broken, start + 60s);
  CHECK_FALSE(breakers.admits(broken, start + 121s));
  breakers.on_abandoned(broken, start + 120s);
  CHECK(breakers.admits(broken, start + 121s));
}

TEST_CASE("Negative options are refused") {
  CHECK_THROWS_AS((origin_breakers{{.failures = -1}}), std::invalid_argument);
  CHECK_THROWS_AS((origin_breakers{{.failures = 1, .cooldown = -1s}}), std::invalid_argument);
}

TEST_CASE("Memory is bounded, however many origins fail") {
  origin_breakers breakers{{.failures = 1}};
  for (int i = 0; i < 70'000; ++i) {
    breakers.on_failure("https://h" + std::to_string(i) + ".example", start);
  }
  CHECK(breakers.open() == 65'536);
  CHECK_FALSE(breakers.admits("https://h0.example", start));
  CHECK(breakers.admits("https://h69999.example", start));

  // An origin whose cooldown is over makes room for another origin.
  breakers.on_failure(broken, start + 60s);
  CHECK_FALSE(breakers.admits(broken, start + 60s));
  CHECK(breakers.admits("https://h0.example", start + 60s));
  CHECK(breakers.open() == 65'536);
}

TEST_CASE("If the table is full, origins with few failures are forgotten first") {
  origin_breakers breakers{{.failures = 2}};
  for (int i = 0; i < 65'536 + 100; ++i) {
    breakers.on_failure("https://h" + std::to_string(i) + ".example", start + 1ns * i);
  }
  for (const char* forgotten : {"https://h0.example", "https://h99.example"}) {
    breakers.on_failure(forgotten, start + 1s);
    CHECK(breakers.admits(forgotten, start + 1s));
  }
  for (const char* remembered : {"https://h300.example", "https://h65635.example"}) {
    breakers.on_failure(remembered, start + 1s);
    CHECK_FALSE(breakers.admits(remembered, start + 1s));
  }
}

TEST_CASE("Only one of many threads makes the probe after the cooldown") {
  for (int round = 0; round < 20; ++round) {
    origin_breakers breakers{{.failures = 1, .cooldown = 10s}};
    breakers.on_failure(broken, start);
    std::atomic<int> admitted = 0;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] { admitted += breakers.admits(broken, start + 10s) ? 1 : 0; });
      }
    }
    CHECK(admitted == 1);
  }
}
